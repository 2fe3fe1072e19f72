package outbox

import (
	"fmt"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// TestOUT7_DeadWorkersHook is run by another, not before its time, under the same id
// and with the whole entry.
func TestOUT7_DeadWorkersHook(t *testing.T) {
	bubble(t, func(r *rig) {
		var never, hooks tally
		dead, s := r.service(Options{}), r.service(Options{Store: r.other()})
		dead.SetOnDelivered(never.hook)
		s.SetOnDelivered(hooks.hook)
		r.accept(dead, "s", "text")
		id := r.delivered(dead, "s")
		stop := r.run(s)
		wait(59500 * time.Millisecond)
		if hooks.of(id) != 0 {
			r.Error("it ran before its time")
		}
		wait(time.Second)
		stop()
		if hooks.of(id) != 1 || never.of(id) != 0 || hooks.last.Text != "text" {
			r.Errorf("it ran %d times with %q", hooks.of(id), hooks.last.Text)
		}
	})
}

// TestOUT7_WorkerWithoutAHook marks hooks done: at once for what it delivers, and for
// dead workers after their time.
func TestOUT7_WorkerWithoutAHook(t *testing.T) {
	bubble(t, func(r *rig) {
		var never tally
		dead, s := r.service(Options{}), r.service(Options{})
		dead.SetOnDelivered(never.hook)
		r.accept(s, "s", "text")
		r.once(s, "s")
		if r.unhooked() != 0 {
			r.Error("a hook waits for nobody")
		}
		r.accept(dead, "s", "text")
		r.delivered(dead, "s")
		if r.unhooked() != 1 {
			r.Error("the dead worker's hook does not wait")
		}
		stop := r.run(s)
		wait(61 * time.Second)
		stop()
		if r.unhooked() != 0 {
			r.Error("the dead worker's hook still waits")
		}
	})
}

// TestOUT7_HooksOfOtherRoutes are left to those who deliver there, however many.
func TestOUT7_HooksOfOtherRoutes(t *testing.T) {
	bubble(t, func(r *rig) {
		var never, hooks tally
		dead := r.service(Options{Config: Config{Cap: 200}})
		dead.SetOnDelivered(never.hook)
		for range 120 {
			r.accept(dead, "s", "text")
			r.delivered(dead, "s")
		}
		e, err := dead.Accept(r.Context(), "v", "s", "", "", "text", nil)
		r.must(err)
		j, _, err := dead.take(r.Context(), e.Lane(), Route{Deliverer: Deliverer(r.peer.deliver)})
		r.must(err)
		_, err = j.tell(r.Context(), func(*outbox.Ledger) outbox.Event {
			return outbox.Settled{Token: j.lease.Token, AttemptNo: 1, Outcome: outbox.Delivered}
		}, nil)
		r.must(err)
		s := r.service(Options{Routes: []Route{{Workspace: "v", Deliverer: Deliverer(r.peer.deliver)}}})
		s.SetOnDelivered(hooks.hook)
		wait(time.Hour)
		_, err = s.RunOnce(r.Context(), nil)
		r.must(err)
		if hooks.of(e.ID) != 1 || r.unhooked() != 120 {
			r.Errorf("ours ran %d times, %d wait", hooks.of(e.ID), r.unhooked())
		}
	})
}

// TestOUT7_MarkThatCannotBeStored: while the process lives the hook does not run again,
// neither when its mark needs some tries, nor when it needs many minutes.
func TestOUT7_MarkThatCannotBeStored(t *testing.T) {
	for _, times := range []int{3, 20} {
		bubble(t, func(r *rig) {
			var hooks tally
			s := r.service(Options{})
			s.SetOnDelivered(hooks.hook)
			r.store.fail(opHook, failure{times: times})
			id := r.accept(s, "s", "text")
			stop := r.run(s)
			wait(10 * time.Minute)
			stop()
			if hooks.of(id) != 1 || r.unhooked() != 0 {
				r.Errorf("it ran %d times, %d wait", hooks.of(id), r.unhooked())
			}
		})
	}
}

// TestOUT7_SlowHookRunsOnce, also past the time that its record is ours for, and holds
// up neither other hooks' lanes nor sweeps.
func TestOUT7_SlowHookRunsOnce(t *testing.T) {
	bubble(t, func(r *rig) {
		var hooks tally
		s := r.service(Options{})
		s.SetOnDelivered(func(ws, ses string, e Entry) {
			hooks.hook(ws, ses, e)
			if e.Text == "slow" {
				<-time.After(5 * time.Minute)
			}
		})
		slow := r.accept(s, "s", "slow")
		stop := r.run(s)
		wait(4 * time.Minute)
		fast := r.accept(s, "s2", "fast")
		wait(time.Second)
		status, err := s.Status(r.Context())
		r.must(err)
		if hooks.of(fast) != 1 || time.Since(status.LastLoopAt) > time.Minute+time.Second {
			r.Errorf("the fast one ran %d times, the last loop was at %s", hooks.of(fast), status.LastLoopAt)
		}
		wait(2 * time.Minute)
		stop()
		if hooks.of(slow) != 1 {
			r.Errorf("the slow one ran %d times", hooks.of(slow))
		}
	})
}

// TestOUT7_ForgetsInPortions: what is past its time goes, 500 a tick.
func TestOUT7_ForgetsInPortions(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		lane := outbox.Lane{Workspace: "w", Session: "s"}
		r.must(r.store.UpdateLane(r.Context(), lane, func(w storage.LaneWriter) error {
			for n := range 600 {
				err := w.PutDedupe(outbox.Dedupe{
					Lane: lane, ClientMessageID: fmt.Sprint(n), EntryID: fmt.Sprint(n), AcceptedAt: time.Now(), Final: StatusDismissed,
				})
				if err != nil {
					return err
				}
			}
			return nil
		}))
		wait(24*time.Hour + time.Millisecond)
		forgettable := func() (ok bool) {
			r.must(r.store.ViewOutbox(r.Context(), func(o storage.OutboxReader) (err error) {
				ok, err = o.Forgettable(time.Now().Add(-24 * time.Hour))
				return err
			}))
			return ok
		}
		_, err := s.RunOnce(r.Context(), r.peer.deliver)
		r.must(err)
		if !forgettable() {
			r.Error("600 rows went in one tick")
		}
		_, err = s.RunOnce(r.Context(), r.peer.deliver)
		r.must(err)
		if forgettable() {
			r.Error("600 rows did not go in two ticks")
		}
		rows, err := s.CleanupWorkspace(r.Context(), "w")
		r.must(err)
		if rows != 0 {
			r.Errorf("%d rows are left", rows)
		}
	})
}

