package app

import (
	"context"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// NextDue is the first Unix second, now or later, at which time alone may give a
// pull something to deliver: a message is released, a lease ends, or a binding is
// due again. It is 0 when nothing waits for time. What others publish, pull or ack
// meanwhile may come sooner, or take it away.
func (in *Inbox) NextDue(ctx context.Context, p Pull) (next int64, err error) {
	if err := p.check(); err != nil {
		return 0, err
	}
	now := in.now()
	err = in.store.View(ctx, func(r storage.Reader) error {
		next = 0
		bound, err := p.all(r)
		if err != nil {
			return err
		}
		for _, b := range bound {
			if b.Subscription.Broken != "" {
				continue
			}
			times, err := timesOf(r, b)
			if err != nil {
				return err
			}
			if p.Due && b.Binding.NextAt > now {
				times = append(times, b.Binding.NextAt)
			}
			for _, at := range times {
				if at = max(at, now); next == 0 || at < next {
					next = at
				}
			}
		}
		return nil
	})
	return next, err
}

// all reads the bindings that the pull may ever be about.
func (p Pull) all(r storage.Reader) ([]inbox.Bound, error) {
	if p.Due {
		return r.BoundBy(p.Subscriber)
	}
	b, err := requireBound(r, p.Subscription, p.Subscriber)
	return []inbox.Bound{b}, err
}

// timesOf are when the next message of a binding's queue is released, and when the
// leases of its subscription end that may be granted again.
func timesOf(r storage.Reader, b inbox.Bound) (times []int64, err error) {
	rules := b.Subscription.Rules
	next := storage.ScheduleQuery{Queue: rules.Queue, Limit: 1, HeadsOnly: true}
	err = r.Scheduled(next, func(s inbox.Scheduled) (bool, error) {
		times = append(times, s.At)
		return false, nil
	})
	if err != nil || rules.Share != inbox.One {
		return times, err
	}
	open, err := r.Leases(b.Subscription.Name, storage.LeaseQuery{State: storage.OpenLease, Limit: maxHolders})
	for _, lease := range open {
		times = append(times, lease.Until)
	}
	return times, err
}
