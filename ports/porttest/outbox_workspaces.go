package porttest

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

func workspaceTopics() []outboxTopic {
	return []outboxTopic{
		{"hold and release", testHold},
		{"OUT-11 clean", testClean},
		{"OUT-11 clean under racers", testCleanRacers},
	}
}

func testHold(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	ctx := t.Context()
	held := func(what, workspace string, want *outbox.Hold) {
		t.Helper()
		p.view(func(r storage.OutboxReader) { same(t, what, heldIn(r, workspace), want) })
		for _, session := range []string{"s", "never seen"} {
			p.lane(outbox.Lane{Workspace: workspace, Session: session}, func(w storage.LaneWriter) {
				same(t, what+" in a lane", found(w.WorkspaceHold()), want)
			})
		}
	}
	first := outbox.Hold{Reason: "ü 'why'\nline two", Since: moment(3)}
	p.must(p.store.Hold(ctx, "w", first))
	p.must(p.store.Hold(ctx, "x", outbox.Hold{}))
	p.reopen()
	held("held", "w", &first)
	held("held without words", "x", &outbox.Hold{})
	held("not held", "W", nil)
	second := outbox.Hold{Reason: "another", Since: moment(4)}
	p.must(p.store.Hold(ctx, "w", second))
	held("held anew", "w", &second)
	p.must(p.store.Release(ctx, "W"))
	held("another was released", "w", &second)
	p.must(p.store.Release(ctx, "w"))
	p.must(p.store.Release(ctx, "w")) // does nothing
	held("released", "w", nil)
	held("still held", "x", &outbox.Hold{})
}

// testClean deletes a furnished workspace beside others.
func testClean(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	ctx := t.Context()
	p.furnish()
	lapsed, edge, beside := outbox.Lane{Workspace: "w", Session: "lapsed"}, outbox.Lane{Workspace: "w", Session: "edge"}, neighbours()[1]
	for lane, until := range map[outbox.Lane]int64{lapsed: 999, edge: 1000, beside: 5} {
		l := turn(lane.Session)
		l.Until = moment(until)
		p.lane(lane, func(w storage.LaneWriter) { done(w.PutLease(l)) })
	}
	other := receipt(everything(beside, "ob_x"), moment(30))
	p.deliver(other)
	p.lane(beside, func(w storage.LaneWriter) { done(w.PutDedupe(dedupe(beside, "e", "ob_n2"))) })
	p.must(p.store.Hold(ctx, "x", outbox.Hold{Reason: "stays"}))

	same(t, "of an absent workspace", answer(p.store.Clean(ctx, "absent", moment(1000)))(t), 0)
	// Five entries, two dedupe records, three delivered ones, a hold, two lapsed leases.
	same(t, "rows", answer(p.store.Clean(ctx, "w", moment(1000)))(t), 13)
	after := p.dump()
	same(t, "again", answer(p.store.Clean(ctx, "w", moment(1000)))(t), 0)
	p.reopen()
	same(t, "after the second time", p.dump(), after)
	p.view(func(r storage.OutboxReader) {
		same(t, "entries", idsIn(entries(r, storage.EntryQuery{})), []string{"ob_n2", "ob_n3"})
		lapsedBeside := turn("s")
		lapsedBeside.Until = moment(5)
		same(t, "leases", one(r.Leases()), []storage.LaneLease{{Lane: home(), Lease: turn("t1")}, {Lane: beside, Lease: lapsedBeside}})
		same(t, "hold", heldIn(r, "w"), nil)
		same(t, "hold beside", heldIn(r, "x").Reason, "stays")
		same(t, "hooks", hooks(r, moment(1<<40), 9), []storage.DeliveredRecord{other})
		same(t, "nothing to forget", one(r.Forgettable(moment(1<<40))), false)
		same(t, "figures", figures(r), map[string]int64{"entries.pending": 2, "sent": 1, "last": 7})
	})
	p.lane(home(), func(w storage.LaneWriter) {
		same(t, "dedupe", found(w.Dedupe("e")), nil)
		same(t, "held", one(w.Held()), 0)
	})
	p.lane(beside, func(w storage.LaneWriter) { same(t, "dedupe beside", found(w.Dedupe("e")).EntryID, "ob_n2") })
	same(t, "when the lease has ended", answer(p.store.Clean(ctx, "w", moment(60_000)))(t), 1)
}

// testCleanRacers cleans up while others accept: each row is counted once.
func testCleanRacers(t *testing.T, f OutboxFactory) {
	const n = 8
	p := staff(t, f)
	stores := []OutboxStore{p.store, p.another()}
	var rows [n]int
	together(t, n, func(i int) (err error) {
		lane := outbox.Lane{Workspace: "w", Session: fmt.Sprint(i)}
		err = stores[i%2].UpdateLane(t.Context(), lane, func(w storage.LaneWriter) error {
			if err := w.PutDedupe(dedupe(lane, "d", fmt.Sprint("ob_", i))); err != nil {
				return err
			}
			return w.Insert(prompt(lane, fmt.Sprint("ob_", i)))
		})
		if err == nil {
			rows[i], err = stores[i/2%2].Clean(t.Context(), "w", moment(0))
		}
		return err
	})
	sum := 0
	for _, count := range rows {
		sum += count
	}
	same(t, "rows", sum, 2*n)
	p.view(func(r storage.OutboxReader) { same(t, "left", entries(r, storage.EntryQuery{}), nil) })
}

// heldIn finds the hold of a workspace in the list of all, which must be in order;
// nil for none.
func heldIn(r storage.OutboxReader, workspace string) *outbox.Hold {
	holds := one(r.Holds())
	if !slices.IsSortedFunc(holds, func(a, b storage.WorkspaceHold) int { return cmp.Compare(a.Workspace, b.Workspace) }) {
		fail(cause("holds are not in order"))
	}
	i := slices.IndexFunc(holds, func(h storage.WorkspaceHold) bool { return h.Workspace == workspace })
	if i < 0 {
		return nil
	}
	return &holds[i].Hold
}
