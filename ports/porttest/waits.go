package porttest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/ports/storage"
)

func waitTopics() []topic {
	return []topic{
		{"PULL-11 wait ends with the context", testWaitEnds},
		{"STO-1 busy", testBusy},
	}
}

// asked is a context that tells when somebody begins to wait for its end.
type asked struct {
	context.Context
	once *sync.Once
	wait chan struct{}
}

func (a asked) Done() <-chan struct{} {
	a.once.Do(func() { close(a.wait) })
	return a.Context.Done()
}

// testWaitEnds waits for the write lock, held through the same store and through
// another, with contexts that end by time and by a call.
func testWaitEnds(t *testing.T, f Factory) {
	s := settle(t, f)
	second := s.another()
	s.update(func(w storage.Writer) { fill(w, "q", 1) })
	release := hold(t, s.store, func(storage.Writer) error { return nil })
	never := func(storage.Writer) error { t.Error("fn ran without the lock"); return nil }
	for _, store := range []storage.Store{s.store, second} {
		ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, cause("time is up"))
		checkEnded(t, store.Update(ctx, never), cause("time is up"))
		cancel()

		base, stop := contextFor(t)
		waiting := asked{base, new(sync.Once), make(chan struct{})}
		ended := make(chan error)
		go func() { ended <- store.Update(waiting, never) }()
		<-waiting.wait
		stop(cause("called off"))
		checkEnded(t, <-ended, cause("called off"))
	}
	release()
	s.updateOn(second, func(w storage.Writer) { same(t, "count", one(w.Count("q")), 1) })
}

// testBusy takes the five seconds that Update waits.
func testBusy(t *testing.T, f Factory) {
	if testing.Short() {
		t.Skip("waits five seconds for a lock")
	}
	s := settle(t, f)
	stores := []storage.Store{s.store, s.another()}
	s.update(func(w storage.Writer) { fill(w, "q", 1) })
	release := hold(t, s.store, func(storage.Writer) error { return nil })
	together(t, len(stores), func(i int) error {
		err := stores[i].Update(t.Context(), func(storage.Writer) error {
			t.Error("fn ran without the lock")
			return nil
		})
		if domain.CodeOf(err) != domain.Busy {
			return fmt.Errorf("error %w, want code Busy", err)
		}
		return nil
	})
	release()
	s.updateOn(stores[1], func(w storage.Writer) { fill(w, "q", 1) })
}
