package app

import (
	"fmt"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// requireBound finds a binding, or says which of the two names is unknown.
func requireBound(r storage.Reader, subscription, subscriber string) (inbox.Bound, error) {
	b, ok, err := r.Bound(subscription, subscriber)
	if err != nil || ok {
		return b, err
	}
	if _, err := requireSubscription(r, subscription); err != nil {
		return b, err
	}
	return b, &domain.Error{
		Code: domain.NotFound, Text: fmt.Sprintf("the subscriber %q is not bound to %q", subscriber, subscription),
		Remedy: fmt.Sprintf("bind it with tundish subscribe %s --as %s", subscription, subscriber),
	}
}

// requireSubscription finds a subscription, or says that it is unknown.
func requireSubscription(r storage.Reader, name string) (inbox.Subscription, error) {
	sub, ok, err := r.Subscription(name)
	if err != nil || ok {
		return sub, err
	}
	return sub, &domain.Error{
		Code: domain.NotFound, Text: fmt.Sprintf("there is no subscription %q", name),
		Remedy: fmt.Sprintf("tundish subscribe %s --as WHO --queue QUEUE creates it", name),
	}
}

// usable refuses a subscription whose stored rules cannot be read.
func usable(sub inbox.Subscription) error {
	if sub.Broken == "" {
		return nil
	}
	return &domain.Error{
		Code: domain.Corrupt, Text: fmt.Sprintf("the subscription %q cannot be used: %s", sub.Name, sub.Broken),
		Remedy: fmt.Sprintf("set its rules anew with tundish subscribe %s --queue %s", sub.Name, domain.Escape(sub.Rules.Queue)),
	}
}
