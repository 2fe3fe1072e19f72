package memory

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

func (r reader) Item(id int64) (inbox.Item, bool, error) {
	for _, items := range r.items.rows {
		if i, ok := slices.BinarySearchFunc(items, id, atID); ok {
			return copied(items[i]), true, nil
		}
	}
	return inbox.Item{}, false, nil
}

func (r reader) Scan(scan storage.Scan, yield func(inbox.Item) (bool, error)) error {
	items := slices.Clone(r.above(scan.Queue, scan.After))
	if scan.Descending {
		slices.Reverse(items)
	}
	handed := 0
	for _, item := range items {
		if !selected(scan, item) {
			continue
		}
		if scan.Limit > 0 && handed == scan.Limit {
			return nil
		}
		handed++
		if scan.HeadsOnly {
			item.Key, item.Payload = nil, nil
		}
		if more, err := yield(copied(item)); err != nil || !more {
			return err
		}
	}
	return nil
}

func selected(scan storage.Scan, item inbox.Item) bool {
	if scan.Through != 0 && item.ID > scan.Through {
		return false
	}
	return scan.Key == nil || item.Key != nil && *item.Key == *scan.Key
}

func (r reader) Older(queue string, before int64, limit int) ([]inbox.Head, error) {
	var heads []inbox.Head
	for _, item := range r.above(queue, 0) {
		if item.CreatedAt < before {
			heads = append(heads, inbox.Head{ID: item.ID, CreatedAt: item.CreatedAt})
		}
	}
	slices.SortFunc(heads, func(a, b inbox.Head) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	heads = heads[:min(limit, len(heads))]
	slices.SortFunc(heads, func(a, b inbox.Head) int { return cmp.Compare(a.ID, b.ID) })
	return heads, nil
}

func (r reader) NextAfter(queue string, id int64) (int64, error) {
	if items := r.above(queue, id); len(items) > 0 {
		return items[0].ID, nil
	}
	return 0, nil
}

func (r reader) Queues() ([]inbox.QueueCount, error) {
	var counts []inbox.QueueCount
	for _, queue := range slices.Sorted(maps.Keys(r.items.rows)) {
		counts = append(counts, inbox.QueueCount{Queue: queue, Count: int64(len(r.items.rows[queue]))})
	}
	return counts, nil
}

func (r reader) Count(queue string) (int64, error) { return int64(len(r.items.rows[queue])), nil }

func (r reader) CountAfter(queue string, id int64) (int64, error) {
	return int64(len(r.above(queue, id))), nil
}

func (r reader) Newest(queue string) (int64, error) { return r.newest(queue), nil }

func (r reader) newest(queue string) int64 {
	items := r.items.rows[queue]
	if len(items) == 0 {
		return 0
	}
	return items[len(items)-1].ID
}

// above is the part of a queue with ids above id. The caller must not change it.
func (r reader) above(queue string, id int64) []inbox.Item {
	items := r.items.rows[queue]
	i, found := slices.BinarySearchFunc(items, id, atID)
	if found {
		i++
	}
	return items[i:]
}

// Insert appends in place: states before this one end at their own length of the
// list and never look at what follows.
func (w writer) Insert(item inbox.Item) (int64, error) {
	w.lastItem++
	item.ID = w.lastItem
	w.items.put(item.Queue, append(w.items.rows[item.Queue], copied(item)))
	return item.ID, nil
}

func (w writer) InsertAll(items []inbox.Item) ([]int64, error) {
	ids := make([]int64, len(items))
	for i, item := range items {
		var err error
		if ids[i], err = w.Insert(item); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

func (w writer) Remove(queue string, ids []int64) error {
	var kept []inbox.Item
	gone := map[int64]bool{}
	meant := set(ids)
	for _, item := range w.items.rows[queue] {
		if meant[item.ID] {
			gone[item.ID] = true
		} else {
			kept = append(kept, item)
		}
	}
	switch {
	case len(gone) == 0:
		return nil
	case len(kept) == 0:
		w.items.remove(func(name string) bool { return name == queue })
	default:
		w.items.put(queue, kept)
	}
	w.acks.remove(func(c claim) bool { return gone[c.item] })
	w.leases.remove(func(c claim) bool { return gone[c.item] })
	w.shown.remove(func(m mark) bool { return gone[m.item] })
	return nil
}

func atID(item inbox.Item, id int64) int { return cmp.Compare(item.ID, id) }

// copied shares no memory with item, so that neither side can change the other's.
func copied(item inbox.Item) inbox.Item {
	item.Payload = bytes.Clone(item.Payload)
	if item.Key != nil {
		key := *item.Key
		item.Key = &key
	}
	return item
}
