package app

import (
	"context"
	"fmt"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// Nack gives items back that are leased to the subscriber, all of them or none
// (ACK-3).
type Nack struct {
	Items        []int64 // one given twice counts once
	Subscriber   string
	Subscription string // as in Ack
	Delay        int64  // seconds, up to inbox.MaxDuration, until pulls get them again
}

// Nacked is what a nack did.
type Nacked struct {
	Item         int64
	Subscription string
	Attempts     int64 // that the item has had
	Until        int64 // Unix seconds, from which on pulls get it; meaningless with Parked
	Parked       bool  // it was the last attempt
}

// Nack ends the subscriber's leases. Another's live lease yields an error with code
// domain.Claimed that wraps an *inbox.ClaimedError; without any live lease the code
// is domain.NotFound. The first such item is the error of all (ACK-3).
func (in *Inbox) Nack(ctx context.Context, n Nack) ([]Nacked, error) {
	if err := n.check(); err != nil {
		return nil, err
	}
	var done []Nacked
	err := in.store.Update(ctx, func(tx storage.Writer) error {
		now, who := in.now(), claimant{n.Subscriber, n.Subscription}
		for _, item := range distinct(n.Items) {
			l, err := relet(tx, who, item, now, func(f inbox.ClaimFacts) (inbox.Lease, error) {
				return inbox.DecideNack(f, n.Delay, now)
			})
			if err != nil {
				return err
			}
			done = append(done, Nacked{Item: item, Subscription: l.Subscription, Attempts: l.Attempts, Until: l.Until, Parked: l.Parked})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

func (n Nack) check() error {
	if err := someItems(n.Items); err != nil {
		return err
	}
	if n.Delay < 0 || n.Delay > inbox.MaxDuration {
		return outOfRange("delay", n.Delay)
	}
	return claimant{n.Subscriber, n.Subscription}.check()
}

// relet puts another lease in the place of the one on an item. One that was parked
// by that counts like those that the clock has parked (PULL-6).
func relet(tx storage.Writer, who claimant, item, now int64, decide func(inbox.ClaimFacts) (inbox.Lease, error)) (inbox.Lease, error) {
	facts, err := who.facts(tx, item)
	if err != nil {
		return inbox.Lease{}, err
	}
	if err := usable(facts.Bound.Subscription); err != nil {
		return inbox.Lease{}, err
	}
	lease, err := decide(facts)
	if err != nil {
		return inbox.Lease{}, err
	}
	sub, err := park(tx, facts.Bound.Subscription, now)
	if err != nil {
		return inbox.Lease{}, err
	}
	if lease.Parked {
		sub.Unreported.Parked++
		if err := tx.PutProgress(sub); err != nil {
			return inbox.Lease{}, err
		}
	}
	return lease, tx.PutLease(lease)
}

// Extend gives the subscriber's leases another length, all of them or none
// (ACK-3).
type Extend struct {
	Items        []int64 // one given twice counts once
	Subscriber   string
	Subscription string // as in Ack
	Lease        int64  // seconds from now on, from 1 to inbox.MaxDuration
}

// Extended is what an extension did.
type Extended struct {
	Item         int64
	Subscription string
	Until        int64 // Unix seconds
}

// Extend moves the end of the subscriber's leases, to later or to sooner. What it
// refuses, and how, is as in Nack (ACK-3).
func (in *Inbox) Extend(ctx context.Context, e Extend) ([]Extended, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	var done []Extended
	err := in.store.Update(ctx, func(tx storage.Writer) error {
		now, who := in.now(), claimant{e.Subscriber, e.Subscription}
		for _, item := range distinct(e.Items) {
			l, err := relet(tx, who, item, now, func(f inbox.ClaimFacts) (inbox.Lease, error) {
				return inbox.DecideExtend(f, e.Lease, now)
			})
			if err != nil {
				return err
			}
			done = append(done, Extended{Item: item, Subscription: l.Subscription, Until: l.Until})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

func (e Extend) check() error {
	if err := someItems(e.Items); err != nil {
		return err
	}
	if e.Lease < 1 || e.Lease > inbox.MaxDuration {
		return outOfRange("lease", e.Lease)
	}
	return claimant{e.Subscriber, e.Subscription}.check()
}

func outOfRange(what string, seconds int64) error {
	return &domain.Error{
		Code: domain.Invalid, Text: fmt.Sprintf("a %s of %d seconds is out of range", what, seconds),
		Remedy: fmt.Sprintf("use up to %d days", int64(inbox.MaxDuration)/86400),
	}
}
