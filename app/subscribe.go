package app

import (
	"context"
	"fmt"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// Subscribe binds a subscriber to a subscription and, with Rules, creates the
// subscription or replaces its rules.
type Subscribe struct {
	Name       string
	Subscriber string
	Rules      *inbox.Rules // nil to bind only
}

// Subscribed is what a subscribe did.
type Subscribed struct {
	Created   bool
	Replaced  bool
	MovedFrom string // the queue it read before; empty when it was not moved
	Bound     bool   // this call made the binding
	Rules     inbox.Rules
	// SharedWith are the other subscribers whose rules this call replaced.
	SharedWith []string
	// Lost are items that were under an open lease when the change to share all
	// cleared it: nobody gets them again (SUB-2).
	Lost []int64
	// FilterStray and TemplateStray are members that the expressions read and items
	// do not have, as ports.Expressions sees it; empty for none.
	FilterStray, TemplateStray string
}

// Subscribe creates, replaces, moves and binds in one transaction. Expressions
// that do not compile are refused before anything is stored (CMD-3). Positions
// follow SUB-1 to SUB-5.
func (in *Inbox) Subscribe(ctx context.Context, s Subscribe) (Subscribed, error) {
	if err := in.checkSubscribe(s); err != nil {
		return Subscribed{}, err
	}
	if s.Rules == nil { // what cannot be bound to must not make a database (CMD-5)
		err := in.store.View(ctx, func(r storage.Reader) error {
			_, err := requireSubscription(r, s.Name)
			return err
		})
		if err != nil {
			return Subscribed{}, err
		}
	}
	var done Subscribed
	err := in.store.Update(ctx, func(tx storage.Writer) error {
		sub, err := in.settle(tx, s, &done)
		if err != nil {
			return err
		}
		done.Rules = sub.Rules
		return in.bind(tx, sub, s.Subscriber, &done)
	})
	if err != nil {
		return Subscribed{}, err
	}
	if s.Rules != nil {
		done.FilterStray, done.TemplateStray = in.expressions.Stray(s.Rules.Filter), in.expressions.Stray(s.Rules.Template)
	}
	return done, nil
}

func (in *Inbox) checkSubscribe(s Subscribe) error {
	if err := inbox.CheckSubscription(s.Name); err != nil {
		return err
	}
	if err := inbox.CheckSubscriber(s.Subscriber); err != nil {
		return err
	}
	if s.Rules == nil {
		return nil
	}
	if err := s.Rules.Check(); err != nil {
		return err
	}
	return in.newJudge(*s.Rules, in.now()).compile()
}

// settle stores the rules and gives the subscription as it is then.
func (in *Inbox) settle(tx storage.Writer, s Subscribe, done *Subscribed) (inbox.Subscription, error) {
	if s.Rules == nil {
		sub, err := requireSubscription(tx, s.Name)
		if err != nil {
			return sub, err
		}
		return sub, usable(sub)
	}
	newest, err := tx.Newest(s.Rules.Queue)
	if err != nil {
		return inbox.Subscription{}, err
	}
	old, exists, err := tx.Subscription(s.Name)
	if err != nil {
		return old, err
	}
	if !exists {
		done.Created = true
		sub := inbox.NewSubscription(s.Name, *s.Rules, newest)
		return sub, tx.PutSubscription(sub)
	}
	if old, err = park(tx, old, in.now()); err != nil {
		return old, err
	}
	return replace(tx, old, s, newest, done)
}

func replace(tx storage.Writer, old inbox.Subscription, s Subscribe, newest int64, done *Subscribed) (inbox.Subscription, error) {
	bindings, err := tx.Bindings(s.Name)
	if err != nil {
		return old, err
	}
	r := inbox.Replace(old, bindings, *s.Rules, newest)
	for _, b := range bindings {
		if b.Subscriber != s.Subscriber {
			done.SharedWith = append(done.SharedWith, b.Subscriber)
		}
	}
	done.Replaced = !r.Moved
	if r.Moved {
		done.MovedFrom = old.Rules.Queue
		if err := tx.ResetClaims(s.Name); err != nil {
			return old, err
		}
	}
	if r.Unlease {
		if done.Lost, err = unlease(tx, s.Name, bindings); err != nil {
			return old, err
		}
	}
	if err := tx.PutSubscription(r.Subscription); err != nil {
		return old, err
	}
	for _, b := range r.Bindings {
		if err := tx.PutBinding(b); err != nil {
			return old, err
		}
	}
	return r.Subscription, nil
}

// unlease clears open leases and marks their items as shown to their holders
// (SUB-2, PULL-5).
func unlease(tx storage.Writer, name string, bindings []inbox.Binding) ([]int64, error) {
	open := storage.LeaseQuery{State: storage.OpenLease}
	leases, err := tx.Leases(name, open)
	if err != nil {
		return nil, err
	}
	held := map[string][]int64{}
	var lost []int64
	for _, l := range leases {
		held[l.Owner] = append(held[l.Owner], l.Item)
		lost = append(lost, l.Item)
	}
	for _, b := range bindings {
		if items := held[b.Subscriber]; len(items) > 0 {
			if err := tx.MarkShown(name, b.Subscriber, items); err != nil {
				return nil, err
			}
		}
	}
	return lost, tx.RemoveLeases(name, open)
}

func (in *Inbox) bind(tx storage.Writer, sub inbox.Subscription, subscriber string, done *Subscribed) error {
	_, bound, err := tx.Bound(sub.Name, subscriber)
	if err != nil || bound {
		return err
	}
	if sub, err = park(tx, sub, in.now()); err != nil {
		return err
	}
	newest, err := tx.Newest(sub.Rules.Queue)
	if err != nil {
		return err
	}
	done.Bound = true
	return tx.PutBinding(inbox.NewBinding(sub, subscriber, newest))
}

// Unsubscribe removes a binding with its position. Leases that the subscriber
// holds stand until they end (SUB-5).
func (in *Inbox) Unsubscribe(ctx context.Context, name, subscriber string) error {
	if err := inbox.CheckSubscription(name); err != nil {
		return err
	}
	if err := inbox.CheckSubscriber(subscriber); err != nil {
		return err
	}
	return in.store.Update(ctx, func(tx storage.Writer) error {
		b, ok, err := tx.Bound(name, subscriber)
		if err != nil {
			return err
		}
		if !ok {
			return &domain.Error{
				Code: domain.NotFound, Text: fmt.Sprintf("the subscriber %q is not bound to %q", subscriber, name),
				Remedy: "tundish status lists the bindings",
			}
		}
		if _, err := park(tx, b.Subscription, in.now()); err != nil {
			return err
		}
		return tx.RemoveBinding(name, subscriber)
	})
}
