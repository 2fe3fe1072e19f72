package porttest

import (
	"testing"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

func archiveTopics() []topic {
	return []topic{
		{"CARE-7 all items", testAll},
		{"CARE-7 marks and publishers' ids", testArchived},
		{"CARE-8 items under their ids", testReplant},
		{"CARE-8 highest numbers", testLast},
		{"CARE-5 removed subscription", testRemoveSubscription},
	}
}

// archive runs fn in a unit of work on the whole inbox, which commits.
func (s *site) archive(fn func(storage.ArchiveWriter)) {
	s.t.Helper()
	defer s.failed()
	store, ok := s.store.(storage.Archive)
	if !ok {
		s.t.Skip("the store is no archive")
	}
	if err := store.UpdateArchive(s.t.Context(), func(w storage.ArchiveWriter) error { fn(w); return nil }); err != nil {
		s.t.Fatalf("UpdateArchive: %v", err)
	}
}

// archived runs fn on a snapshot of the whole inbox.
func (s *site) archived(fn func(storage.ArchiveReader)) {
	s.t.Helper()
	defer s.failed()
	store, ok := s.store.(storage.Archive)
	if !ok {
		s.t.Skip("the store is no archive")
	}
	if err := store.ViewArchive(s.t.Context(), func(r storage.ArchiveReader) error { fn(r); return nil }); err != nil {
		s.t.Fatalf("ViewArchive: %v", err)
	}
}

// whole lists all items of all queues.
func whole(r storage.ArchiveReader) (items []inbox.Item) {
	done(r.All(func(item inbox.Item) (bool, error) {
		items = append(items, item)
		return true, nil
	}))
	return items
}

func testAll(t *testing.T, f Factory) {
	s := settle(t, f)
	s.archived(func(r storage.ArchiveReader) {
		same(t, "where nothing is", whole(r), nil)
		same(t, "highest numbers where nothing is", one(r.Last()), inbox.Last{})
		same(t, "marks where nothing is", one(r.ShownOn([]int64{1})), nil)
		done(r.Dedupes("", func(inbox.Dedupe) error { t.Error("a record where nothing is"); return nil }))
	})
	var want []inbox.Item
	s.archive(func(w storage.ArchiveWriter) {
		for _, queue := range []string{"b", "a", "b", "ü"} {
			item := keyed(letter(queue, `{"n":1.50}`, noon), "k")
			item.ExpiresAt = noon + 5
			want = append(want, insert(w, item), insert(w, letter(queue, "null", noon-1)))
		}
		same(t, "in the unit of work", whole(w), want)
	})
	s.reopen()
	s.archived(func(r storage.ArchiveReader) {
		same(t, "by id", whole(r), want)
		handed := 0
		done(r.All(func(item inbox.Item) (bool, error) {
			same(t, "asked meanwhile", found(r.Item(item.ID)), &want[handed])
			handed++
			return handed < 2, nil
		}))
		same(t, "handed over until it was enough", handed, 2)
	})
}

func testArchived(t *testing.T, f Factory) {
	s := settle(t, f)
	records := []inbox.Dedupe{
		{Queue: "p", ID: "z", Item: 9, At: noon}, {Queue: "q", ID: "a", Scheduled: 3, At: noon}, {Queue: "q", ID: "b", Item: 1, At: noon},
	}
	s.archive(func(w storage.ArchiveWriter) {
		fill(w, "q", 3)
		join(w, "t", "q", "v")
		join(w, "s", "q", "v", "w")
		done(w.MarkShown("s", "w", []int64{1, 2}))
		done(w.MarkShown("s", "v", []int64{2}))
		done(w.MarkShown("t", "v", []int64{2, 3}))
		for i := range records {
			done(w.PutDedupe(records[(i+2)%3]))
		}
	})
	s.archived(func(r storage.ArchiveReader) {
		same(t, "marks", one(r.ShownOn([]int64{2, 1, 7})), []inbox.Shown{
			{Subscription: "s", Subscriber: "w", Item: 1}, {Subscription: "s", Subscriber: "v", Item: 2},
			{Subscription: "s", Subscriber: "w", Item: 2}, {Subscription: "t", Subscriber: "v", Item: 2},
		})
		for queue, want := range map[string][]inbox.Dedupe{"": records, "q": records[1:], "absent": nil} {
			var got []inbox.Dedupe
			done(r.Dedupes(queue, func(d inbox.Dedupe) error { got = append(got, d); return nil }))
			same(t, "records of "+queue, got, want)
		}
		same(t, "the error of yield", r.Dedupes("", func(inbox.Dedupe) error { return errTry }), errTry)
	})
}

func testReplant(t *testing.T, f Factory) {
	s := settle(t, f)
	first := keyed(letter("q", "1", noon), "k")
	first.ID, first.ExpiresAt = 7, noon+9
	second := letter("r", "2", noon+1)
	second.ID = 1000
	waiting := inbox.Scheduled{Number: 5, Queue: "q", Payload: []byte("3"), At: noon, Dedupe: "d"}
	s.archive(func(w storage.ArchiveWriter) {
		done(w.Replant(first))
		done(w.Replant(second))
		done(w.Reschedule(waiting))
	})
	s.reopen()
	s.archived(func(r storage.ArchiveReader) {
		same(t, "items", whole(r), []inbox.Item{first, second})
		same(t, "counts", one(r.Queues()), []inbox.QueueCount{{Queue: "q", Count: 1}, {Queue: "r", Count: 1}})
		same(t, "newest", one(r.Newest("r")), 1000)
		same(t, "above", one(r.CountAfter("r", 999)), 1)
		same(t, "highest numbers", one(r.Last()), inbox.Last{Item: 1000, Scheduled: 5})
		var got []inbox.Scheduled
		done(r.Scheduled(storage.ScheduleQuery{}, func(m inbox.Scheduled) (bool, error) {
			got = append(got, m)
			return true, nil
		}))
		same(t, "waiting", got, []inbox.Scheduled{waiting})
	})
	s.update(func(w storage.Writer) {
		same(t, "the next id", one(w.Insert(letter("q", "4", noon))), 1001)
		same(t, "the next number", one(w.Schedule(inbox.Scheduled{Queue: "q", Payload: []byte("5"), At: noon})), 6)
		same(t, "counted", one(w.Count("q")), 2)
	})
}

func testLast(t *testing.T, f Factory) {
	s := settle(t, f)
	s.archive(func(w storage.ArchiveWriter) {
		done(w.RaiseLast(inbox.Last{}))
		done(w.RaiseLast(inbox.Last{Item: 3}))
		same(t, "of items alone", one(w.Last()), inbox.Last{Item: 3})
		done(w.RaiseLast(inbox.Last{Item: 2, Pull: 4, Scheduled: 6}))
		same(t, "raised and not lowered", one(w.Last()), inbox.Last{Item: 3, Pull: 4, Scheduled: 6})
	})
	s.reopen()
	s.archive(func(w storage.ArchiveWriter) {
		same(t, "the next id", one(w.Insert(letter("q", "1", noon))), 4)
		same(t, "the next pull", one(w.NextPull()), 5)
		done(w.Remove("q", []int64{4}))
		same(t, "when it is gone again", one(w.Last()), inbox.Last{Item: 4, Pull: 5, Scheduled: 6})
		same(t, "the next number", one(w.Schedule(inbox.Scheduled{Queue: "q", Payload: []byte("1"), At: noon})), 7)
	})
}

func testRemoveSubscription(t *testing.T, f Factory) {
	s := settle(t, f)
	s.update(func(w storage.Writer) {
		fill(w, "q", 4)
		for _, sub := range []string{"s", "kept"} {
			join(w, sub, "q", "v", "w")
			noted := ack(sub, 1, "w")
			noted.Note = "note"
			done(w.PutAck(noted))
			done(w.PutLease(lease(sub, 2, "w")))
			done(w.PutLease(lease(sub, 3, "v")))
			done(w.MarkShown(sub, "v", []int64{2, 3, 4}))
		}
		same(t, "what went", one(w.RemoveSubscription("s")), storage.SubscriptionSize{Bindings: 2, Acks: 1, Leases: 2, Shown: 3})
		same(t, "what went of none", one(w.RemoveSubscription("absent")), storage.SubscriptionSize{})
	})
	s.view(func(r storage.Reader) {
		same(t, "subscriptions", one(r.Subscriptions()), []inbox.Subscription{view("kept", "q")})
		same(t, "bound", len(one(r.BoundBy("w"))), 1)
		same(t, "acks", len(one(r.Acks([]int64{1}))), 1)
		same(t, "leases", len(one(r.LeasesOn([]int64{2, 3}))), 2)
		same(t, "shown", one(r.CountShown("kept", "v")), 3)
		same(t, "items", one(r.Count("q")), 4)
	})
	s.update(func(w storage.Writer) {
		join(w, "s", "q", "w")
		same(t, "claimed by a new one of that name", one(w.Claimed("s", 0, 0)), nil)
	})
	if place, ok := s.place.(Breaker); ok {
		place.Break(t, "kept")
		s.update(func(w storage.Writer) {
			same(t, "what went of a broken one", one(w.RemoveSubscription("kept")).Bindings, 2)
			same(t, "left", len(one(w.Subscriptions())), 1)
		})
	}
}
