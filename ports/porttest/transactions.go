package porttest

import (
	"errors"
	"testing"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

func transactionTopics() []topic {
	return []topic{
		{"CMD-5 missing database", testMissing},
		{"STO-5 check", testCheck},
		{"own writes", testOwnWrites},
		{"rollback on error", testRollback},
		{"rollback on panic", testPanic},
		{"rollback on ended context", testEnded},
		{"ended context", testEndedBefore},
		{"errors of view", testViewErrors},
		{"reopen", testReopen},
	}
}

func testMissing(t *testing.T, f Factory) {
	s := settle(t, f)
	finder, ok := s.place.(Finder)
	absent := func(after string) {
		t.Helper()
		if ok && finder.Exists(t) {
			t.Errorf("%s: a database was created", after)
		}
	}
	absent("Open")
	s.view(func(r storage.Reader) {
		same(t, "item", found(r.Item(1)), nil)
		same(t, "queues", one(r.Queues()), nil)
		same(t, "count", one(r.Count("q"))+one(r.CountAfter("q", 0)), 0)
		same(t, "newest", one(r.Newest("q"))+one(r.NextAfter("q", 0)), 0)
		same(t, "scan", all(r, storage.Scan{Queue: "q"}), nil)
		same(t, "older", one(r.Older("q", noon, 1)), nil)
		same(t, "subscription", found(r.Subscription("s")), nil)
		same(t, "subscriptions", append(one(r.Subscriptions()), one(r.SubscriptionsOn("q"))...), nil)
		same(t, "bound", found(r.Bound("s", "w")), nil)
		same(t, "bound by", one(r.BoundBy("w")), nil)
		same(t, "bindings", one(r.Bindings("s")), nil)
		same(t, "ack", found(r.Ack("s", 1)), nil)
		same(t, "acks", one(r.Acks([]int64{1})), nil)
		same(t, "claimed", one(r.Claimed("s", 0, 0)), nil)
		same(t, "shown", one(r.CountShown("s", "w")), 0)
		same(t, "lease", found(r.Lease("s", 1)), nil)
		same(t, "leases", append(one(r.Leases("s", storage.LeaseQuery{})), one(r.LeasesOn([]int64{1}))...), nil)
		same(t, "number of leases", one(r.CountLeases("s", storage.LeaseQuery{})), 0)
		same(t, "dedupe", found(r.Dedupe("q", "d")), nil)
	})
	absent("View")
	same(t, "findings", s.check(s.store), nil)
	absent("Check")
	s.another()
	absent("another Open")
	s.update(func(w storage.Writer) { fill(w, "q", 1) })
	if ok && !finder.Exists(t) {
		t.Error("Update: no database was created")
	}
}

func (s *site) check(store storage.Store) []string {
	s.t.Helper()
	findings, err := store.Check(s.t.Context())
	if err != nil {
		s.t.Fatalf("Check: %v", err)
	}
	return findings
}

func testCheck(t *testing.T, f Factory) {
	s := settle(t, f)
	s.update(func(w storage.Writer) { furnish(w) })
	same(t, "findings", s.check(s.store), nil)
	same(t, "findings of another store", s.check(s.another()), nil)
	s.update(func(w storage.Writer) { done(w.Remove("q", []int64{1, 3})) })
	s.reopen()
	same(t, "findings after a removal", s.check(s.store), nil)
	_, err := s.store.Check(over(t, cause("enough")))
	checkEnded(t, err, cause("enough"))
}

// furnish stores something of every kind in queue q.
func furnish(w storage.Writer) {
	fill(w, "q", 4)
	join(w, "s", "q", "v", "w")
	done(w.PutAck(ack("s", 1, "w")))
	done(w.PutLease(lease("s", 2, "w")))
	done(w.MarkShown("s", "v", []int64{3, 4}))
	done(w.PutDedupe(inbox.Dedupe{Queue: "q", ID: "d", Item: 1, At: noon}))
	one(w.NextPull())
}

// changes are one change of every kind to what furnish has stored.
func changes() []func(storage.Writer) {
	return []func(storage.Writer){
		func(w storage.Writer) { insert(w, letter("new", "1", noon)) },
		func(w storage.Writer) { done(w.Remove("q", []int64{1, 2, 3})) },
		func(w storage.Writer) { join(w, "t", "q", "w") },
		func(w storage.Writer) {
			sub := view("s", "q")
			sub.Scan, sub.LastError = 99, "changed"
			done(w.PutProgress(sub))
		},
		func(w storage.Writer) {
			done(w.PutBinding(inbox.Binding{Subscription: "s", Subscriber: "w", Position: 99}))
		},
		func(w storage.Writer) { done(w.RemoveBinding("s", "v")) },
		func(w storage.Writer) { done(w.PutAck(ack("s", 4, "w"))) },
		func(w storage.Writer) { done(w.MarkShown("s", "w", []int64{4})) },
		func(w storage.Writer) { done(w.PutLease(lease("s", 3, "v"))) },
		func(w storage.Writer) { one(w.Park("s", storage.LeaseQuery{})) },
		func(w storage.Writer) { done(w.RemoveLeases("s", storage.LeaseQuery{})) },
		func(w storage.Writer) { done(w.ResetClaims("s")) },
		func(w storage.Writer) { done(w.PutDedupe(inbox.Dedupe{Queue: "q", ID: "e", Item: 2, At: noon})) },
		func(w storage.Writer) { done(w.ForgetDedupes(noon+1, 9)) },
	}
}

// testOwnWrites demands that each change shows inside its Update just as it does
// after the commit.
func testOwnWrites(t *testing.T, f Factory) {
	for i, change := range changes() {
		s := settle(t, f)
		var before, inside string
		s.update(func(w storage.Writer) { furnish(w); before = dump(w, "new", "q") })
		s.update(func(w storage.Writer) { change(w); inside = dump(w, "new", "q") })
		if before == inside {
			t.Errorf("change %d does not show inside Update", i)
		}
		s.view(func(r storage.Reader) { same(t, "after the commit", dump(r, "new", "q"), inside) })
	}
}

// unchanged demands that undo, given each change, leaves no trace of it, and
// that the store goes on working.
func unchanged(t *testing.T, f Factory, undo func(*site, func(storage.Writer))) {
	t.Helper()
	s := settle(t, f)
	second := s.another()
	var before string
	s.update(func(w storage.Writer) { furnish(w); before = dump(w, "new", "q") })
	for _, change := range changes() {
		undo(s, func(w storage.Writer) {
			if err := trying(w, change); err != nil {
				t.Error(err)
			}
			one(w.NextPull())
		})
		s.view(func(r storage.Reader) { same(t, "after the rollback", dump(r, "new", "q"), before) })
		s.viewOn(second, func(r storage.Reader) { same(t, "for another store", dump(r, "new", "q"), before) })
	}
	s.updateOn(second, func(w storage.Writer) {
		same(t, "inside the next Update", dump(w, "new", "q"), before)
		same(t, "next pull", one(w.NextPull()), 2)
		same(t, "next item", one(w.Insert(letter("q", "1", noon))), 5)
	})
}

func testRollback(t *testing.T, f Factory) {
	unclassed := errors.New("my own failure")
	classed := &domain.Error{Code: domain.Expression, Text: "my own failure"}
	for _, want := range []error{unclassed, classed} {
		unchanged(t, f, func(s *site, change func(storage.Writer)) {
			calls := 0
			err := s.store.Update(t.Context(), func(w storage.Writer) error { calls++; change(w); return want })
			checkPassed(t, err, want)
			same(t, "calls of fn", calls, 1)
		})
	}
}

// checkPassed demands that a store passes on the error of fn with its class.
func checkPassed(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
	same(t, "code", domain.CodeOf(err), domain.CodeOf(want))
}

func testPanic(t *testing.T, f Factory) {
	unchanged(t, f, func(s *site, change func(storage.Writer)) {
		calls := 0
		defer func() {
			same(t, "panic", recover(), any(cause("my own panic")))
			same(t, "calls of fn", calls, 1)
		}()
		err := s.store.Update(t.Context(), func(w storage.Writer) error {
			calls++
			change(w)
			panic(cause("my own panic"))
		})
		t.Errorf("Update returned %v after a panic", err)
	})
}

func testEnded(t *testing.T, f Factory) {
	unchanged(t, f, func(s *site, change func(storage.Writer)) {
		ctx, cancel := contextFor(t)
		calls := 0
		err := s.store.Update(ctx, func(w storage.Writer) error {
			calls++
			change(w)
			cancel(cause("changed my mind"))
			return nil
		})
		checkEnded(t, err, cause("changed my mind"))
		same(t, "calls of fn", calls, 1)
	})
}

func testEndedBefore(t *testing.T, f Factory) {
	s := settle(t, f)
	s.update(func(w storage.Writer) { fill(w, "q", 1) })
	err := s.store.Update(over(t, cause("too late")), func(storage.Writer) error {
		t.Error("fn ran in an ended context")
		return nil
	})
	checkEnded(t, err, cause("too late"))
	err = s.store.View(over(t, cause("too late")), func(storage.Reader) error {
		t.Error("fn ran in an ended context")
		return nil
	})
	checkEnded(t, err, cause("too late"))
	s.update(func(w storage.Writer) { same(t, "count", one(w.Count("q")), 1) })
}

func testViewErrors(t *testing.T, f Factory) {
	s := settle(t, f)
	fail := func() {
		for _, want := range []error{errors.New("my own failure"), &domain.Error{Code: domain.Output, Text: "my own failure"}} {
			checkPassed(t, s.store.View(t.Context(), func(storage.Reader) error { return want }), want)
		}
		func() {
			defer func() { same(t, "panic", recover(), any(cause("my own panic"))) }()
			err := s.store.View(t.Context(), func(storage.Reader) error { panic(cause("my own panic")) })
			t.Errorf("View returned %v after a panic", err)
		}()
	}
	fail() // on no database
	s.update(func(w storage.Writer) { fill(w, "q", 1) })
	for range 20 { // more often than a pool may have connections
		fail()
	}
	s.view(func(r storage.Reader) { same(t, "count", one(r.Count("q")), 1) })
}

func testReopen(t *testing.T, f Factory) {
	s := settle(t, f)
	var before string
	s.update(func(w storage.Writer) { furnish(w); before = dump(w, "q") })
	s.reopen()
	s.view(func(r storage.Reader) { same(t, "after reopening", dump(r, "q"), before) })
	s.reopen()
	s.update(func(w storage.Writer) { same(t, "inside Update", dump(w, "q"), before) })
}
