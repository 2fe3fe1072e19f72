package app

import (
	"context"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// Overview is how everything stands at one moment (VIEW-9).
type Overview struct {
	Subscriptions []SubscriptionStatus // by name, those without subscribers too
	Queues        []QueueStatus        // that hold items or have messages that wait, by name
}

// SubscriptionStatus is how a subscription stands, from the view of the subscriber
// that is furthest behind.
type SubscriptionStatus struct {
	Subscription string
	Queue        string
	Share        inbox.Share
	Subscribers  []Lag // by name; none at all is a sign that mail piles up for nobody
	Unread       int64 // the most that one of them has not read, before filtering
	Age          int64 // seconds since the oldest of these items was published; 0 when there is none
	Leases       []inbox.Lease
	Leased       int64         // open leases; Leases lists at most 1,000 of them, by item
	Parked       int64         // items parked now, by the clock, reported or not
	ParkedItems  []inbox.Lease // the first 100 of these, by item, with what their last leases were
	Broken       string
}

// Lag is how far a subscriber is behind. Under share one it is the
// subscription's.
type Lag struct {
	Subscriber string
	Unread     int64 // items after its position, before filtering
	Age        int64 // seconds since the oldest of these was published; 0 when there is none
	NextAt     int64 // Unix seconds; due from then on
}

// QueueStatus is how much a queue holds.
type QueueStatus struct {
	Queue     string
	Items     int64
	Scheduled int64 // messages that wait for their time
	NextAt    int64 // Unix seconds at which the next of these is released; 0 when there is none
}

// maxHolders bounds how many leases an overview lists of one subscription.
const maxHolders = 1000

// Overview looks at one snapshot and changes nothing.
func (in *Inbox) Overview(ctx context.Context) (all Overview, err error) {
	now := in.now()
	err = in.store.View(ctx, func(r storage.Reader) error {
		all = Overview{}
		subs, err := r.Subscriptions()
		if err != nil {
			return err
		}
		for _, sub := range subs {
			of, err := in.overviewOf(r, sub, now)
			if err != nil {
				return err
			}
			all.Subscriptions = append(all.Subscriptions, of)
		}
		all.Queues, err = queueStatus(r)
		return err
	})
	return all, err
}

func (in *Inbox) overviewOf(r storage.Reader, sub inbox.Subscription, now int64) (SubscriptionStatus, error) {
	all := SubscriptionStatus{Subscription: sub.Name, Queue: sub.Rules.Queue, Share: sub.Rules.Share, Broken: sub.Broken}
	lines, err := in.statusOf(r, sub)
	if err != nil {
		return all, err
	}
	var oldest int64 // under share one
	if sub.Rules.Share == inbox.One {
		if err := leasesOf(r, sub, now, &all); err != nil {
			return all, err
		}
		if all.Unread, oldest, err = backlogOfOne(r, sub, now); err != nil {
			return all, err
		}
	}
	for _, line := range lines {
		first := oldest
		if sub.Rules.Share != inbox.One {
			if first, err = r.NextAfter(line.Queue, line.Cursor); err != nil {
				return all, err
			}
		}
		lag := Lag{Subscriber: line.Subscriber, Unread: line.Unread, NextAt: line.NextAt}
		if lag.Age, err = ageOf(r, all.Queue, first, now); err != nil {
			return all, err
		}
		all.Subscribers = append(all.Subscribers, lag)
		all.Unread, all.Age, all.Parked = max(all.Unread, lag.Unread), max(all.Age, lag.Age), line.Counts.Parked
	}
	if len(lines) == 0 {
		if all.Age, err = ageOf(r, all.Queue, oldest, now); err == nil {
			all.Parked, err = parkedNow(r, sub, now)
		}
	}
	if err == nil && all.Parked > 0 {
		all.ParkedItems, err = parkedLeases(r, sub, now, maxParked)
	}
	return all, err
}

// leasesOf adds who holds what.
func leasesOf(r storage.Reader, sub inbox.Subscription, now int64, all *SubscriptionStatus) error {
	open, err := r.Leases(sub.Name, storage.LeaseQuery{State: storage.OpenLease, Limit: maxHolders})
	if err != nil {
		return err
	}
	for _, lease := range open {
		if lease.Live(now) {
			all.Leases = append(all.Leases, lease)
		}
	}
	expiry := inbox.ExpiryAt(now)
	whole, err := r.CountLeases(sub.Name, storage.LeaseQuery{State: storage.OpenLease})
	if err != nil {
		return err
	}
	ended, err := r.CountLeases(sub.Name, storage.LeaseQuery{State: storage.OpenLease, Ended: &expiry})
	all.Leased = whole - ended
	return err
}

// backlogOfOne counts what a share-one subscription has left to deliver, and finds
// the oldest item of it: the first one to be leased again, or the first after the
// scan that nobody has claimed.
func backlogOfOne(r storage.Reader, sub inbox.Subscription, now int64) (unread, oldest int64, err error) {
	expiry := inbox.ExpiryAt(now)
	n, err := countOne(r, sub, expiry)
	if err != nil || n == 0 {
		return 0, 0, err
	}
	again, err := r.Leases(sub.Name, storage.LeaseQuery{
		State: storage.OpenLease, Ended: &expiry, BelowAttempts: sub.Rules.MaxAttempts, Limit: 1,
	})
	if err != nil {
		return 0, 0, err
	}
	if len(again) > 0 {
		return int64(n), again[0].Item, nil
	}
	var held claims
	err = r.Scan(storage.Scan{Queue: sub.Rules.Queue, After: sub.Scan, HeadsOnly: true}, func(item inbox.Item) (bool, error) {
		taken, err := held.hold(r, sub.Name, item.ID)
		if err == nil && !taken {
			oldest = item.ID
		}
		return taken, err
	})
	return int64(n), oldest, err
}

// ageOf is how many seconds ago an item was published; 0 for no item, and for one
// from the future.
func ageOf(r storage.Reader, queue string, item, now int64) (int64, error) {
	if item == 0 {
		return 0, nil
	}
	var created int64
	err := r.Scan(storage.Scan{Queue: queue, After: item - 1, Through: item, HeadsOnly: true}, func(found inbox.Item) (bool, error) {
		created = found.CreatedAt
		return false, nil
	})
	return max(0, now-created), err
}

// parkedNow counts what is parked, by the clock.
func parkedNow(r storage.Reader, sub inbox.Subscription, now int64) (int64, error) {
	parked, err := r.CountLeases(sub.Name, storage.LeaseQuery{State: storage.ParkedLease})
	if err != nil || sub.Rules.Share != inbox.One {
		return parked, err
	}
	due, err := r.CountLeases(sub.Name, parking(sub.Rules, inbox.ExpiryAt(now)))
	return parked + due, err
}

// queueStatus joins what queues hold with what waits for them; both come by name.
func queueStatus(r storage.Reader) ([]QueueStatus, error) {
	items, err := r.Queues()
	if err != nil {
		return nil, err
	}
	waiting, err := r.ScheduledCounts()
	if err != nil {
		return nil, err
	}
	var all []QueueStatus
	for len(items) > 0 || len(waiting) > 0 {
		var q QueueStatus
		if len(waiting) == 0 || len(items) > 0 && items[0].Queue <= waiting[0].Queue {
			q.Queue, q.Items, items = items[0].Queue, items[0].Count, items[1:]
		} else {
			q.Queue = waiting[0].Queue
		}
		if len(waiting) > 0 && waiting[0].Queue == q.Queue {
			q.Scheduled, waiting = waiting[0].Count, waiting[1:]
			next := storage.ScheduleQuery{Queue: q.Queue, Limit: 1, HeadsOnly: true}
			err := r.Scheduled(next, func(s inbox.Scheduled) (bool, error) {
				q.NextAt = s.At
				return false, nil
			})
			if err != nil {
				return nil, err
			}
		}
		all = append(all, q)
	}
	return all, nil
}
