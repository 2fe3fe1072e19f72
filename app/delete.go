package app

import (
	"context"
	"fmt"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// Deleted is what went with a subscription.
type Deleted struct {
	Subscription string
	Queue        string
	Subscribers  []string // who was bound, by name
	Acks         int64
	Leases       int64
	Shown        int64
}

// Delete removes a subscription, whether its rules can be used or not, with its
// bindings, acks, leases and shown marks. The items of its queue stay (CARE-5). An
// error together with a subscription in Deleted means that it is gone, but that
// parts of it may still be read in the file.
func (in *Inbox) Delete(ctx context.Context, name string) (Deleted, error) {
	if err := inbox.CheckSubscription(name); err != nil {
		return Deleted{}, err
	}
	var done Deleted
	err := in.store.Update(ctx, func(tx storage.Writer) error {
		sub, ok, err := tx.Subscription(name)
		if err != nil {
			return err
		}
		if !ok {
			return &domain.Error{
				Code: domain.NotFound, Text: fmt.Sprintf("there is no subscription %q", name), Remedy: "tundish status --all lists them",
			}
		}
		bindings, err := tx.Bindings(name)
		if err != nil {
			return err
		}
		done = Deleted{Subscription: name, Queue: sub.Rules.Queue}
		for _, b := range bindings {
			done.Subscribers = append(done.Subscribers, b.Subscriber)
		}
		size, err := tx.RemoveSubscription(name)
		done.Acks, done.Leases, done.Shown = size.Acks, size.Leases, size.Shown
		return err
	})
	if err != nil {
		return Deleted{}, err
	}
	return done, in.scrub(ctx)
}
