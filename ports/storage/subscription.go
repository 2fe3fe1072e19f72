package storage

import "github.com/tundish-go/tundish/domain/inbox"

// SubscriptionReader reads subscriptions. One whose stored rules cannot be used
// comes with Broken set.
type SubscriptionReader interface {
	// Subscription finds one by name; ok is false when there is none.
	Subscription(name string) (sub inbox.Subscription, ok bool, err error)
	// Subscriptions lists all, by name.
	Subscriptions() ([]inbox.Subscription, error)
	// SubscriptionsOn lists those that read a queue, by name.
	SubscriptionsOn(queue string) ([]inbox.Subscription, error)
}

// SubscriptionWriter changes subscriptions.
type SubscriptionWriter interface {
	// PutSubscription stores a subscription, a new one or in place of the one of
	// that name. sub.Broken must be empty.
	PutSubscription(sub inbox.Subscription) error
	// PutProgress stores Scan, Unreported and LastError of an existing
	// subscription and leaves its rules alone, which may even be broken.
	PutProgress(sub inbox.Subscription) error
	// ResetClaims deletes all acks, leases and shown marks of a subscription.
	ResetClaims(subscription string) error
	// RemoveSubscription deletes a subscription, one with broken rules too, with
	// its bindings, acks, leases and shown marks, and tells how many there were; it
	// is no error if there is none.
	RemoveSubscription(name string) (SubscriptionSize, error)
}

// SubscriptionSize is how much belongs to a subscription.
type SubscriptionSize struct {
	Bindings, Acks, Leases, Shown int64
}

// BindingReader reads bindings.
type BindingReader interface {
	// Bound finds the binding of a subscriber to a subscription; ok is false
	// when there is none.
	Bound(subscription, subscriber string) (bound inbox.Bound, ok bool, err error)
	// BoundBy lists the bindings of one subscriber, by subscription, in one
	// query.
	BoundBy(subscriber string) ([]inbox.Bound, error)
	// Bindings lists the bindings of a subscription, by subscriber.
	Bindings(subscription string) ([]inbox.Binding, error)
}

// BindingWriter changes bindings.
type BindingWriter interface {
	// PutBinding stores a binding of an existing subscription, a new one or in
	// place of the one of those names.
	PutBinding(binding inbox.Binding) error
	// RemoveBinding deletes a binding and its shown marks.
	RemoveBinding(subscription, subscriber string) error
	// NextPull counts a delivering pull and returns its number, from 1: one
	// counter for the database (OBJ-3).
	NextPull() (int64, error)
}