// TestOUT7_DeadWorkersHookRunsOnce, though two workers find it in the same tick.
func TestOUT7_DeadWorkersHookRunsOnce(t *testing.T) {
	bubble(t, func(r *rig) {
		var never, hooks tally
		dead, a, b := r.service(Options{}), r.service(Options{}), r.service(Options{Store: r.other()})
		dead.SetOnDelivered(never.hook)
		a.SetOnDelivered(hooks.hook)
		b.SetOnDelivered(hooks.hook)
		var ids []string
		for range 20 {
			r.accept(dead, "s", "text")
			ids = append(ids, r.delivered(dead, "s"))
		}
		stopA, stopB := r.run(a), r.run(b)
		wait(5 * time.Minute)
		stopA()
		stopB()
		for _, id := range ids {
			if hooks.of(id) != 1 || never.of(id) != 0 {
				r.Errorf("%s ran %d times", id, hooks.of(id))
			}
		}
	})
}

// TestOUT7_SweepWithoutAHook completes an entry and leaves its hook to a worker that
// has one.
func TestOUT7_SweepWithoutAHook(t *testing.T) {
	bubble(t, func(r *rig) {
		id := r.refused("s")
		command, embedder := r.service(Options{}), r.service(Options{Store: r.other()})
		command.SetLedgerProbe(ledger(map[uint32]string{1: LedgerStateAdmitted}))
		done, err := command.SweepWorkspace(r.Context(), "w")
		r.must(err)
		if done.Completed != 1 || r.unhooked() != 1 {
			r.Fatalf("%+v, %d hooks wait", done, r.unhooked())
		}
		var hooks tally
		embedder.SetOnDelivered(hooks.hook)
		stop := r.run(embedder)
		wait(3 * time.Second)
		stop()
		if hooks.of(id) != 1 || r.unhooked() != 0 {
			r.Errorf("%d hooks, %d wait", hooks.of(id), r.unhooked())
		}
	})
}
