package memory

import (
	"cmp"
	"slices"

	"github.com/tundish-go/tundish/domain/inbox"
)

func (r reader) Ack(subscription string, item int64) (inbox.Ack, bool, error) {
	ack, ok := r.acks.get(claim{subscription, item})
	return ack, ok, nil
}

func (r reader) Acks(items []int64) ([]inbox.Ack, error) {
	meant := set(items)
	return r.acks.pick(func(a inbox.Ack) bool { return meant[a.Item] }, func(a, b inbox.Ack) int {
		return cmp.Or(cmp.Compare(a.Item, b.Item), cmp.Compare(a.Subscription, b.Subscription))
	}), nil
}

func (r reader) Claimed(subscription string, after, through int64) ([]int64, error) {
	var ids []int64
	add := func(c claim) {
		if c.subscription == subscription && c.item > after && (through == 0 || c.item <= through) {
			ids = append(ids, c.item)
		}
	}
	for c := range r.acks.rows {
		add(c)
	}
	for c := range r.leases.rows {
		add(c)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

func (r reader) CountShown(subscription, subscriber string) (int64, error) {
	count := int64(0)
	for m := range r.shown.rows {
		if m.pair == (pair{subscription, subscriber}) {
			count++
		}
	}
	return count, nil
}

func (r reader) ShownTo(subscription, subscriber string, through int64) ([]int64, error) {
	var items []int64
	for m := range r.shown.rows {
		if m.pair == (pair{subscription, subscriber}) && m.item <= through {
			items = append(items, m.item)
		}
	}
	slices.Sort(items)
	return items, nil
}

func (w writer) PutAck(ack inbox.Ack) error {
	c := claim{ack.Subscription, ack.Item}
	if err := w.claimable(c); err != nil {
		return err
	}
	if first, ok := w.acks.get(c); ok {
		return misuse("item %d is acked by %q in %q already", ack.Item, first.Owner, ack.Subscription)
	}
	w.acks.put(c, ack)
	w.leases.remove(func(key claim) bool { return key == c })
	w.shown.remove(func(m mark) bool { return m.subscription == c.subscription && m.item == c.item })
	return nil
}

func (w writer) MarkShown(subscription, subscriber string, items []int64) error {
	p := pair{subscription, subscriber}
	if _, ok := w.bindings.get(p); !ok {
		return misuse("items shown to %q, who is not bound to %q", subscriber, subscription)
	}
	for _, item := range items {
		if err := w.claimable(claim{subscription, item}); err != nil {
			return err
		}
		w.shown.put(mark{p, item}, struct{}{})
	}
	return nil
}

func (w writer) Unmark(subscription, subscriber string, after int64) error {
	p := pair{subscription, subscriber}
	w.shown.remove(func(m mark) bool { return m.pair == p && m.item > after })
	return nil
}

// claimable tells whether a claim is on things that exist.
func (w writer) claimable(c claim) error {
	if _, ok := w.subscriptions.get(c.subscription); !ok {
		return misuse("claim in unknown subscription %q", c.subscription)
	}
	if _, ok, _ := w.Item(c.item); !ok {
		return misuse("claim on item %d, which does not exist", c.item)
	}
	return nil
}
