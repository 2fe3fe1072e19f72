package outbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// TestOUT2_AcceptanceOrder delivers a lane in the order of acceptance.
func TestOUT2_AcceptanceOrder(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		for n := range 5 {
			r.accept(s, "s", fmt.Sprint(n))
		}
		stop := r.run(s)
		wait(10 * time.Second)
		stop()
		if got := r.peer.texts(); !slices.Equal(got, []string{"0", "1", "2", "3", "4"}) {
			r.Errorf("%v arrived", got)
		}
	})
}

// heads are the ways in which the first entry of a lane does not go away.
func heads() map[string]struct {
	answer error
	status string
} {
	return map[string]struct {
		answer error
		status string
	}{
		"backs off":     {errCut, StatusPending},
		"is refused":    {Pointless(errCut), StatusError},
		"is unknown":    {Ambiguous(errCut), StatusVerifying},
		"prior pending": {PriorAttemptPending(errCut), StatusDelivering},
		"transient":     {Transient(errCut), StatusPending},
	}
}

// TestOUT2_FailingHeadStallsNobody: what comes after it is sent in the next tick.
func TestOUT2_FailingHeadStallsNobody(t *testing.T) {
	for name, head := range heads() {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				s := r.service(Options{})
				s.SetVerifier(unknown)
				first := r.accept(s, "s", "head")
				second := r.accept(s, "s", "rest")
				r.peer.refuseOnly(first, head.answer)
				stop := r.run(s)
				wait(1500 * time.Millisecond)
				stop()
				if r.peer.times(second) != 1 {
					r.Error("the second is not delivered")
				}
				if e := r.entry(s, first); e.Status != head.status {
					r.Errorf("the head is %s", e.Status)
				}
			})
		})
	}
}

// refuseOnly makes the receiver refuse one entry.
func (p *peer) refuseOnly(id string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.before = func(e Entry) error {
		if e.ID == id {
			return err
		}
		return nil
	}
}

// TestOUT2_StrictHeadBlocks whatever state it is in, and is named by the list.
func TestOUT2_StrictHeadBlocks(t *testing.T) {
	for name, head := range heads() {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				s := r.service(Options{Routes: []Route{{Deliverer: Deliverer(r.peer.deliver), Order: OrderStrict}}})
				s.SetVerifier(unknown)
				first := r.accept(s, "s", "head")
				second := r.accept(s, "s", "rest")
				r.peer.refuseOnly(first, head.answer)
				stop := r.run(s)
				wait(8 * time.Second)
				if e := r.entry(s, second); e.BlockedBy != first || e.AttemptNo != 0 {
					r.Errorf("the second is blocked by %q and was sent %d times", e.BlockedBy, e.AttemptNo)
				}
				if e := r.entry(s, first); e.BlockedBy != "" || e.Status != head.status {
					r.Errorf("the head is %s and blocked by %q", e.Status, e.BlockedBy)
				}
				_, err := s.Dismiss(r.Context(), "w", "s", first)
				r.must(err)
				wait(time.Second)
				stop()
				if r.peer.times(second) != 1 {
					r.Error("the second does not follow")
				}
			})
		})
	}
}

// TestOUT2_StrictParkedHeadBlocks what was accepted after the hold ended.
func TestOUT2_StrictParkedHeadBlocks(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{Routes: []Route{{Deliverer: Deliverer(r.peer.deliver), Order: OrderStrict}}})
		first := r.accept(s, "s", "head")
		_, err := s.ParkWorkspace(r.Context(), "w", "flip")
		r.must(err)
		r.must(r.store.Release(r.Context(), "w")) // an unpark that died halfway
		second := r.accept(s, "s", "rest")
		if s.DeliverOnce(r.Context(), "w", "s", nil) || r.entry(s, second).BlockedBy != first {
			r.Error("a parked head does not block")
		}
	})
}

// TestOUT12_UnreadableHeadBlocksStrict: nobody knows what it was, so nothing
// overtakes it; in the other order it stalls nobody.
func TestOUT12_UnreadableHeadBlocksStrict(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{Routes: []Route{{Deliverer: Deliverer(r.peer.deliver), Order: OrderStrict}}})
		first := r.accept(s, "s", "head")
		second := r.accept(s, "s", "rest")
		r.must(r.place.BreakEntry(first))
		round, err := s.RunOnce(r.Context(), nil)
		r.must(err)
		if s.DeliverOnce(r.Context(), "w", "s", nil) || round.Sent != 0 || r.entry(s, second).BlockedBy != first {
			r.Error("it was overtaken")
		}
		if !r.once(r.service(Options{}), "s") || r.peer.times(second) != 1 {
			r.Error("it stalls a lane that is not strict")
		}
	})
}

