package app

import (
	"context"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// BindingStatus is how a binding stands (CMD-1).
type BindingStatus struct {
	Subscription string
	Subscriber   string
	Queue        string
	Cursor       int64 // its position
	Unread       int64 // items after it, before filtering
	NextAt       int64 // Unix seconds
	// Counts holds the unreported dropped and errors, and as Parked all items
	// parked now, by the clock, reported or not.
	Counts    inbox.Counts
	LastError string
	Broken    string // why the rules cannot be used; empty when they can
}

// Status lists all bindings, by subscription, then subscriber. It changes
// nothing.
func (in *Inbox) Status(ctx context.Context) (lines []BindingStatus, err error) {
	err = in.store.View(ctx, func(r storage.Reader) error {
		lines = nil
		subs, err := r.Subscriptions()
		if err != nil {
			return err
		}
		for _, sub := range subs {
			of, err := in.statusOf(r, sub)
			if err != nil {
				return err
			}
			lines = append(lines, of...)
		}
		return nil
	})
	return lines, err
}

func (in *Inbox) statusOf(r storage.Reader, sub inbox.Subscription) ([]BindingStatus, error) {
	bindings, err := r.Bindings(sub.Name)
	if err != nil || len(bindings) == 0 {
		return nil, err
	}
	expiry := inbox.ExpiryAt(in.now())
	parked, err := r.CountLeases(sub.Name, storage.LeaseQuery{State: storage.ParkedLease})
	if err != nil {
		return nil, err
	}
	var ofOne unreadOfOne
	if sub.Rules.Share == inbox.One {
		due, err := r.CountLeases(sub.Name, parking(sub.Rules, expiry))
		if err != nil {
			return nil, err
		}
		parked += due
		if ofOne, err = countOne(r, sub, expiry); err != nil {
			return nil, err
		}
	}
	lines := make([]BindingStatus, 0, len(bindings))
	for _, b := range bindings {
		line := BindingStatus{
			Subscription: sub.Name, Subscriber: b.Subscriber, Queue: sub.Rules.Queue, NextAt: b.NextAt,
			Cursor: inbox.Bound{Subscription: sub, Binding: b}.Position(),
			Counts: sub.Unreported.Plus(b.Unreported), LastError: lastError(sub, b), Broken: sub.Broken,
		}
		line.Counts.Parked = parked
		if sub.Rules.Share == inbox.One {
			line.Unread = int64(ofOne)
		} else if line.Unread, err = r.CountAfter(sub.Rules.Queue, b.Position); err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// unreadOfOne is what a share-one subscription has left to deliver.
type unreadOfOne int64

// countOne counts unclaimed items after the scan and leases to be retried.
func countOne(r storage.Reader, sub inbox.Subscription, expiry inbox.Expiry) (unreadOfOne, error) {
	after, err := r.CountAfter(sub.Rules.Queue, sub.Scan)
	if err != nil {
		return 0, err
	}
	claimed, err := r.Claimed(sub.Name, sub.Scan, 0)
	if err != nil {
		return 0, err
	}
	retries, err := r.CountLeases(sub.Name, storage.LeaseQuery{
		State: storage.OpenLease, Ended: &expiry, BelowAttempts: sub.Rules.MaxAttempts,
	})
	return unreadOfOne(after - int64(len(claimed)) + retries), err
}

func lastError(sub inbox.Subscription, b inbox.Binding) string {
	if sub.Rules.Share == inbox.One {
		return sub.LastError
	}
	return b.LastError
}
