package metamorphic

import (
	"context"
	"fmt"
	"math"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// state writes down all that the store holds, from one snapshot.
func (d *doing) state(ctx context.Context) error {
	return d.site.store.View(ctx, func(r storage.Reader) error {
		queues, err := r.Queues()
		if err != nil {
			return err
		}
		var items []int64
		for _, q := range queues {
			ids, err := d.queue(r, q)
			if err != nil {
				return err
			}
			items = append(items, ids...)
		}
		subs, err := r.Subscriptions()
		if err != nil {
			return err
		}
		for _, sub := range subs {
			if err := d.subscription(r, sub); err != nil {
				return err
			}
		}
		acks, err := r.Acks(items)
		if err := d.fact("acks", append([]inbox.Ack{}, acks...), err); err != nil {
			return err
		}
		if err := r.Scheduled(storage.ScheduleQuery{}, func(m inbox.Scheduled) (bool, error) {
			return true, d.fact("scheduled", m, nil)
		}); err != nil {
			return err
		}
		return d.dedupes(r)
	})
}

// fact writes a line with a name down.
func (d *doing) fact(what string, value any, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	d.note("%s:", what)
	return d.say(value, nil)
}

func (d *doing) queue(r storage.Reader, q inbox.QueueCount) (ids []int64, err error) {
	var newest, counted int64
	err = r.Scan(storage.Scan{Queue: q.Queue}, func(item inbox.Item) (bool, error) {
		ids = append(ids, item.ID)
		newest = item.ID
		counted++
		key := "none"
		if item.Key != nil {
			key = fmt.Sprintf("%q", *item.Key)
		}
		d.note("item %d in %q at %d until %d with key %s: %s", item.ID, item.Queue, item.CreatedAt, item.ExpiresAt, key, item.Payload)
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	count, err := r.Count(q.Queue)
	if err != nil {
		return nil, err
	}
	top, err := r.Newest(q.Queue)
	if err != nil {
		return nil, err
	}
	beyond, err := r.CountAfter(q.Queue, ids[0])
	if err != nil {
		return nil, err
	}
	if count != counted || q.Count != counted || top != newest || beyond != counted-1 {
		return nil, fmt.Errorf("the queue %q has %d items up to %d, but counts %d, %d and %d up to %d",
			q.Queue, counted, newest, count, q.Count, beyond+1, top)
	}
	return ids, nil
}

func (d *doing) subscription(r storage.Reader, sub inbox.Subscription) error {
	if err := d.fact("subscription", sub, nil); err != nil {
		return err
	}
	bindings, err := r.Bindings(sub.Name)
	if err != nil {
		return err
	}
	for _, b := range bindings {
		shown, err := r.ShownTo(sub.Name, b.Subscriber, math.MaxInt64)
		if err != nil {
			return err
		}
		count, err := r.CountShown(sub.Name, b.Subscriber)
		if err := d.fact(fmt.Sprintf("binding with %d shown, %v", count, shown), b, err); err != nil {
			return err
		}
	}
	leases, err := r.Leases(sub.Name, storage.LeaseQuery{})
	if err != nil {
		return err
	}
	for _, l := range leases {
		if err := d.fact("lease", l, nil); err != nil {
			return err
		}
	}
	claimed, err := r.Claimed(sub.Name, 0, 0)
	return d.fact("claimed", append([]int64{}, claimed...), err)
}

// dedupes looks for the publishers' ids that programs use, in their queues.
func (d *doing) dedupes(r storage.Reader) error {
	for _, queue := range queues() {
		for _, id := range dedupes() {
			record, ok, err := r.Dedupe(queue, id)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			if err := d.fact("dedupe", record, nil); err != nil {
				return err
			}
		}
	}
	return nil
}
