package app

import (
	"slices"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// lapse makes a match that has expired by now a lapsed one: no pull delivers it.
// Under share all who has acked an item misses nothing by that (TIME-7).
func (l *look) lapse(item inbox.Item, entry *inbox.Judged) error {
	switch {
	case entry.Verdict == inbox.Matched && item.Expired(l.judge.now):
		entry.Verdict, entry.Text = inbox.Lapsed, ""
	case entry.Verdict != inbox.Lapsed:
		return nil
	}
	if l.rules().Share == inbox.One {
		return nil
	}
	ack, acked, err := l.reader.Ack(l.name(), item.ID)
	if acked && ack.Owner == l.window.Bound.Binding.Subscriber {
		entry.Verdict = inbox.Passed
	}
	return err
}

// lapsedRetries takes those leases out whose items have expired, and notes them in
// the window.
func (l *look) lapsedRetries(leases []inbox.Lease) ([]inbox.Lease, error) {
	items := make([]int64, 0, len(leases))
	for _, lease := range leases {
		items = append(items, lease.Item)
	}
	expiries, err := l.reader.Expiries(items)
	if err != nil || len(expiries) == 0 {
		return leases, err
	}
	return slices.DeleteFunc(leases, func(lease inbox.Lease) bool {
		item := inbox.Item{ExpiresAt: expiries[lease.Item]}
		lapsed := item.Expired(l.judge.now) && lease.Retryable(*l.rules(), l.judge.now)
		if lapsed {
			l.window.Lapsed = append(l.window.Lapsed, lease.Item)
		}
		return lapsed
	}), nil
}

// expired lists items of a queue that have expired and that nobody holds, ascending,
// at most so many, without those that have just been released (TIME-8).
func expired(tx storage.Reader, queue string, now int64, released []int64, most int) ([]int64, error) {
	ids, err := tx.Expired(queue, now, most)
	ids = slices.DeleteFunc(ids, func(id int64) bool { return slices.Contains(released, id) })
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	leases, err := tx.LeasesOn(ids)
	return inbox.Overdue(ids, leases, now), err
}

// union adds ids to removed while there is room for them; both are ascending, and
// so is the result.
func union(removed, ids []int64, most int) []int64 {
	for _, id := range ids {
		if len(removed) == most {
			break
		}
		if !slices.Contains(removed, id) {
			removed = append(removed, id)
		}
	}
	slices.Sort(removed)
	return slices.Compact(removed)
}
