package porttest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

func turnTopics() []outboxTopic {
	return []outboxTopic{
		{"OUT-12 a lane is worked on alone", testLaneAlone},
		{"OUT-12 units in turn", testLaneTurns},
		{"OUT-1 cap and message id under racers", testLaneRacers},
		{"OUT-2 first units of many lanes", testFirstLanes},
		{"lease of a lane", testLaneLease},
		{"renew", testRenew},
		{"renew under racers", testRenewRacers},
	}
}

// testLaneAlone demands that whatever would touch the lane of an open unit waits
// until its time is over, and leaves nothing behind.
func testLaneAlone(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	p.furnish()
	before := p.dump()
	leave := p.enter(home())
	for _, q := range []*post{p, p.on(p.another())} {
		for name, change := range map[string]func(context.Context) error{
			"UpdateLane": func(ctx context.Context) error {
				return q.store.UpdateLane(ctx, home(), func(storage.LaneWriter) error { t.Error("fn ran"); return nil })
			},
			"Hold":    func(ctx context.Context) error { return q.store.Hold(ctx, "w", outbox.Hold{Reason: "new"}) },
			"Release": func(ctx context.Context) error { return q.store.Release(ctx, "w") },
			"Clean":   func(ctx context.Context) error { _, err := q.store.Clean(ctx, "w", moment(0)); return err },
			"Renew": func(ctx context.Context) error {
				_, err := q.store.Renew(ctx, []storage.LaneLease{{Lane: home(), Lease: turn("t1")}}, moment(90_000))
				return err
			},
		} {
			ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, cause(name+" waits"))
			checkEnded(t, change(ctx), cause(name+" waits"))
			cancel()
		}
	}
	leave()
	same(t, "afterwards", p.dump(), before)
}

// enter begins a unit that does nothing and ends when leave is called.
func (p *post) enter(lane outbox.Lane) (leave func()) {
	p.t.Helper()
	inside, over, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- p.store.UpdateLane(p.t.Context(), lane, func(storage.LaneWriter) error {
			close(inside)
			<-over
			return nil
		})
	}()
	select {
	case <-inside:
	case err := <-ended:
		p.t.Fatalf("UpdateLane ended without running: %v", err)
	}
	return func() {
		p.t.Helper()
		close(over)
		if err := <-ended; err != nil {
			p.t.Errorf("UpdateLane: %v", err)
		}
	}
}

