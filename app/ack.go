package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// Ack takes responsibility for an item.
type Ack struct {
	Item       int64
	Subscriber string
	// Subscription is whose ack it is; empty for the only one that the
	// subscriber holds on the item's queue (ACK-1).
	Subscription string
}

// Acked is what an ack did.
type Acked struct {
	Item         int64
	Subscription string
	Repeat       bool // the subscriber had acked it before
	WasParked    bool
	NeverPulled  bool
}

// Ack records the subscriber's ack; a repeat by the owner succeeds. Another
// subscriber's ack or live lease yields an error with code domain.Claimed that
// wraps an *inbox.ClaimedError (ACK-1).
func (in *Inbox) Ack(ctx context.Context, a Ack) (Acked, error) {
	if err := inbox.CheckSubscriber(a.Subscriber); err != nil {
		return Acked{}, err
	}
	if a.Subscription != "" {
		if err := inbox.CheckSubscription(a.Subscription); err != nil {
			return Acked{}, err
		}
	}
	var done Acked
	err := in.store.Update(ctx, func(tx storage.Writer) error {
		facts, err := ackFacts(tx, a)
		if err != nil {
			return err
		}
		sub := facts.Bound.Subscription
		now := in.now()
		decision, err := inbox.DecideAck(facts, now)
		if err != nil {
			return err
		}
		done = Acked{
			Item: a.Item, Subscription: sub.Name, Repeat: decision.Record == nil,
			WasParked: decision.WasParked, NeverPulled: decision.NeverPulled,
		}
		if decision.Record == nil {
			return nil
		}
		if _, err := park(tx, sub, now); err != nil {
			return err
		}
		return tx.PutAck(*decision.Record)
	})
	if err != nil {
		return Acked{}, err
	}
	return done, nil
}

func ackFacts(r storage.Reader, a Ack) (f inbox.AckFacts, err error) {
	f.Item = a.Item
	item, ok, err := r.Item(a.Item)
	if err != nil {
		return f, err
	}
	if !ok {
		return f, noItem(a.Item)
	}
	if f.Bound, err = ackBound(r, a, item.Queue); err != nil {
		return f, err
	}
	name := f.Bound.Subscription.Name
	ack, ok, err := r.Ack(name, a.Item)
	if err != nil {
		return f, err
	}
	if ok {
		f.Ack = &ack
	}
	lease, ok, err := r.Lease(name, a.Item)
	if ok {
		f.Lease = &lease
	}
	return f, err
}

// ackBound finds the binding that the ack is for (ACK-1).
func ackBound(r storage.Reader, a Ack, queue string) (inbox.Bound, error) {
	if a.Subscription != "" {
		b, err := requireBound(r, a.Subscription, a.Subscriber)
		if err == nil && b.Subscription.Rules.Queue != queue {
			err = &domain.Error{
				Code: domain.NotFound, Text: fmt.Sprintf("the subscription %q reads the queue %q, and item %d is in %q",
					a.Subscription, b.Subscription.Rules.Queue, a.Item, queue),
				Remedy: "name a subscription that reads the item's queue",
			}
		}
		return b, err
	}
	all, err := r.BoundBy(a.Subscriber)
	if err != nil {
		return inbox.Bound{}, err
	}
	var found []inbox.Bound
	var names []string
	for _, b := range all {
		if b.Subscription.Rules.Queue == queue {
			found = append(found, b)
			names = append(names, b.Subscription.Name)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return inbox.Bound{}, &domain.Error{
			Code: domain.NotFound, Text: fmt.Sprintf("the subscriber %q has no subscription to the queue %q of item %d", a.Subscriber, queue, a.Item),
			Remedy: "bind it with tundish subscribe NAME --as " + a.Subscriber,
		}
	}
	return inbox.Bound{}, &domain.Error{
		Code: domain.Invalid, Text: fmt.Sprintf("the subscriber %q has several subscriptions to the queue %q: %s", a.Subscriber, queue, strings.Join(names, ", ")),
		Remedy: "choose one with --subscription",
	}
}

func noItem(id int64) error {
	return &domain.Error{
		Code: domain.NotFound, Text: fmt.Sprintf("there is no item %d", id),
		Remedy: "it was never published, or retention has removed it; tundish list QUEUE shows what is kept",
	}
}
