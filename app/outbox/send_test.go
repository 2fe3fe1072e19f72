package outbox

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/delivery"
	"github.com/tundish-go/tundish/ports/storage"
)

// TestOUT4_SendIsDetached from the accepting request and from Run.
func TestOUT4_SendIsDetached(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		accepting, hangUp := context.WithCancel(r.Context())
		running, stop := context.WithCancel(r.Context())
		var seen error
		r.peer.answer = func(ctx context.Context, _ Entry) error {
			hangUp()
			stop()
			wait(20 * time.Second) // within the drain
			seen = ctx.Err()
			return nil
		}
		_, err := s.Accept(accepting, "w", "s", "", "", "text", nil)
		r.must(err)
		s.Run(running, r.peer.deliver, 0)
		if seen != nil || r.left(s) != 0 {
			r.Errorf("the send's context says %v, %d are left", seen, r.left(s))
		}
	})
}

// TestOUT4_SlowTurnIsSentOnce: a turn that takes longer than a send may is not known
// to have failed, is found in the session, and is never sent again.
func TestOUT4_SlowTurnIsSentOnce(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		id := r.accept(s, "s", "text")
		r.peer.hang(time.Hour)
		stop := r.run(s)
		wait(10*time.Minute - time.Second)
		if e := r.entry(s, id); e.Status != StatusDelivering {
			r.Errorf("in its time it is %s", e.Status)
		}
		wait(2 * time.Second)
		if e := r.entry(s, id); e.Status != StatusVerifying || !e.Unknown || e.Attempts != 0 || e.AttemptNo != 1 {
			r.Errorf("after its time it is %+v", e)
		}
		wait(3 * time.Second)
		stop()
		if r.left(s) != 0 || r.peer.times(id) != 1 {
			r.Errorf("%d are left, it was sent %d times", r.left(s), r.peer.times(id))
		}
	})
}

// TestOUT4_WhatCountsAfterItsTime is success, and what is marked.
func TestOUT4_WhatCountsAfterItsTime(t *testing.T) {
	for name, c := range map[string]struct {
		answer error
		status string // empty: gone
	}{
		"success":   {nil, ""},
		"plain":     {errCut, StatusVerifying},
		"transient": {Transient(errCut), StatusPending},
		"pointless": {Pointless(errCut), StatusError},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				s := r.service(Options{})
				id := r.accept(s, "s", "text")
				r.peer.answer = func(ctx context.Context, _ Entry) error {
					<-ctx.Done()
					return c.answer
				}
				r.once(s, "s")
				if c.status == "" && r.left(s) == 0 {
					return
				}
				if e := r.entry(s, id); e.Status != c.status {
					r.Errorf("it is %s", e.Status)
				}
			})
		})
	}
}

// TestOUT4_PanicIsNotKnown: a deliverer that panics may have sent.
func TestOUT4_PanicIsNotKnown(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		id := r.accept(s, "s", "text")
		r.peer.answer = func(context.Context, Entry) error { panic("boom") }
		r.once(s, "s")
		if e := r.entry(s, id); e.Status != StatusVerifying || e.LastError != "panic: boom" {
			r.Errorf("it is %s, %s", e.Status, e.LastError)
		}
	})
}

// steal gives a lane's lease to somebody else, as a takeover does.
func (r *rig) steal(session string) {
	r.Helper()
	r.must(r.other().UpdateLane(r.Context(), outbox.Lane{Workspace: "w", Session: session}, func(w storage.LaneWriter) error {
		now := time.Now()
		heads, err := w.Heads()
		if err != nil {
			return err
		}
		for _, e := range heads {
			if next, _, err := (outbox.Policy{}).Next(e, outbox.Recovered{}, now); err == nil {
				if err := w.Put(next, true); err != nil {
					return err
				}
			}
		}
		return w.PutLease(Lease{Token: "thief", Owner: "thief", Acquired: now, Until: now.Add(time.Hour)})
	}))
}

// TestOUT4_LostLeaseCancels the send, and nothing of it is stored.
func TestOUT4_LostLeaseCancels(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		id := r.accept(s, "s", "text")
		var cause error
		steal := func() { r.steal("s") }
		r.peer.answer = func(ctx context.Context, _ Entry) error {
			steal()
			<-ctx.Done()
			cause = context.Cause(ctx)
			return ctx.Err()
		}
		start := time.Now()
		r.once(s, "s")
		if !errors.Is(cause, ErrLeaseLost) || time.Since(start) > 20*time.Second {
			r.Errorf("after %s it was cancelled for %v", time.Since(start), cause)
		}
		if e := r.entry(s, id); e.Status != StatusVerifying || !strings.HasPrefix(e.LastError, "the worker was lost") {
			r.Errorf("it is %s, %s", e.Status, e.LastError)
		}
	})
}

