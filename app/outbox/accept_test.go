package outbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain"
)

// TestOUT1_ChecksBeforeItStores refuses what no deliverer could use.
func TestOUT1_ChecksBeforeItStores(t *testing.T) {
	long := strings.Repeat("x", 256)
	for name, a := range map[string][6]string{
		"no workspace":     {"", "s", "", "", "text", ""},
		"no session":       {"w", "", "", "", "text", ""},
		"long workspace":   {long, "s", "", "", "text", ""},
		"long session":     {"w", long, "", "", "text", ""},
		"long user":        {"w", "s", long, "", "text", ""},
		"long message id":  {"w", "s", "", long, "text", ""},
		"no text":          {"w", "s", "", "", "", ""},
		"long text":        {"w", "s", "", "", strings.Repeat("x", 100<<10+1), ""},
		"text not UTF-8":   {"w", "s", "", "", "a\xff", ""},
		"model not JSON":   {"w", "s", "", "", "text", "{"},
		"model too long":   {"w", "s", "", "", "text", `"` + strings.Repeat("m", 16<<10) + `"`},
		"session has line": {"w", "s\n", "", "", "text", ""},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				_, err := r.service(Options{}).Accept(r.Context(), a[0], a[1], a[2], a[3], a[4], json.RawMessage(a[5]))
				if domain.CodeOf(err) != domain.Invalid {
					r.Errorf("it was not refused: %v", err)
				}
				if n := r.store.writes(); n != 0 {
					r.Errorf("the store was written %d times", n)
				}
			})
		})
	}
}

// TestOUT1_TakesTheBounds accepts the largest of everything, durable and pending.
func TestOUT1_TakesTheBounds(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		name, text := strings.Repeat("n", 255), strings.Repeat("x", 100<<10)
		model := json.RawMessage(`"` + strings.Repeat("m", 16<<10-2) + `"`)
		e, err := s.Accept(r.Context(), name, name, name, name, text, model)
		r.must(err)
		if e.Status != StatusPending || e.AttemptNo != 0 || !e.AcceptedAt.Equal(time.Now()) || !strings.HasPrefix(e.ID, "ob_") {
			r.Errorf("it is accepted as %+v", e)
		}
		if got := r.entry(s, e.ID); got.Text != text || string(got.Model) != string(model) || got.UserID != name {
			r.Error("it is not stored as it came")
		}
	})
}

// duplicate accepts what must be one.
func (r *rig) duplicate(s *Service, id, text string) Duplicate {
	r.Helper()
	_, err := s.Accept(r.Context(), "w", "s", "", id, text, nil)
	duplicate, ok := errors.AsType[*Duplicate](err)
	if !ok {
		r.Fatalf("it is no duplicate: %v", err)
	}
	return *duplicate
}

// TestOUT1_DuplicateNamesTheOriginal, its state at any time, and whether its body is
// another; also when the lane is full.
func TestOUT1_DuplicateNamesTheOriginal(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{Config: Config{Cap: 1, MaxAttempts: 1}})
		e, err := s.Accept(r.Context(), "w", "s", "", "m1", "text", nil)
		r.must(err)
		expect := func(state, text string, differs bool) {
			r.Helper()
			if got, want := r.duplicate(s, "m1", text), (Duplicate{AcceptedID: e.ID, State: state, BodyDiffers: differs}); got != want {
				r.Errorf("it answers %+v, not %+v", got, want)
			}
		}
		expect(StatusPending, "text", false)
		expect(StatusPending, "other", true)
		if _, err := s.Accept(r.Context(), "w", "s", "", "m2", "text", nil); !errors.Is(err, ErrCapped) {
			r.Errorf("the lane is not full: %v", err)
		}
		r.peer.refuse(errCut)
		r.once(s, "s")
		expect(StatusError, "text", false)
		_, err = s.Retry(r.Context(), "w", "s", e.ID)
		r.must(err)
		r.peer.refuse(nil)
		r.once(s, "s")
		expect(StatusDelivered, "text", false)
		if _, err := s.Accept(r.Context(), "w", "s2", "", "m1", "text", nil); err != nil {
			r.Errorf("another lane knows the message id: %v", err)
		}
	})
}

// TestOUT1_FailedAcceptLeavesNoRecord: no retry of it is a false duplicate.
func TestOUT1_FailedAcceptLeavesNoRecord(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{Config: Config{Cap: 1}})
		r.store.fail(opLane, failure{times: 1})
		if _, err := s.Accept(r.Context(), "w", "s", "", "m1", "text", nil); !errors.Is(err, errStore) {
			r.Fatalf("a failed accept answers %v", err)
		}
		first, err := s.Accept(r.Context(), "w", "s", "", "m1", "text", nil)
		r.must(err)
		if _, err := s.Accept(r.Context(), "w", "s", "", "m2", "text", nil); !errors.Is(err, ErrCapped) {
			r.Fatalf("a full lane answers %v", err)
		}
		r.once(s, "s")
		second, err := s.Accept(r.Context(), "w", "s", "", "m2", "text", nil)
		r.must(err)
		if r.peer.times(first.ID) != 1 || r.entry(s, second.ID).Status != StatusPending {
			r.Error("one of both is lost")
		}
	})
}

