package porttest

import (
	"fmt"
	"slices"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// change does one random change that keeps the conditions of the contract.
func (s *script) change(w storage.Writer) {
	weighted := []struct {
		weight int
		change func(storage.Writer)
	}{
		{12, s.insert},
		{2, s.insertAll},
		{3, s.remove},
		{3, s.putSubscription},
		{3, s.putProgress},
		{5, s.putBinding},
		{1, s.removeBinding},
		{4, s.putAck},
		{4, s.markShown},
		{1, s.unmark},
		{6, s.putLease},
		{2, s.park},
		{1, s.removeLeases},
		{1, s.resetClaims},
		{2, s.putDedupe},
		{1, s.forget},
		{4 * s.extras, s.schedule},
		{2 * s.extras, s.unschedule},
		{1, func(w storage.Writer) { s.note("next pull: %d", one(w.NextPull())) }},
	}
	sum := 0
	for _, c := range weighted {
		sum += c.weight
	}
	n := s.rng.IntN(sum)
	for _, c := range weighted {
		if n -= c.weight; n < 0 {
			c.change(w)
			return
		}
	}
}

func (s *script) insert(w storage.Writer) {
	item := s.letter(s.queue())
	item.ID = one(w.Insert(item))
	s.note("insert %s in %q", written(&item), item.Queue)
}

func (s *script) insertAll(w storage.Writer) {
	queue, items := s.queue(), make([]inbox.Item, s.rng.IntN(4))
	for i := range items {
		items[i] = s.letter(queue)
	}
	ids := one(w.InsertAll(items))
	for i := range items {
		items[i].ID = ids[i]
		s.note("insert %s in %q, with others", written(&items[i]), queue)
	}
}

func (s *script) letter(queue string) inbox.Item {
	item := inbox.Item{
		Queue: queue, Key: s.key(), CreatedAt: s.time(),
		Payload: fmt.Appendf(nil, `{"n":%d,"text":"<ü>"}`, s.rng.IntN(1000)),
	}
	if s.extras > 0 && s.rng.IntN(3) == 0 {
		item.ExpiresAt = s.time()
	}
	return item
}

func (s *script) remove(w storage.Writer) {
	queue, ids := s.queue(), s.items(w)
	if s.rng.IntN(12) == 0 {
		ids = idsOf(w, storage.Scan{Queue: queue})
	}
	s.note("remove %v from %q", ids, queue)
	done(w.Remove(queue, ids))
}

func (s *script) putSubscription(w storage.Writer) {
	rules := inbox.DefaultRules(s.queue())
	rules.Share = pick(s, []inbox.Share{inbox.All, inbox.One})
	rules.Consume = pick(s, []inbox.Consume{inbox.OnRead, inbox.OnAck})
	rules.Filter = pick(s, []string{"", `.key == "k"`})
	rules.Limit, rules.Every = s.small(), s.small()
	sub := inbox.Subscription{
		Name: s.subscription(), Rules: rules, Scan: s.item(w), Unreported: s.counts(), LastError: s.lastError(),
	}
	s.note("put subscription %s", written(sub))
	done(w.PutSubscription(sub))
}

// known is a subscription that exists, if there is one.
func (s *script) known(w storage.Writer) (inbox.Subscription, bool) {
	subs := one(w.Subscriptions())
	if len(subs) == 0 {
		return inbox.Subscription{}, false
	}
	return pick(s, subs), true
}

func (s *script) putProgress(w storage.Writer) {
	if sub, ok := s.known(w); ok {
		sub.Scan, sub.Unreported, sub.LastError = s.item(w), s.counts(), s.lastError()
		s.note("put progress %s", written(sub))
		done(w.PutProgress(sub))
	}
}

func (s *script) putBinding(w storage.Writer) {
	if sub, ok := s.known(w); ok {
		binding := inbox.Binding{
			Subscription: sub.Name, Subscriber: s.subscriber(), Position: s.item(w), NextAt: s.time(),
			LastPull: s.small(), Unreported: s.counts(), LastError: s.lastError(),
			Judged: inbox.Span{After: s.small(), Through: s.small()},
		}
		s.note("put binding %s", written(binding))
		done(w.PutBinding(binding))
	}
}

func (s *script) removeBinding(w storage.Writer) {
	subscription, subscriber := s.subscription(), s.subscriber()
	s.note("remove binding of %q to %q", subscriber, subscription)
	done(w.RemoveBinding(subscription, subscriber))
}

// target is a subscription and an item that exist, if there are any.
func (s *script) target(w storage.Writer) (sub string, item int64, ok bool) {
	known, ok := s.known(w)
	id := s.item(w)
	return known.Name, id, ok && found(w.Item(id)) != nil
}

func (s *script) putAck(w storage.Writer) {
	if sub, item, ok := s.target(w); ok && found(w.Ack(sub, item)) == nil {
		ack := inbox.Ack{Subscription: sub, Item: item, Owner: s.subscriber(), At: s.time()}
		if s.extras > 0 && s.rng.IntN(2) == 0 {
			ack.Note = s.lastError()
		}
		s.note("put ack %s", written(ack))
		done(w.PutAck(ack))
	}
}

func (s *script) markShown(w storage.Writer) {
	subscription, subscriber := s.subscription(), s.subscriber()
	if found(w.Bound(subscription, subscriber)) == nil {
		return
	}
	items := slices.DeleteFunc(s.items(w), func(id int64) bool { return found(w.Item(id)) == nil })
	s.note("mark %v shown to %q in %q", items, subscriber, subscription)
	done(w.MarkShown(subscription, subscriber, items))
}

func (s *script) unmark(w storage.Writer) {
	subscription, subscriber, after := s.subscription(), s.subscriber(), s.item(w)
	s.note("unmark what %q was shown in %q after %d", subscriber, subscription, after)
	done(w.Unmark(subscription, subscriber, after))
}

func (s *script) putLease(w storage.Writer) {
	if sub, item, ok := s.target(w); ok {
		lease := inbox.Lease{
			Subscription: sub, Item: item, Owner: s.subscriber(), Granted: s.time(), Until: s.time(),
			Attempts: s.small(), Parked: s.rng.IntN(4) == 0,
		}
		if s.rng.IntN(4) == 0 {
			lease.Owner = ""
		}
		s.note("put lease %s", written(lease))
		done(w.PutLease(lease))
	}
}

func (s *script) park(w storage.Writer) {
	subscription, query := s.subscription(), s.query()
	s.note("park %s in %q: %d", written(query), subscription, one(w.Park(subscription, query)))
}

func (s *script) removeLeases(w storage.Writer) {
	subscription, query := s.subscription(), s.query()
	s.note("remove leases %s in %q", written(query), subscription)
	done(w.RemoveLeases(subscription, query))
}

func (s *script) resetClaims(w storage.Writer) {
	subscription := s.subscription()
	s.note("reset claims of %q", subscription)
	done(w.ResetClaims(subscription))
}

func (s *script) putDedupe(w storage.Writer) {
	record := inbox.Dedupe{Queue: s.queue(), ID: pick(s, ids()), Item: s.item(w), At: s.time()}
	s.note("put dedupe %s", written(record))
	done(w.PutDedupe(record))
}

// forget sets no limit that counts, since which records go first is left open.
func (s *script) forget(w storage.Writer) {
	before := s.time()
	s.note("forget dedupes before %d", before)
	done(w.ForgetDedupes(before, 1000))
}

// ask asks one random question.
func (s *script) ask(r storage.Reader) {
	if s.extras > 0 && s.rng.IntN(4) == 0 {
		s.askExtras(r)
		return
	}
	queue, sub, item := s.queue(), s.subscription(), s.item(r)
	switch s.rng.IntN(10) {
	case 0:
		s.scan(r)
	case 1:
		before, limit := s.time(), 1+s.rng.IntN(5)
		s.note("older %q %d %d: %s", queue, before, limit, written(list(one(r.Older(queue, before, limit)))))
	case 2:
		s.note("beyond %d in %q: %d %d", item, queue, one(r.CountAfter(queue, item)), one(r.NextAfter(queue, item)))
	case 3:
		subscriber := s.subscriber()
		s.note("bound by %q: %s", subscriber, written(list(one(r.BoundBy(subscriber)))))
	case 4:
		through := s.item(r)
		s.note("claimed %q %d %d: %v", sub, item, through, one(r.Claimed(sub, item, through)))
	case 5:
		query := s.query()
		s.note("leases %q %s: %s", sub, written(query), written(list(one(r.Leases(sub, query)))))
	case 6:
		query := s.query()
		s.note("number of leases %q %s: %d", sub, written(query), one(r.CountLeases(sub, query)))
	case 7:
		items := s.items(r)
		s.note("acks of %v: %s", items, written(list(one(r.Acks(items)))))
	case 8:
		items := s.items(r)
		s.note("leases on %v: %s", items, written(list(one(r.LeasesOn(items)))))
	case 9:
		s.note("queues: %s", written(list(one(r.Queues()))))
	}
}

func (s *script) scan(r storage.Reader) {
	scan := storage.Scan{
		Queue: s.queue(), After: s.item(r), Through: s.item(r), Key: s.key(),
		Descending: s.rng.IntN(2) == 0, Limit: int(s.small()), HeadsOnly: s.rng.IntN(4) == 0,
	}
	if s.rng.IntN(2) == 0 {
		scan.Through = 0
	}
	s.note("scan %s", written(scan))
	for _, item := range all(r, scan) {
		s.note("  %s", written(&item))
	}
}
