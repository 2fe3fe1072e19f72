package app

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// PurgePlan is what a purge would remove.
type PurgePlan struct {
	Purged
	Bytes  int64    // of payloads and keys of items
	Unread []Unread // by subscription, then subscriber; only who would lose some
}

// Unread is how many items a reader would lose, whatever its filter says. What was
// shown under share all counts as read, and what is parked counts nowhere.
type Unread struct {
	Subscription string
	Subscriber   string // empty under share one: nobody's alone
	Items        int64  // not delivered yet, or to be delivered again
	Leased       int64  // held under a lease now, and not acked; 0 under share all
}

// PlanPurge tells what a purge would remove now, and changes nothing.
func (in *Inbox) PlanPurge(ctx context.Context, p Purge) (plan PurgePlan, err error) {
	err = in.store.View(ctx, func(r storage.Reader) error {
		plan, err = p.plan(r, in.now())
		return err
	})
	return plan, err
}

func (p Purge) plan(r storage.Reader, now int64) (plan PurgePlan, err error) {
	readers, err := readersOf(r, p.Queue)
	if err != nil {
		return plan, err
	}
	top, err := r.Newest(p.Queue)
	if err != nil {
		return plan, err
	}
	t := toll{r: r, readers: readers, now: now, of: map[reader]Unread{}}
	for after := int64(0); ; {
		ids, err := p.some(r, after, top)
		if err != nil {
			return plan, err
		}
		if len(ids) == 0 {
			break
		}
		if err := t.add(ids); err != nil {
			return plan, err
		}
		plan.Items, after = plan.Items+int64(len(ids)), ids[len(ids)-1]
	}
	plan.Unread = slices.SortedFunc(maps.Values(t.of), func(a, b Unread) int {
		return cmp.Or(cmp.Compare(a.Subscription, b.Subscription), cmp.Compare(a.Subscriber, b.Subscriber))
	})
	if plan.Bytes, err = p.bytes(r, top); err != nil || p.Before != 0 {
		return plan, err
	}
	err = r.Scheduled(storage.ScheduleQuery{Queue: p.Queue, HeadsOnly: true}, func(inbox.Scheduled) (bool, error) {
		plan.Scheduled++
		return true, nil
	})
	return plan, err
}

func readersOf(r storage.Reader, queue string) (readers []inbox.QueueReader, err error) {
	subs, err := r.SubscriptionsOn(queue)
	if err != nil {
		return nil, err
	}
	for _, sub := range subs {
		bindings, err := r.Bindings(sub.Name)
		if err != nil {
			return nil, err
		}
		readers = append(readers, inbox.QueueReader{Subscription: sub, Bindings: bindings})
	}
	return readers, nil
}

// reader is who loses: a subscriber or, under share one, a subscription.
type reader struct{ subscription, subscriber string }

// toll adds up what the loss of items means to readers.
type toll struct {
	r       storage.Reader
	readers []inbox.QueueReader
	now     int64
	of      map[reader]Unread
}

func (t toll) add(ids []int64) error {
	acks, err := t.r.Acks(ids)
	if err != nil {
		return err
	}
	leases, err := t.r.LeasesOn(ids)
	if err != nil {
		return err
	}
	state := t.leases(leases)
	for _, loss := range inbox.Losses(t.readers, ids, acks, leases) {
		who, kind := reader{loss.Subscription, loss.Subscriber}, unread
		if loss.Certain {
			kind = state[lent{loss.Subscription, loss.Item}]
		}
		sum := t.of[who]
		sum.Subscription, sum.Subscriber = who.subscription, who.subscriber
		switch kind {
		case spent: // it is parked, by the clock
			continue
		case held:
			sum.Leased++
		default:
			sum.Items++
		}
		t.of[who] = sum
	}
	return nil
}

// lent is an item that a subscription has leased, and leasehold what became of it.
type (
	lent struct {
		subscription string
		item         int64
	}
	leasehold uint8
)

const (
	unread leasehold = iota // it was given back, or its lease has ended
	held
	spent // its last lease has ended
)

func (t toll) leases(leases []inbox.Lease) map[lent]leasehold {
	rules := make(map[string]inbox.Rules, len(t.readers))
	for _, r := range t.readers {
		rules[r.Subscription.Name] = r.Subscription.Rules
	}
	state := make(map[lent]leasehold, len(leases))
	for _, l := range leases {
		switch {
		case l.Held(t.now):
			state[lent{l.Subscription, l.Item}] = held
		case l.Spent(rules[l.Subscription], t.now):
			state[lent{l.Subscription, l.Item}] = spent
		}
	}
	return state
}

// bytes measures the items that would go.
func (p Purge) bytes(r storage.Reader, top int64) (sum int64, err error) {
	if top == 0 {
		return 0, nil
	}
	err = r.Scan(storage.Scan{Queue: p.Queue, Through: top}, func(item inbox.Item) (bool, error) {
		if p.Before == 0 || item.CreatedAt < p.Before {
			sum += int64(len(item.Payload))
			if item.Key != nil {
				sum += int64(len(*item.Key))
			}
		}
		return true, nil
	})
	return sum, err
}
