package outbox

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// TestOUT5_CrashBeforeTheReceiverGotIt: staged out, nothing sent, the worker dead. The
// lane is free within 4/3 of a lease and a tick, and the entry is sent once.
func TestOUT5_CrashBeforeTheReceiverGotIt(t *testing.T) {
	bubble(t, func(r *rig) {
		dead, s := r.service(Options{}), r.service(Options{Store: r.other()})
		id := r.accept(dead, "s", "text")
		r.crash(dead, "s")
		if e := r.entry(s, id); e.Status != StatusDelivering || e.AttemptNo != 1 || e.LastAttemptAt.IsZero() {
			r.Fatalf("staged out it is %+v", e)
		}
		wait(59 * time.Second)
		stop := r.run(s) // which sees the lease for the first time
		wait(21 * time.Second)
		if e := r.entry(s, id); e.Status != StatusPending || e.Attempts != 1 {
			r.Errorf("then it is %s after %d", e.Status, e.Attempts)
		}
		wait(11 * time.Second)
		stop()
		if r.peer.times(id) != 1 || r.left(s) != 0 || r.peer.all()[0].AttemptNo != 2 {
			r.Errorf("it was sent %d times", r.peer.times(id))
		}
	})
}

// TestOUT5_CrashAfterTheReceiverGotIt: no second send.
func TestOUT5_CrashAfterTheReceiverGotIt(t *testing.T) {
	bubble(t, func(r *rig) {
		dead, s := r.service(Options{}), r.service(Options{Store: r.other()})
		hooks := 0
		s.SetOnDelivered(func(_, _ string, _ Entry) { hooks++ })
		id := r.accept(dead, "s", "text")
		j := r.crash(dead, "s")
		r.must(r.peer.deliver(r.Context(), "w", "s", j.entry))
		stop := r.run(s)
		wait(82 * time.Second)
		stop()
		if r.peer.times(id) != 1 || r.left(s) != 0 || hooks != 1 {
			r.Errorf("it was sent %d times, %d are left, %d hooks", r.peer.times(id), r.left(s), hooks)
		}
	})
}

// TestOUT5_CrashBeforeTheStageOutCommit leaves an entry as if nothing had been.
func TestOUT5_CrashBeforeTheStageOutCommit(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		id := r.accept(s, "s", "text")
		r.store.fail(opLane, failure{times: 1})
		if r.once(s, "s") {
			r.Error("it was sent")
		}
		if e := r.entry(s, id); e.Status != StatusPending || e.AttemptNo != 0 || len(r.peer.all()) != 0 {
			r.Errorf("it is %s with number %d", e.Status, e.AttemptNo)
		}
		if !r.once(s, "s") || r.peer.times(id) != 1 {
			r.Error("it does not go on")
		}
	})
}

// TestOUT5_RecoverFreesLanes of dead workers only, and counts their sends.
func TestOUT5_RecoverFreesLanes(t *testing.T) {
	bubble(t, func(r *rig) {
		dead, s := r.service(Options{}), r.service(Options{})
		for _, session := range []string{"a", "b"} {
			r.accept(dead, session, "text")
			r.crash(dead, session)
		}
		id := r.accept(dead, "live", "text")
		r.peer.hang(9 * time.Minute)
		go r.once(dead, "live")
		if n := s.Recover(r.Context()); n != 0 {
			r.Errorf("%d before the leases lapsed", n)
		}
		wait(61 * time.Second)
		began := time.Now()
		if n := s.Recover(r.Context()); n != 2 || time.Since(began) != 0 { // seen a minute ago
			r.Errorf("%d after %s", n, time.Since(began))
		}
		status, err := s.Status(r.Context())
		r.must(err)
		if len(status.Leases) != 1 || status.Entries[StatusVerifying] != 2 || r.entry(s, id).Status != StatusDelivering {
			r.Errorf("now the state is %+v", status)
		}
		wait(10 * time.Minute)
	})
}

// TestOUT5_RunOnceWatchesAThird of a lease that lapsed before it takes the lane.
func TestOUT5_RunOnceWatchesAThird(t *testing.T) {
	bubble(t, func(r *rig) {
		dead, s := r.service(Options{}), r.service(Options{})
		r.accept(dead, "s", "text")
		r.crash(dead, "s")
		wait(time.Hour)
		began := time.Now()
		round, err := s.RunOnce(r.Context(), r.peer.deliver)
		r.must(err)
		if round != (Round{Verified: 1, Recovered: 1}) || time.Since(began) != 20*time.Second {
			r.Errorf("it did %+v in %s", round, time.Since(began))
		}
		ctx, cancel := context.WithCancel(r.Context())
		cancel()
		r.accept(dead, "s2", "text")
		r.crash(dead, "s2")
		wait(time.Hour)
		if _, err := s.RunOnce(ctx, r.peer.deliver); err == nil {
			r.Error("a cancelled one goes on")
		}
	})
}

