package outbox

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

// refused brings an entry of a session to error with one failed send.
func (r *rig) refused(session string) string {
	r.Helper()
	plain := r.service(Options{Store: r.other()})
	id := r.accept(plain, session, "text")
	r.peer.refuse(Pointless(errCut))
	defer r.peer.refuse(nil)
	r.once(plain, session)
	if e := r.entry(plain, id); e.Status != StatusError || e.Attempts != 1 || e.FailedNo != 1 {
		r.Fatalf("it is %+v", e)
	}
	return id
}

// ledger answers by attempt number; an unknown number is no row, "error" none at all.
func ledger(rows map[uint32]string) LedgerProbe {
	return func(_ ctx, _, _, _ string, attempt uint32) (string, error) {
		if rows[attempt] == "error" {
			return "", errCut
		}
		return rows[attempt], nil
	}
}

// TestOUT14_SweepTable is every row of the table, through the service: the count, the
// figure and what became of the entry.
func TestOUT14_SweepTable(t *testing.T) {
	for name, c := range map[string]struct {
		rows     map[uint32]string
		want     Sweep
		status   string // empty: gone
		attempts int
	}{
		"A error":                {map[uint32]string{1: "error", 2: LedgerStateAdmitted}, Sweep{Indeterminate: 1}, StatusError, 1},
		"A admitted":             {map[uint32]string{1: LedgerStateAdmitted, 2: "error"}, Sweep{Completed: 1}, "", 0},
		"A promoted":             {map[uint32]string{1: LedgerStatePromoted}, Sweep{Completed: 1}, "", 0},
		"A turn ended":           {map[uint32]string{1: LedgerStateTurnEnded}, Sweep{Completed: 1}, "", 0},
		"A stalled":              {map[uint32]string{1: LedgerStateStalled}, Sweep{Completed: 1}, "", 0},
		"A+1 error":              {map[uint32]string{1: LedgerStateFailed, 2: "error"}, Sweep{Indeterminate: 1}, StatusError, 1},
		"failed masks nothing":   {map[uint32]string{1: LedgerStateFailed, 2: LedgerStateAdmitted}, Sweep{Completed: 1}, "", 0},
		"A ledgered":             {map[uint32]string{1: LedgerStateLedgered}, Sweep{Unchanged: 1}, StatusError, 1},
		"A+1 ledgered":           {map[uint32]string{2: LedgerStateLedgered}, Sweep{Unchanged: 1}, StatusError, 1},
		"A+1 failed":             {map[uint32]string{2: LedgerStateFailed}, Sweep{Rearmed: 1}, StatusPending, 2},
		"both failed":            {map[uint32]string{1: LedgerStateFailed, 2: LedgerStateFailed}, Sweep{Rearmed: 1}, StatusPending, 2},
		"A failed, then none":    {map[uint32]string{1: LedgerStateFailed}, Sweep{Rearmed: 1}, StatusPending, 1},
		"none at all":            {nil, Sweep{Rearmed: 1}, StatusPending, 1},
		"a word that nobody has": {map[uint32]string{1: "LEDGER_STATE_DREAMT"}, Sweep{Unchanged: 1}, StatusError, 1},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				id := r.refused("s")
				s := r.service(Options{})
				var hooks tally
				s.SetOnDelivered(hooks.hook)
				s.SetLedgerProbe(ledger(c.rows))
				got, err := s.SweepWorkspace(r.Context(), "w")
				r.must(err)
				status, err := s.Status(r.Context())
				r.must(err)
				if got != c.want || status.Sweeps["completed"] != int64(c.want.Completed) || hooks.of(id) != c.want.Completed {
					r.Errorf("it came to %+v, %v, %d hooks", got, status.Sweeps, hooks.of(id))
				}
				if c.status == "" {
					if r.left(s) != 0 {
						r.Error("it is not gone")
					}
					return
				}
				if e := r.entry(s, id); e.Status != c.status || e.Attempts != c.attempts || e.AttemptNo != 1 {
					r.Errorf("it is %s after %d, number %d", e.Status, e.Attempts, e.AttemptNo)
				}
			})
		})
	}
}

