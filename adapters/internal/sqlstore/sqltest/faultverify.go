package sqltest

import (
	"context"
	"slices"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain/inbox"
)

// verify compares the database with the ledger, and then has everything read
// that is left to read.
func (sc *scene) verify(ctx context.Context) {
	findings, err := sc.inbox.Check(ctx)
	sc.must("check", err)
	if len(findings) > 0 {
		sc.fault("check finds %q", findings)
	}
	sc.verifyItems(ctx)
	sc.verifyWaits(ctx)
	sc.verifyAcks(ctx)
	sc.verifyBindings(ctx)
	sc.must("publish", sc.publish(ctx, "q", app.Message{})) // OBJ-1: its id is above all others
	sc.drain(ctx)
	sc.verifyPrints(ctx)
}

// items lists what is kept, by queue.
func (sc *scene) items(ctx context.Context) map[string][]app.ItemView {
	queues, err := sc.inbox.Queues(ctx)
	sc.must("queues", err)
	all := map[string][]app.ItemView{}
	for _, q := range queues {
		err := sc.inbox.List(ctx, app.List{Queue: q.Queue, Limit: -1}, func(v app.ItemView) error {
			all[q.Queue] = append(all[q.Queue], v)
			return nil
		})
		sc.must("list", err)
		if int64(len(all[q.Queue])) != q.Count {
			sc.fault("%d items in %s, which counts %d", len(all[q.Queue]), q.Queue, q.Count)
		}
	}
	return all
}

// verifyItems demands that every acknowledged publish is there, and every other
// one in full or not at all (PUB-2, PUB-3).
func (sc *scene) verifyItems(ctx context.Context) {
	seen := map[string]int{}
	there := map[int64]message{}
	for queue, items := range sc.items(ctx) {
		for _, item := range items {
			seen[string(item.Payload)]++
			there[item.ID] = message{queue, string(item.Payload)}
			sc.ledger.highest = max(sc.ledger.highest, item.ID)
			if !sc.ledger.known(string(item.Payload)) || seen[string(item.Payload)] > 1 {
				sc.fault("item %d holds %s, for the time %d", item.ID, item.Payload, seen[string(item.Payload)])
			}
		}
	}
	var ring []int64
	for id, m := range sc.ledger.stored {
		if m.queue == "ring" {
			ring = append(ring, id)
		} else if there[id] != m && m.queue != "brief" {
			sc.fault("item %d is %v, want %v", id, there[id], m)
		}
	}
	slices.Sort(ring)
	for _, id := range ring[max(0, len(ring)-ringItems):] {
		// An item that nobody has acknowledged may have pushed it out.
		if _, found := there[id]; !found && len(ring) > 0 && sc.kept("ring", there) < ringItems {
			sc.fault("item %d has gone from ring", id)
		}
	}
	for _, batch := range sc.ledger.tried {
		n := 0
		for _, payload := range batch {
			n += seen[payload]
		}
		if n != 0 && n != len(batch) { // of what waits or has expired, nothing is there
			sc.fault("%d items of the batch %q", n, batch)
		}
	}
}

func (sc *scene) kept(queue string, there map[int64]message) (n int) {
	for _, m := range there {
		if m.queue == queue {
			n++
		}
	}
	return n
}

// verifyAcks demands every ack that was acknowledged (ACK-1).
func (sc *scene) verifyAcks(ctx context.Context) {
	for c, owner := range sc.ledger.acks {
		item, err := sc.inbox.Item(ctx, c.id)
		sc.must("show", err)
		found := slices.ContainsFunc(item.Acks, func(a inbox.Ack) bool {
			return a.Subscription == c.subscription && a.Owner == owner
		})
		if !found {
			sc.fault("the ack of %s for item %d in %s is gone: %v", owner, c.id, c.subscription, item.Acks)
		}
	}
}

func isBound(status []app.BindingStatus, b binding) bool {
	return slices.ContainsFunc(status, func(s app.BindingStatus) bool {
		return s.Subscription == b.subscription && s.Subscriber == b.subscriber
	})
}

