package outbox

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/ports/delivery"
)

// judge is a verifier of one kind of deliverer.
type judge struct {
	name    string
	verdict Verdict
	err     error
	asked   *atomic.Int32
}

func (j judge) Kind() string { return j.name }
func (j judge) Verify(context.Context, Entry) (Verdict, error) {
	j.asked.Add(1)
	return j.verdict, j.err
}

// TestOUT16_FirstMatchWins, its own verifier and ledger before those of the service,
// and what no route matches is left to other workers.
func TestOUT16_FirstMatchWins(t *testing.T) {
	bubble(t, func(r *rig) {
		var seen []string
		visit := func(name string) careful {
			return careful{name, func(_ context.Context, send delivery.Send) error {
				seen = append(seen, name+" "+send.Entry.WorkspaceID)
				return nil
			}}
		}
		s := r.service(Options{Routes: []Route{
			{Workspace: "a[12]", Deliverer: visit("one")}, {Workspace: "a*", Deliverer: visit("two")}, {Workspace: "b?c"},
		}})
		for _, workspace := range []string{"a1", "a/b", "b/c", "other"} {
			_, err := s.Accept(r.Context(), workspace, "s", "", "", "text", nil)
			r.must(err)
			_, err = s.RunOnce(r.Context(), nil)
			r.must(err)
		}
		if len(seen) != 2 || seen[0] != "one a1" || seen[1] != "two a/b" {
			r.Errorf("delivered were %v", seen)
		}
		if s.DeliverOnce(r.Context(), "b/c", "s", nil) || s.DeliverOnce(r.Context(), "other", "s", nil) {
			r.Error("somebody delivers what nobody does")
		}
		if !s.DeliverOnce(r.Context(), "b/c", "s", r.peer.deliver) || !s.DeliverOnce(r.Context(), "other", "s", r.peer.deliver) {
			r.Error("a deliverer that is given is not used")
		}
	})
}

// TestOUT16_GivenDelivererBeforeTheRoute: DeliverOnce uses the one it is given.
func TestOUT16_GivenDelivererBeforeTheRoute(t *testing.T) {
	bubble(t, func(r *rig) {
		d := careful{"route", func(context.Context, delivery.Send) error { return Pointless(errCut) }}
		s := r.service(Options{Routes: []Route{{Deliverer: d}}})
		id := r.accept(s, "s", "text")
		if !r.once(s, "s") || r.peer.times(id) != 1 {
			r.Error("the route's deliverer was used")
		}
	})
}

// TestOUT16_VerifierOfAnotherKind is not asked, and proves nothing: within the bound,
// and never a second send.
func TestOUT16_VerifierOfAnotherKind(t *testing.T) {
	bubble(t, func(r *rig) {
		var asked, sent atomic.Int32
		route := Route{
			Deliverer: careful{"one", func(context.Context, delivery.Send) error {
				sent.Add(1)
				return Ambiguous(errCut)
			}},
			Verifier: judge{"two", VerdictAbsent, nil, &asked},
		}
		s := r.service(Options{Routes: []Route{route}})
		id := r.accept(s, "s", "text")
		stop := r.runBy(s, nil)
		wait(3 * time.Hour)
		stop()
		if e := r.entry(s, id); asked.Load() != 0 || sent.Load() != 1 || e.Status != StatusError ||
			e.VerifyAttempts != 40 || e.Reason != "unverifiable" || !e.Unknown {
			r.Errorf("asked %d, sent %d, it is %+v", asked.Load(), sent.Load(), e)
		}
	})
}

// TestOUT13_InconclusiveConverges: the delays double from VerifyBackoff to
// MaxVerifyBackoff, the 40th pass is the last, and errors of the verifier are kept.
func TestOUT13_InconclusiveConverges(t *testing.T) {
	bubble(t, func(r *rig) {
		var asked atomic.Int32
		s := r.service(Options{Routes: []Route{{
			Deliverer: Deliverer(r.peer.deliver), Verifier: judge{"func", VerdictInconclusive, errors.New("dark"), &asked},
		}}})
		r.peer.stays(Ambiguous(errCut))
		id := r.accept(s, "s", "text")
		stop := r.runBy(s, nil)
		for _, c := range []struct {
			after time.Duration
			asked int32
		}{{2 * time.Second, 0}, {2 * time.Second, 1}, {3 * time.Second, 2}, {6 * time.Second, 3}, {12 * time.Second, 4}} {
			if wait(c.after); asked.Load() != c.asked {
				r.Errorf("asked %d times, not %d", asked.Load(), c.asked)
			}
		}
		wait(3 * time.Hour)
		stop()
		if e := r.entry(s, id); asked.Load() != 40 || e.Status != StatusError || e.LastError != "dark" || r.peer.times(id) != 1 {
			r.Errorf("asked %d times, it is %+v", asked.Load(), e)
		}
	})
}

// TestOUT13_NoVerifier: an unknown fate goes to error, says so, and is never sent again
// on its own.
func TestOUT13_NoVerifier(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		s.SetVerifier(nil)
		r.peer.stays(Ambiguous(errCut))
		id := r.accept(s, "s", "text")
		stop := r.run(s)
		wait(time.Hour)
		stop()
		if e := r.entry(s, id); e.Status != StatusError || !e.Unknown || e.Reason != "no verifier" || r.peer.times(id) != 1 {
			r.Errorf("it is %+v", e)
		}
	})
}

