package app

import (
	"context"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// Unpark lets pulls have parked items again, all of them or none (ACK-3).
type Unpark struct {
	Items        []int64 // one given twice counts once
	Subscription string
}

// Unpark forgets the attempts that the items have had, makes them due at once, and
// lists them, each once.
// An item that is not parked by now has code domain.NotFound, and is the error of
// all (ACK-3).
func (in *Inbox) Unpark(ctx context.Context, u Unpark) ([]int64, error) {
	if err := someItems(u.Items); err != nil {
		return nil, err
	}
	if err := inbox.CheckSubscription(u.Subscription); err != nil {
		return nil, err
	}
	items := distinct(u.Items)
	err := in.store.Update(ctx, func(tx storage.Writer) error {
		sub, err := requireSubscription(tx, u.Subscription)
		if err != nil {
			return err
		}
		if err := usable(sub); err != nil {
			return err
		}
		now := in.now()
		if sub, err = park(tx, sub, now); err != nil {
			return err
		}
		for _, id := range items {
			if err := unparkOne(tx, sub, id, now); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return items, nil
}

func unparkOne(tx storage.Writer, sub inbox.Subscription, id, now int64) error {
	item, err := requireItem(tx, id)
	if err != nil {
		return err
	}
	if item.Queue != sub.Rules.Queue {
		return otherQueue(sub, item)
	}
	var known *inbox.Lease
	lease, ok, err := tx.Lease(sub.Name, id)
	if err != nil {
		return err
	}
	if ok {
		known = &lease
	}
	free, err := inbox.DecideUnpark(sub, id, known, now)
	if err != nil {
		return err
	}
	return tx.PutLease(free)
}