// TestOUT1_RecordOutlivesItsEntry: it stays as long as the entry, and at least
// DedupeTTL from the accept.
func TestOUT1_RecordOutlivesItsEntry(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		for _, id := range []string{"m1", "m2"} {
			_, err := s.Accept(r.Context(), "w", "s", "", id, "text", nil)
			r.must(err)
		}
		r.once(s, "s") // m1 is delivered, m2 lives on
		wait(24*time.Hour - time.Millisecond)
		if r.duplicate(s, "m1", "text").State != StatusDelivered {
			r.Error("the record of a delivered entry is not there")
		}
		wait(time.Millisecond)
		if _, err := s.Accept(r.Context(), "w", "s", "", "m1", "text", nil); err != nil {
			r.Errorf("a record past its time still counts: %v", err)
		}
		wait(72 * time.Hour)
		if r.duplicate(s, "m2", "text").State != StatusPending {
			r.Error("the record of a living entry is not there")
		}
	})
}

// TestOUT1_NoMessageIDNoDedupe accepts the same text as often as it comes.
func TestOUT1_NoMessageIDNoDedupe(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		if a, b := r.accept(s, "s", "same"), r.accept(s, "s", "same"); a == b || r.left(s) != 2 {
			r.Error("one of both is gone")
		}
	})
}

// TestOUT1_CapHoldsUnderRaces lets 60 goroutines on two services at a lane of 25.
func TestOUT1_CapHoldsUnderRaces(t *testing.T) {
	bubble(t, func(r *rig) {
		services := []*Service{r.service(Options{}), r.service(Options{Store: r.other()})}
		var accepted, capped atomic.Int32
		var wg sync.WaitGroup
		for n := range 60 {
			wg.Go(func() {
				_, err := services[n%2].Accept(r.Context(), "w", "s", "", fmt.Sprint(n), "text", nil)
				switch {
				case err == nil:
					accepted.Add(1)
				case errors.Is(err, ErrCapped):
					capped.Add(1)
				}
			})
		}
		wg.Wait()
		if accepted.Load() != 25 || capped.Load() != 35 || r.left(services[0]) != 25 {
			r.Errorf("%d accepted, %d capped, %d stored", accepted.Load(), capped.Load(), r.left(services[0]))
		}
	})
}

// TestOUT1_RacersWithOneMessageID make one entry, which all hear of.
func TestOUT1_RacersWithOneMessageID(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		var mu sync.Mutex
		ids, first := map[string]int{}, 0
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				e, err := s.Accept(r.Context(), "w", "s", "", "m", "text", nil)
				mu.Lock()
				defer mu.Unlock()
				if duplicate, ok := errors.AsType[*Duplicate](err); ok {
					ids[duplicate.AcceptedID]++
				} else if err == nil {
					first++
					ids[e.ID]++
				}
			})
		}
		wg.Wait()
		if first != 1 || len(ids) != 1 || r.left(s) != 1 {
			r.Errorf("%d first, ids %v, %d stored", first, ids, r.left(s))
		}
	})
}

// TestOUT1_ClientHungUp loses none of six messages whose clients go away at once.
func TestOUT1_ClientHungUp(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		stop := r.run(s)
		r.peer.hang(30 * time.Second)
		for n := range 6 {
			ctx, cancel := context.WithCancel(r.Context())
			_, err := s.Accept(ctx, "w", "s", "", fmt.Sprint(n), fmt.Sprint(n), nil)
			r.must(err)
			cancel()
		}
		wait(5 * time.Minute)
		stop()
		if got := strings.Join(r.peer.texts(), ""); got != "012345" {
			r.Errorf("%q arrived", got)
		}
	})
}

// TestOUT6_AcceptCommitUnknown tells by the entry whether a commit took place that
// answered an error, also when a worker has the entry already.
func TestOUT6_AcceptCommitUnknown(t *testing.T) {
	bubble(t, func(r *rig) {
		s, worker := r.service(Options{}), r.service(Options{Store: r.other()})
		for session, meanwhile := range map[string]func(){"idle": nil, "busy": func() { r.crash(worker, "busy") }} {
			r.store.fail(opLane, failure{times: 1, late: true, meanwhile: meanwhile})
			e, err := s.Accept(r.Context(), "w", session, "", "", "text", nil)
			r.must(err)
			r.entry(s, e.ID)
		}
		r.store.fail(opLane, failure{times: 1, err: &domain.Error{Code: domain.Full}})
		if _, err := s.Accept(r.Context(), "w", "s", "", "", "text", nil); domain.CodeOf(err) != domain.Full {
			r.Errorf("a full disk is answered by %v", err)
		}
		if n := r.left(s); n != 2 {
			r.Errorf("%d entries are stored", n)
		}
	})
}
