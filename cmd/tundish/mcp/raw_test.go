package mcp

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tundish-go/tundish/app"
)

// raw is a host that writes and reads lines by hand.
type raw struct {
	*house
	lines *bufio.Reader
}

// newRaw has a host that has been let in, with one item waiting for it.
func newRaw(t *testing.T, change ...func(*house)) *raw {
	t.Helper()
	h := newHouse(t, "w", change...)
	r := &raw{house: h, lines: bufio.NewReader(h.fromIt)}
	r.send(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`)
	r.read()
	rules := subscribeInput{Queue: "q"}
	wanted, err := rules.rules()
	h.must(err)
	_, err = h.inbox.Subscribe(t.Context(), app.Subscribe{Name: "s", Subscriber: "w", Rules: wanted})
	h.must(err)
	h.publish(`"news"`)
	return r
}

func (h *house) publish(payload string) {
	h.Helper()
	_, err := h.inbox.Publish(h.Context(), app.Message{Queue: "q", Payload: []byte(payload)})
	h.must(err)
}

func (r *raw) send(line string) {
	r.Helper()
	_, err := io.WriteString(r.toIt, line+"\n")
	r.must(err)
}

const pullCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pull","arguments":{"max_bytes":200000}}}`

// answer is the part of an answer that tests look at.
type answer struct {
	ID     any
	Result struct {
		IsError bool
		Content []struct{ Text string }
	}
	Error *struct {
		Code    int
		Message string
	}
}

func (r *raw) read() answer {
	r.Helper()
	line, err := r.lines.ReadBytes('\n')
	r.must(err)
	var a answer
	r.must(json.Unmarshal(line, &a))
	return a
}

// unmarked is what the error of a pull says whose answer was not written in time. On
// a machine that is busy that can befall any; then the host asks again.
const unmarked = "nothing was marked as delivered"

// news wants the answer of a pull to bring the item.
func (r *raw) news() {
	r.Helper()
	a := r.read()
	for ; a.Result.IsError && strings.Contains(a.Result.Content[0].Text, unmarked); a = r.read() {
		r.send(pullCall)
	}
	if a.Result.IsError || len(a.Result.Content) != 1 || !strings.Contains(a.Result.Content[0].Text, "[q#1] ") {
		r.Fatalf("%+v", a)
	}
}

// none wants the answer of a pull to be an error, and nothing to be marked.
func (r *raw) none() {
	r.Helper()
	a := r.read()
	if !a.Result.IsError || !strings.Contains(a.Result.Content[0].Text, unmarked) || r.cursor() != 0 {
		r.Fatalf("%+v; the cursor is %d", a, r.cursor())
	}
}

// fill leaves so many bytes of room in the pipe to the host, and returns how many it
// put there.
func (r *raw) fill(room int) int64 {
	r.Helper()
	out, ok := r.output.(piped)
	if !ok {
		r.Fatal("no pipe")
	}
	r.must(out.SetWriteDeadline(time.Now().Add(time.Second / 10)))
	filled := int64(0)
	for step := 4096; step > 0; {
		n, err := out.Write([]byte(strings.Repeat(" ", step)))
		filled += int64(n)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
		r.must(err)
	}
	r.must(out.SetWriteDeadline(time.Time{}))
	r.drain(int64(room))
	return filled - int64(room)
}

// drain takes bytes out of the pipe again.
func (r *raw) drain(n int64) {
	r.Helper()
	_, err := io.CopyN(io.Discard, r.lines, n)
	r.must(err)
}
