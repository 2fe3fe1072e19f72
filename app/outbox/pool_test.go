package outbox

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
)

// slowly lets the entries whose text is slow hang for d, and all others pass.
func (p *peer) slowly(d time.Duration) (running *atomic.Int32) {
	running = new(atomic.Int32)
	p.answer = func(ctx context.Context, e Entry) error {
		if e.Text != "slow" {
			return nil
		}
		running.Add(1)
		defer running.Add(-1)
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return running
}

// TestOUT3_SlowLanesAndAFastOne delivers the fast one at once: in the next tick when
// it comes later, and after two seconds when it comes in the same tick as 40 others
// and waits longest of all that are left.
func TestOUT3_SlowLanesAndAFastOne(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{Drain: -1})
		running := r.peer.slowly(5 * time.Minute)
		for n := range 40 {
			r.accept(s, fmt.Sprint(n), "slow")
		}
		early := r.accept(s, "early", "fast")
		stop := r.run(s)
		wait(outbox.SlowAfter - time.Millisecond)
		if n := running.Load(); n != 32 || r.peer.times(early) != 0 {
			r.Errorf("%d run in a pool of 32, the fast one arrived %d times", n, r.peer.times(early))
		}
		wait(2 * time.Millisecond)
		if n := running.Load(); n != 40 || r.peer.times(early) != 1 {
			r.Errorf("%d run, the fast one arrived %d times", n, r.peer.times(early))
		}
		late := r.accept(s, "late", "fast")
		wait(time.Second)
		if r.peer.times(late) != 1 {
			r.Error("the late one waits")
		}
		stop()
	})
}

// TestOUT3_FreedPlaceIsTakenAtOnce, without waiting for the tick.
func TestOUT3_FreedPlaceIsTakenAtOnce(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{Config: Config{Workers: 2, Tick: time.Hour}})
		r.peer.slowly(100 * time.Millisecond)
		for n := range 7 {
			r.accept(s, fmt.Sprint(n), "slow")
		}
		stop := r.run(s)
		wait(350 * time.Millisecond)
		if n := len(r.peer.all()); n != 7 {
			r.Errorf("%d of 7 began", n)
		}
		wait(time.Second)
		stop()
	})
}

// TestOUT3_InFlightBound holds 256 lanes at most, and takes more as soon as one ends.
func TestOUT3_InFlightBound(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{Drain: -1, Config: Config{Workers: 128}})
		for n := range 270 {
			r.accept(s, fmt.Sprint(n), "slow")
		}
		end := make(chan struct{})
		r.peer.answer = func(ctx context.Context, _ Entry) error {
			select {
			case <-end:
			case <-ctx.Done():
			}
			return nil
		}
		stop := r.run(s)
		wait(5 * time.Second)
		if n := len(r.peer.all()); n != outbox.MaxInFlight {
			r.Errorf("%d in flight", n)
		}
		end <- struct{}{}
		wait(time.Millisecond)
		if n := len(r.peer.all()); n != outbox.MaxInFlight+1 {
			r.Errorf("%d in flight after one ended", n-1)
		}
		stop()
	})
}

// TestOUT3_TakeoversKeepToThePool: the lanes of dead workers take places like others.
func TestOUT3_TakeoversKeepToThePool(t *testing.T) {
	bubble(t, func(r *rig) {
		dead, s := r.service(Options{}), r.service(Options{Config: Config{Workers: 3}})
		for n := range 20 {
			r.accept(dead, fmt.Sprint(n), "text")
			r.crash(dead, fmt.Sprint(n))
		}
		var running, most atomic.Int32
		s.SetVerifier(func(context.Context, string, string, Entry) Verdict {
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			<-time.After(time.Second)
			return VerdictDelivered
		})
		stop := r.run(s)
		wait(2 * time.Minute)
		stop()
		if n := r.left(s); n != 0 || most.Load() != 3 {
			r.Errorf("%d are left, %d ran at once", n, most.Load())
		}
	})
}

// TestOUT3_LongestWaitFirst starts the lane first whose entry has been due longest.
func TestOUT3_LongestWaitFirst(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{Config: Config{Workers: 1, Tick: time.Hour}})
		r.peer.refuse(Transient(errCut))
		for _, name := range []string{"b", "a", "c"} {
			r.accept(s, name, name)
			r.once(s, name)
			wait(time.Second)
		}
		r.peer.refuse(nil)
		wait(time.Minute)
		stop := r.run(s)
		wait(time.Second)
		stop()
		if got := r.peer.texts(); !slices.Equal(got, []string{"b", "a", "c"}) {
			r.Errorf("they came as %v", got)
		}
	})
}

// TestOUT3_NothingBlocksTheTick: neither sends, verifications, probes nor hooks that
// hang.
func TestOUT3_NothingBlocksTheTick(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{Drain: -1, Config: Config{
			Workers: 1, ParkedSweepInterval: time.Second, VerifyTimeout: time.Hour, BookkeepingTimeout: time.Hour, ProbeTimeout: time.Hour,
		}})
		hanging := func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}
		s.SetVerifier(func(ctx context.Context, _, _ string, _ Entry) Verdict {
			_ = hanging(ctx)
			return VerdictInconclusive
		})
		free := make(chan struct{})
		s.SetLedgerProbe(func(context.Context, string, string, string, uint32) (string, error) {
			<-free
			return "", nil
		})
		s.SetOnDelivered(func(_, _ string, e Entry) {
			if e.Text == "hook" {
				<-free
			}
		})
		r.peer.answer = func(ctx context.Context, e Entry) error {
			switch e.Text {
			case "send":
				return hanging(ctx)
			case "verify":
				return Ambiguous(errCut)
			case "probe":
				return Pointless(errCut)
			}
			return nil
		}
		for _, text := range []string{"send", "verify", "probe", "hook"} {
			r.accept(s, text, text)
		}
		stop := r.run(s)
		wait(20 * time.Second)
		fast := r.accept(s, "fast", "fast")
		wait(time.Second)
		if r.peer.times(fast) != 1 || r.left(s) != 3 {
			r.Errorf("it arrived %d times, %d are left", r.peer.times(fast), r.left(s))
		}
		close(free)
		stop()
	})
}

// TestOUT3_OneTickServesEveryLane, also more of them than there are places.
func TestOUT3_OneTickServesEveryLane(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{Config: Config{Workers: 3}})
		r.peer.slowly(100 * time.Millisecond)
		for n := range 40 {
			r.accept(s, fmt.Sprint(n), "slow")
			r.accept(s, fmt.Sprint(n), "next")
		}
		round, err := s.RunOnce(r.Context(), r.peer.deliver)
		r.must(err)
		if round != (Round{Sent: 40, Delivered: 40}) || r.left(s) != 40 {
			r.Errorf("it did %+v and left %d", round, r.left(s))
		}
	})
}
