package outbox

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// leases counts the lanes that somebody holds.
func (r *rig) leases(s *Service) int {
	r.Helper()
	status, err := s.Status(r.Context())
	r.must(err)
	return len(status.Leases)
}

// TestOUT10_DrainWaitsForSends, claims nothing more, and frees all leases. That every
// goroutine is joined is what a bubble and TestMain see to.
func TestOUT10_DrainWaitsForSends(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		r.peer.hang(25 * time.Second)
		var ids []string
		for n := range 3 {
			ids = append(ids, r.accept(s, fmt.Sprint(n), "first"))
			r.accept(s, fmt.Sprint(n), "second")
		}
		stop := r.run(s)
		wait(500 * time.Millisecond)
		began := time.Now()
		stop()
		if got := time.Since(began); got != 24500*time.Millisecond {
			r.Errorf("it drained for %s", got)
		}
		for _, id := range ids {
			if r.peer.times(id) != 1 {
				r.Errorf("%s was sent %d times", id, r.peer.times(id))
			}
		}
		if r.left(s) != 3 || len(r.peer.all()) != 3 || r.leases(s) != 0 {
			r.Errorf("%d are left, %d were sent, %d leases", r.left(s), len(r.peer.all()), r.leases(s))
		}
	})
}

// TestOUT10_DrainEnds, and what it cancels is not known, stored and freed.
func TestOUT10_DrainEnds(t *testing.T) {
	for name, c := range map[string]struct {
		drain, takes time.Duration
		cancel       bool // the second signal
	}{
		"default":   {0, DefaultDrain, false},
		"given":     {5 * time.Second, 5 * time.Second, false},
		"none":      {-1, 0, false},
		"cancelled": {0, time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				s := r.service(Options{Drain: c.drain})
				r.peer.hang(time.Hour)
				id := r.accept(s, "s", "text")
				stop := r.run(s)
				wait(10 * time.Second)
				if c.cancel {
					time.AfterFunc(time.Second, s.CancelSends)
				}
				began := time.Now()
				stop()
				e := r.entry(s, id)
				if time.Since(began) != c.takes || e.Status != StatusVerifying || !e.Unknown || e.Attempts != 0 || r.leases(s) != 0 {
					r.Errorf("after %s it is %+v, %d leases", time.Since(began), e, r.leases(s))
				}
			})
		})
	}
}

// TestOUT10_CancelledVerificationCountsForNothing.
func TestOUT10_CancelledVerificationCountsForNothing(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{Drain: -1})
		id := r.accept(s, "s", "text")
		r.peer.stays(Ambiguous(errCut))
		r.once(s, "s")
		s.SetVerifier(func(ctx context.Context, _, _ string, _ Entry) Verdict {
			<-ctx.Done()
			return VerdictInconclusive
		})
		stop := r.run(s)
		wait(5 * time.Second)
		stop()
		if e := r.entry(s, id); e.Status != StatusVerifying || e.VerifyAttempts != 0 || r.leases(s) != 0 {
			r.Errorf("it is %s after %d passes", e.Status, e.VerifyAttempts)
		}
	})
}

// TestOUT10_BookkeepingIsFinished after the sends were cancelled, though the store
// fails once more.
func TestOUT10_BookkeepingIsFinished(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{Drain: 5 * time.Second})
		var hooks tally
		s.SetOnDelivered(hooks.hook)
		id := r.accept(s, "s", "text")
		r.peer.hang(20 * time.Second)
		r.peer.answer = func(context.Context, Entry) error { // deaf to its context
			<-time.After(20 * time.Second)
			return nil
		}
		stop := r.run(s)
		wait(time.Second)
		stop()
		if r.left(s) != 0 || hooks.of(id) != 1 || r.unhooked() != 0 {
			r.Errorf("%d are left, %d hooks", r.left(s), hooks.of(id))
		}
	})
}

// TestOUT10_CancelSendsIsForRuns that go on: it ends the drain of those that run, and
// means nothing for later ones.
func TestOUT10_CancelSendsIsForRuns(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		s.CancelSends()
		id := r.accept(s, "s", "text")
		round, err := s.RunOnce(r.Context(), r.peer.deliver)
		r.must(err)
		if round.Delivered != 1 || r.peer.times(id) != 1 {
			r.Errorf("it did %+v", round)
		}
	})
}
