package outbox

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	token = "t1" // of the lease under which the entries of these tests are sent
	hour  = time.Hour
)

func at() time.Time { return time.UnixMilli(1_800_000_000_000).UTC() }

// policy is one with the defaults and nothing wired; options wire something.
func policy(options ...func(*Policy)) Policy {
	p := Policy{Config: DefaultConfig()}
	for _, o := range options {
		o(&p)
	}
	return p
}

func verifiable(p *Policy) { p.Verifiable = true }
func ledgered(p *Policy)   { p.Ledgered = true }
func idempotent(p *Policy) { p.Idempotent = true }

type change func(*Entry)

func with(e Entry, changes ...change) Entry {
	for _, c := range changes {
		c(&e)
	}
	return e
}

func pending(changes ...change) Entry {
	return with(Entry{
		ID: "ob_1", WorkspaceID: "w", SessionID: "s", ClientMessageID: "c", UserID: "u", Text: "hi",
		Model: []byte(`{"a":1}`), AcceptedAt: at().Add(-hour), Status: StatusPending, Version: 3, Seq: 7,
	}, changes...)
}

// sending is an entry whose second send runs, with one known failure behind it.
func sending(changes ...change) Entry {
	return with(pending(func(e *Entry) {
		e.Status, e.SendToken, e.AttemptNo, e.FailedNo, e.Attempts = StatusDelivering, token, 2, 1, 1
		e.LastAttemptAt, e.Deliverer, e.PeerID, e.LastError = at().Add(-time.Minute), "http", "p2", "refused"
	}), changes...)
}

// waiting is one whose receiver still decides on a prior attempt.
func waiting(changes ...change) Entry {
	return with(sending(idle, func(e *Entry) { e.PriorSince = at().Add(-time.Minute) }), changes...)
}

func verifying(changes ...change) Entry {
	return with(sending(idle, unknown, status(StatusVerifying)), changes...)
}

func errored(changes ...change) Entry {
	return with(sending(idle, status(StatusError), attempts(5)), changes...)
}

// doubted is an entry in error whose fate is unknown.
func doubted(changes ...change) Entry {
	return with(errored(unknown, attempts(1), passes(40), reason(ReasonUnverifiable)), changes...)
}

// unreadable is an entry whose row makes no sense, with whatever else it says.
func unreadable(e Entry) Entry { return with(e, status(StatusUnreadable), says("unknown status")) }

// aside parks an entry.
func aside(e Entry, changes ...change) Entry {
	e.ParkedFrom, e.ParkedError, e.Status, e.Reason = e.Status, e.LastError, StatusParked, "flip"
	return with(e, changes...)
}

func idle(e *Entry)                  { e.SendToken = "" }
func unknown(e *Entry)               { e.Unknown = true }
func known(e *Entry)                 { e.Unknown = false }
func due(after time.Duration) change { return func(e *Entry) { e.NextAttemptAt = at().Add(after) } }
func dueNow(e *Entry)                { e.NextAttemptAt = time.Time{} }
func status(s string) change         { return func(e *Entry) { e.Status = s } }
func from(s string) change           { return func(e *Entry) { e.ParkedFrom = s } }
func reason(s string) change         { return func(e *Entry) { e.Reason = s } }
func says(s string) change           { return func(e *Entry) { e.LastError = s } }
func attempts(n int) change          { return func(e *Entry) { e.Attempts = n } }
func passes(n int) change            { return func(e *Entry) { e.VerifyAttempts = n } }
func transients(n int) change        { return func(e *Entry) { e.TransientFails = n } }
func failedNo(n int) change          { return func(e *Entry) { e.FailedNo = n } }
func notPrior(e *Entry)              { e.PriorSince = time.Time{} }
func taken(e *Entry)                 { e.ParkedFrom, e.ParkedError, e.Reason = "", "", "" }

func also(changes []change, more ...change) []change { return slices.Concat(changes, more) }

// settled is that the send of these tests ended with an outcome.
func settled(o Outcome, changes ...func(*Settled)) Settled {
	ev := Settled{Token: token, AttemptNo: 2, Outcome: o, Err: "said so"}
	for _, c := range changes {
		c(&ev)
	}
	return ev
}

func after(d time.Duration) func(*Settled) { return func(ev *Settled) { ev.After = d } }

func told(last, next Answer) func(*Settled) {
	return func(ev *Settled) { ev.Ledger = &Ledger{Last: last, Next: next} }
}

// row is a cell of a table: what becomes of an entry by an event. The changes are
// all that may become of it.
type row struct {
	name    string
	policy  Policy
	entry   Entry
	event   Event
	changes []change
	effects []Effect
	refusal error
}

// run checks rows.
func run(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, r.check)
	}
}

// check is for one row. An entry that ends is not compared.
func (r row) check(t *testing.T) {
	t.Helper()
	got, effects, err := r.policy.Next(r.entry, r.event, at())
	if !errors.Is(err, r.refusal) || !slices.Equal(effects, r.effects) {
		t.Fatalf("%s: answered %v and %v, want %v and %v", r.name, effects, err, r.effects, r.refusal)
	}
	if gone(effects) || probed(effects) {
		return
	}
	if want := with(r.entry, r.changes...); !reflect.DeepEqual(got, want) {
		t.Errorf("%s: the entry differs (-want +got):\n%s", r.name, cmp.Diff(want, got))
	}
}

func gone(effects []Effect) bool {
	return len(effects) == 1 && (effects[0] == Finish || effects[0] == Remove)
}

func probed(effects []Effect) bool { return len(effects) == 1 && effects[0] == Probe }
