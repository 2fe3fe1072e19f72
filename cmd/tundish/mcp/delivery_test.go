package mcp

import (
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
)

// MCP-4: the answer is written before the delivery is committed.
func TestMCP4_WrittenBeforeTheCommit(t *testing.T) {
	seen := make(chan struct{})
	r := newRaw(t)
	r.store.atCommit = func() error {
		<-seen
		return nil
	}
	r.send(pullCall)
	r.news()
	if r.cursor() != 0 {
		t.Error("the delivery was committed before its answer was read")
	}
	close(seen)
	r.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"status"}}`)
	if a := r.read(); !strings.Contains(a.Result.Content[0].Text, `"cursor":1`) {
		t.Errorf("the call after the pull sees %+v", a)
	}
}

// MCP-4: what could not be committed comes again, and a person is told.
func TestMCP4_CommitFails(t *testing.T) {
	r := newRaw(t)
	r.store.atCommit = func() error { return errors.New("the disk is full") }
	r.send(pullCall)
	r.news()
	r.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	r.read()
	r.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list"}}`)
	r.read() // it came after the end of the pull
	r.store.atCommit = nil
	r.mu.Lock()
	notes := strings.Join(r.notes, "\n")
	r.mu.Unlock()
	if r.cursor() != 0 || !strings.Contains(notes, "will be again") || !strings.Contains(notes, "the disk is full") {
		t.Errorf("the cursor is %d; %s", r.cursor(), notes)
	}
	r.send(strings.Replace(pullCall, `"id":1`, `"id":4`, 1))
	r.news()
}

// MCP-4: a host that is gone gets nothing.
func TestMCP4_HostGone(t *testing.T) {
	r := newRaw(t)
	r.must(r.fromIt.Close())
	r.send(pullCall)
	<-r.over
	if !errors.Is(r.served, syscall.EPIPE) || domain.CodeOf(r.served) != domain.Output || r.cursor() != 0 {
		t.Errorf("%v; the cursor is %d", r.served, r.cursor())
	}
}

// MCP-4: a host that reads nothing for longer than the write lock may be held
// gets an error when it reads again, and the item with its next pull.
func TestMCP4_HostDoesNotRead(t *testing.T) {
	r := newRaw(t)
	filled := r.fill(0)
	r.send(pullCall)
	<-r.store.failed
	r.drain(filled)
	r.none()
	r.send(strings.Replace(pullCall, `"id":1`, `"id":2`, 1))
	r.news()
}