// testLaneTurns has goroutines on two stores read, add and write back: no sum may
// get lost.
func testLaneTurns(t *testing.T, f OutboxFactory) {
	const goroutines, rounds = 16, 3
	p := staff(t, f)
	stores := []OutboxStore{p.store, p.another()}
	p.insert(prompt(home(), "ob_1"))
	version := p.counted()["ob_1"][1]
	together(t, goroutines, func(i int) error {
		for range rounds {
			err := stores[i%2].UpdateLane(t.Context(), home(), func(w storage.LaneWriter) error {
				e, _, err := w.Entry("ob_1")
				if err != nil {
					return err
				}
				e.Attempts++
				return w.Put(e, i%4 < 2)
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	p.lane(home(), func(w storage.LaneWriter) {
		e := found(w.Entry("ob_1"))
		same(t, "sum", e.Attempts, goroutines*rounds)
		same(t, "versions", e.Version-version, goroutines*rounds)
	})
}

// testLaneRacers counts and looks before it inserts, as an accept does.
func testLaneRacers(t *testing.T, f OutboxFactory) {
	const racers, most = 16, 5
	p := staff(t, f)
	stores := []OutboxStore{p.store, p.another()}
	full, once := home(), neighbours()[0]
	together(t, racers, func(i int) error {
		id := fmt.Sprint("ob_", i)
		err := stores[i%2].UpdateLane(t.Context(), full, func(w storage.LaneWriter) error {
			held, err := w.Held()
			if err != nil || held >= most {
				return err
			}
			return w.Insert(prompt(full, id))
		})
		if err != nil {
			return err
		}
		return stores[i/2%2].UpdateLane(t.Context(), once, func(w storage.LaneWriter) error {
			_, known, err := w.Dedupe("d")
			if err != nil || known {
				return err
			}
			if err := w.PutDedupe(dedupe(once, "d", "ob_once")); err != nil {
				return err
			}
			return w.Insert(prompt(once, "ob_once"))
		})
	})
	p.lane(full, func(w storage.LaneWriter) { same(t, "held", one(w.Held()), most) })
	p.lane(once, func(w storage.LaneWriter) { same(t, "accepted", idsIn(one(w.Heads())), []string{"ob_once"}) })
}

// testFirstLanes opens stores on nothing and accepts in all at once, each in a lane
// of its own: no place in the order is given twice.
func testFirstLanes(t *testing.T, f OutboxFactory) {
	const n = 8
	p := staff(t, f)
	stores := []OutboxStore{p.store}
	for len(stores) < n {
		stores = append(stores, p.another())
	}
	together(t, n, func(i int) error {
		lane := outbox.Lane{Workspace: "w", Session: fmt.Sprint(i)}
		return stores[i].UpdateLane(t.Context(), lane, func(w storage.LaneWriter) error {
			return w.Insert(prompt(lane, fmt.Sprint("ob_", i)))
		})
	})
	p.view(func(r storage.OutboxReader) {
		all := idsIn(entries(r, storage.EntryQuery{}))
		slices.Sort(all)
		same(t, "accepted", all, []string{"ob_0", "ob_1", "ob_2", "ob_3", "ob_4", "ob_5", "ob_6", "ob_7"})
	})
}

func testLaneLease(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	p.lane(home(), func(w storage.LaneWriter) {
		done(w.DropLease()) // there is none
		same(t, "none", found(w.Lease()), nil)
		done(w.PutLease(turn("t1")))
	})
	other := neighbours()[1]
	p.lane(other, func(w storage.LaneWriter) {
		same(t, "in another lane", found(w.Lease()), nil)
		done(w.PutLease(turn("t2")))
	})
	p.reopen()
	p.view(func(r storage.OutboxReader) {
		same(t, "all", one(r.Leases()), []storage.LaneLease{{Lane: home(), Lease: turn("t1")}, {Lane: other, Lease: turn("t2")}})
	})
	p.lane(home(), func(w storage.LaneWriter) {
		same(t, "stored", found(w.Lease()), new(turn("t1")))
		taken := outbox.Lease{Token: "t3", Owner: "b", Acquired: moment(70_000), Until: moment(80_000), Length: 7 * time.Second}
		done(w.PutLease(taken))
		same(t, "replaced", found(w.Lease()), &taken)
	})
	p.lane(home(), func(w storage.LaneWriter) { done(w.DropLease()) })
	p.view(func(r storage.OutboxReader) {
		same(t, "left", one(r.Leases()), []storage.LaneLease{{Lane: other, Lease: turn("t2")}})
	})
	p.lane(outbox.Lane{Workspace: "a", Session: "z"}, func(w storage.LaneWriter) { done(w.PutLease(turn("t4"))) })
	p.lane(home(), func(w storage.LaneWriter) { done(w.PutLease(turn("t5"))) })
	p.lane(neighbours()[0], func(w storage.LaneWriter) { done(w.PutLease(turn("t6"))) })
	p.view(func(r storage.OutboxReader) {
		var tokens []string
		for _, l := range one(r.Leases()) {
			tokens = append(tokens, l.Token)
		}
		same(t, "by workspace and session", tokens, []string{"t4", "t5", "t6", "t2"})
	})
}

func testRenew(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	lanes := append(neighbours(), home())
	var leases []storage.LaneLease
	for i, lane := range lanes {
		leases = append(leases, storage.LaneLease{Lane: lane, Lease: turn(fmt.Sprint("t", i))})
		p.lane(lane, func(w storage.LaneWriter) { done(w.PutLease(leases[i].Lease)) })
	}
	p.lane(lanes[1], func(w storage.LaneWriter) { done(w.DropLease()) })
	p.lane(lanes[2], func(w storage.LaneWriter) { done(w.PutLease(turn("taken"))) })
	asked := slices.Clone(leases[:4]) // the last one is left alone
	asked[0].Renewals, asked[0].EntryID, asked[0].Owner, asked[0].Until, asked[0].Length = 0, "ob_9", "x", moment(1), time.Hour
	until := moment(99_000).Add(987 * time.Microsecond)
	lost := answer(p.store.Renew(t.Context(), asked, until))(t)
	slices.Sort(lost)
	same(t, "lost", lost, []string{"t1", "t2"})
	for i, want := range []*outbox.Lease{new(turn("t0")), nil, new(turn("taken")), new(turn("t3")), new(turn("t4"))} {
		if i == 0 || i == 3 {
			want.Until, want.Renewals = moment(99_000), want.Renewals+1
		}
		p.lane(lanes[i], func(w storage.LaneWriter) { same(t, fmt.Sprint("lease ", i), found(w.Lease()), want) })
	}
	same(t, "none asked", answer(p.store.Renew(t.Context(), nil, until))(t), nil)
	lost = answer(p.store.Renew(t.Context(), []storage.LaneLease{{Lane: lanes[0], Lease: turn("t3")}}, moment(5)))(t)
	same(t, "token of another lane", lost, []string{"t3"})
	p.lane(lanes[0], func(w storage.LaneWriter) { same(t, "untouched", found(w.Lease()).Until, moment(99_000)) })
}

// testRenewRacers renews while others take the lane: whoever was told to have kept
// it renewed it, and no renewal brings a token back.
func testRenewRacers(t *testing.T, f OutboxFactory) {
	const n = 8
	p := staff(t, f)
	stores := []OutboxStore{p.store, p.another()}
	first := turn("t")
	first.Renewals = 0
	p.lane(home(), func(w storage.LaneWriter) { done(w.PutLease(first)) })
	kept := make([]bool, n)
	together(t, n, func(i int) error {
		if i == n/2 {
			return stores[0].UpdateLane(t.Context(), home(), func(w storage.LaneWriter) error {
				l, _, err := w.Lease()
				if err != nil {
					return err
				}
				l.Token, l.EntryID = "taken", fmt.Sprint(l.Renewals)
				return w.PutLease(l)
			})
		}
		lost, err := stores[i%2].Renew(t.Context(), []storage.LaneLease{{Lane: home(), Lease: first}}, moment(90_000))
		kept[i] = len(lost) == 0
		return err
	})
	renewed := 0
	for _, ok := range kept {
		if ok {
			renewed++
		}
	}
	p.lane(home(), func(w storage.LaneWriter) {
		l := found(w.Lease())
		same(t, "token", l.Token, "taken")
		same(t, "renewals", l.Renewals, int64(renewed))
		same(t, "renewals before it was taken", l.EntryID, fmt.Sprint(renewed))
	})
}
