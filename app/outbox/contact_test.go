package outbox

import (
	"testing"
	"time"
)

// TestOUT14_FirstContactRearms the entries whose fate is unknown: once after the
// start, and once after each silence, also when the store fails then.
func TestOUT14_FirstContactRearms(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		lost := r.unverifiable(s, "lost")
		again := r.service(Options{Config: Config{MaxVerifyAttempts: 1}}) // restarted
		verdict := VerdictInconclusive
		again.SetVerifier(func(ctx, string, string, Entry) Verdict { return verdict })
		r.peer.refuse(Transient(errCut))
		r.accept(again, "s", "text")
		stop := r.run(again)
		wait(5 * time.Second)
		if r.entry(again, lost).Status != StatusError {
			r.Error("it was armed without a contact")
		}
		r.peer.refuse(nil)
		r.store.fail(opLane, failure{skip: 2, times: 1}) // take, settle, and then the sweep's
		wait(time.Minute)
		if e := r.entry(again, lost); e.Status != StatusError || e.VerifyAttempts != 1 {
			r.Errorf("after the contact it was %s with %d passes", e.Status, e.VerifyAttempts)
		}
		verdict = VerdictDelivered
		r.accept(again, "s", "text") // the verifier had not answered
		wait(5 * time.Second)
		stop()
		if r.left(again) != 0 || r.peer.times(lost) != 1 {
			r.Errorf("%d are left, it was sent %d times", r.left(again), r.peer.times(lost))
		}
	})
}

// TestOUT14_WhatASilenceIs: only what says that the receiver cannot be reached makes
// the next answer a first contact.
func TestOUT14_WhatASilenceIs(t *testing.T) {
	for name, c := range map[string]struct {
		answer error
		rearms bool
	}{
		"refused": {Pointless(errCut), false}, "failed": {errCut, false}, "pending": {PriorAttemptPending(errCut), false},
		"transient": {Transient(errCut), true}, "unknown": {Ambiguous(errCut), true},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				s := r.service(Options{})
				r.accept(s, "s", "text")
				r.once(s, "s")
				r.peer.stays(c.answer)
				r.accept(s, "s", "text")
				r.once(s, "s")
				r.peer.stays(nil)
				r.accept(s, "s", "text")
				r.once(s, "s")
				if got := len(s.returned()); got != 1 && !c.rearms || got != 2 && c.rearms {
					r.Errorf("%d contacts were the first", got)
				}
			})
		})
	}
}
