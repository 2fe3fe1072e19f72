package app

import (
	"context"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// Seek puts a subscriber somewhere else in its queue (SEEK-1).
type Seek struct {
	Subscription string
	Subscriber   string
	To           inbox.Place
}

// Sought is where a seek has led.
type Sought struct {
	Position int64 // the next pull begins behind it
	From     int64 // where it stood before
	Shared   bool  // under share one: the position is that of all subscribers
}

// Seek moves a position, and nothing else but that the subscriber is due at once
// and that what it was shown behind the position is unread again. Acks, leases and
// counts stay: under share one what has an ack or a lease does not come again,
// under share all everything behind the position does (SEEK-1 to SEEK-3).
func (in *Inbox) Seek(ctx context.Context, s Seek) (Sought, error) {
	if err := inbox.CheckSubscription(s.Subscription); err != nil {
		return Sought{}, err
	}
	if err := inbox.CheckSubscriber(s.Subscriber); err != nil {
		return Sought{}, err
	}
	var done Sought
	err := in.store.Update(ctx, func(tx storage.Writer) error {
		b, err := requireBound(tx, s.Subscription, s.Subscriber)
		if err != nil {
			return err
		}
		if err := usable(b.Subscription); err != nil {
			return err
		}
		var first int64 // created at the time or later; 0 when there is none
		if s.To.Since != 0 {
			if first, err = tx.FirstSince(b.Subscription.Rules.Queue, s.To.Since); err != nil {
				return err
			}
		}
		done = Sought{Position: s.To.At(first, b.Newest), From: b.Position(), Shared: b.Subscription.Rules.Share == inbox.One}
		return seek(tx, b, done.Position, in.now())
	})
	if err != nil {
		return Sought{}, err
	}
	return done, nil
}

func seek(tx storage.Writer, b inbox.Bound, position, now int64) error {
	sub, err := park(tx, b.Subscription, now)
	if err != nil {
		return err
	}
	bindings, err := tx.Bindings(sub.Name)
	if err != nil {
		return err
	}
	moved, after := inbox.Seek(sub, bindings, b.Binding.Subscriber, position, now)
	if moved != sub {
		if err := tx.PutProgress(moved); err != nil {
			return err
		}
	}
	for i := range after {
		if after[i] != bindings[i] {
			if err := tx.PutBinding(after[i]); err != nil {
				return err
			}
		}
	}
	if sub.Rules.Share == inbox.One {
		return nil
	}
	return tx.Unmark(sub.Name, b.Binding.Subscriber, position)
}
