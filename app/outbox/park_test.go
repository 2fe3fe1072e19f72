package outbox

import (
	"strings"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/outbox"
)

// park and unpark set a workspace aside and back, and expect so many entries.
func (r *rig) park(s *Service, want int) {
	r.Helper()
	if n, err := s.ParkWorkspace(r.Context(), "w", "flip"); n != want || err != nil {
		r.Errorf("%d were parked, %v", n, err)
	}
}

func (r *rig) unpark(s *Service, want int) {
	r.Helper()
	if n, err := s.UnparkWorkspace(r.Context(), "w"); n != want || err != nil {
		r.Errorf("%d were unparked, %v", n, err)
	}
}

// TestOUT13_ModeFlip: nothing of a parked workspace moves, what comes meanwhile is
// parked too, and afterwards everything goes on from where it was, each once.
func TestOUT13_ModeFlip(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		r.peer.stays(Ambiguous(errCut))
		verifying := r.accept(s, "a", "verifying")
		r.once(s, "a")
		r.peer.stays(nil)
		r.peer.refuse(PriorAttemptPending(errCut))
		prior := r.accept(s, "p", "prior")
		r.once(s, "p")
		r.peer.refuse(errCut)
		failed := r.accept(s, "b", "failed")
		r.once(s, "b")
		r.peer.refuse(nil)
		before := r.entry(s, failed)
		r.park(s, 3)
		late := r.accept(s, "c", "late")
		r.park(s, 0)
		stop := r.run(s)
		wait(time.Hour)
		for id, from := range map[string]string{
			verifying: StatusVerifying, failed: StatusPending, late: StatusPending, prior: StatusDelivering,
		} {
			if e := r.entry(s, id); e.Status != StatusParked || e.Reason != "flip" || e.ParkedFrom != from {
				r.Errorf("it is %s, %s from %s", e.Status, e.Reason, e.ParkedFrom)
			}
		}
		if e := r.entry(s, failed); e.ParkedError != before.LastError || e.Attempts != 1 {
			r.Errorf("it keeps %q after %d", e.ParkedError, e.Attempts)
		}
		r.unpark(s, 4)
		wait(time.Minute)
		stop()
		for _, id := range []string{verifying, failed, late, prior} {
			if r.peer.times(id) != 1 {
				r.Errorf("it was sent %d times", r.peer.times(id))
			}
		}
		if r.left(s) != 0 {
			r.Errorf("%d are left", r.left(s))
		}
		r.unpark(s, 0)
	})
}

// TestOUT13_ParkedDuringItsSend ends as if it had not been, but stays parked unless it
// was delivered.
func TestOUT13_ParkedDuringItsSend(t *testing.T) {
	for name, c := range map[string]struct {
		answer   error
		from     string // parked from; empty: gone
		after    string // unparked
		attempts int
	}{
		"delivered": {answer: nil},
		"unknown":   {Ambiguous(errCut), StatusVerifying, StatusVerifying, 0},
		"failed":    {errCut, StatusPending, StatusPending, 1},
		"refused":   {Pointless(errCut), StatusError, StatusError, 1},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				s := r.service(Options{})
				id := r.accept(s, "s", "text")
				r.peer.act = func(Entry) error {
					r.park(s, 1)
					return c.answer
				}
				r.once(s, "s")
				if c.from == "" {
					if r.left(s) != 0 {
						r.Error("it is not gone")
					}
					return
				}
				if e := r.entry(s, id); e.Status != StatusParked || e.Reason != "flip" || e.ParkedFrom != c.from || e.Attempts != c.attempts {
					r.Errorf("it is %+v", e)
				}
				if wait(time.Hour); r.once(s, "s") {
					r.Error("it moves")
				}
				r.unpark(s, 1)
				if e := r.entry(s, id); e.Status != c.after || !e.NextAttemptAt.IsZero() || e.ParkedFrom != "" {
					r.Errorf("then it is %+v", e)
				}
			})
		})
	}
}

// TestOUT13_UnparkedDuringItsSend: what the send comes to still counts.
func TestOUT13_UnparkedDuringItsSend(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		id := r.accept(s, "s", "text")
		r.peer.act = func(Entry) error {
			r.park(s, 1)
			r.unpark(s, 1)
			return errCut
		}
		r.once(s, "s")
		if e := r.entry(s, id); e.Status != StatusPending || e.Unknown || e.Attempts != 1 {
			r.Errorf("it is %+v", e)
		}
	})
}