// TestOUT5_RecoveryRacesACompletion: a late success completes what another worker
// verifies already, with one hook and no way back.
func TestOUT5_RecoveryRacesACompletion(t *testing.T) {
	bubble(t, func(r *rig) {
		hooks := map[string]int{}
		var mu sync.Mutex
		hook := func(who string) DeliveredHook {
			return func(_, _ string, _ Entry) {
				mu.Lock()
				defer mu.Unlock()
				hooks[who]++
			}
		}
		slow, s := r.service(Options{}), r.service(Options{Store: r.other(), Config: Config{VerifyTimeout: time.Hour}})
		slow.SetOnDelivered(hook("slow"))
		s.SetOnDelivered(hook("other"))
		s.SetVerifier(func(context.Context, string, string, Entry) Verdict {
			<-time.After(10 * time.Minute)
			return VerdictDelivered
		})
		id := r.accept(slow, "s", "text")
		j := r.crash(slow, "s") // stopped for two minutes
		stop := r.run(s)
		wait(2 * time.Minute)
		if e := r.entry(s, id); e.Status != StatusVerifying {
			r.Fatalf("it is %s", e.Status)
		}
		done := j.settle(r.Context(), func(*outbox.Ledger) outbox.Event {
			return outbox.Settled{Token: j.lease.Token, AttemptNo: 1, Outcome: outbox.Delivered}
		})
		if !done.finished || r.left(s) != 0 {
			r.Errorf("it came to %+v", done)
		}
		wait(11 * time.Minute)
		stop()
		if hooks["slow"] != 1 || hooks["other"] != 0 || r.left(s) != 0 {
			r.Errorf("hooks %v, %d left", hooks, r.left(s))
		}
	})
}

// TestOUT5_LateFailureIsRefused: what an owner without its lease says about failures
// changes nothing.
func TestOUT5_LateFailureIsRefused(t *testing.T) {
	for _, outcome := range []outbox.Outcome{
		outbox.Definitive, outbox.UnknownOutcome, outbox.PriorPending, outbox.TransientOutcome, outbox.PointlessOutcome,
	} {
		bubble(t, func(r *rig) {
			s := r.service(Options{})
			id := r.accept(s, "s", "text")
			j := r.crash(s, "s")
			r.steal("s")
			before := r.entry(s, id)
			done := j.settle(r.Context(), func(*outbox.Ledger) outbox.Event {
				return outbox.Settled{Token: j.lease.Token, AttemptNo: 1, Outcome: outcome}
			})
			if after := r.entry(s, id); done.stored || after.Version != before.Version || after.Status != StatusVerifying {
				r.Errorf("outcome %d was taken", outcome)
			}
			if lease, ok, err := s.Holder(r.Context(), "w", "s"); err != nil || !ok || lease.Owner != "thief" {
				r.Errorf("the lease is %+v, %v", lease, err)
			}
		})
	}
}

// TestOUT5_RecoveryRacesSweeps: both at once lose nothing and complete nothing twice.
func TestOUT5_RecoveryRacesSweeps(t *testing.T) {
	bubble(t, func(r *rig) {
		dead, s := r.service(Options{}), r.service(Options{Config: Config{MaxVerifyAttempts: 1}})
		var mu sync.Mutex
		hooks := map[string]int{}
		s.SetOnDelivered(func(_, _ string, e Entry) {
			mu.Lock()
			defer mu.Unlock()
			hooks[e.ID]++
		})
		s.SetLedgerProbe(func(_ context.Context, _, _, _ string, attempt uint32) (string, error) {
			<-time.After(time.Second)
			if attempt == 1 {
				return LedgerStateAdmitted, nil
			}
			return "", nil
		})
		failed := r.accept(dead, "s", "failed")
		r.peer.refuse(Pointless(errCut))
		r.once(dead, "s") // error, number 1
		r.peer.refuse(nil)
		interrupted := r.accept(dead, "s", "interrupted")
		r.crash(dead, "s")
		wait(time.Hour)
		var wg sync.WaitGroup
		var recovered, swept int
		wg.Go(func() { recovered = s.Recover(r.Context()) })
		for range 5 {
			wg.Go(func() {
				<-time.After(19 * time.Second) // the probe ends as the watch does
				done, err := s.SweepWorkspace(r.Context(), "w")
				r.must(err)
				mu.Lock()
				defer mu.Unlock()
				swept += done.Completed
			})
		}
		wg.Wait()
		if recovered != 1 || swept != 1 || hooks[failed] != 1 || r.entry(s, interrupted).Status != StatusVerifying {
			r.Errorf("recovered %d, swept %d, hooks %v", recovered, swept, hooks)
		}
	})
}

// TestOUT5_LeaseOfAnEmptyLaneGoes: what a clean up left of a dead worker goes with the
// lease's time.
func TestOUT5_LeaseOfAnEmptyLaneGoes(t *testing.T) {
	bubble(t, func(r *rig) {
		dead, s := r.service(Options{}), r.service(Options{})
		r.accept(dead, "s", "text")
		r.crash(dead, "s")
		_, err := s.CleanupWorkspace(r.Context(), "w")
		r.must(err)
		stop := r.run(s)
		wait(82 * time.Second)
		stop()
		r.must(s.store.ViewOutbox(r.Context(), func(o storage.OutboxReader) error {
			leases, err := o.Leases()
			if len(leases) != 0 {
				r.Errorf("left are %v", leases)
			}
			return err
		}))
		synctest.Wait()
	})
}
