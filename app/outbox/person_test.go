package outbox

import (
	"errors"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain"
)

// TestOUT8_ContentionIsNotAbsence: only the entry that is being sent or verified is
// busy, and the store's errors are errors.
func TestOUT8_ContentionIsNotAbsence(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		r.peer.refuse(Pointless(errCut))
		failed := r.accept(s, "s", "failed")
		r.once(s, "s")
		doomed := r.accept(s, "s", "doomed")
		r.once(s, "s")
		r.peer.refuse(nil)
		r.peer.hang(time.Minute)
		sent, waiting := r.accept(s, "s", "sent"), r.accept(s, "s", "waiting")
		go r.once(s, "s")
		wait(time.Second)
		retry := func(id string, want RetryResult) {
			r.Helper()
			if got, err := s.Retry(r.Context(), "w", "s", id); got != want || err != nil {
				r.Errorf("retry answers %v, %v, not %v", got, err, want)
			}
		}
		dismiss := func(id string, want DismissResult) {
			r.Helper()
			if got, err := s.Dismiss(r.Context(), "w", "s", id); got != want || err != nil {
				r.Errorf("dismiss answers %v, %v, not %v", got, err, want)
			}
		}
		retry(sent, RetryBusy)
		dismiss(sent, DismissBusy)
		retry(waiting, RetryNotError)
		retry(failed, RetryUpdated)
		dismiss(doomed, DismissRemoved)
		retry(doomed, RetryNotFound)
		dismiss(doomed, DismissNotFound)
		dismiss(waiting, DismissRemoved)
		if lease, ok, err := s.Holder(r.Context(), "w", "s"); err != nil || !ok || lease.EntryID != sent {
			r.Errorf("the lane is held by %+v, %v", lease, err)
		}
		r.store.fail(opLane, failure{times: 2})
		if _, err := s.Retry(r.Context(), "w", "s", failed); !errors.Is(err, errStore) {
			r.Errorf("retry hides %v", err)
		}
		if _, err := s.Dismiss(r.Context(), "w", "s", failed); !errors.Is(err, errStore) {
			r.Errorf("dismiss hides %v", err)
		}
		wait(time.Minute)
		if r.peer.times(sent) != 1 || r.left(s) != 1 {
			r.Errorf("%d are left", r.left(s))
		}
	})
}

// TestOUT8_VerifiedIsBusy: so is an entry during its verification.
func TestOUT8_VerifiedIsBusy(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		id := r.accept(s, "s", "text")
		r.peer.stays(Ambiguous(errCut))
		r.once(s, "s")
		wait(3 * time.Second)
		var retry RetryResult
		var dismiss DismissResult
		push := func() {
			retry, _ = s.Retry(r.Context(), "w", "s", id)
			dismiss, _ = s.Dismiss(r.Context(), "w", "s", id)
		}
		s.SetVerifier(func(ctx, string, string, Entry) Verdict {
			push()
			return VerdictDelivered
		})
		r.once(s, "s")
		if retry != RetryBusy || dismiss != DismissBusy || r.left(s) != 0 {
			r.Errorf("retry %v, dismiss %v, %d left", retry, dismiss, r.left(s))
		}
	})
}

// TestOUT8_RetryBeginsAnew: counters, error and due time are as of a new entry, the
// attempt number is not.
func TestOUT8_RetryBeginsAnew(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{Config: Config{MaxAttempts: 2, RetryBackoff: time.Second}})
		id := r.accept(s, "s", "text")
		r.peer.refuse(errCut)
		r.once(s, "s")
		wait(time.Second)
		r.once(s, "s")
		if e := r.entry(s, id); e.Status != StatusError || e.Attempts != 2 || e.AttemptNo != 2 {
			r.Fatalf("it is %+v", e)
		}
		_, err := s.Retry(r.Context(), "w", "s", id)
		r.must(err)
		e := r.entry(s, id)
		if e.Status != StatusPending || e.Attempts != 0 || e.LastError != "" || !e.NextAttemptAt.IsZero() || e.AttemptNo != 2 {
			r.Errorf("it is %+v", e)
		}
		r.peer.refuse(nil)
		r.once(s, "s")
		if got := r.peer.all()[0]; got.AttemptNo != 3 {
			r.Errorf("it was sent as number %d", got.AttemptNo)
		}
	})
}

