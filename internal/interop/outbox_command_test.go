//go:build unix

package interop_test

import (
	"strings"
	"testing"
)

// once runs a worker for one tick.
func (p *post) once(b binary) string {
	p.t.Helper()
	r := p.run(b, "outbox", "run", "--once")
	if r.code != 0 {
		p.t.Errorf("run --once: %+v", r)
	}
	return r.stdout
}

// inError brings an entry into error: the receiver refuses it each time.
func (p *post) inError(b binary, text string) string {
	p.t.Helper()
	id := p.accept(b, text)
	p.until("an entry in error", func() bool {
		p.once(b)
		entries := p.list(b)
		return len(entries) > 0 && entries[len(entries)-1].Status == "error"
	})
	return id
}

// OUT-14: the table of the parked-error sweep, by the command and a real ledger
// program. The last send that is known to have failed is the second.
func TestOUT14_SweepAsksTheLedger(t *testing.T) {
	rows := []struct {
		name, last, next string
		answer           string // of the command
		status           string // of the entry afterwards; empty for gone
		attempts         int
	}{
		{"the first probe fails", "fail", "ADMITTED", "rearmed 0 completed 0", "error", 2},
		{"admitted under the last number", "LEDGER_STATE_ADMITTED", "fail", "rearmed 0 completed 1", "", 0},
		{"the second probe fails", "FAILED", "fail", "rearmed 0 completed 0", "error", 2},
		{"a failed row hides no admitted one", "FAILED", "PROMOTED", "rearmed 0 completed 1", "", 0},
		{"ledgered", "FAILED", "LEDGERED", "rearmed 0 completed 0", "error", 2},
		{"failed again", "FAILED", "FAILED", "rearmed 1 completed 0", "pending", 3},
		{"no row", "", "", "rearmed 1 completed 0", "pending", 2},
		{"an unknown word", "MAYBE", "MAYBE", "rearmed 0 completed 0", "error", 2},
	}
	b := binaries[0]
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newPost(t)
			p.plan("exit:1", "exit:1")
			p.limit("max_attempts: 2")
			p.inError(b, "hello")
			p.limit("max_attempts: 5", "ledger: "+p.spec("ledger"))
			p.put("ledger-2", row.last)
			p.put("ledger-3", row.next)
			if r := p.run(b, "outbox", "sweep", "w"); r.code != 0 || r.stdout != row.answer+"\n" {
				t.Errorf("sweep: %+v, want %q", r, row.answer)
			}
			entries := p.list(b)
			switch {
			case row.status == "" && len(entries) == 0:
			case row.status == "" || len(entries) != 1:
				t.Errorf("%+v, want %q", entries, row.status)
			case entries[0].Status != row.status || entries[0].Attempts != row.attempts:
				t.Errorf("%+v, want %s with %d attempts", entries[0], row.status, row.attempts)
			}
		})
	}
}

// limit writes a configuration with one bound of the outbox, and more of the route.
func (p *post) limit(bound string, more ...string) {
	p.t.Helper()
	route := append([]string{`workspace: "*"`, "deliver: " + p.spec("deliver"), "verify: " + p.spec("verify")}, more...)
	p.configure("format: 1\noutbox:\n  " + bound + quick + "  routes:\n    - " + strings.Join(route, "\n      ") + "\n")
}

// OUT-14: before an entry goes to error, the ledger is asked: what the receiver has
// admitted is finished, what it still holds waits for it.
func TestOUT14_TheLedgerGuardsError(t *testing.T) {
	b := binaries[0]
	for word, want := range map[string]string{"ADMITTED": "", "LEDGERED": "delivering", "FAILED": "error", "fail": "error"} {
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			p := newPost(t)
			p.plan("exit:1")
			p.limit("max_attempts: 1", "ledger: "+p.spec("ledger"))
			p.put("ledger-1", word)
			p.accept(b, "hello")
			p.once(b)
			got := ""
			if entries := p.list(b); len(entries) == 1 {
				got = entries[0].Status
			}
			if got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

// OUT-2: in a strict lane everything waits for the head, in error too, and list
// names it; otherwise nothing does.
func TestOUT2_StrictOrder(t *testing.T) {
	b := binaries[0]
	p := newPost(t, "order: strict")
	p.plan("exit:1", "exit:1", "exit:1", "exit:1", "exit:1")
	head := p.accept(b, "first")
	p.accept(b, "second")
	p.until("an error", func() bool { p.once(b); return p.list(b)[0].Status == "error" })
	p.once(b)
	p.want()
	entries := p.list(b)
	if len(entries) != 2 || entries[1].Status != "pending" || entries[1].BlockedBy != head {
		t.Errorf("%+v", entries)
	}
	if line := p.ok(b, "outbox", "list"); !strings.Contains(line, "blocked=by "+head) {
		t.Errorf("list does not name the head: %q", line)
	}
	p.ok(b, "outbox", "retry", "w", "s", head)
	p.until("both", func() bool { p.once(b); return len(p.stored()) == 2 })
	p.want("first", "second")
}

// OUT-15: an idempotent receiver gets an entry again whose fate is unknown, under
// the same id and number, and is asked by nobody.
func TestOUT15_IdempotentReceiver(t *testing.T) {
	b := binaries[0]
	p := newPost(t, "idempotent: true")
	p.plan("read store exit:76", "read exit:76")
	p.accept(b, "hello")
	p.until("the third send", func() bool { p.once(b); return p.there("call-2") })
	p.empty(b)
	p.want("hello", "hello") // this receiver never dedupes
	if p.there("verified") {
		t.Error("it was verified")
	}
}

// OUT-8: what is being sent is busy, by name, and is neither absent nor changed.
func TestOUT8_BusyIsNotAbsent(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		t.Parallel()
		p := newPost(t)
		p.plan("read touch:begun wait:go store")
		id := p.accept(b, "hello")
		w := p.work(b)
		p.until("the send", func() bool { return p.there("begun") })
		for _, args := range [][]string{{"dismiss"}, {"retry"}} {
			args = append(append([]string{"outbox"}, args...), "w", "s", id)
			p.fails(b, 3, []string{id, "being sent"}, args...)
		}
		next := p.accept(b, "next")
		if e := p.list(b); len(e) != 2 || !e[1].BlockedByInFlight {
			t.Errorf("%+v", e)
		}
		p.ok(b, "outbox", "dismiss", "w", "s", next)
		p.fails(b, 2, []string{next}, "outbox", "dismiss", "w", "s", next)
		p.put("go", "")
		p.empty(b)
		w.stop()
		p.want("hello")
	})
}
