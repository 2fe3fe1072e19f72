package outbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// tally counts hooks by entry.
type tally struct {
	mu   sync.Mutex
	runs map[string]int
	last Entry
}

func (c *tally) hook(_, _ string, e Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runs == nil {
		c.runs = map[string]int{}
	}
	c.runs[e.ID]++
	c.last = e
}

func (c *tally) of(id string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.runs[id]
}

// unhooked counts the delivered records that wait for a hook.
func (r *rig) unhooked() int {
	n := 0
	r.must(r.other().ViewOutbox(r.Context(), func(o storage.OutboxReader) error {
		records, err := o.DueHooks(time.Now().Add(24*time.Hour), 1000)
		n = len(records)
		return err
	}))
	return n
}

// delivered stores that an entry was delivered, as a worker does that is killed
// before its hook runs.
func (r *rig) delivered(s *Service, session string) string {
	r.Helper()
	j := r.crash(s, session)
	_, err := j.tell(r.Context(), func(*outbox.Ledger) outbox.Event {
		return outbox.Settled{Token: j.lease.Token, AttemptNo: j.entry.AttemptNo, Outcome: outbox.Delivered}
	}, nil)
	r.must(err)
	return j.entry.ID
}

// TestOUT7_StagedBeforeTheSend, once for each time that an entry leaves the visible
// queue, whatever the hook does.
func TestOUT7_StagedBeforeTheSend(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		staged := 0
		s.SetOnStaged(func(workspace, session string, e Entry) {
			staged++
			if workspace != "w" || session != "s" || e.Status != StatusDelivering || e.Text != "text" || len(r.peer.all()) != 0 {
				r.Errorf("it hears of %+v after %d sends", e, len(r.peer.all()))
			}
			panic("boom")
		})
		id := r.accept(s, "s", "text")
		r.peer.refuse(PriorAttemptPending(errCut))
		for range 3 {
			r.once(s, "s")
			wait(15 * time.Second)
		}
		if e := r.entry(s, id); staged != 1 || e.AttemptNo != 1 {
			r.Errorf("%d times for number %d", staged, e.AttemptNo)
		}
		r.peer.refuse(nil)
		if !r.once(s, "s") || r.peer.times(id) != 1 || staged != 1 {
			r.Errorf("it was sent %d times, staged %d times", r.peer.times(id), staged)
		}
	})
}

// TestOUT7_OnceAcrossWorkers: two workers, 12 sessions of 6 entries whose sends all end
// unknown; each hook runs once.
func TestOUT7_OnceAcrossWorkers(t *testing.T) {
	bubble(t, func(r *rig) {
		a, b := r.service(Options{}), r.service(Options{Store: r.other()})
		var hooks tally
		a.SetOnDelivered(hooks.hook)
		b.SetOnDelivered(hooks.hook)
		r.peer.stays(Ambiguous(errCut))
		var ids []string
		for n := range 72 {
			ids = append(ids, r.accept(a, fmt.Sprint(n%12), "text"))
		}
		stopA, stopB := r.run(a), r.run(b)
		wait(time.Minute)
		stopA()
		stopB()
		for _, id := range ids {
			if hooks.of(id) != 1 || r.peer.times(id) != 1 {
				r.Errorf("%s: %d hooks, %d sends", id, hooks.of(id), r.peer.times(id))
			}
		}
		if r.left(a) != 0 || r.unhooked() != 0 {
			r.Errorf("%d are left, %d hooks wait", r.left(a), r.unhooked())
		}
	})
}

// TestOUT7_OfTheOneThatCompletes: whoever finds an entry completed runs no hook.
func TestOUT7_OfTheOneThatCompletes(t *testing.T) {
	bubble(t, func(r *rig) {
		slow, s := r.service(Options{}), r.service(Options{Store: r.other()})
		var first, second tally
		slow.SetOnDelivered(first.hook)
		s.SetOnDelivered(second.hook)
		id := r.accept(slow, "s", "text")
		r.peer.act = func(Entry) error {
			r.steal("s") // and the thief verifies it
			r.must(r.other().UpdateLane(r.Context(), outbox.Lane{Workspace: "w", Session: "s"}, func(w storage.LaneWriter) error {
				_, err := s.apply(w, Route{Verifier: s.verifier}, id, outbox.Verified{Verdict: VerdictDelivered}, true)
				return err
			}))
			return nil
		}
		r.once(slow, "s")
		if first.of(id) != 0 || r.left(s) != 0 || r.unhooked() != 1 {
			r.Errorf("it ran %d times, %d wait", first.of(id), r.unhooked())
		}
	})
}

// TestOUT7_FailedHookRunsAgain with a growing pause; panics count as failures.
func TestOUT7_FailedHookRunsAgain(t *testing.T) {
	bubble(t, func(r *rig) {
		start := time.Now()
		var runs []time.Duration
		s := r.service(Options{OnDelivered: func(_ context.Context, e Entry) error {
			runs = append(runs, time.Since(start))
			switch {
			case e.Text != "text" || e.Model == nil:
				r.Errorf("it hears of %+v", e)
			case len(runs) == 1:
				return errors.New("no")
			case len(runs) < 4:
				panic("boom")
			}
			return nil
		}})
		_, err := s.Accept(r.Context(), "w", "s", "u", "", "text", []byte(`{"m":1}`))
		r.must(err)
		stop := r.run(s)
		wait(10 * time.Minute)
		stop()
		want := []time.Duration{0, 10 * time.Second, 30 * time.Second, 70 * time.Second}
		if !slices.Equal(runs, want) || r.unhooked() != 0 {
			r.Errorf("it ran at %v, not %v", runs, want)
		}
	})
}
