package outbox

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tundish-go/tundish/domain"
)

// failNext makes the receiver store, and break the store before it answers err.
func (r *rig) failNext(next failure, err error) {
	r.peer.answer = func(context.Context, Entry) error {
		r.store.fail(opLane, next)
		r.peer.stays(err)
		return err
	}
}

// TestOUT6_SettleTriesUntilItCommits: the store fails ten times, the lease is renewed
// meanwhile, another worker gets nothing, and what the send came to is not lost.
func TestOUT6_SettleTriesUntilItCommits(t *testing.T) {
	for name, c := range map[string]struct {
		answer error
		status string
	}{"delivered": {nil, ""}, "failed": {errCut, StatusPending}, "unknown": {Ambiguous(errCut), StatusVerifying}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				config := Config{LeaseTTL: 2 * time.Second}
				s, other := r.service(Options{Config: config}), r.service(Options{Config: config, Store: r.other()})
				s.SetVerifier(unknown)
				id := r.accept(s, "s", "text")
				r.failNext(failure{times: 10}, c.answer)
				over := make(chan struct{})
				go func() {
					defer close(over)
					r.once(s, "s")
				}()
				synctest.Wait()
				stop := r.run(other)
				<-over
				stop()
				switch {
				case r.peer.times(id) != 1 || r.store.count(opRenew) < 10:
					r.Errorf("it was sent %d times, its lease renewed %d times", r.peer.times(id), r.store.count(opRenew))
				case c.status == "" && r.left(s) != 0:
					r.Error("it is not gone")
				case c.status != "" && r.entry(s, id).Status != c.status:
					r.Errorf("it is %s", r.entry(s, id).Status)
				}
			})
		})
	}
}

// TestOUT6_SettleEndsWithTheLease: when the store of a worker is gone for good, it
// gives up once others have the lane.
func TestOUT6_SettleEndsWithTheLease(t *testing.T) {
	bubble(t, func(r *rig) {
		s, other := r.service(Options{}), r.service(Options{Store: r.other()})
		id := r.accept(s, "s", "text")
		r.failNext(failure{times: 1 << 30}, nil)
		r.store.fail(opRenew, failure{times: 4})
		over := make(chan struct{})
		go func() {
			defer close(over)
			r.once(s, "s")
		}()
		synctest.Wait()
		stop := r.run(other)
		<-over
		wait(time.Minute)
		stop()
		if r.left(other) != 0 || r.peer.times(id) != 1 {
			r.Errorf("%d are left, it was sent %d times", r.left(other), r.peer.times(id))
		}
	})
}

// TestOUT6_SettleCommitUnknown: a commit that took place and answered an error is
// found out, and its hook runs at once, once. So for a send and a verification.
func TestOUT6_SettleCommitUnknown(t *testing.T) {
	for name, answer := range map[string]error{"send": nil, "verification": Ambiguous(errCut)} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				s := r.service(Options{})
				hooks := 0
				s.SetOnDelivered(func(_, _ string, _ Entry) { hooks++ })
				id := r.accept(s, "s", "text")
				if answer == nil {
					r.failNext(failure{times: 1, late: true}, nil)
				} else {
					r.peer.stays(answer)
					r.once(s, "s")
					wait(3 * time.Second)
					r.store.fail(opLane, failure{skip: 1, times: 1, late: true})
				}
				r.once(s, "s")
				if hooks != 1 || r.left(s) != 0 || r.peer.times(id) != 1 {
					r.Errorf("%d hooks, %d left, %d sends", hooks, r.left(s), r.peer.times(id))
				}
				stop := r.run(s)
				wait(5 * time.Minute)
				stop()
				if hooks != 1 {
					r.Errorf("later there are %d hooks", hooks)
				}
			})
		})
	}
}

// TestOUT6_FailureCommitUnknown counts a failure once.
func TestOUT6_FailureCommitUnknown(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		id := r.accept(s, "s", "text")
		r.failNext(failure{times: 1, late: true}, errCut)
		r.once(s, "s")
		if e := r.entry(s, id); e.Status != StatusPending || e.Attempts != 1 {
			r.Errorf("it is %s after %d", e.Status, e.Attempts)
		}
	})
}

// TestOUT6_StageOutCommitUnknown is read again by its token before the send; when that
// is not possible, or the commit is known to have failed, nothing is sent.
func TestOUT6_StageOutCommitUnknown(t *testing.T) {
	for name, c := range map[string]struct {
		lane, view failure
		sent       bool
		status     string // right afterwards
	}{
		"took place":         {lane: failure{late: true}, sent: true},
		"took no place":      {lane: failure{}, status: StatusPending},
		"cannot be read":     {lane: failure{late: true}, view: failure{times: 1}, status: StatusDelivering},
		"busy":               {lane: failure{err: &domain.Error{Code: domain.Busy}}, status: StatusPending},
		"full, for all else": {lane: failure{late: true, err: &domain.Error{Code: domain.Full}}, status: StatusDelivering},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				s := r.service(Options{})
				staged := 0
				s.SetOnStaged(func(_, _ string, _ Entry) { staged++ })
				id := r.accept(s, "s", "text")
				c.lane.times = 1
				r.store.fail(opLane, c.lane)
				r.store.fail(opView, c.view)
				if r.once(s, "s") != c.sent || (r.peer.times(id) == 1) != c.sent || (staged == 1) != c.sent {
					r.Errorf("it was sent %d times and staged %d times", r.peer.times(id), staged)
				}
				if !c.sent && r.entry(s, id).Status != c.status {
					r.Errorf("it is %s", r.entry(s, id).Status)
				}
				stop := r.run(s)
				wait(2 * time.Minute)
				stop()
				if r.left(s) != 0 || r.peer.times(id) != 1 {
					r.Errorf("in the end it was sent %d times, %d are left", r.peer.times(id), r.left(s))
				}
			})
		})
	}
}

// TestOUT6_StoreErrorsOfATick end neither the worker nor an entry.
func TestOUT6_StoreErrorsOfATick(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		id := r.accept(s, "s", "text")
		r.store.fail(opView, failure{times: 3})
		r.store.fail(opLane, failure{times: 2})
		if _, err := s.RunOnce(r.Context(), r.peer.deliver); err == nil {
			r.Error("a look that failed is no error")
		}
		stop := r.run(s)
		wait(5 * time.Second)
		stop()
		if r.peer.times(id) != 1 || r.left(s) != 0 {
			r.Errorf("it was sent %d times", r.peer.times(id))
		}
	})
}
