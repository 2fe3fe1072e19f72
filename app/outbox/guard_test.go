package outbox

import (
	"context"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
)

// TestOUT14_GuardBeforeError asks the ledger before an entry goes to error: from a send
// that is refused for good, and from a last verification that proves nothing.
func TestOUT14_GuardBeforeError(t *testing.T) {
	for name, c := range map[string]struct {
		rows     map[uint32]string
		unknown  bool   // from a verification
		status   string // empty: gone
		attempts int
		due      time.Duration
	}{
		"send, admitted":           {rows: map[uint32]string{1: LedgerStateAdmitted}},
		"send, turn ended after":   {rows: map[uint32]string{1: LedgerStateFailed, 2: LedgerStateTurnEnded}},
		"send, ledgered":           {map[uint32]string{1: LedgerStateLedgered}, false, StatusDelivering, 0, outbox.PriorDelay},
		"send, failed":             {map[uint32]string{1: LedgerStateFailed}, false, StatusError, 1, 0},
		"send, no row":             {nil, false, StatusError, 1, 0},
		"send, cannot be asked":    {map[uint32]string{1: "error", 2: LedgerStateAdmitted}, false, StatusError, 1, 0},
		"send, another word":       {map[uint32]string{1: "DREAMT"}, false, StatusError, 1, 0},
		"verification, promoted":   {rows: map[uint32]string{1: LedgerStatePromoted}, unknown: true},
		"verification, stalled":    {rows: map[uint32]string{0: LedgerStateStalled}, unknown: true},
		"verification, ledgered":   {map[uint32]string{1: LedgerStateLedgered}, true, StatusVerifying, 0, outbox.PriorDelay},
		"verification, failed":     {map[uint32]string{1: LedgerStateFailed}, true, StatusError, 0, 0},
		"verification, nobody":     {map[uint32]string{0: "error"}, true, StatusError, 0, 0},
		"verification, no row yet": {nil, true, StatusError, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				s := r.service(Options{Config: Config{MaxVerifyAttempts: 1}})
				s.SetVerifier(unknown)
				s.SetLedgerProbe(ledger(c.rows))
				var hooks tally
				s.SetOnDelivered(hooks.hook)
				id := r.accept(s, "s", "text")
				if c.unknown {
					r.peer.refuse(Ambiguous(errCut))
					r.once(s, "s")
					wait(3 * time.Second)
				}
				r.peer.refuse(Pointless(errCut))
				r.once(s, "s")
				if c.status == "" {
					if r.left(s) != 0 || hooks.of(id) != 1 {
						r.Errorf("%d are left, %d hooks", r.left(s), hooks.of(id))
					}
					return
				}
				e := r.entry(s, id)
				if e.Status != c.status || e.Attempts != c.attempts || c.due > 0 && !e.NextAttemptAt.Equal(time.Now().Add(c.due)) {
					r.Errorf("it is %+v", e)
				}
			})
		})
	}
}

// TestOUT14_GuardAtEachBound: whichever bound leads to error, the ledger is asked.
func TestOUT14_GuardAtEachBound(t *testing.T) {
	for name, c := range map[string]struct {
		config Config
		answer error
	}{
		"attempts":  {Config{MaxAttempts: 1}, errCut},
		"transient": {Config{MaxTransientFailures: 1}, Transient(errCut)},
		"pointless": {Config{}, Pointless(errCut)},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				s := r.service(Options{Config: c.config})
				s.SetLedgerProbe(ledger(map[uint32]string{1: LedgerStateAdmitted}))
				r.accept(s, "s", "text")
				r.peer.refuse(c.answer)
				r.once(s, "s")
				if r.left(s) != 0 {
					r.Error("it is not finished")
				}
			})
		})
	}
	bubble(t, func(r *rig) { // nobody can verify
		s := r.service(Options{})
		s.SetVerifier(nil)
		s.SetLedgerProbe(ledger(map[uint32]string{1: LedgerStateAdmitted}))
		r.accept(s, "s", "text")
		r.peer.stays(Ambiguous(errCut))
		r.once(s, "s")
		wait(3 * time.Second)
		r.once(s, "s")
		if r.left(s) != 0 {
			r.Error("it is not finished without a verifier")
		}
	})
}

// TestOUT14_ProbeIsBounded by ProbeTimeout, and a panic is an answer that is none.
func TestOUT14_ProbeIsBounded(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		id := r.refused("s")
		probes := 0
		s.SetLedgerProbe(func(ctx context.Context, _, _, _ string, attempt uint32) (string, error) {
			if probes++; attempt == 2 {
				panic("boom")
			}
			<-ctx.Done()
			return "", ctx.Err()
		})
		began := time.Now()
		got, err := s.SweepWorkspace(r.Context(), "w")
		r.must(err)
		if got != (Sweep{Indeterminate: 1}) || time.Since(began) != 5*time.Second || probes != 1 {
			r.Errorf("it came to %+v in %s with %d probes", got, time.Since(began), probes)
		}
		s.SetLedgerProbe(func(ctx, string, string, string, uint32) (string, error) { panic("boom") })
		if got, err := s.SweepWorkspace(r.Context(), "w"); got != (Sweep{Indeterminate: 1}) || err != nil || r.entry(s, id).Status != StatusError {
			r.Errorf("a panic came to %+v, %v", got, err)
		}
	})
}

// TestOUT13_PriorAttemptPending: the same number is asked again every 15 s, without an
// end and without a count, and the list shows since when.
func TestOUT13_PriorAttemptPending(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{Config: Config{MaxAttempts: 1, MaxTransientFailures: 1}})
		id := r.accept(s, "s", "text")
		since := time.Now()
		var numbers []int
		var times []time.Duration
		r.peer.before = func(e Entry) error {
			numbers, times = append(numbers, e.AttemptNo), append(times, time.Since(since))
			return PriorAttemptPending(errCut)
		}
		stop := r.run(s)
		wait(time.Hour - 500*time.Millisecond)
		e := r.entry(s, id)
		if e.Status != StatusDelivering || !e.PriorSince.Equal(since) || e.Attempts != 0 || e.TransientFails != 0 || e.Unknown {
			r.Errorf("it is %+v", e)
		}
		if e.AttemptNo != 1 || len(numbers) != 240 || times[1] != 15*time.Second || numbers[239] != 1 {
			r.Errorf("%d times, with numbers %v", len(numbers), numbers)
		}
		r.peer.refuse(nil)
		wait(time.Minute)
		stop()
		if r.left(s) != 0 || r.peer.all()[0].AttemptNo != 1 {
			r.Errorf("%d are left", r.left(s))
		}
	})
}

// TestOUT13_TransientFailuresConverge: they count on their own bound, and no attempt.
func TestOUT13_TransientFailuresConverge(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		id := r.accept(s, "s", "text")
		r.peer.refuse(Transient(errCut))
		stop := r.run(s)
		wait(time.Minute)
		if e := r.entry(s, id); e.Status != StatusPending || e.TransientFails != 3 || e.Attempts != 0 {
			r.Errorf("after a minute it is %+v", e)
		}
		wait(time.Hour)
		if e := r.entry(s, id); e.Status != StatusError || e.TransientFails != 20 || e.Attempts != 0 || e.AttemptNo != 20 {
			r.Errorf("in the end it is %+v", e)
		}
		r.peer.refuse(nil)
		_, err := s.Retry(r.Context(), "w", "s", id)
		r.must(err)
		wait(2 * time.Second)
		stop()
		if r.peer.times(id) != 1 {
			r.Error("it does not go on")
		}
	})
}
