package app

import (
	"fmt"
	"strings"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// claimant is who calls about claims, and in which subscription: empty for the
// only one that it holds on an item's queue (ACK-1).
type claimant struct{ subscriber, subscription string }

func (c claimant) check() error {
	if err := inbox.CheckSubscriber(c.subscriber); err != nil || c.subscription == "" {
		return err
	}
	return inbox.CheckSubscription(c.subscription)
}

// facts finds what is known of an item in the subscription that is meant.
func (c claimant) facts(r storage.Reader, id int64) (f inbox.ClaimFacts, err error) {
	f.Item = id
	item, err := requireItem(r, id)
	if err != nil {
		return f, err
	}
	if f.Bound, err = c.boundOn(r, item); err != nil {
		return f, err
	}
	name := f.Bound.Subscription.Name
	ack, ok, err := r.Ack(name, id)
	if err != nil {
		return f, err
	}
	if ok {
		f.Ack = &ack
	}
	lease, ok, err := r.Lease(name, id)
	if ok {
		f.Lease = &lease
	}
	return f, err
}

// bound finds the binding that is meant by a call about items up to one, which
// need not be kept any more if the subscription is named.
func (c claimant) bound(r storage.Reader, through int64) (inbox.Bound, error) {
	if c.subscription != "" {
		return requireBound(r, c.subscription, c.subscriber)
	}
	item, err := requireItem(r, through)
	if err != nil {
		return inbox.Bound{}, err
	}
	return c.boundOn(r, item)
}

// boundOn finds the binding that is meant by a call about an item (ACK-1).
func (c claimant) boundOn(r storage.Reader, item inbox.Item) (inbox.Bound, error) {
	if c.subscription != "" {
		b, err := requireBound(r, c.subscription, c.subscriber)
		if err == nil && b.Subscription.Rules.Queue != item.Queue {
			err = otherQueue(b.Subscription, item)
		}
		return b, err
	}
	all, err := r.BoundBy(c.subscriber)
	if err != nil {
		return inbox.Bound{}, err
	}
	var found []inbox.Bound
	var names []string
	for _, b := range all {
		if b.Subscription.Rules.Queue == item.Queue {
			found = append(found, b)
			names = append(names, b.Subscription.Name)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return inbox.Bound{}, &domain.Error{
			Code: domain.NotFound, Text: fmt.Sprintf("the subscriber %q has no subscription to the queue %q of item %d", c.subscriber, item.Queue, item.ID),
			Remedy: "bind it with tundish subscribe NAME --as " + c.subscriber,
		}
	}
	return inbox.Bound{}, &domain.Error{
		Code: domain.Invalid, Text: fmt.Sprintf("the subscriber %q has several subscriptions to the queue %q: %s", c.subscriber, item.Queue, strings.Join(names, ", ")),
		Remedy: "choose one with --subscription",
	}
}

func otherQueue(sub inbox.Subscription, item inbox.Item) error {
	return &domain.Error{
		Code: domain.NotFound, Text: fmt.Sprintf("the subscription %q reads the queue %q, and item %d is in %q",
			sub.Name, sub.Rules.Queue, item.ID, item.Queue),
		Remedy: "name a subscription that reads the item's queue",
	}
}

func requireItem(r storage.Reader, id int64) (inbox.Item, error) {
	item, ok, err := r.Item(id)
	if err == nil && !ok {
		err = noItem(id)
	}
	return item, err
}

func noItem(id int64) error {
	return &domain.Error{
		Code: domain.NotFound, Text: fmt.Sprintf("there is no item %d", id),
		Remedy: "it was never published, or retention has removed it; tundish list QUEUE shows what is kept",
	}
}

// distinct leaves out ids that come again.
func distinct(ids []int64) []int64 {
	seen := make(map[int64]bool, len(ids))
	var kept []int64
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			kept = append(kept, id)
		}
	}
	return kept
}

// someItems refuses a call about no item.
func someItems(items []int64) error {
	if len(items) == 0 {
		return &domain.Error{Code: domain.Invalid, Text: "an item is missing"}
	}
	return nil
}
