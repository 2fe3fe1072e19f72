package app

import (
	"context"
	"errors"
	"slices"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// insert releases what is ripe in the queue until that has so many bytes, runs put
// under the same write lock, and then the queue's retention. Usually that is one
// transaction. Only when unread items go does it roll back, ask the filters on a
// snapshot, and start again.
func (in *Inbox) insert(ctx context.Context, queue string, bytes int, put func(storage.Writer, int64) (int, error)) error {
	v := &verdicts{judges: map[string]*judge{}}
	attempt := func(tx storage.Writer) error {
		now := in.now()
		released, err := releaseRipe(tx, queue, bytes, now)
		if err != nil {
			return err
		}
		stored, err := put(tx, now)
		if err != nil || len(released)+stored == 0 {
			return err
		}
		return in.retain(tx, queue, now, released, inbox.Removal(len(released)+stored), v)
	}
	err := in.store.Update(ctx, attempt)
	if !errors.Is(err, errUnjudged) {
		return err
	}
	if err := in.ask(ctx, v); err != nil {
		return err
	}
	return in.store.Update(ctx, attempt)
}

// retain removes what the queue's limits no longer allow, at most so many items
// (RET-1, RET-2, RET-4), and what has expired (TIME-8), other than what has just been
// released: no snapshot holds that yet, so that no filter could be asked about it.
func (in *Inbox) retain(tx storage.Writer, queue string, now int64, released []int64, most int, v *verdicts) error {
	limits := in.retention(queue)
	over, err := expired(tx, queue, now, released, most)
	if err != nil || limits == (inbox.Retention{}) && len(over) == 0 {
		return err
	}
	removed, err := aged(tx, queue, limits, now, most)
	if err != nil {
		return err
	}
	removed = union(removed, over, most)
	count, err := tx.Count(queue)
	if err != nil {
		return err
	}
	excess := min(limits.Excess(count-int64(len(removed))), int64(most-len(removed)))
	if len(removed) == 0 && excess == 0 {
		return nil
	}
	readers, err := parkAll(tx, queue, now)
	if err != nil {
		return err
	}
	if removed, err = overCount(tx, queue, removed, excess, readers); err != nil || len(removed) == 0 {
		return err
	}
	return in.remove(tx, queue, now, removed, readers, v)
}

// aged lists the ids that are too old, ascending, at most so many.
func aged(tx storage.Reader, queue string, limits inbox.Retention, now int64, most int) ([]int64, error) {
	before, ok := limits.AgedBefore(now)
	if !ok {
		return nil, nil
	}
	heads, err := tx.Older(queue, before, most)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, 0, len(heads))
	for _, h := range heads {
		ids = append(ids, h.ID)
	}
	slices.Sort(ids)
	return ids, nil
}

// overCount adds to removed, which is ascending, the oldest ids beyond the count
// limit that nobody holds.
func overCount(tx storage.Reader, queue string, removed []int64, excess int64, readers []inbox.QueueReader) ([]int64, error) {
	if excess <= 0 {
		return removed, nil
	}
	newest, err := tx.Newest(queue)
	if err != nil {
		return nil, err
	}
	hold := inbox.Hold(readers, newest)
	if hold <= 0 {
		return removed, nil
	}
	old := removed
	scan := storage.Scan{Queue: queue, Through: hold, Limit: int(excess) + len(old), HeadsOnly: true}
	err = tx.Scan(scan, func(item inbox.Item) (bool, error) {
		if _, found := slices.BinarySearch(old, item.ID); !found {
			removed = append(removed, item.ID)
			excess--
		}
		return excess > 0, nil
	})
	slices.Sort(removed)
	return removed, err
}

// parkAll records what is parked by the clock in the subscriptions of a queue,
// and gathers what retention must know of them (PULL-6).
func parkAll(tx storage.Writer, queue string, now int64) ([]inbox.QueueReader, error) {
	subs, err := tx.SubscriptionsOn(queue)
	if err != nil {
		return nil, err
	}
	readers := make([]inbox.QueueReader, 0, len(subs))
	for _, sub := range subs {
		r := inbox.QueueReader{Subscription: sub}
		if r.Bindings, err = tx.Bindings(sub.Name); err != nil {
			return nil, err
		}
		if sub.Rules.Share == inbox.One {
			if r.Subscription, err = park(tx, sub, now); err != nil {
				return nil, err
			}
			open, err := tx.Leases(sub.Name, storage.LeaseQuery{State: storage.OpenLease, Limit: 1})
			if err != nil {
				return nil, err
			}
			if len(open) > 0 {
				r.LowestOpen = open[0].Item
			}
		}
		readers = append(readers, r)
	}
	return readers, nil
}

// park records the items whose last lease has ended (PULL-6).
func park(tx storage.Writer, sub inbox.Subscription, now int64) (inbox.Subscription, error) {
	if sub.Broken != "" || sub.Rules.Share != inbox.One {
		return sub, nil
	}
	n, err := tx.Park(sub.Name, parking(sub.Rules, inbox.ExpiryAt(now)))
	if err != nil || n == 0 {
		return sub, err
	}
	sub.Unreported.Parked += n
	return sub, tx.PutProgress(sub)
}

// remove counts the losses, deletes the items, and moves the positions.
func (in *Inbox) remove(tx storage.Writer, queue string, now int64, removed []int64, readers []inbox.QueueReader, v *verdicts) error {
	acks, err := tx.Acks(removed)
	if err != nil {
		return err
	}
	leases, err := tx.LeasesOn(removed)
	if err != nil {
		return err
	}
	losses := inbox.Losses(readers, removed, acks, leases)
	if err := v.check(in, now, readers, losses); err != nil {
		return err
	}
	before := snapshot(readers)
	inbox.Drop(readers, losses, v.matches)
	if err := tx.Remove(queue, removed); err != nil {
		return err
	}
	if err := advance(tx, queue, removed, readers); err != nil {
		return err
	}
	return putChanged(tx, before, readers)
}

func snapshot(readers []inbox.QueueReader) []inbox.QueueReader {
	before := slices.Clone(readers)
	for i := range before {
		before[i].Bindings = slices.Clone(before[i].Bindings)
	}
	return before
}

// advance moves every position that stood before a removed item (RET-2).
func advance(tx storage.Reader, queue string, removed []int64, readers []inbox.QueueReader) error {
	memo := map[int64]int64{}
	move := func(position *int64) error {
		if *position >= removed[len(removed)-1] {
			return nil
		}
		to, known := memo[*position]
		if !known {
			next, err := tx.NextAfter(queue, *position)
			if err != nil {
				return err
			}
			to = inbox.Advance(*position, removed, next)
			memo[*position] = to
		}
		*position = to
		return nil
	}
	for i := range readers {
		if err := move(&readers[i].Subscription.Scan); err != nil {
			return err
		}
		for j := range readers[i].Bindings {
			if err := move(&readers[i].Bindings[j].Position); err != nil {
				return err
			}
		}
	}
	return nil
}

func putChanged(tx storage.Writer, before, after []inbox.QueueReader) error {
	for i := range after {
		if after[i].Subscription != before[i].Subscription {
			if err := tx.PutProgress(after[i].Subscription); err != nil {
				return err
			}
		}
		for j, b := range after[i].Bindings {
			if b != before[i].Bindings[j] {
				if err := tx.PutBinding(b); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
