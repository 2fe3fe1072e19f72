package porttest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

func concurrencyTopics() []topic {
	return []topic{
		{"two stores see each other", testTwoStores},
		{"snapshot of view", testSnapshot},
		{"snapshot of a scan", testSnapshotScan},
		{"many views at once", testManyViews},
		{"view beside a writer", testViewBesideWriter},
		{"STO-3 first writers at once", testFirstWriters},
		{"STO-8 writers in turn", testWriters},
	}
}

func contextFor(t *testing.T) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(t.Context())
	t.Cleanup(func() { cancel(nil) })
	return ctx, cancel
}

func testTwoStores(t *testing.T, f Factory) {
	s := settle(t, f)
	stores := []storage.Store{s.store, s.another(), s.another()}
	s.viewOn(stores[2], func(r storage.Reader) { same(t, "before all", one(r.Queues()), nil) })
	for i := range int64(6) {
		s.updateOn(stores[i%2], func(w storage.Writer) {
			same(t, "inside Update", one(w.Count("q")), i)
			same(t, "id", one(w.Insert(letter("q", "1", noon))), i+1)
			same(t, "pull", one(w.NextPull()), i+1)
		})
		for _, store := range stores {
			s.viewOn(store, func(r storage.Reader) { same(t, "after the commit", one(r.Count("q")), i+1) })
		}
	}
}

// testSnapshot commits changes of every kind while a View is open, through the
// same store and another.
func testSnapshot(t *testing.T, f Factory) {
	for i, change := range changes() {
		s := settle(t, f)
		writer := []storage.Store{s.store, s.another()}[i%2]
		var before string
		s.update(func(w storage.Writer) { furnish(w); before = dump(w, "new", "q") })
		s.view(func(r storage.Reader) {
			same(t, "at first", dump(r, "new", "q"), before)
			committed := make(chan error)
			go func() {
				committed <- writer.Update(t.Context(), func(w storage.Writer) error { return trying(w, change) })
			}()
			if err := <-committed; err != nil {
				t.Errorf("Update beside View: %v", err)
			}
			same(t, "after a commit", dump(r, "new", "q"), before)
		})
		s.view(func(r storage.Reader) {
			if dump(r, "new", "q") == before {
				t.Errorf("change %d does not show to the next View", i)
			}
		})
	}
}

// testSnapshotScan empties the queue while a scan of it goes on.
func testSnapshotScan(t *testing.T, f Factory) {
	const n = 1500
	s := settle(t, f)
	second := s.another()
	var ids []int64
	s.update(func(w storage.Writer) { ids = fill(w, "q", n) })
	s.view(func(r storage.Reader) {
		var seen []int64
		done(r.Scan(storage.Scan{Queue: "q"}, func(item inbox.Item) (bool, error) {
			if len(seen) == 0 {
				together(t, 1, func(int) error {
					return second.Update(t.Context(), func(w storage.Writer) error { return w.Remove("q", ids) })
				})
			}
			seen = append(seen, item.ID)
			return true, nil
		}))
		same(t, "scanned", seen, ids)
	})
	s.view(func(r storage.Reader) { same(t, "next scan", idsOf(r, storage.Scan{Queue: "q"}), nil) })
}

// testManyViews has more snapshots open at once than a pool may keep, each as
// old as its own beginning.
func testManyViews(t *testing.T, f Factory) {
	const n = 16
	s := settle(t, f)
	s.update(func(w storage.Writer) { fill(w, "q", 1) })
	var open func(depth int64) error
	open = func(depth int64) error {
		if depth == n {
			return nil
		}
		return s.store.View(t.Context(), func(r storage.Reader) error {
			defer func() { same(t, "at last", one(r.Count("q")), depth+1) }()
			same(t, "at first", one(r.Count("q")), depth+1)
			together(t, 1, func(int) error {
				return s.store.Update(t.Context(), func(w storage.Writer) error {
					_, err := w.Insert(letter("q", "1", noon))
					return err
				})
			})
			return open(depth + 1)
		})
	}
	same(t, "error", open(0), nil)
}

