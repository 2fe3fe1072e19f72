//go:build unix

package peers_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	deliveropencode "github.com/tundish-go/tundish/adapters/deliver_opencode"
	rules "github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/delivery"
)

// OUT-15: a real worker and a real opencode serve.
func TestOUT15_Opencode(t *testing.T) {
	installed(t)
	m := startModel(t)
	b := bench{buildPrograms(t), newOpencode(t, m), m}
	b.server.start(t)
	t.Run("prompt", b.prompt)
	t.Run("repeated", b.repeated)
	t.Run("worker killed", b.workerKilled)
	t.Run("server killed", b.serverKilled)
	t.Run("server slow", b.serverSlow)
	t.Run("wrong password", b.wrongPassword)
}

// bench is what the checks share.
type bench struct {
	programs
	server *opencode
	model  *model
}

func (b bench) outbox(t *testing.T) outbox {
	return b.newOutbox(t, "OPENCODE_SERVER_PASSWORD="+password)
}

// A prompt appears once, is answered, and others see it.
func (b bench) prompt(t *testing.T) {
	const text = "Say hello; this is \"quoted\",\nand <second> line."
	session := b.server.newSession(t)
	others := b.server.listen(t)
	o := b.outbox(t)
	entry := o.run(t, "accept", "w", session, text)
	wire := startWire(t, b.server.url)
	worker := o.worker(t, wire.URL)
	o.drained(t)
	id := b.server.once(t, session, text, true)
	if want := "^msg_[0-9a-f]{12}" + tail(entry) + "$"; !regexp.MustCompile(want).MatchString(id) {
		t.Errorf("the message is called %s, want %s", id, want)
	}
	var seen message
	if status, err := b.server.call(t.Context(), http.MethodGet, "/session/"+session+"/message/"+id, nil, &seen); err != nil || status != http.StatusOK || seen.texts(text) != 1 {
		t.Errorf("another client sees %d %v %+v", status, err, seen)
	}
	others.await(t, `"message.updated"`, id)
	others.await(t, `"message.part.updated"`, id, "Say hello")
	if turns, times := b.model.turnsWith("and <second> line."); turns != 1 || times != 1 {
		t.Errorf("the model was asked %d times, and had the text %d times", turns, times)
	}
	if n := len(wire.passed()); n != 1 {
		t.Errorf("%d prompts were posted", n)
	}
	if strings.Contains(worker.out.String(), password) {
		t.Error("the worker logs the password")
	}
}

// tail is the end of an entry's id without its dashes.
func tail(entryID string) string {
	plain := strings.ReplaceAll(entryID, "-", "")
	return plain[len(plain)-14:]
}