// TestOUT13_PanicOfAVerifier proves nothing.
func TestOUT13_PanicOfAVerifier(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		s.SetVerifier(func(ctx, string, string, Entry) Verdict { panic("boom") })
		r.peer.stays(Ambiguous(errCut))
		id := r.accept(s, "s", "text")
		r.once(s, "s")
		wait(3 * time.Second)
		r.once(s, "s")
		if e := r.entry(s, id); e.Status != StatusVerifying || e.VerifyAttempts != 1 || e.LastError != "panic: boom" {
			r.Errorf("it is %+v", e)
		}
	})
}

// watched is a deliverer whose sends outlive their worker.
type watched struct {
	careful
	running *atomic.Bool
}

func (w watched) Running(Entry) bool { return w.running.Load() }

// TestOUT15_RunningSendIsLeftAlone: while the program of the last send lives, no verdict
// counts and nothing is sent, not even to a receiver that dedupes.
func TestOUT15_RunningSendIsLeftAlone(t *testing.T) {
	for name, c := range map[string]struct{ idempotent, verifier bool }{
		"verifier": {false, true}, "idempotent": {true, false}, "neither": {false, false},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				var asked, sent atomic.Int32
				var running atomic.Bool
				running.Store(true)
				d := watched{careful{"exec", func(context.Context, delivery.Send) error {
					sent.Add(1)
					return nil
				}}, &running}
				route := Route{Deliverer: d, Idempotent: c.idempotent}
				if c.verifier {
					route.Verifier = judge{"exec", VerdictDelivered, nil, &asked}
				}
				dead, err := New(Options{Store: r.store, Routes: []Route{route}})
				r.must(err)
				s, err := New(Options{Store: r.other(), Routes: []Route{route}})
				r.must(err)
				id := r.accept(dead, "s", "text")
				_, _, err = dead.take(r.Context(), r.entry(dead, id).Lane(), route)
				r.must(err)
				stop := r.runBy(s, nil)
				wait(5 * time.Minute)
				if e := r.entry(s, id); asked.Load() != 0 || sent.Load() != 0 || e.Status != StatusVerifying || e.VerifyAttempts == 0 {
					r.Errorf("asked %d, sent %d, it is %+v", asked.Load(), sent.Load(), e)
				}
				running.Store(false)
				wait(3 * time.Minute)
				stop()
				gone := c.verifier || c.idempotent
				if gone != (r.left(s) == 0) || c.idempotent != (sent.Load() == 1) {
					r.Errorf("asked %d, sent %d, %d left", asked.Load(), sent.Load(), r.left(s))
				}
			})
		})
	}
}

// TestOUT15_IdempotentRoute sends an unknown outcome again with the same id and number,
// as one pass of verification, within that bound.
func TestOUT15_IdempotentRoute(t *testing.T) {
	bubble(t, func(r *rig) {
		route := Route{Deliverer: Deliverer(r.peer.deliver), Idempotent: true}
		s, err := New(Options{Store: r.store, Routes: []Route{route}})
		r.must(err)
		r.peer.stays(Ambiguous(errCut))
		id := r.accept(s, "s", "text")
		stop := r.runBy(s, nil)
		wait(20 * time.Second)
		if e := r.entry(s, id); r.peer.times(id) != 4 || e.VerifyAttempts != 3 || e.AttemptNo != 1 || e.Attempts != 0 {
			r.Errorf("it was sent %d times and is %+v", r.peer.times(id), e)
		}
		wait(3 * time.Hour)
		if e := r.entry(s, id); r.peer.times(id) != 41 || e.Status != StatusError || !e.Unknown {
			r.Errorf("it was sent %d times and is %s", r.peer.times(id), e.Status)
		}
		r.peer.stays(nil)
		_, err = s.Retry(r.Context(), "w", "s", id)
		r.must(err)
		wait(2 * time.Second)
		stop()
		for _, e := range r.peer.all() {
			if e.ID != id || e.AttemptNo != 1 {
				r.Errorf("%s was sent as number %d", e.ID, e.AttemptNo)
			}
		}
		if r.left(s) != 0 {
			r.Errorf("%d are left", r.left(s))
		}
	})
}

// TestOUT15_WindowOfTheVerifier begins with the send in question, also after a crash.
func TestOUT15_WindowOfTheVerifier(t *testing.T) {
	bubble(t, func(r *rig) {
		dead, s := r.service(Options{}), r.service(Options{})
		r.accept(dead, "s", "text")
		wait(time.Hour)
		staged := time.Now()
		r.crash(dead, "s")
		var seen Entry
		s.SetVerifier(func(_ ctx, ws, ses string, e Entry) Verdict {
			if seen = e; ws != "w" || ses != "s" || e.Text != "text" {
				r.Errorf("it judges %+v", e)
			}
			return VerdictDelivered
		})
		stop := r.run(s)
		wait(82 * time.Second)
		stop()
		if !seen.LastAttemptAt.Equal(staged) || seen.AttemptNo != 1 || !seen.Unknown || seen.Deliverer != "func" {
			r.Errorf("it judges %+v", seen)
		}
	})
}

// TestOUT16_NothingToDeliverWith: a worker without a deliverer says so at once.
func TestOUT16_NothingToDeliverWith(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{Routes: []Route{{Workspace: "w"}}})
		r.accept(s, "s", "text")
		if _, err := s.RunOnce(r.Context(), nil); domain.CodeOf(err) != domain.Invalid {
			r.Errorf("RunOnce: %v", err)
		}
		s.Run(r.Context(), nil, 0) // returns
		if r.left(s) != 1 {
			r.Error("the entry is gone")
		}
	})
}