// testViewBesideWriter reads while another goroutine holds the write lock.
func testViewBesideWriter(t *testing.T, f Factory) {
	s := settle(t, f)
	second := s.another()
	s.update(func(w storage.Writer) { fill(w, "q", 2) })
	release := hold(t, s.store, func(w storage.Writer) error { _, err := w.Insert(letter("q", "1", noon)); return err })
	for _, store := range []storage.Store{s.store, second} {
		s.viewOn(store, func(r storage.Reader) { same(t, "before the commit", one(r.Count("q")), 2) })
	}
	release()
	for _, store := range []storage.Store{s.store, second} {
		s.viewOn(store, func(r storage.Reader) { same(t, "after the commit", one(r.Count("q")), 3) })
	}
}

// hold does something in an Update that does not end before release is called,
// which waits for the commit.
func hold(t *testing.T, store storage.Store, do func(storage.Writer) error) (release func()) {
	t.Helper()
	inside, leave, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- store.Update(t.Context(), func(w storage.Writer) error {
			err := do(w)
			close(inside)
			<-leave
			return err
		})
	}()
	select {
	case <-inside:
	case err := <-ended:
		t.Fatalf("Update ended without running: %v", err)
	}
	return func() {
		t.Helper()
		close(leave)
		if err := <-ended; err != nil {
			t.Errorf("Update: %v", err)
		}
	}
}

// together runs fn n times at once, released by one signal, and reports errors.
func together(t *testing.T, n int, fn func(i int) error) {
	t.Helper()
	var group sync.WaitGroup
	start := make(chan struct{})
	errs := make([]error, n)
	for i := range n {
		group.Go(func() {
			<-start
			errs[i] = fn(i)
		})
	}
	close(start)
	group.Wait()
	for i, err := range errs {
		if err != nil {
			t.Errorf("goroutine %d: %v", i, err)
		}
	}
}

// testFirstWriters opens eight stores on no database and writes in all at once.
func testFirstWriters(t *testing.T, f Factory) {
	const n = 8
	s := settle(t, f)
	stores := []storage.Store{s.store}
	for len(stores) < n {
		stores = append(stores, s.another())
	}
	ids := make([]int64, n)
	together(t, n, func(i int) error {
		return stores[i].Update(t.Context(), func(w storage.Writer) (err error) {
			ids[i], err = w.Insert(letter("q", fmt.Sprint(i), noon))
			return err
		})
	})
	slices.Sort(ids)
	same(t, "ids", ids, []int64{1, 2, 3, 4, 5, 6, 7, 8})
	s.view(func(r storage.Reader) { same(t, "items", idsOf(r, storage.Scan{Queue: "q"}), ids) })
}

// testWriters has goroutines on two stores read, add and write back: no sum may
// get lost, and fn runs exactly once for each Update. Readers beside them must
// see the parts of a commit together.
func testWriters(t *testing.T, f Factory) {
	const goroutines, rounds = 6, 8
	s := settle(t, f)
	stores := []storage.Store{s.store, s.another()}
	s.update(func(w storage.Writer) {
		sub := view("s", "q")
		sub.Scan = 0
		done(w.PutSubscription(sub))
	})
	var calls [goroutines]int
	together(t, goroutines+2, func(i int) error {
		for range rounds {
			var err error
			if i < goroutines {
				err = stores[i%2].Update(t.Context(), func(w storage.Writer) error { calls[i]++; return advance(w) })
			} else {
				err = stores[i%2].View(t.Context(), consistent)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	for i, n := range calls {
		same(t, fmt.Sprintf("calls of fn in goroutine %d", i), n, rounds)
	}
	s.view(func(r storage.Reader) {
		same(t, "sum", found(r.Subscription("s")).Scan, goroutines*rounds)
		same(t, "items", one(r.Newest("q")), goroutines*rounds)
	})
}

// advance adds one to everything that consistent compares.
func advance(w storage.Writer) error {
	sub, _, err := w.Subscription("s")
	if err != nil {
		return err
	}
	sub.Scan++
	if err := w.PutProgress(sub); err != nil {
		return err
	}
	if _, err := w.Insert(letter("q", "1", noon)); err != nil {
		return err
	}
	pull, err := w.NextPull()
	if err == nil && pull != sub.Scan {
		err = fmt.Errorf("pull %d after %d", pull, sub.Scan-1)
	}
	return err
}

func consistent(r storage.Reader) error {
	count, err := r.Count("q")
	if err != nil {
		return err
	}
	sub, _, err := r.Subscription("s")
	if err == nil && sub.Scan != count {
		err = fmt.Errorf("scan %d with %d items", sub.Scan, count)
	}
	return err
}
