package porttest

import (
	"errors"
	"strings"
	"testing"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

func unitTopics() []outboxTopic {
	return []outboxTopic{
		{"OUT-12 nothing there yet", testOutboxMissing},
		{"OUT-12 own writes", testLaneOwnWrites},
		{"OUT-12 rollback on error", testLaneRollback},
		{"OUT-12 rollback on panic", testLanePanic},
		{"OUT-12 rollback on ended context", testLaneEnded},
		{"ended context", testOutboxEnded},
		{"errors of view", testOutboxViewErrors},
		{"OUT-1 durable", testOutboxReopen},
		{"snapshot of view", testOutboxSnapshot},
		{"two stores see each other", testOutboxTwoStores},
	}
}

func testOutboxMissing(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	finder, ok := p.place.(OutboxFinder)
	absent := func(after string) {
		t.Helper()
		if ok && finder.Exists(t) {
			t.Errorf("%s: a database was created", after)
		}
	}
	absent("OpenOutbox")
	p.view(func(r storage.OutboxReader) {
		same(t, "entries", one(r.Entries(storage.EntryQuery{})), nil)
		same(t, "due lanes", dueLines(r, moment(0), moment(9)), nil)
		same(t, "leases", one(r.Leases()), nil)
		same(t, "hold", heldIn(r, "w"), nil)
		same(t, "hooks", one(r.DueHooks(moment(0), 9)), nil)
		same(t, "forgettable", one(r.Forgettable(moment(0))), false)
		same(t, "figures", figures(r), nil)
	})
	absent("ViewOutbox")
	p.another()
	absent("another OpenOutbox")
	ctx := t.Context()
	p.must(p.store.Release(ctx, "w"))
	same(t, "cleaned", answer(p.store.Clean(ctx, "w", moment(0)))(t), 0)
	same(t, "lost", answer(p.store.Renew(ctx, []storage.LaneLease{{Lane: home(), Lease: turn("t")}}, moment(9)))(t), []string{"t"})
	same(t, "forgotten", answer(p.store.Forget(ctx, moment(0), 9))(t), 0)
	p.must(p.store.SettleHook(ctx, "ob_1", "a", true, moment(0)))
	_, claimed, err := p.store.ClaimHook(ctx, "ob_1", "a", moment(0), moment(9))
	p.must(err)
	same(t, "claimed", claimed, false)
	p.insert(prompt(home(), "ob_1"))
	if ok && !finder.Exists(t) {
		t.Error("UpdateLane: no database was created")
	}
	p.reopen()
	p.view(func(r storage.OutboxReader) {
		same(t, "entries", idsIn(entries(r, storage.EntryQuery{})), []string{"ob_1"})
	})
}

// answer is what a verb gave, if it did not fail.
func answer[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// laneChanges are one change of every kind to a furnished lane.
func laneChanges() map[string]func(storage.LaneWriter) {
	return map[string]func(storage.LaneWriter){
		"Insert":       func(w storage.LaneWriter) { done(w.Insert(prompt(home(), "ob_new"))) },
		"Put":          func(w storage.LaneWriter) { done(w.Put(everything(home(), "ob_1"), false)) },
		"Put textless": func(w storage.LaneWriter) { done(w.Put(everything(home(), "ob_1"), true)) },
		"Remove":       func(w storage.LaneWriter) { done(w.Remove("ob_2", outbox.StatusDelivered)) },
		"PutDedupe":    func(w storage.LaneWriter) { done(w.PutDedupe(dedupe(home(), "new", "ob_1"))) },
		"PutDedupe of a known id": func(w storage.LaneWriter) {
			done(w.PutDedupe(dedupe(home(), "e", "ob_1")))
		},
		"PutLease":  func(w storage.LaneWriter) { done(w.PutLease(turn("t2"))) },
		"DropLease": func(w storage.LaneWriter) { done(w.DropLease()) },
		"PutDelivered": func(w storage.LaneWriter) {
			done(w.PutDelivered(receipt(prompt(home(), "ob_1"), moment(3))))
			done(w.Remove("ob_1", outbox.StatusDelivered))
		},
	}
}

// testLaneOwnWrites demands that each change shows inside its unit just as it does
// after the commit.
func testLaneOwnWrites(t *testing.T, f OutboxFactory) {
	for name, change := range laneChanges() {
		p := staff(t, f)
		p.furnish()
		var before, inside, after []string
		p.lane(home(), func(w storage.LaneWriter) { before = interior(w); change(w); inside = interior(w) })
		if strings.Join(before, "\n") == strings.Join(inside, "\n") {
			t.Errorf("%s does not show inside its unit", name)
		}
		p.lane(home(), func(w storage.LaneWriter) { after = interior(w) })
		same(t, name+" after the commit", after, inside)
	}
}

// laneUnchanged demands that undo, given each change, leaves no trace of it, and
// that the store goes on working.
func laneUnchanged(t *testing.T, f OutboxFactory, undo func(*post, func(storage.LaneWriter))) {
	t.Helper()
	p := staff(t, f)
	second := p.on(p.another())
	p.furnish()
	before := p.dump()
	for name, change := range laneChanges() {
		undo(p, func(w storage.LaneWriter) {
			if err := panics(func() error { change(w); return nil }); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
		same(t, name+" after the rollback", p.dump(), before)
		same(t, name+" for another store", second.dump(), before)
	}
	second.insert(prompt(home(), "ob_new"))
}

func testLaneRollback(t *testing.T, f OutboxFactory) {
	unclassed := errors.New("my own failure")
	classed := &domain.Error{Code: domain.Expression, Text: "my own failure"}
	for _, want := range []error{unclassed, classed} {
		laneUnchanged(t, f, func(p *post, change func(storage.LaneWriter)) {
			err := p.store.UpdateLane(t.Context(), home(), func(w storage.LaneWriter) error { change(w); return want })
			checkPassed(t, err, want)
		})
	}
}

func testLanePanic(t *testing.T, f OutboxFactory) {
	laneUnchanged(t, f, func(p *post, change func(storage.LaneWriter)) {
		defer func() { same(t, "panic", recover(), any(cause("my own panic"))) }()
		err := p.store.UpdateLane(t.Context(), home(), func(w storage.LaneWriter) error {
			change(w)
			panic(cause("my own panic"))
		})
		t.Errorf("UpdateLane returned %v after a panic", err)
	})
}

func testLaneEnded(t *testing.T, f OutboxFactory) {
	laneUnchanged(t, f, func(p *post, change func(storage.LaneWriter)) {
		ctx, cancel := contextFor(t)
		err := p.store.UpdateLane(ctx, home(), func(w storage.LaneWriter) error {
			change(w)
			cancel(cause("changed my mind"))
			return nil
		})
		checkEnded(t, err, cause("changed my mind"))
	})
}

// testOutboxEnded tells every verb to work in a context that has ended.
func testOutboxEnded(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	p.furnish()
	before := p.dump()
	for name, verb := range p.verbs(over(t, cause("too late"))) {
		checkEnded(t, verb(), cause("too late"))
		same(t, "after "+name, p.dump(), before)
	}
	err := p.store.ViewOutbox(over(t, cause("too late")), func(storage.OutboxReader) error {
		t.Error("fn ran in an ended context")
		return nil
	})
	checkEnded(t, err, cause("too late"))
}

func testOutboxViewErrors(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	fail := func() {
		for _, want := range []error{errors.New("my own failure"), &domain.Error{Code: domain.Output, Text: "my own failure"}} {
			checkPassed(t, p.store.ViewOutbox(t.Context(), func(storage.OutboxReader) error { return want }), want)
		}
		func() {
			defer func() { same(t, "panic", recover(), any(cause("my own panic"))) }()
			err := p.store.ViewOutbox(t.Context(), func(storage.OutboxReader) error { panic(cause("my own panic")) })
			t.Errorf("ViewOutbox returned %v after a panic", err)
		}()
	}
	fail() // on no database
	p.furnish()
	for range 20 { // more often than a pool may have connections
		fail()
	}
	p.insert(prompt(home(), "ob_new"))
}

// testOutboxReopen finds everything again, with what the store counts.
func testOutboxReopen(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	p.furnish()
	before, seqs := p.dump(), p.counted()
	p.reopen()
	same(t, "after reopening", p.dump(), before)
	same(t, "order and versions", p.counted(), seqs)
}

// counted gives order and version of all entries.
func (p *post) counted() map[string][2]int64 {
	p.t.Helper()
	all := map[string][2]int64{}
	p.view(func(r storage.OutboxReader) {
		for _, e := range entries(r, storage.EntryQuery{}) {
			all[e.ID] = [2]int64{e.Seq, e.Version}
		}
	})
	return all
}

// testOutboxSnapshot gives every order while a view is open, through the same
// store and another.
func testOutboxSnapshot(t *testing.T, f OutboxFactory) {
	names := verbNames()
	for i, name := range names {
		p := staff(t, f)
		p.furnish()
		writer := []*post{p, p.on(p.another())}[i%2]
		var before string
		p.view(func(r storage.OutboxReader) {
			before = strings.Join(overview(r), "\n")
			together(t, 1, func(int) error { return writer.verbs(t.Context())[name]() })
			same(t, "after "+name, strings.Join(overview(r), "\n"), before)
		})
		p.view(func(r storage.OutboxReader) {
			if strings.Join(overview(r), "\n") == before {
				t.Errorf("%s does not show to the next view", name)
			}
		})
	}
}

// verbNames names the verbs.
func verbNames() []string {
	return []string{"UpdateLane", "Hold", "Release", "Clean", "Renew", "ClaimHook", "SettleHook", "Forget", "Count"}
}

func testOutboxTwoStores(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	second := p.on(p.another())
	p.view(func(r storage.OutboxReader) { same(t, "at first", entries(r, storage.EntryQuery{}), nil) })
	p.furnish()
	for _, name := range verbNames() {
		p.must(p.verbs(t.Context())[name]())
		same(t, "for another store after "+name, second.dump(), p.dump())
	}
}
