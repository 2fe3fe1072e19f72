package app

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// maxParked bounds how many parked items an overview lists of one subscription.
const maxParked = 100

// parkedLeases lists what is parked in a subscription at now, recorded or by the
// clock, lowest item first and at most limit.
func parkedLeases(r storage.Reader, sub inbox.Subscription, now int64, limit int) ([]inbox.Lease, error) {
	parked, err := r.Leases(sub.Name, storage.LeaseQuery{State: storage.ParkedLease, Limit: limit})
	if err != nil || sub.Rules.Share != inbox.One {
		return parked, err
	}
	due := parking(sub.Rules, inbox.ExpiryAt(now))
	due.Limit = limit
	ended, err := r.Leases(sub.Name, due)
	if err != nil {
		return nil, err
	}
	parked = append(parked, ended...)
	slices.SortFunc(parked, func(a, b inbox.Lease) int { return cmp.Compare(a.Item, b.Item) })
	return parked[:min(limit, len(parked))], nil
}

// parkedIn tells whether a lease's item is parked at now in the subscription that
// the lease is of. Under share all the clock parks nothing.
func parkedIn(sub inbox.Subscription, l inbox.Lease, now int64) bool {
	return l.Parked || sub.Rules.Share == inbox.One && l.Spent(sub.Rules, now)
}

// keepParked leaves of some items those that are parked in the subscription.
func (l *listing) keepParked(items []int64) ([]int64, error) {
	leases, err := l.r.LeasesOn(items)
	if err != nil {
		return nil, err
	}
	parked := make(map[int64]bool)
	for _, lease := range leases {
		if lease.Subscription == l.sub.Name && parkedIn(l.sub, lease, l.now) {
			parked[lease.Item] = true
		}
	}
	return slices.DeleteFunc(items, func(id int64) bool { return !parked[id] }), nil
}

// readsQueue refuses a list of what is parked in a subscription to another queue.
func readsQueue(sub inbox.Subscription, queue string) error {
	if sub.Rules.Queue == queue {
		return nil
	}
	return &domain.Error{
		Code: domain.NotFound, Text: fmt.Sprintf("the subscription %q reads the queue %q, and not %q", sub.Name, sub.Rules.Queue, domain.Shorten(queue)),
		Remedy: "name its queue",
	}
}
