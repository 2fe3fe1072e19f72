package outbox

import (
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// OUT-0, OUT-13: whatever happens in whatever order, nothing is lost, nothing of
// unknown fate is sent without a verdict, a person or a receiver that dedupes, and
// nothing arrives twice unless a person had it sent again.
func TestOUT13_AnySequenceOfEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		do := func(event Event) func() {
			return func() { _, _ = w.tell(func(*Ledger) Event { return event }) }
		}
		actions := []func(){
			w.work, w.work, w.work, w.work, w.end, w.end, w.end, w.wait, w.crash, w.stray, w.retry, w.dismiss,
			do(Parked{Reason: "flip"}), do(Unparked{}), do(Unparked{}), do(Reached{}),
			func() { do(Swept{Ledger: w.ledger(w.e)})() },
		}
		action := rapid.IntRange(0, len(actions)-1)
		for range rapid.IntRange(1, 120).Draw(t, "actions") {
			actions[action.Draw(t, "action")]()
			w.check()
		}
	})
}

// dismiss is a person who gives up, seldom.
func (w *world) dismiss() {
	if w.gone || rapid.IntRange(0, 19).Draw(w.t, "gives up") > 0 {
		return
	}
	if effects, err := w.tell(func(*Ledger) Event { return Dismissed{} }); errors.Is(err, Busy) == slices.Equal(effects, []Effect{Remove}) {
		w.t.Fatalf("dismissed: %v, %v", effects, err)
	}
}

// check is what holds at any time.
func (w *world) check() {
	e, c := w.e, w.p.Config
	if !w.p.Idempotent && w.copies > 1+w.vouched {
		w.t.Fatalf("arrived %d times, and a person had it sent again %d times", w.copies, w.vouched)
	}
	if w.gone {
		return
	}
	if err := e.Check(); err != nil {
		w.t.Fatal(err)
	}
	token := w.lost
	if w.running != nil {
		token = w.running.token
	}
	if e.SendToken != token {
		w.t.Fatalf("the token is %q, the send's %q", e.SendToken, token)
	}
	if e.Attempts > c.MaxAttempts || e.TransientFails > c.MaxTransientFailures || e.VerifyAttempts > c.MaxVerifyAttempts {
		w.t.Fatalf("past a bound: %d, %d, %d", e.Attempts, e.TransientFails, e.VerifyAttempts)
	}
	if e.Stage() == StatusPending && (e.Unknown || e.Attempts >= c.MaxAttempts || e.TransientFails >= c.MaxTransientFailures) {
		w.t.Fatalf("pending again at a bound, or unknown: %+v", e)
	}
	if e.Stage() == StatusVerifying && !e.Unknown && !e.Sending() || w.doubt && e.Stage() == StatusPending {
		w.t.Fatalf("its doubt is lost: %+v", e)
	}
	if (e.Status == StatusParked) != (e.ParkedFrom != "") || e.Status == StatusParked && e.Reason != "flip" {
		w.t.Fatalf("parked from %q because of %q", e.ParkedFrom, e.Reason)
	}
	if e.Status == StatusError || e.Status == StatusParked {
		w.inert()
	}
	if !e.NextAttemptAt.IsZero() && e.NextAttemptAt.Sub(w.now) > c.LongestDelay()+time.Duration(w.tokens+1)*time.Hour {
		w.t.Fatal("out of all time")
	}
}

// inert checks that no worker touches the entry, at any time.
func (w *world) inert() {
	for _, now := range []time.Time{w.now, w.now.Add(9 * hour), w.now.Add(-9 * hour)} {
		if w.p.Config.Due(w.e, now) {
			w.t.Fatal("due")
		}
		if _, _, err := w.p.Next(w.e, StageOut{Token: "x"}, now); !errors.Is(err, WrongState) {
			w.t.Fatalf("staged out: %v", err)
		}
		if _, action := w.p.Choose([]Entry{w.e}, OrderDue, now); action != Rest {
			w.t.Fatal("chosen")
		}
	}
}

// OUT-13: each bound is reached, none is passed.
func TestOUT13_EachBoundIsReached(t *testing.T) {
	settle := func(o Outcome) func(Entry) Event {
		return func(e Entry) Event { return Settled{Token: e.SendToken, AttemptNo: e.AttemptNo, Outcome: o} }
	}
	lose := func(Entry) Event { return Recovered{} }
	verdict := func(v Verdict) func(Entry) Event { return func(Entry) Event { return Verified{Verdict: v} } }
	tests := []struct {
		name           string
		policy         Policy
		ship, verify   func(Entry) Event
		sends, looks   int
		tries, t20, v4 int
	}{
		{"definitive", policy(), settle(Definitive), nil, 5, 0, 5, 0, 0},
		{"pointless", policy(), settle(PointlessOutcome), nil, 1, 0, 1, 0, 0},
		{"transient", policy(), settle(TransientOutcome), nil, 20, 0, 0, 20, 0},
		{"ambiguous and inconclusive", policy(verifiable), settle(UnknownOutcome), verdict(VerdictInconclusive), 1, 40, 0, 0, 40},
		{"ambiguous and absent", policy(verifiable), settle(UnknownOutcome), verdict(VerdictAbsent), 5, 5, 5, 0, 0},
		{"lost and absent", policy(verifiable), lose, verdict(VerdictAbsent), 5, 5, 5, 0, 0},
		{"ambiguous, idempotent", policy(idempotent), settle(UnknownOutcome), nil, 41, 0, 0, 0, 40},
		{"lost, idempotent", policy(idempotent), lose, verdict(VerdictInconclusive), 41, 1, 0, 0, 40},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, now, sends, looks := pending(), at(), 0, 0
			for e.Status != StatusError {
				_, action := tt.policy.Choose([]Entry{e}, OrderStrict, now)
				event := Event(StageOut{Token: "t"})
				switch {
				case e.Sending():
					event = tt.ship(e)
				case action == Ship:
					sends++
				case action == Verify:
					looks++
					event = tt.verify(e)
				default:
					now = e.NextAttemptAt
					continue
				}
				next, _, err := tt.policy.Next(e, event, now)
				if err != nil || sends+looks > 100 {
					t.Fatalf("%+v: %v", e, err)
				}
				e = next
			}
			if sends != tt.sends || looks != tt.looks || e.Attempts != tt.tries || e.TransientFails != tt.t20 || e.VerifyAttempts != tt.v4 {
				t.Errorf("%d sends, %d looks, %d attempts, %d transient failures, %d passes", sends, looks, e.Attempts, e.TransientFails, e.VerifyAttempts)
			}
		})
	}
}
