package storage

import "github.com/tundish-go/tundish/domain/inbox"

// AckReader reads acks and the marks of what was shown.
type AckReader interface {
	// Ack finds the ack of an item in a subscription; ok is false when there is
	// none.
	Ack(subscription string, item int64) (ack inbox.Ack, ok bool, err error)
	// Acks lists all acks of the given items, by item, then subscription.
	Acks(items []int64) ([]inbox.Ack, error)
	// Claimed lists the items with after < id ≤ through (through 0: no bound)
	// that have an ack or a lease, parked or not, in the subscription, ascending.
	Claimed(subscription string, after, through int64) ([]int64, error)
	// CountShown is the number of items marked as shown to a binding.
	CountShown(subscription, subscriber string) (int64, error)
	// ShownTo lists the items up to through that are marked as shown to a binding,
	// ascending.
	ShownTo(subscription, subscriber string, through int64) ([]int64, error)
}

// ClaimWriter changes acks and shown marks.
type ClaimWriter interface {
	// PutAck records an ack that does not exist yet, with its note, and deletes the
	// item's lease and all its shown marks in that subscription.
	PutAck(ack inbox.Ack) error
	// MarkShown marks items as shown to a binding; marks that exist stay.
	MarkShown(subscription, subscriber string, items []int64) error
	// Unmark deletes a binding's marks on items above after.
	Unmark(subscription, subscriber string, after int64) error
}

// LeaseQuery selects leases of one subscription. Zero fields select everything.
type LeaseQuery struct {
	Item          int64 // only the lease on it
	State         LeaseState
	Ended         *inbox.Expiry // only those that have ended by it
	MinAttempts   int64         // only with at least so many attempts
	BelowAttempts int64         // only with fewer attempts; 0 means no bound
	Limit         int           // at most so many; 0 means no bound
}

// LeaseState says whether parked leases are wanted.
type LeaseState uint8

// The states.
const (
	AnyLease LeaseState = iota
	OpenLease
	ParkedLease
)

// LeaseReader reads leases.
type LeaseReader interface {
	// Lease finds the lease on an item; ok is false when there is none.
	Lease(subscription string, item int64) (lease inbox.Lease, ok bool, err error)
	// Leases lists the selected leases, lowest item first.
	Leases(subscription string, query LeaseQuery) ([]inbox.Lease, error)
	// CountLeases counts the selected leases; Limit is ignored.
	CountLeases(subscription string, query LeaseQuery) (int64, error)
	// LeasesOn lists all leases on the given items, by item, then subscription.
	LeasesOn(items []int64) ([]inbox.Lease, error)
}

// LeaseWriter changes leases.
type LeaseWriter interface {
	// PutLease stores a lease, a new one or in place of the one on that item.
	PutLease(lease inbox.Lease) error
	// Park parks the selected leases and returns how many there were; Limit is
	// ignored.
	Park(subscription string, query LeaseQuery) (int64, error)
	// RemoveLeases deletes the selected leases; Limit is ignored.
	RemoveLeases(subscription string, query LeaseQuery) error
}

// DedupeReader reads publishers' own ids.
type DedupeReader interface {
	// Dedupe finds what was stored under a publisher's id in a queue; ok is false
	// when nothing was.
	Dedupe(queue, id string) (record inbox.Dedupe, ok bool, err error)
}

// DedupeWriter changes publishers' own ids.
type DedupeWriter interface {
	// PutDedupe stores a record, a new one or in place of the one of that queue
	// and id.
	PutDedupe(record inbox.Dedupe) error
	// ForgetDedupes deletes up to limit records made before a time, in any queue.
	ForgetDedupes(before int64, limit int) error
}
