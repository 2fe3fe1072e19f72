package memory

import (
	"cmp"

	"github.com/tundish-go/tundish/domain/inbox"
)

func (r reader) Bound(subscription, subscriber string) (inbox.Bound, bool, error) {
	binding, ok := r.bindings.get(pair{subscription, subscriber})
	if !ok {
		return inbox.Bound{}, false, nil
	}
	return r.bound(binding), true, nil
}

func (r reader) BoundBy(subscriber string) ([]inbox.Bound, error) {
	var all []inbox.Bound
	for _, binding := range r.bindings.pick(func(b inbox.Binding) bool { return b.Subscriber == subscriber }, byPair) {
		all = append(all, r.bound(binding))
	}
	return all, nil
}

func (r reader) bound(binding inbox.Binding) inbox.Bound {
	sub, _ := r.subscriptions.get(binding.Subscription) // exists: PutBinding saw to it
	return inbox.Bound{Subscription: sub, Binding: binding, Newest: r.newest(sub.Rules.Queue)}
}

func (r reader) Bindings(subscription string) ([]inbox.Binding, error) {
	return r.bindings.pick(func(b inbox.Binding) bool { return b.Subscription == subscription }, byPair), nil
}

func byPair(a, b inbox.Binding) int {
	return cmp.Or(cmp.Compare(a.Subscription, b.Subscription), cmp.Compare(a.Subscriber, b.Subscriber))
}

func (w writer) PutBinding(binding inbox.Binding) error {
	if _, ok := w.subscriptions.get(binding.Subscription); !ok {
		return misuse("binding of %q to unknown subscription %q", binding.Subscriber, binding.Subscription)
	}
	w.bindings.put(pair{binding.Subscription, binding.Subscriber}, binding)
	return nil
}

func (w writer) RemoveBinding(subscription, subscriber string) error {
	p := pair{subscription, subscriber}
	w.bindings.remove(func(key pair) bool { return key == p })
	w.shown.remove(func(m mark) bool { return m.pair == p })
	return nil
}

func (w writer) NextPull() (int64, error) {
	w.lastPull++
	return w.lastPull, nil
}
