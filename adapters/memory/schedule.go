package memory

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

func (r reader) Scheduled(query storage.ScheduleQuery, yield func(inbox.Scheduled) (bool, error)) error {
	if query.Ripe != nil && query.Queue == "" {
		return misuse("what is ripe is asked of one queue")
	}
	waiting := r.scheduled.pick(func(s inbox.Scheduled) bool {
		return (query.Queue == "" || s.Queue == query.Queue) && (query.Number == 0 || s.Number == query.Number) &&
			(query.Ripe == nil || query.Ripe.Has(s))
	}, func(a, b inbox.Scheduled) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Number, b.Number))
	})
	if query.Limit > 0 {
		waiting = waiting[:min(query.Limit, len(waiting))]
	}
	for _, s := range waiting {
		s = waitingCopy(s)
		if query.HeadsOnly {
			s.Payload = nil
		}
		if more, err := yield(s); err != nil || !more {
			return err
		}
	}
	return nil
}

func (r reader) ScheduledCounts() ([]inbox.QueueCount, error) {
	counts := map[string]int64{}
	for _, s := range r.scheduled.rows {
		counts[s.Queue]++
	}
	var list []inbox.QueueCount
	for _, queue := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, inbox.QueueCount{Queue: queue, Count: counts[queue]})
	}
	return list, nil
}

func (w writer) Schedule(s inbox.Scheduled) (int64, error) {
	w.lastScheduled++
	s.Number = w.lastScheduled
	w.scheduled.put(s.Number, waitingCopy(s))
	return s.Number, nil
}

func (w writer) Unschedule(numbers []int64) error {
	gone := set(numbers)
	w.scheduled.remove(func(number int64) bool { return gone[number] })
	return nil
}

func (r reader) FirstSince(queue string, since int64) (int64, error) {
	for _, item := range r.above(queue, 0) {
		if item.CreatedAt >= since {
			return item.ID, nil
		}
	}
	return 0, nil
}

func (r reader) Expired(queue string, at int64, limit int) ([]int64, error) {
	var items []inbox.Item
	for _, item := range r.above(queue, 0) {
		if item.ExpiresAt != 0 && item.ExpiresAt <= at {
			items = append(items, item)
		}
	}
	slices.SortFunc(items, func(a, b inbox.Item) int {
		return cmp.Or(cmp.Compare(a.ExpiresAt, b.ExpiresAt), cmp.Compare(a.ID, b.ID))
	})
	var ids []int64
	for _, item := range items[:min(limit, len(items))] {
		ids = append(ids, item.ID)
	}
	slices.Sort(ids)
	return ids, nil
}

func (r reader) Expiries(items []int64) (map[int64]int64, error) {
	found := map[int64]int64{}
	for _, id := range items {
		if item, ok, _ := r.Item(id); ok && item.ExpiresAt != 0 {
			found[id] = item.ExpiresAt
		}
	}
	return found, nil
}

// waitingCopy shares no memory with s.
func waitingCopy(s inbox.Scheduled) inbox.Scheduled {
	s.Payload = bytes.Clone(s.Payload)
	if s.Key != nil {
		key := *s.Key
		s.Key = &key
	}
	return s
}