// verifyBindings demands the bindings and the rules that were acknowledged.
func (sc *scene) verifyBindings(ctx context.Context) {
	status, err := sc.inbox.Status(ctx)
	sc.must("status", err)
	asked := map[string]bool{}
	for b, want := range sc.ledger.bindings {
		got := isBound(status, b)
		if got && want == unbound || !got && want == bound {
			sc.fault("%v is bound: %v", b, got)
		}
		if !got || asked[b.subscription] {
			continue
		}
		asked[b.subscription] = true
		done, err := sc.inbox.Subscribe(ctx, app.Subscribe{Name: b.subscription, Subscriber: b.subscriber})
		sc.must("subscribe", err)
		if !sc.ledger.rules[b.subscription][done.Rules] {
			sc.fault("the rules of %s are %v", b.subscription, done.Rules)
		}
	}
}

// drain pulls until nothing is left, and acks what it is given of jobs.
func (sc *scene) drain(ctx context.Context) {
	for b, is := range sc.ledger.bindings {
		if is != bound || b.subscription == "mover" {
			continue
		}
		limited := b.subscription == "jobs" || b.subscription == "readone"
		for before := -1; before < len(sc.ledger.prints); {
			before = len(sc.ledger.prints)
			if b.subscription == "jobs" {
				sc.ledger.now += jobLease + 1
			}
			sc.must("pull", sc.pull(ctx, b.subscription, b.subscriber))
			if !limited {
				break // one pull gives all
			}
			for range sc.ledger.prints[before:] {
				if b.subscription == "jobs" {
					sc.must("ack", sc.ack(ctx, b.subscription, b.subscriber))
				}
			}
		}
	}
}

// verifyPrints demands that nothing was skipped, that nothing which counted came
// again, and that the order was kept (PULL-2, PULL-3, PULL-5).
func (sc *scene) verifyPrints(ctx context.Context) {
	items := sc.items(ctx)
	for b, is := range sc.ledger.bindings {
		if is != bound || b.subscription == "mover" {
			continue
		}
		who := b.subscriber
		if b.subscription == "jobs" || b.subscription == "readone" {
			who = "" // anyone
		}
		prints := sc.printsOf(b.subscription, who)
		queue := "q"
		switch b.subscription {
		case "loop":
			queue = "ring"
		case "short":
			continue // what it gets expires
		}
		for i, item := range items[queue] {
			if b.subscription == "last" && i < len(items[queue])-1 {
				continue // older ones may be skipped
			}
			if b.subscription == "digest" && !matches(string(item.Payload)) {
				continue
			}
			sc.verifyItem(b, item.ID, prints[item.ID])
		}
	}
}

// matches tells whether the filter of digest takes a payload: its number is even.
func matches(payload string) bool { return (payload[len(payload)-2]-'0')%2 == 0 }

// printsOf collects the prints of a subscription, to one subscriber or all.
func (sc *scene) printsOf(subscription, subscriber string) map[int64][]delivery {
	found := map[int64][]delivery{}
	var last int64
	for _, p := range sc.ledger.prints {
		if p.subscription != subscription || subscriber != "" && p.subscriber != subscriber {
			continue
		}
		if len(found[p.id]) == 0 && p.id < last && subscription != "last" {
			sc.fault("%s got item %d after item %d", subscription, p.id, last)
		}
		last = max(last, p.id)
		found[p.id] = append(found[p.id], p)
	}
	return found
}

// verifyItem looks at how often an item was printed, and when.
func (sc *scene) verifyItem(b binding, id int64, prints []delivery) {
	counted := slices.DeleteFunc(slices.Clone(prints), func(p delivery) bool { return !p.counts })
	if len(prints) == 0 {
		sc.fault("%v was never given item %d", b, id)
	}
	if b.subscription != "jobs" {
		if len(counted) > 1 {
			sc.fault("%v was given item %d again: %v", b, id, prints)
		}
		return
	}
	for i := 1; i < len(counted); i++ {
		if counted[i].at < counted[i-1].at+jobLease {
			sc.fault("item %d was given to two: %v", id, counted)
		}
	}
	_, acked := sc.ledger.acks[claim{b.subscription, id}]
	if !acked && len(prints) < jobAttempts || len(counted) > jobAttempts {
		sc.fault("item %d was given out %d times, %d for certain, acked: %v", id, len(prints), len(counted), acked)
	}
}