// unverifiable brings an entry of a session to error with its fate unknown.
func (r *rig) unverifiable(s *Service, session string) string {
	r.Helper()
	id := r.accept(s, session, "text")
	r.peer.stays(Ambiguous(errCut))
	defer r.peer.stays(nil)
	r.once(s, session)
	verifier := s.verifier
	defer func() { s.verifier = verifier }()
	s.verifier = nil
	wait(3 * time.Second)
	r.once(s, session)
	if e := r.entry(s, id); e.Status != StatusError || !e.Unknown {
		r.Fatalf("it is %s, unknown %t", e.Status, e.Unknown)
	}
	return id
}

// TestOUT8_RetryOfAnUnknownFate verifies it if that is possible, and sends it again
// only when a person says so.
func TestOUT8_RetryOfAnUnknownFate(t *testing.T) {
	for name, c := range map[string]struct {
		verifier bool
		options  RetryOptions
		err      error
		status   string
	}{
		"verifier":            {true, RetryOptions{Ask: true}, nil, StatusVerifying},
		"verifier, resend":    {true, RetryOptions{Ask: true, Resend: true}, nil, StatusPending},
		"no verifier":         {false, RetryOptions{Ask: true}, ErrFateUnknown, StatusError},
		"no verifier, resend": {false, RetryOptions{Ask: true, Resend: true}, nil, StatusPending},
		"a program":           {false, RetryOptions{}, nil, StatusPending},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				s := r.service(Options{})
				id := r.unverifiable(s, "s")
				if !c.verifier {
					s.SetVerifier(nil)
				}
				if _, err := s.RetryWith(r.Context(), "w", "s", id, c.options); !errors.Is(err, c.err) {
					r.Errorf("it answers %v", err)
				}
				if e := r.entry(s, id); e.Status != c.status {
					r.Errorf("it is %s", e.Status)
				}
			})
		})
	}
	if domain.CodeOf(ErrFateUnknown) != domain.Claimed {
		t.Error("a fate that is unknown is not told from other failures")
	}
}

// TestOUT8_DismissForGood: no hook, and the message id stays known.
func TestOUT8_DismissForGood(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		var hooks tally
		s.SetOnDelivered(hooks.hook)
		e, err := s.Accept(r.Context(), "w", "s", "", "m1", "text", nil)
		r.must(err)
		_, err = s.Dismiss(r.Context(), "w", "s", e.ID)
		r.must(err)
		if got := r.duplicate(s, "m1", "text"); got.State != StatusDismissed || got.AcceptedID != e.ID {
			r.Errorf("it is a duplicate of %+v", got)
		}
		if r.once(s, "s") || hooks.of(e.ID) != 0 || r.unhooked() != 0 {
			r.Error("something is left of it")
		}
	})
}

// TestOUT12_UnreadableRows are listed, counted and dismissable, also one that was
// being sent when its worker died; they stall nobody.
func TestOUT12_UnreadableRows(t *testing.T) {
	bubble(t, func(r *rig) {
		dead, s := r.service(Options{}), r.service(Options{Store: r.other()})
		idle, sent := r.accept(dead, "idle", "text"), r.accept(dead, "s", "text")
		r.crash(dead, "s")
		r.must(r.place.BreakEntry(idle))
		r.must(r.place.BreakEntry(sent))
		if got, err := s.Retry(r.Context(), "w", "idle", idle); got != RetryNotError || err != nil {
			r.Errorf("retry answers %v, %v", got, err)
		}
		next := r.accept(s, "s", "next")
		stop := r.run(s)
		wait(2 * time.Minute)
		stop()
		status, err := s.Status(r.Context())
		r.must(err)
		if r.peer.times(next) != 1 || status.Entries[StatusUnreadable] != 2 || status.OldestID != idle {
			r.Errorf("the next was sent %d times, the state is %+v", r.peer.times(next), status)
		}
		for session, id := range map[string]string{"idle": idle, "s": sent} {
			if e := r.entry(s, id); e.Status != StatusUnreadable || e.LastError == "" {
				r.Errorf("it is listed as %+v", e)
			}
			if got, err := s.Dismiss(r.Context(), "w", session, id); got != DismissRemoved || err != nil {
				r.Errorf("dismiss answers %v, %v", got, err)
			}
		}
	})
}

// TestOUT12_UnreadableDuringItsSend: what comes of it is not lost for the lane.
func TestOUT12_UnreadableDuringItsSend(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		id := r.accept(s, "s", "text")
		r.peer.act = func(e Entry) error { return r.place.BreakEntry(e.ID) }
		r.once(s, "s")
		if _, held, err := s.Holder(r.Context(), "w", "s"); held || err != nil {
			r.Errorf("the lane is held: %v", err)
		}
		if got, err := s.Dismiss(r.Context(), "w", "s", id); got != DismissRemoved || err != nil {
			r.Errorf("dismiss answers %v, %v", got, err)
		}
	})
}
