package porttest

import (
	"fmt"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

func listTopics() []outboxTopic {
	return []outboxTopic{
		{"OUT-9 list", testEntryList},
		{"OUT-12 unreadable rows", testUnreadable},
		{"figures", testFigures},
	}
}

// crowd stores entries of all statuses in several lanes, in no order of names.
func (p *post) crowd() []outbox.Entry {
	p.t.Helper()
	var all []outbox.Entry
	for i := range 24 {
		lane := append(neighbours(), home())[i*7%5]
		e := prompt(lane, fmt.Sprintf("ob_%02d", i*5%24))
		e.Status = statuses()[i*3%5]
		if e.Status == outbox.StatusParked {
			e.ParkedFrom = outbox.StatusPending
		}
		e.Model = []byte("1")
		all = append(all, e)
	}
	p.insert(all...)
	return all
}

func statuses() []string {
	return []string{outbox.StatusPending, outbox.StatusDelivering, outbox.StatusVerifying, outbox.StatusError, outbox.StatusParked}
}

// testEntryList asks with all combinations of the fields of a query.
func testEntryList(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	all := p.crowd()
	p.view(func(r storage.OutboxReader) {
		for i, e := range entries(r, storage.EntryQuery{}) { // learn their places
			same(t, "all", bare(e), all[i])
			all[i].Seq = e.Seq
		}
		for _, query := range entryQueries(all) {
			var want []outbox.Entry
			for _, e := range all {
				fits := (query.Workspace == "" || e.WorkspaceID == query.Workspace) &&
					(query.Session == "" || e.SessionID == query.Session) &&
					(query.Status == "" || e.Status == query.Status) && e.Seq > query.AfterSeq
				if !fits || query.Limit > 0 && len(want) == query.Limit {
					continue
				}
				if query.HeadsOnly {
					e.Text, e.Model = "", nil
				}
				want = append(want, bare(e))
			}
			same(t, fmt.Sprintf("%+v", query), bares(entries(r, query)), want)
		}
	})
	p.pages(all)
}

func entryQueries(all []outbox.Entry) []storage.EntryQuery {
	var queries []storage.EntryQuery
	for _, lane := range []outbox.Lane{{}, {Workspace: "w"}, {Workspace: "w", Session: "s"}, {Workspace: "absent"}, {Workspace: "w", Session: "absent"}} {
		for _, status := range append(statuses(), "", outbox.StatusUnreadable, "absent") {
			for _, after := range []int64{0, all[3].Seq, all[len(all)-1].Seq} {
				for _, limit := range []int{0, 1, 4, 1000} {
					queries = append(queries, storage.EntryQuery{
						Workspace: lane.Workspace, Session: lane.Session, Status: status, AfterSeq: after, Limit: limit,
						HeadsOnly: limit == 4,
					})
				}
			}
		}
	}
	return queries
}

// pages walks through the list by AfterSeq while entries leave it.
func (p *post) pages(all []outbox.Entry) {
	p.t.Helper()
	var walked []string
	query := storage.EntryQuery{Limit: 5, HeadsOnly: true}
	for {
		var page []outbox.Entry
		p.view(func(r storage.OutboxReader) { page = entries(r, query) })
		if len(page) == 0 {
			break
		}
		walked = append(walked, idsIn(page)...)
		last := page[len(page)-1]
		query.AfterSeq = last.Seq
		p.lane(last.Lane(), func(w storage.LaneWriter) { done(w.Remove(last.ID, outbox.StatusDismissed)) })
	}
	same(p.t, "walked", walked, idsIn(all))
}

// testUnreadable breaks the row of an entry between two others.
func testUnreadable(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	breaker, ok := p.place.(OutboxBreaker)
	if !ok {
		t.Skip("rows of this place cannot be broken")
	}
	broken := ripe(home(), "ob_2", outbox.StatusPending, time.Time{})
	broken.ClientMessageID = "d"
	p.insert(ripe(home(), "ob_1", outbox.StatusPending, moment(99)), broken, ripe(home(), "ob_3", outbox.StatusPending, moment(98)))
	p.lane(home(), func(w storage.LaneWriter) { done(w.PutDedupe(dedupe(home(), "d", "ob_2"))) })
	before := p.counted()
	breaker.BreakEntry(t, "ob_2")
	checkBroken := func(e outbox.Entry) {
		t.Helper()
		same(t, "what can be read", []any{e.ID, e.Lane(), e.AcceptedAt, e.Status, e.Seq},
			[]any{"ob_2", home(), moment(1), outbox.StatusUnreadable, before["ob_2"][0]})
		if e.LastError == "" {
			t.Error("it is not said what is wrong")
		}
	}
	p.view(func(r storage.OutboxReader) {
		for _, heads := range []bool{false, true} {
			list := entries(r, storage.EntryQuery{Workspace: "w", Session: "s", HeadsOnly: heads})
			same(t, "listed", idsIn(list), []string{"ob_1", "ob_2", "ob_3"})
			checkBroken(list[1])
			only := entries(r, storage.EntryQuery{Status: outbox.StatusUnreadable, HeadsOnly: heads})
			same(t, "by status", idsIn(only), []string{"ob_2"})
			checkBroken(only[0])
		}
		same(t, "the others", idsIn(entries(r, storage.EntryQuery{Status: outbox.StatusPending})), []string{"ob_1", "ob_3"})
		same(t, "page", idsIn(entries(r, storage.EntryQuery{AfterSeq: before["ob_1"][0], Limit: 1})), []string{"ob_2"})
		same(t, "figures", figures(r), map[string]int64{"entries.pending": 2, "entries.unreadable": 1})
		same(t, "due lanes", dueLines(r, moment(50), moment(1000)), nil)
	})
	p.lane(home(), func(w storage.LaneWriter) {
		heads := one(w.Heads())
		same(t, "heads", idsIn(heads), []string{"ob_1", "ob_2", "ob_3"})
		checkBroken(heads[1])
		same(t, "text in heads", heads[1].Text, "")
		same(t, "held", one(w.Held()), 3)
		checkBroken(*found(w.Entry("ob_2")))
		done(w.Remove("ob_2", outbox.StatusDismissed))
		same(t, "final", found(w.Dedupe("d")).Final, outbox.StatusDismissed)
		same(t, "held after the removal", one(w.Held()), 2)
	})
	p.view(func(r storage.OutboxReader) {
		same(t, "left", idsIn(entries(r, storage.EntryQuery{})), []string{"ob_1", "ob_3"})
	})
	breaker.BreakEntry(t, "ob_3")
	same(t, "cleaned", answer(p.store.Clean(t.Context(), "w", moment(0)))(t), 3)
}

func testFigures(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	ctx := t.Context()
	p.must(p.store.Count(ctx, map[string]int64{"sent": 2, "lost": 1}, map[string]int64{"last tick": 77}))
	p.must(p.store.Count(ctx, map[string]int64{"sent": 3, "ü 'x'": 1 << 60}, map[string]int64{"last tick": 7}))
	p.must(p.store.Count(ctx, nil, map[string]int64{"mark": -1}))
	p.must(p.store.Count(ctx, map[string]int64{"lost": -1}, nil))
	want := map[string]int64{"sent": 5, "ü 'x'": 1 << 60, "last tick": 7, "mark": -1}
	p.view(func(r storage.OutboxReader) { same(t, "counted", figures(r), want) })
	for _, e := range p.crowd() {
		want["entries."+e.Status]++
	}
	second := p.on(p.another())
	together(t, 8, func(i int) error {
		return []OutboxStore{p.store, second.store}[i%2].Count(ctx, map[string]int64{"sent": 1}, nil)
	})
	want["sent"] += 8
	p.reopen()
	p.view(func(r storage.OutboxReader) { same(t, "with entries", figures(r), want) })
}
