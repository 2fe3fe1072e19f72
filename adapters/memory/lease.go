package memory

import (
	"cmp"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

func (r reader) Lease(subscription string, item int64) (inbox.Lease, bool, error) {
	lease, ok := r.leases.get(claim{subscription, item})
	return lease, ok, nil
}

func (r reader) Leases(subscription string, query storage.LeaseQuery) ([]inbox.Lease, error) {
	leases := r.matching(subscription, query)
	if query.Limit > 0 {
		leases = leases[:min(query.Limit, len(leases))]
	}
	return leases, nil
}

func (r reader) CountLeases(subscription string, query storage.LeaseQuery) (int64, error) {
	return int64(len(r.matching(subscription, query))), nil
}

func (r reader) LeasesOn(items []int64) ([]inbox.Lease, error) {
	meant := set(items)
	return r.leases.pick(func(l inbox.Lease) bool { return meant[l.Item] }, byItem), nil
}

// matching lists the leases that a query selects but for its limit.
func (r reader) matching(subscription string, query storage.LeaseQuery) []inbox.Lease {
	return r.leases.pick(func(l inbox.Lease) bool {
		return l.Subscription == subscription && matches(query, l)
	}, byItem)
}

func matches(query storage.LeaseQuery, l inbox.Lease) bool {
	switch {
	case query.Item != 0 && query.Item != l.Item:
		return false
	case query.State == storage.OpenLease && l.Parked, query.State == storage.ParkedLease && !l.Parked:
		return false
	case query.Ended != nil && !query.Ended.Ended(l):
		return false
	case l.Attempts < query.MinAttempts:
		return false
	}
	return query.BelowAttempts == 0 || l.Attempts < query.BelowAttempts
}

func byItem(a, b inbox.Lease) int {
	return cmp.Or(cmp.Compare(a.Item, b.Item), cmp.Compare(a.Subscription, b.Subscription))
}

func (w writer) PutLease(lease inbox.Lease) error {
	c := claim{lease.Subscription, lease.Item}
	if err := w.claimable(c); err != nil {
		return err
	}
	w.leases.put(c, lease)
	return nil
}

func (w writer) Park(subscription string, query storage.LeaseQuery) (int64, error) {
	leases := w.matching(subscription, query)
	for _, lease := range leases {
		lease.Parked = true
		w.leases.put(claim{lease.Subscription, lease.Item}, lease)
	}
	return int64(len(leases)), nil
}

func (w writer) RemoveLeases(subscription string, query storage.LeaseQuery) error {
	w.leases.remove(func(c claim) bool {
		return c.subscription == subscription && matches(query, w.leases.rows[c])
	})
	return nil
}
