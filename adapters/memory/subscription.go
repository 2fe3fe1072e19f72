package memory

import (
	"cmp"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

func (r reader) Subscription(name string) (inbox.Subscription, bool, error) {
	sub, ok := r.subscriptions.get(name)
	return sub, ok, nil
}

func (r reader) Subscriptions() ([]inbox.Subscription, error) {
	return r.subscriptions.pick(func(inbox.Subscription) bool { return true }, byName), nil
}

func (r reader) SubscriptionsOn(queue string) ([]inbox.Subscription, error) {
	return r.subscriptions.pick(func(s inbox.Subscription) bool { return s.Rules.Queue == queue }, byName), nil
}

func byName(a, b inbox.Subscription) int { return cmp.Compare(a.Name, b.Name) }

func (w writer) PutSubscription(sub inbox.Subscription) error {
	if sub.Broken != "" {
		return misuse("subscription %q is stored as broken: %s", sub.Name, sub.Broken)
	}
	w.subscriptions.put(sub.Name, sub)
	return nil
}

func (w writer) PutProgress(sub inbox.Subscription) error {
	stored, ok := w.subscriptions.get(sub.Name)
	if !ok {
		return misuse("progress of unknown subscription %q", sub.Name)
	}
	stored.Scan, stored.Unreported, stored.LastError = sub.Scan, sub.Unreported, sub.LastError
	w.subscriptions.put(sub.Name, stored)
	return nil
}

func (w writer) ResetClaims(subscription string) error {
	w.acks.remove(func(c claim) bool { return c.subscription == subscription })
	w.leases.remove(func(c claim) bool { return c.subscription == subscription })
	w.shown.remove(func(m mark) bool { return m.subscription == subscription })
	return nil
}

func (w writer) RemoveSubscription(name string) (size storage.SubscriptionSize, err error) {
	size.Bindings = w.bindings.remove(func(p pair) bool { return p.subscription == name })
	size.Acks = w.acks.remove(func(c claim) bool { return c.subscription == name })
	size.Leases = w.leases.remove(func(c claim) bool { return c.subscription == name })
	size.Shown = w.shown.remove(func(m mark) bool { return m.subscription == name })
	w.subscriptions.remove(func(n string) bool { return n == name })
	return size, nil
}

func onlyQueue(rules inbox.Rules) inbox.Rules { return inbox.Rules{Queue: rules.Queue} }