// A send that is repeated under its id adds nothing: not a text, not a turn.
func (b bench) repeated(t *testing.T) {
	const text = "Once and for all."
	session := b.server.newSession(t)
	d, err := deliveropencode.New(b.server.url, deliveropencode.Options{
		Login: func() (string, string, error) { return "", password, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	entry := rules.Entry{ID: "ob_repeated0123456", SessionID: session, Text: text, Status: rules.StatusPending, AttemptNo: 1}
	entry.PeerID = d.PeerID(entry, time.Now())
	send := delivery.Send{Entry: entry, Held: func(context.Context) error { return nil }}
	deliver := func(send delivery.Send) {
		t.Helper()
		err := d.Deliver(t.Context(), send)
		if class, _ := rules.OutcomeOf(err); class != rules.Delivered && class != rules.UnknownOutcome { // unknown: it was slow
			t.Fatal(err)
		}
	}
	for range 3 {
		deliver(send)
		if id := b.server.once(t, session, text, true); id != entry.PeerID {
			t.Errorf("the message is called %s, want %s", id, entry.PeerID)
		}
	}
	// An older prompt would still be under way when a later one is answered.
	later := entry
	later.Text, later.Status = "And another.", rules.StatusPending
	later.PeerID = d.PeerID(later, time.Now())
	deliver(delivery.Send{Entry: later, Held: send.Held})
	b.server.once(t, session, later.Text, true)
	if turns, times := b.model.turnsWith(text); turns != 2 || times != 1 {
		t.Errorf("the model was asked %d times, the last time with %d of the text; want 2 and 1", turns, times)
	}
	if verdict, err := d.Verify(t.Context(), entry); verdict != rules.VerdictDelivered || err != nil {
		t.Errorf("verdict %d, %v", verdict, err)
	}
}

// Section 8: the peer stored it, and the worker died before it knew.
func (b bench) workerKilled(t *testing.T) {
	const text = "The worker will not live to see this answered."
	session := b.server.newSession(t)
	o := b.outbox(t)
	o.run(t, "accept", "w", session, text)
	wire := startWire(t, b.server.url)
	started := make(chan *process, 1)
	wire.onAnswer(true, func() { (<-started).kill() })
	started <- o.worker(t, wire.URL)
	b.server.once(t, session, text, true)
	if left := o.run(t, "list", "--json"); !strings.Contains(left, `"delivering"`) {
		t.Errorf("after the worker's death: %s", left)
	}
	o.worker(t, wire.URL)
	o.drained(t)
	b.server.once(t, session, text, true)
	if n := len(wire.passed()); n != 1 {
		t.Errorf("%d prompts were posted", n)
	}
}

func await(t *testing.T, happened *atomic.Bool) {
	t.Helper()
	eventually(t, func() error {
		if !happened.Load() {
			return errors.New("the server has not answered")
		}
		return nil
	})
}

// The server dies right after it took a prompt: it answers before it stores, and
// here it has a plugin that takes its time in between.
func (b bench) serverKilled(t *testing.T) {
	const text = "The server will forget this once."
	session := b.server.newSession(t)
	o := b.outbox(t)
	o.run(t, "accept", "w", session, text)
	wire := startWire(t, b.server.url)
	release := b.server.hold(t)
	var dead atomic.Bool
	wire.onAnswer(false, func() { b.server.process.kill(); dead.Store(true) })
	worker := o.worker(t, wire.URL)
	await(t, &dead)
	release()
	b.server.start(t)
	o.drained(t)
	id := b.server.once(t, session, text, true)
	posted := wire.passed()
	if len(posted) != 2 || strings.Contains(posted[0], id) || !strings.Contains(posted[1], id) {
		t.Errorf("the session has %s, posted were %q", id, posted)
	}
	if log := worker.out.String(); !strings.Contains(log, "attempt=2") {
		t.Error("the second send has not the number 2")
	}
}

// The answer to the post is not taken for delivery: nothing is while the server has
// not stored the prompt, and the one send is enough once it has.
func (b bench) serverSlow(t *testing.T) {
	const text = "The server takes its time with this."
	session := b.server.newSession(t)
	o := b.outbox(t)
	o.run(t, "accept", "w", session, text)
	wire := startWire(t, b.server.url)
	release := b.server.hold(t)
	var answered atomic.Bool
	wire.onAnswer(false, func() { answered.Store(true) })
	o.worker(t, wire.URL)
	await(t, &answered)
	if left := o.run(t, "list", "--json"); left == "" {
		t.Error("it counts as delivered before it is stored")
	}
	release()
	o.drained(t)
	b.server.once(t, session, text, true)
	if n := len(wire.passed()); n != 1 {
		t.Errorf("%d prompts were posted", n)
	}
}

// A wrong password is a refusal, and stays a secret.
func (b bench) wrongPassword(t *testing.T) {
	const wrong = "another-password-made-for-this-test"
	session := b.server.newSession(t)
	o := b.newOutbox(t, "OPENCODE_SERVER_PASSWORD="+wrong)
	o.run(t, "accept", "w", session, "x")
	worker := o.worker(t, b.server.url)
	eventually(t, func() error {
		left := o.run(t, "list", "--json")
		if strings.Contains(left, wrong) || strings.Contains(worker.out.String(), wrong) {
			t.Fatal("the password is shown")
		}
		if !strings.Contains(left, `"error"`) || !strings.Contains(left, "401") {
			return fmt.Errorf("not in error: %s", left)
		}
		return nil
	})
}