// careful is a deliverer that looks at its lease when it is told to.
type careful struct {
	name  string
	visit func(ctx context.Context, send delivery.Send) error
}

func (careful) PeerID(e Entry, _ time.Time) string                      { return "peer of " + e.ID }
func (c careful) Kind() string                                          { return c.name }
func (c careful) Deliver(ctx context.Context, send delivery.Send) error { return c.visit(ctx, send) }

// TestOUT4_RecheckBeforeTheFirstByte stops an owner that was stopped before it and
// resumed after a takeover.
func TestOUT4_RecheckBeforeTheFirstByte(t *testing.T) {
	bubble(t, func(r *rig) {
		var held, noted, dark error
		steal := func() { r.steal("s") }
		look := func(id string) Entry { return r.entry(r.service(Options{}), id) }
		d := careful{"careful", func(ctx context.Context, send delivery.Send) error {
			r.must(send.Held(ctx))
			r.must(send.Note(ctx, "pid 1"))
			if got := look(send.Entry.ID); got.PeerID != "pid 1" || got.Deliverer != "careful" {
				r.Errorf("it is known as %q of %q", got.PeerID, got.Deliverer)
			}
			r.store.fail(opView, failure{times: 1})
			dark = send.Held(ctx)
			steal()
			held, noted = send.Held(ctx), send.Note(ctx, "pid 2")
			return held
		}}
		s := r.service(Options{Routes: []Route{{Deliverer: d}}})
		id := r.accept(s, "s", "text")
		s.DeliverOnce(r.Context(), "w", "s", nil)
		if !errors.Is(held, ErrLeaseLost) || !errors.Is(noted, ErrLeaseLost) {
			r.Errorf("it may go on: %v, %v", held, noted)
		}
		if _, ok := errors.AsType[*TransientDeliveryError](dark); !ok {
			r.Errorf("a look that failed says %v", dark)
		}
		if e := r.entry(s, id); e.Status != StatusVerifying || e.PeerID != "pid 1" {
			r.Errorf("it is %s as %q", e.Status, e.PeerID)
		}
	})
}

// TestOUT4_FuncRechecksToo: a plain function is not called without its lease.
func TestOUT4_FuncRechecksToo(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		r.accept(s, "s", "text")
		j := r.crash(s, "s")
		r.steal("s")
		j.run(r.Context())
		if n := len(r.peer.all()); n != 0 {
			r.Errorf("it was sent %d times", n)
		}
	})
}

// TestOUT4_LeaseShorterThanASend: two workers, a lease of two seconds, a send of ten
// minutes; it is sent once.
func TestOUT4_LeaseShorterThanASend(t *testing.T) {
	bubble(t, func(r *rig) {
		config := Config{LeaseTTL: 2 * time.Second, DeliveryTimeout: time.Hour}
		a, b := r.service(Options{Config: config}), r.service(Options{Config: config, Store: r.other()})
		id := r.accept(a, "s", "text")
		r.peer.hang(10 * time.Minute)
		stopA, stopB := r.run(a), r.run(b)
		wait(10*time.Minute - time.Second)
		if e := r.entry(a, id); e.Status != StatusDelivering {
			r.Errorf("it is %s", e.Status)
		}
		wait(2 * time.Second)
		stopA()
		stopB()
		if r.peer.times(id) != 1 || r.left(a) != 0 {
			r.Errorf("it was sent %d times, %d are left", r.peer.times(id), r.left(a))
		}
	})
}

// TestOUT4_TwoWorkersShareManyLanes and send nothing twice.
func TestOUT4_TwoWorkersShareManyLanes(t *testing.T) {
	bubble(t, func(r *rig) {
		a, b := r.service(Options{}), r.service(Options{Store: r.other()})
		var ids []string
		for n := range 60 {
			ids = append(ids, r.accept(a, string(rune('A'+n%20)), "text"))
		}
		var wg sync.WaitGroup
		for range 4 {
			for n := range 20 {
				for _, s := range []*Service{a, b} {
					wg.Go(func() { r.once(s, string(rune('A'+n))) })
				}
			}
			wg.Wait()
		}
		synctest.Wait()
		for _, id := range ids {
			if n := r.peer.times(id); n != 1 {
				r.Errorf("%s was sent %d times", id, n)
			}
		}
	})
}