// TestOUT14_SweepKeepsTheBound: what has failed often enough is not sent again, and
// what is unknown only after a verdict.
func TestOUT14_SweepKeepsTheBound(t *testing.T) {
	bubble(t, func(r *rig) {
		id := r.refused("s")
		s := r.service(Options{Config: Config{MaxAttempts: 1}})
		lost := r.unverifiable(s, "lost")
		for _, rows := range []map[uint32]string{nil, {1: LedgerStateFailed}, {2: LedgerStateFailed}, {0: LedgerStateFailed}} {
			s.SetLedgerProbe(ledger(rows))
			if n, err := s.SweepWorkspaceParkedErrors(r.Context(), "w"); n != 0 || err != nil {
				r.Errorf("with %v it came to %d, %v", rows, n, err)
			}
		}
		if a, b := r.entry(s, id), r.entry(s, lost); a.Status != StatusError || a.Attempts != 1 || b.Status != StatusError || !b.Unknown {
			r.Errorf("they are %+v and %+v", a, b)
		}
	})
}

// TestOUT14_NoLedgerNoSweep answers 0 and writes nothing.
func TestOUT14_NoLedgerNoSweep(t *testing.T) {
	bubble(t, func(r *rig) {
		r.refused("s")
		s := r.service(Options{})
		if n, err := s.SweepWorkspaceParkedErrors(r.Context(), "w"); n != 0 || err != nil || r.store.writes() != 0 {
			r.Errorf("it came to %d, %v, with %d writes", n, err, r.store.writes())
		}
		if n, err := s.SweepWorkspaceUnverifiable(r.Context(), "w"); n != 0 || err != nil || r.store.writes() != 0 {
			r.Errorf("the other came to %d, %v, with %d writes", n, err, r.store.writes())
		}
	})
}

// TestOUT14_PhantomAttempt: entries parked in error while the receiver had admitted
// them. The row is under the number of the send, which transient failures and pending
// decisions did not drive away from it.
func TestOUT14_PhantomAttempt(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{Config: Config{MaxTransientFailures: 1}})
		id := r.accept(s, "s", "text")
		r.peer.refuse(PriorAttemptPending(errCut))
		for range 10 { // the receiver owns attempt 1
			r.once(s, "s")
			wait(15 * time.Second)
		}
		r.peer.refuse(Transient(errCut))
		r.once(s, "s")
		if e := r.entry(s, id); e.Status != StatusError || e.AttemptNo != 1 {
			r.Fatalf("it is %+v", e)
		}
		s.SetLedgerProbe(ledger(map[uint32]string{1: LedgerStateTurnEnded}))
		if n, err := s.SweepWorkspaceParkedErrors(r.Context(), "w"); n != 1 || err != nil || r.left(s) != 0 {
			r.Errorf("it came to %d, %v, %d left", n, err, r.left(s))
		}
	})
}

// TestOUT14_SweepAsksForTheLastFailure and the one after it, 0 and 1 when none is
// known.
func TestOUT14_SweepAsksForTheLastFailure(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		lost := r.unverifiable(s, "lost")
		failed := r.refused("s")
		asked := map[string][]uint32{}
		s.SetLedgerProbe(func(_ ctx, ws, ses, id string, attempt uint32) (string, error) {
			asked[id] = append(asked[id], attempt)
			if ws != "w" || ses != map[string]string{lost: "lost", failed: "s"}[id] {
				r.Errorf("it asks about %s %s %s", ws, ses, id)
			}
			return LedgerStateLedgered, nil
		})
		_, err := s.SweepWorkspaceParkedErrors(r.Context(), "w")
		r.must(err)
		if got := fmt.Sprint(asked[lost], asked[failed]); got != "[0 1] [1 2]" {
			r.Errorf("it asked for %s", got)
		}
	})
}