// TestOUT13_ParkChecksItsReason before it touches anything.
func TestOUT13_ParkChecksItsReason(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		for _, a := range [][2]string{{"", "flip"}, {"w", strings.Repeat("x", 256)}} {
			if _, err := s.ParkWorkspace(r.Context(), a[0], a[1]); domain.CodeOf(err) != domain.Invalid || r.store.writes() != 0 {
				r.Errorf("it answers %v after %d writes", err, r.store.writes())
			}
		}
		if n, err := s.ParkWorkspace(r.Context(), "w", ""); n != 0 || err != nil {
			r.Errorf("without a reason: %d, %v", n, err)
		}
		r.store.fail(opElse, failure{times: 1})
		if _, err := s.ParkWorkspace(r.Context(), "w", "flip"); err == nil {
			r.Error("an error of the store parks")
		}
	})
}

// TestOUT11_CleanUpDuringASend deletes everything but the lease that is in use; what
// the send comes to brings nothing back, and everything goes in the end.
func TestOUT11_CleanUpDuringASend(t *testing.T) {
	for name, answer := range map[string]error{"delivered": nil, "failed": errCut, "unknown": Ambiguous(errCut)} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				s := r.service(Options{})
				var hooks tally
				s.SetOnDelivered(hooks.hook)
				_, err := s.Accept(r.Context(), "w", "s", "", "m1", "delivered", nil) // a dedupe and a delivered record
				r.must(err)
				r.once(s, "s")
				id := r.accept(s, "s", "sent")
				r.accept(s, "s2", "waits")
				keep, err := s.Accept(r.Context(), "v", "s", "", "", "kept", nil)
				r.must(err)
				r.peer.act = func(Entry) error {
					_, err := s.ParkWorkspace(r.Context(), "w", "flip") // a hold
					r.must(err)
					for _, want := range []int{5, 0} {
						if n, err := s.CleanupWorkspace(r.Context(), "w"); n != want || err != nil {
							r.Errorf("%d rows went, not %d, %v", n, want, err)
						}
					}
					if lease, ok, _ := s.Holder(r.Context(), "w", "s"); !ok || lease.EntryID != id {
						r.Error("the lease that is in use went")
					}
					return answer
				}
				r.once(s, "s")
				if r.left(s) != 1 || r.entry(s, keep.ID).Status != StatusPending || r.leases(s) != 0 || hooks.of(id) != 0 {
					r.Errorf("%d are left, %d leases, %d hooks", r.left(s), r.leases(s), hooks.of(id))
				}
				if n, err := s.CleanupWorkspace(r.Context(), "w"); n != 0 || err != nil {
					r.Errorf("%d rows came back, %v", n, err)
				}
				if _, err := s.Accept(r.Context(), "w", "s", "", "m1", "anew", nil); err != nil {
					r.Errorf("its message id is still known: %v", err)
				}
			})
		})
	}
}

// TestOUT11_LateOutcomeFindsNothing: a send that ends after a clean up and the end of its
// lease changes nothing of what came after it.
func TestOUT11_LateOutcomeFindsNothing(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		r.accept(s, "s", "old")
		j := r.crash(s, "s")
		wait(time.Hour)
		if n, err := s.CleanupWorkspace(r.Context(), "w"); n != 2 || err != nil {
			r.Errorf("%d rows went, %v", n, err)
		}
		id := r.accept(s, "s", "new")
		next := r.crash(s, "s")
		done := j.settle(r.Context(), func(*outbox.Ledger) outbox.Event {
			return outbox.Settled{Token: j.lease.Token, AttemptNo: 1, Outcome: outbox.Delivered}
		})
		if lease, ok, _ := s.Holder(r.Context(), "w", "s"); !done.gone || !ok || lease.Token != next.lease.Token {
			r.Errorf("it came to %+v, the lease is %+v", done, lease)
		}
		if e := r.entry(s, id); e.Status != StatusDelivering {
			r.Errorf("the new one is %s", e.Status)
		}
	})
}