// TestOUT3_BlockedLanesStarveNobody: strict lanes that wait longest, and for
// nothing, leave the places to others.
func TestOUT3_BlockedLanesStarveNobody(t *testing.T) {
	bubble(t, func(r *rig) {
		deliver := Deliverer(r.peer.deliver)
		s := r.service(Options{
			Config: Config{Workers: 4},
			Routes: []Route{{Workspace: "w", Deliverer: deliver, Order: OrderStrict}, {Workspace: "v", Deliverer: deliver}},
		})
		r.peer.refuse(Pointless(errCut))
		for n := range 10 {
			r.accept(s, fmt.Sprint(n), "head")
		}
		_, err := s.RunOnce(r.Context(), nil)
		r.must(err)
		for n := range 10 {
			r.accept(s, fmt.Sprint(n), "rest")
		}
		e, err := s.Accept(r.Context(), "v", "s", "", "", "fast", nil)
		r.must(err)
		r.peer.refuse(nil)
		round, err := s.RunOnce(r.Context(), nil)
		r.must(err)
		if r.peer.times(e.ID) != 1 || round.Sent != 1 {
			r.Errorf("%d were sent", round.Sent)
		}
	})
}

// TestOUT3_OneActionATick does one send or one verification a lane and tick.
func TestOUT3_OneActionATick(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		for range 3 {
			r.accept(s, "s", "text")
		}
		stop := r.run(s)
		for n := range 3 {
			wait(900 * time.Millisecond)
			if got := len(r.peer.all()); got != n+1 {
				r.Errorf("after %d ticks %d arrived", n+1, got)
			}
			wait(100 * time.Millisecond)
		}
		stop()
	})
}

// TestOUT13_NoSendInThePassOfAVerdict: absent makes an entry pending, which a later
// tick sends.
func TestOUT13_NoSendInThePassOfAVerdict(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{Config: Config{RetryBackoff: time.Millisecond, MaxBackoff: time.Millisecond}})
		id := r.accept(s, "s", "text")
		r.peer.refuse(Ambiguous(errCut))
		r.once(s, "s")
		r.peer.refuse(nil)
		wait(3 * time.Second)
		if !r.once(s, "s") || len(r.peer.all()) != 0 {
			r.Fatal("the verdict was not alone")
		}
		if e := r.entry(s, id); e.Status != StatusPending || e.Unknown || e.Attempts != 1 {
			r.Errorf("absent makes it %+v", e)
		}
	})
}

// TestOUT3_TickWithNothingDue is one look and no write, for as long as no sweep is;
// Run leaves its mark once, before the first tick.
func TestOUT3_TickWithNothingDue(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{Routes: []Route{{Deliverer: Deliverer(r.peer.deliver), Order: OrderStrict}}})
		r.peer.refuse(Pointless(errCut))
		for n := range 5 {
			r.accept(s, fmt.Sprint(n), "head")
		}
		_, err := s.RunOnce(r.Context(), nil)
		r.must(err)
		for n := range 5 {
			r.accept(s, fmt.Sprint(n), "rest") // blocked
		}
		r.must(r.store.Outbox.UpdateLane(r.Context(), outbox.Lane{Workspace: "held", Session: "s"}, func(w storage.LaneWriter) error {
			return w.Insert(Entry{ID: "ob_held", WorkspaceID: "held", SessionID: "s", Text: "t", Status: StatusPending})
		}))
		r.must(r.store.Hold(r.Context(), "held", outbox.Hold{}))
		views, writes := r.store.count(opView), r.store.writes()
		stop := r.run(s)
		wait(9500 * time.Millisecond)
		stop()
		if got := r.store.count(opView) - views; got != 10 {
			r.Errorf("10 ticks looked %d times", got)
		}
		if got := r.store.writes() - writes; got != 1 {
			r.Errorf("%d writes", got)
		}
	})
}

// TestOUT13_BackoffCountsFromTheEnd of an attempt, and is not burnt in tick time: five
// sends that take a minute each are 10, 20, 40 and 80 s apart.
func TestOUT13_BackoffCountsFromTheEnd(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		id := r.accept(s, "s", "text")
		var began []time.Duration
		start := time.Now()
		r.peer.answer = func(context.Context, Entry) error {
			began = append(began, time.Since(start).Round(time.Second))
			<-time.After(time.Minute)
			return errors.New(strings.Repeat("no\n", 1000))
		}
		stop := r.run(s)
		wait(time.Hour)
		stop()
		want := []time.Duration{0, 70 * time.Second, 150 * time.Second, 250 * time.Second, 390 * time.Second}
		if !slices.Equal(began, want) {
			r.Errorf("sends began at %v, not %v", began, want)
		}
		e := r.entry(s, id)
		if e.Status != StatusError || e.Attempts != 5 || len(e.LastError) > outbox.MaxErrorBytes || strings.Contains(e.LastError, "\n") {
			r.Errorf("it ended as %s after %d, with %d bytes", e.Status, e.Attempts, len(e.LastError))
		}
	})
}
