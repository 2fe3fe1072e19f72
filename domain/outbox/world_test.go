package outbox

import (
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// flight is a send on its way: the receiver has not decided yet whether it stores.
type flight struct {
	token string
	no    int
}

// world is one entry, the receiver, and what the worker and people do. It knows the
// truth about each send, and tells the rules only what they could learn.
type world struct {
	t       *rapid.T
	p       Policy
	now     time.Time
	e       Entry
	gone    bool
	running *flight      // the send that the entry is in, as far as a live worker knows
	strays  []flight     // sends that nobody waits for, which may still arrive
	stored  map[int]bool // numbers of the sends that the receiver stored
	copies  int          // how often it stored the prompt
	doubt   bool         // a send has an unknown fate, and nobody has vouched for it
	vouched int          // how often a person had it sent again in spite of that
	lost    string       // the token of a send whose worker crashed, until somebody takes the lane
	tokens  int
}

func newWorld(t *rapid.T) *world {
	p := Policy{Config: DefaultConfig()}
	for _, bound := range []*int{&p.Config.MaxAttempts, &p.Config.MaxTransientFailures, &p.Config.MaxVerifyAttempts} {
		*bound = rapid.IntRange(1, min(*bound, 6)).Draw(t, "bound")
	}
	for _, wired := range []*bool{&p.Verifiable, &p.Ledgered, &p.Idempotent} {
		*wired = rapid.Bool().Draw(t, "wired")
	}
	return &world{t: t, p: p, now: at(), e: pending(), stored: map[int]bool{}}
}

func (w *world) yes(label string) bool { return rapid.Bool().Draw(w.t, label) }

// arrive lets the receiver store a send; an idempotent one has each prompt once.
func (w *world) arrive(f flight) {
	if !w.p.Idempotent || w.copies == 0 {
		w.copies++
	}
	w.stored[f.no] = true
}

// tell lets an event happen, asks the ledger when that is wanted, and checks what
// holds of every event.
func (w *world) tell(event func(*Ledger) Event) (effects []Effect, err error) {
	if w.gone {
		return nil, WrongState
	}
	before := w.e
	next, effects, err := w.p.Next(w.e, event(nil), w.now)
	if probed(effects) {
		if !w.p.Ledgered {
			w.t.Fatal("a ledger is asked that is not there")
		}
		ledger := w.ledger(next)
		next, effects, err = w.p.Next(w.e, event(&ledger), w.now)
	}
	if probed(effects) {
		w.t.Fatal("the ledger is asked for ever")
	}
	if err != nil {
		if !reflect.DeepEqual(before, next) || effects != nil {
			w.t.Fatalf("a refusal changes something: %v\n%s", effects, cmp.Diff(before, next))
		}
		return nil, err
	}
	if gone(effects) {
		if effects[0] == Finish && w.copies == 0 {
			w.t.Fatal("lost: finished without having arrived")
		}
		w.gone = true
		return effects, nil
	}
	w.e = next
	minted := before.Status == StatusPending && slices.Contains(effects, Send)
	if grown := next.AttemptNo - before.AttemptNo; minted && grown != 1 || !minted && grown != 0 {
		w.t.Fatalf("the number grew by %d at %T from %s", grown, event(nil), before.Status)
	}
	return effects, nil
}

// ledger is what the receiver's ledger says of an entry, or that it is out of reach.
func (w *world) ledger(e Entry) Ledger {
	answer := func(no int) Answer {
		switch {
		case rapid.IntRange(0, 4).Draw(w.t, "out of reach") == 0:
			return Answer{Failed: true}
		case w.stored[no]:
			return Answer{State: rapid.SampledFrom([]string{"ADMITTED", "PROMOTED", "TURN_ENDED", "STALLED"}).Draw(w.t, "state")}
		case w.flying(no):
			return Answer{State: rapid.SampledFrom([]string{"", "LEDGERED"}).Draw(w.t, "state")}
		}
		return Answer{State: rapid.SampledFrom([]string{"", "FAILED", "strange"}).Draw(w.t, "state")}
	}
	return Ledger{Last: answer(e.FailedNo), Next: answer(e.FailedNo + 1)}
}

func (w *world) flying(no int) bool {
	return w.running != nil && w.running.no == no || slices.ContainsFunc(w.strays, func(f flight) bool { return f.no == no })
}

// wait lets time pass; clocks step.
func (w *world) wait() {
	w.now = w.now.Add(time.Duration(rapid.Int64Range(-int64(time.Minute), int64(10*time.Minute)).Draw(w.t, "passes")))
}

// crash kills or freezes the worker: its send may still arrive.
func (w *world) crash() {
	if w.running != nil {
		w.strays = append(w.strays, *w.running)
		w.lost, w.running = w.running.token, nil
	}
}

// work is a worker's turn on the lane.
func (w *world) work() {
	if w.running != nil || w.gone {
		return // the lane is leased
	}
	if w.e.Sending() {
		if _, err := w.tell(func(*Ledger) Event { return Recovered{} }); err != nil {
			w.t.Fatal(err)
		}
		w.doubt, w.lost = true, ""
	}
	if w.e.Waits() && w.e.NextAttemptAt.After(w.now) && w.yes("its time comes") {
		w.now = w.e.NextAttemptAt
	}
	switch _, action := w.p.Choose([]Entry{w.e}, OrderDue, w.now); action {
	case Ship:
		w.ship()
	case Verify:
		w.verify()
	}
}

func (w *world) ship() {
	w.tokens++
	f := flight{token: "t" + strconv.Itoa(w.tokens)}
	if _, err := w.tell(func(*Ledger) Event { return StageOut{Token: f.token} }); err != nil {
		w.t.Fatalf("what was chosen is refused: %v", err)
	}
	if w.doubt && !w.p.Idempotent {
		w.t.Fatal("sent blindly")
	}
	f.no = w.e.AttemptNo
	w.running = &f
}

// verify tells the truth or nothing: absent only when nothing is on its way.
func (w *world) verify() {
	ev := Verified{NoVerifier: !w.p.Verifiable}
	sure := w.yes("conclusive")
	switch {
	case sure && w.stored[w.e.AttemptNo]:
		ev.Verdict = VerdictDelivered
	case sure && !w.flying(w.e.AttemptNo):
		ev.Verdict = VerdictAbsent
	}
	if _, err := w.tell(func(l *Ledger) Event { ev.Ledger = l; return ev }); err != nil {
		w.t.Fatalf("what was chosen is refused: %v", err)
	}
	if ev.Verdict == VerdictAbsent && !ev.NoVerifier && !w.e.Unknown {
		w.doubt = false
	}
}

// end is that the send that runs ends in some way.
func (w *world) end() {
	if w.running == nil {
		return
	}
	f := *w.running
	w.running = nil
	ev := Settled{Token: f.token, AttemptNo: f.no, After: time.Duration(rapid.Int64Range(0, int64(2*time.Hour)).Draw(w.t, "asks for"))}
	ev.Outcome = rapid.SampledFrom([]Outcome{Delivered, UnknownOutcome, PriorPending, TransientOutcome, Definitive, PointlessOutcome, TransientOutcome, Definitive}).Draw(w.t, "outcome")
	switch ev.Outcome {
	case Delivered:
		w.arrive(f)
	case UnknownOutcome:
		if w.yes("arrived") {
			w.arrive(f)
		} else if w.yes("arrives later") {
			w.strays = append(w.strays, f)
		}
		w.doubt = true
	}
	if _, err := w.tell(func(l *Ledger) Event { ev.Ledger = l; return ev }); err != nil && !w.gone {
		w.t.Fatalf("the outcome of the send is refused: %v", err)
	}
}

// stray is that a send that nobody waited for arrives or ends, and that its worker
// wakes up and reports, or not.
func (w *world) stray() {
	if len(w.strays) == 0 {
		return
	}
	f := w.strays[0]
	w.strays = w.strays[1:]
	ev := Settled{Token: f.token, AttemptNo: f.no, Outcome: rapid.SampledFrom([]Outcome{UnknownOutcome, PriorPending, TransientOutcome, Definitive, PointlessOutcome}).Draw(w.t, "outcome")}
	if w.yes("arrives") {
		w.arrive(f)
		ev.Outcome = rapid.SampledFrom([]Outcome{Delivered, UnknownOutcome}).Draw(w.t, "outcome")
	}
	if w.yes("vanishes") {
		return
	}
	mine := w.lost == f.token // nobody took the lane meanwhile
	if _, err := w.tell(func(l *Ledger) Event { ev.Ledger = l; return ev }); (err == nil) != mine && !w.gone {
		w.t.Fatalf("late, %t: %+v, %v", !mine, ev, err)
	}
	if mine {
		w.lost = ""
		w.doubt = w.doubt || ev.Outcome == UnknownOutcome
	}
}

// retry is a person who insists, or does not.
func (w *world) retry() {
	ev := Retried{Resend: w.yes("resend"), Ask: w.yes("ask")}
	if _, err := w.tell(func(*Ledger) Event { return ev }); err != nil || w.e.Status == StatusVerifying {
		return
	}
	if w.doubt && !ev.Resend && (ev.Ask || w.p.Verifiable || w.p.Idempotent) {
		w.t.Fatal("sent again without a word")
	}
	if w.doubt {
		w.vouched++
	}
	w.doubt = false
}
