package porttest

import (
	"fmt"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// noon is some Unix second that samples count from.
const noon = 1_700_000_000

// letter is an item for Insert.
func letter(queue, payload string, created int64) inbox.Item {
	return inbox.Item{Queue: queue, Payload: []byte(payload), CreatedAt: created}
}

func keyed(item inbox.Item, key string) inbox.Item {
	item.Key = &key
	return item
}

// insert stores an item and returns it as it must come back.
func insert(w storage.Writer, item inbox.Item) inbox.Item {
	item.ID = one(w.Insert(item))
	return item
}

// fill stores n items and returns their ids.
func fill(w storage.Writer, queue string, n int) []int64 {
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = one(w.Insert(letter(queue, fmt.Sprintf(`{"n":%d}`, i), noon+int64(i))))
	}
	return ids
}

// all lists the items that a scan selects.
func all(r storage.Reader, scan storage.Scan) []inbox.Item {
	var items []inbox.Item
	done(r.Scan(scan, func(item inbox.Item) (bool, error) {
		items = append(items, item)
		return true, nil
	}))
	return items
}

// idsOf lists the ids that a scan selects.
func idsOf(r storage.Reader, scan storage.Scan) []int64 {
	var ids []int64
	for _, item := range all(r, scan) {
		ids = append(ids, item.ID)
	}
	return ids
}

// view is a subscription to a queue, each field with a value of its own.
func view(name, queue string) inbox.Subscription {
	return inbox.Subscription{
		Name: name,
		Rules: inbox.Rules{
			Queue: queue, Filter: `.payload.n > 1 and "<&>" != "ü"`, Select: inbox.SinceLastRead, Limit: 7,
			Consume: inbox.OnAck, Share: inbox.One, Every: 61, Template: "\"a\nb\\t\"", Lease: 301,
			MaxAttempts: 4, Start: inbox.StartNew,
		},
		Scan: 17, Unreported: inbox.Counts{Dropped: 3, Errors: 5, Parked: 9}, LastError: "line one\nline two — ü",
	}
}

// bind is a binding, each field with a value of its own.
func bind(subscription, subscriber string) inbox.Binding {
	return inbox.Binding{
		Subscription: subscription, Subscriber: subscriber, Position: 4, NextAt: noon + 5, LastPull: 6,
		Unreported: inbox.Counts{Dropped: 7, Errors: 8, Parked: 9}, LastError: "ten\n\"eleven\"",
		Judged: inbox.Span{After: 12, Through: 13},
	}
}

// join stores a subscription to a queue and binds subscribers to it.
func join(w storage.Writer, name, queue string, subscribers ...string) {
	done(w.PutSubscription(view(name, queue)))
	for _, subscriber := range subscribers {
		done(w.PutBinding(bind(name, subscriber)))
	}
}

func ack(subscription string, item int64, owner string) inbox.Ack {
	return inbox.Ack{Subscription: subscription, Item: item, Owner: owner, At: noon + item}
}

func lease(subscription string, item int64, owner string) inbox.Lease {
	return inbox.Lease{
		Subscription: subscription, Item: item, Owner: owner,
		Granted: noon + item, Until: noon + item + 600, Attempts: 1,
	}
}
