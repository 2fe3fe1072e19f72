package memory

import (
	"cmp"
	"context"
	"slices"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

var _ storage.Archive = (*Store)(nil)

// ViewArchive implements [storage.Archive].
func (s *Store) ViewArchive(ctx context.Context, fn func(storage.ArchiveReader) error) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	return fn(reader{s.place.current.Load()})
}

// UpdateArchive implements [storage.Archive].
func (s *Store) UpdateArchive(ctx context.Context, fn func(storage.ArchiveWriter) error) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	return s.place.update(ctx, func(next *state) error { return fn(writer{reader{next}}) })
}

func (r reader) All(yield func(inbox.Item) (bool, error)) error {
	var all []inbox.Item
	for _, items := range r.items.rows {
		all = append(all, items...)
	}
	slices.SortFunc(all, func(a, b inbox.Item) int { return cmp.Compare(a.ID, b.ID) })
	for _, item := range all {
		if more, err := yield(copied(item)); err != nil || !more {
			return err
		}
	}
	return nil
}

func (r reader) ShownOn(items []int64) ([]inbox.Shown, error) {
	meant := set(items)
	var shown []inbox.Shown
	for m := range r.shown.rows {
		if meant[m.item] {
			shown = append(shown, inbox.Shown{Subscription: m.subscription, Subscriber: m.subscriber, Item: m.item})
		}
	}
	slices.SortFunc(shown, func(a, b inbox.Shown) int {
		return cmp.Or(cmp.Compare(a.Item, b.Item), cmp.Compare(a.Subscription, b.Subscription), cmp.Compare(a.Subscriber, b.Subscriber))
	})
	return shown, nil
}

func (r reader) Dedupes(queue string, yield func(inbox.Dedupe) error) error {
	records := r.dedupes.pick(func(d inbox.Dedupe) bool { return queue == "" || d.Queue == queue }, func(a, b inbox.Dedupe) int {
		return cmp.Or(cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.ID, b.ID))
	})
	for _, record := range records {
		if err := yield(record); err != nil {
			return err
		}
	}
	return nil
}

func (r reader) Last() (inbox.Last, error) {
	return inbox.Last{Item: r.lastItem, Pull: r.lastPull, Scheduled: r.lastScheduled}, nil
}

func (w writer) Replant(item inbox.Item) error {
	for _, items := range w.items.rows {
		if items[len(items)-1].ID >= item.ID {
			return misuse("item %d comes after item %d", item.ID, items[len(items)-1].ID)
		}
	}
	w.lastItem = max(w.lastItem, item.ID)
	w.items.put(item.Queue, append(w.items.rows[item.Queue], copied(item)))
	return nil
}

func (w writer) Reschedule(s inbox.Scheduled) error {
	if _, there := w.scheduled.get(s.Number); there {
		return misuse("message %d waits already", s.Number)
	}
	w.lastScheduled = max(w.lastScheduled, s.Number)
	w.scheduled.put(s.Number, waitingCopy(s))
	return nil
}

func (w writer) RaiseLast(last inbox.Last) error {
	w.lastItem = max(w.lastItem, last.Item)
	w.lastPull = max(w.lastPull, last.Pull)
	w.lastScheduled = max(w.lastScheduled, last.Scheduled)
	return nil
}