// MCP-4: so does one whose pipe another answer has filled.
func TestMCP4_AnotherAnswerInTheWay(t *testing.T) {
	r := newRaw(t)
	filled := r.fill(0)
	r.send(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
	r.send(pullCall)
	<-r.store.failed
	r.drain(filled)
	first := r.read()
	if first.ID == float64(9) {
		r.none()
		return
	}
	if second := r.read(); second.ID != float64(9) || !first.Result.IsError || r.cursor() != 0 {
		t.Errorf("%+v, %+v; the cursor is %d", first, second, r.cursor())
	}
}

// MCP-4: an answer that was cut ends the connection.
func TestMCP4_AnswerCut(t *testing.T) {
	r := newRaw(t)
	r.publish(`"` + strings.Repeat("x", 20000) + `"`)
	for {
		filled := r.fill(8192)
		r.send(pullCall)
		<-r.store.failed
		r.drain(filled)
		line, err := r.lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || !strings.Contains(string(line), unmarked) {
			t.Fatalf("%s, %v", line, err)
		}
	}
	<-r.over
	if r.served == nil || domain.CodeOf(r.served) != domain.Output || r.cursor() != 0 {
		t.Errorf("%v; the cursor is %d", r.served, r.cursor())
	}
}

// MCP-6: a signal ends the server although the host does not read; what it has not
// got is not marked.
func TestMCP6_SignalWhileTheHostDoesNotRead(t *testing.T) {
	for _, call := range []string{pullCall, `{"jsonrpc":"2.0","id":9,"method":"ping"}`} {
		r := newRaw(t)
		r.fill(0)
		r.send(call)
		r.stop()
		<-r.over
		if r.served != nil || r.cursor() != 0 {
			t.Errorf("%v; the cursor is %d", r.served, r.cursor())
		}
	}
}

// MCP-6: what was asked before the end of the input is answered, in order.
func TestMCP6_EndOfInput(t *testing.T) {
	r := newRaw(t)
	r.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"publish","arguments":{"queue":"q","payload":2}}}`)
	r.send(pullCall)
	r.must(r.toIt.Close())
	if a := r.read(); a.ID != float64(2) || a.Result.IsError {
		t.Errorf("%+v", a)
	}
	r.news()
	<-r.over
	if r.served != nil || r.cursor() != 2 {
		t.Errorf("%v; the cursor is %d", r.served, r.cursor())
	}
}

// MCP-5: lines that are no message are answered, under their id where they have one,
// and the next one counts.
func TestMCP5_NoMessage(t *testing.T) {
	r := newRaw(t)
	for _, test := range []struct {
		line string
		id   any
	}{
		{"nonsense", nil}, {`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, nil}, {`{"jsonrpc":"1.0","id":5,"method":"ping"}`, float64(5)},
		{`{"id":"x"}`, "x"}, {`{"jsonrpc":"2.0","id":true,"method":"ping"}`, nil},
	} {
		r.send("\n" + test.line)
		if a := r.read(); a.Error == nil || a.ID != test.id {
			t.Errorf("%.40s gives %+v", test.line, a)
		}
	}
	r.send(pullCall)
	r.news()
}

// MCP-5: a second call under the id of one that still works is refused, and the first
// one is not disturbed.
func TestMCP5_IdInUse(t *testing.T) {
	held, release := make(chan struct{}), make(chan struct{})
	r := newRaw(t)
	r.store.atCommit = func() error {
		close(held)
		<-release
		return nil
	}
	r.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"publish","arguments":{"queue":"q","payload":2}}}`)
	<-held
	r.store.atCommit = nil
	r.send(pullCall)
	if a := r.read(); a.Error == nil || !strings.Contains(a.Error.Message, "in use") {
		t.Errorf("%+v", a)
	}
	close(release)
	if a := r.read(); a.ID != float64(1) || a.Result.IsError {
		t.Errorf("%+v", a)
	}
	r.send(pullCall)
	r.news()
}

// MCP-7: a call that the host cancels while another one works is answered at once,
// and does nothing.
func TestMCP7_CancelledInTheQueue(t *testing.T) {
	held, release := make(chan struct{}), make(chan struct{})
	r := newRaw(t)
	r.store.atCommit = func() error {
		close(held)
		<-release
		return nil
	}
	publish := func(id string) {
		r.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"publish","arguments":{"queue":"other","payload":` + id + `}}}`)
	}
	publish("1")
	<-held
	r.store.atCommit = nil
	publish("2")
	publish("3")
	r.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	if a := r.read(); a.ID != float64(2) || a.Error == nil && !a.Result.IsError {
		t.Errorf("%+v", a)
	}
	close(release)
	answered := map[any]bool{}
	for range 2 { // the third call waits for the first one's work, not for its answer
		a := r.read()
		if a.Result.IsError {
			t.Errorf("%+v", a)
		}
		answered[a.ID] = true
	}
	if !answered[1.0] || !answered[3.0] {
		t.Errorf("answered: %v", answered)
	}
	var stored []string
	r.must(r.inbox.List(t.Context(), app.List{Queue: "other", Limit: -1}, func(item app.ItemView) error {
		stored = append(stored, string(item.Payload))
		return nil
	}))
	if got := strings.Join(stored, " "); got != "1 3" {
		t.Error(got)
	}
}
