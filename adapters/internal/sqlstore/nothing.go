package sqlstore

import (
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// nothing is the reader of a database that does not exist yet (CMD-5).
type nothing struct{}

var _ storage.Reader = nothing{}

func (nothing) Item(int64) (inbox.Item, bool, error) { return inbox.Item{}, false, nil }

func (nothing) Scan(storage.Scan, func(inbox.Item) (bool, error)) error { return nil }

func (nothing) Older(string, int64, int) ([]inbox.Head, error) { return nil, nil }

func (nothing) FirstSince(string, int64) (int64, error) { return 0, nil }

func (nothing) Expired(string, int64, int) ([]int64, error) { return nil, nil }

func (nothing) Expiries([]int64) (map[int64]int64, error) { return nil, nil }

func (nothing) NextAfter(string, int64) (int64, error) { return 0, nil }

func (nothing) Queues() ([]inbox.QueueCount, error) { return nil, nil }

func (nothing) Count(string) (int64, error) { return 0, nil }

func (nothing) CountAfter(string, int64) (int64, error) { return 0, nil }

func (nothing) Newest(string) (int64, error) { return 0, nil }

func (nothing) Subscription(string) (inbox.Subscription, bool, error) {
	return inbox.Subscription{}, false, nil
}

func (nothing) Subscriptions() ([]inbox.Subscription, error) { return nil, nil }

func (nothing) SubscriptionsOn(string) ([]inbox.Subscription, error) { return nil, nil }

func (nothing) Bound(string, string) (inbox.Bound, bool, error) { return inbox.Bound{}, false, nil }

func (nothing) BoundBy(string) ([]inbox.Bound, error) { return nil, nil }

func (nothing) Bindings(string) ([]inbox.Binding, error) { return nil, nil }

func (nothing) Ack(string, int64) (inbox.Ack, bool, error) { return inbox.Ack{}, false, nil }

func (nothing) Acks([]int64) ([]inbox.Ack, error) { return nil, nil }

func (nothing) Claimed(string, int64, int64) ([]int64, error) { return nil, nil }

func (nothing) CountShown(string, string) (int64, error) { return 0, nil }

func (nothing) ShownTo(string, string, int64) ([]int64, error) { return nil, nil }

func (nothing) Lease(string, int64) (inbox.Lease, bool, error) { return inbox.Lease{}, false, nil }

func (nothing) Leases(string, storage.LeaseQuery) ([]inbox.Lease, error) { return nil, nil }

func (nothing) CountLeases(string, storage.LeaseQuery) (int64, error) { return 0, nil }

func (nothing) LeasesOn([]int64) ([]inbox.Lease, error) { return nil, nil }

func (nothing) Dedupe(string, string) (inbox.Dedupe, bool, error) { return inbox.Dedupe{}, false, nil }

func (nothing) Scheduled(storage.ScheduleQuery, func(inbox.Scheduled) (bool, error)) error {
	return nil
}

func (nothing) ScheduledCounts() ([]inbox.QueueCount, error) { return nil, nil }