// TestOUT14_SweepOverwritesNothing: whatever happens to an entry or its neighbours
// between the probe and the write, stays.
func TestOUT14_SweepOverwritesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		meanwhile func(r *rig, s *Service, id string)
		status    string
	}{
		"retry":   {func(r *rig, s *Service, id string) { _, _ = s.Retry(r.Context(), "w", "s", id) }, StatusPending},
		"dismiss": {func(r *rig, s *Service, id string) { _, _ = s.Dismiss(r.Context(), "w", "s", id) }, ""},
		"retry and sent": {func(r *rig, s *Service, id string) {
			_, _ = s.Retry(r.Context(), "w", "s", id)
			r.peer.stays(Ambiguous(errCut))
			r.once(s, "s")
		}, StatusVerifying},
		"failed again": {func(r *rig, s *Service, id string) {
			_, _ = s.Retry(r.Context(), "w", "s", id)
			r.peer.refuse(Pointless(errCut))
			s.ledger = nil
			r.once(s, "s")
		}, StatusError},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				s := r.service(Options{})
				before := r.accept(s, "s", "before")
				r.park(s, 1)
				r.must(r.store.Release(r.Context(), "w")) // it stays parked
				id := r.refused("s")
				after := r.accept(s, "s", "after")
				once := sync.OnceFunc(func() { c.meanwhile(r, s, id) })
				s.SetLedgerProbe(func(ctx, string, string, string, uint32) (string, error) {
					once()
					return LedgerStateFailed, nil
				})
				_, err := s.SweepWorkspaceParkedErrors(r.Context(), "w")
				r.must(err)
				if c.status == "" && r.left(s) != 2 {
					r.Errorf("%d are left", r.left(s))
				}
				if c.status != "" && r.entry(s, id).Status != c.status {
					r.Errorf("it is %+v", r.entry(s, id))
				}
				if e := r.entry(s, before); e.Status != StatusParked || e.Text != "before" || e.Version != 2 {
					r.Errorf("the one before is %+v", e)
				}
				if e := r.entry(s, after); e.Status != StatusPending || e.Text != "after" || e.Version != 1 {
					r.Errorf("the one after is %+v", e)
				}
			})
		})
	}
}

// TestOUT14_SweepGoesPageByPage over more entries than it reads at once.
func TestOUT14_SweepGoesPageByPage(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{Config: Config{Cap: 300}})
		r.peer.refuse(Pointless(errCut))
		for range 130 {
			r.accept(s, "s", "text")
			r.once(s, "s")
		}
		s.SetLedgerProbe(ledger(map[uint32]string{1: "ADMITTED"}))
		if n, err := s.SweepWorkspaceParkedErrors(r.Context(), "w"); n != 130 || err != nil || r.left(s) != 0 {
			r.Errorf("it came to %d, %v, %d left", n, err, r.left(s))
		}
	})
}

// TestOUT14_RunSweeps every ParkedSweepInterval, the workspaces of its routes.
func TestOUT14_RunSweeps(t *testing.T) {
	bubble(t, func(r *rig) {
		id := r.refused("s")
		s := r.service(Options{Routes: []Route{{Workspace: "w*", Deliverer: Deliverer(r.peer.deliver)}}})
		elsewhere, err := s.Accept(r.Context(), "v", "s", "", "", "text", nil)
		r.must(err)
		r.peer.refuse(Pointless(errCut))
		s.DeliverOnce(r.Context(), "v", "s", r.peer.deliver)
		r.peer.refuse(nil)
		s.SetLedgerProbe(ledger(nil))
		stop := r.runBy(s, nil)
		wait(59500 * time.Millisecond)
		if r.entry(s, id).Status != StatusError {
			r.Error("it swept before its time")
		}
		wait(2 * time.Second)
		stop()
		if r.peer.times(id) != 1 || r.entry(s, elsewhere.ID).Status != StatusError {
			r.Errorf("it was sent %d times", r.peer.times(id))
		}
	})
}
