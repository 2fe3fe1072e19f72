package sqltest

import (
	"context"
	"fmt"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain/inbox"
)

// step is a use case, which can be run again after it has failed, and the look at
// what it leaves.
type step struct {
	name   string
	run    func(context.Context, *scene) error
	verify func(*scene)
	first  bool // it makes sense as the first thing that a store does only

	ignores []string // operations whose failure the caller need not hear of
	clears  bool     // removes files that it has open, on its way out
}

// The figures of the workload.
const (
	ringItems   = 3  // how many items queue ring keeps
	jobLease    = 10 // seconds
	jobAttempts = 2
)

// ruled makes rules that differ from the defaults.
func ruled(queue string, change func(*inbox.Rules)) *inbox.Rules {
	rules := inbox.DefaultRules(queue)
	if change != nil {
		change(&rules)
	}
	return &rules
}

func job(r *inbox.Rules) {
	r.Share, r.Consume, r.Lease, r.MaxAttempts, r.Limit = inbox.One, inbox.OnAck, jobLease, jobAttempts, 2
}

func digest(r *inbox.Rules) {
	r.Filter, r.Template, r.Every = ".payload.n % 2 == 0", `"item \(.id)"`, 60
}

// steps are all use cases, each on what those before left.
func steps() []step {
	all := append(publishing(), reading()...)
	for i := range all {
		all[i].verify = func(sc *scene) { sc.verify(sc.Context()) }
	}
	return all
}

type acting = func(context.Context, *scene) error

func publish1(queue string, m app.Message) acting {
	return func(ctx context.Context, sc *scene) error { return sc.publish(ctx, queue, m) }
}

func subscribe(name, subscriber string, rules *inbox.Rules) acting {
	return func(ctx context.Context, sc *scene) error { return sc.subscribe(ctx, name, subscriber, rules) }
}

func pull(subscription, subscriber string) acting {
	return func(ctx context.Context, sc *scene) error { return sc.pull(ctx, subscription, subscriber) }
}

func ack(subscription, subscriber string) acting {
	return func(ctx context.Context, sc *scene) error { return sc.ack(ctx, subscription, subscriber) }
}

// later is a step after so many seconds.
func later(seconds int64, do acting) acting {
	return func(ctx context.Context, sc *scene) error {
		sc.ledger.now += seconds
		return do(ctx, sc)
	}
}

// each does one thing after the other.
func each(all ...acting) acting {
	return func(ctx context.Context, sc *scene) error {
		for _, do := range all {
			if err := do(ctx, sc); err != nil {
				return err
			}
		}
		return nil
	}
}

func publishing() []step {
	key := "a:1"
	once := app.Message{Dedupe: "build 7", Payload: []byte(`{"n":1000002}`)}
	ring := publish1("ring", app.Message{})
	return []step{
		{name: "publish makes the database", run: publish1("q", app.Message{}), first: true},
		{name: "publish with a key", run: publish1("q", app.Message{Key: &key})},
		{name: "publish lines", run: func(ctx context.Context, sc *scene) error { return sc.publishAll(ctx, "q", 3) }},
		{name: "publish once", run: publish1("q", once)},
		{name: "publish a duplicate", run: publish1("q", once)},
		{name: "publish with a selector", run: publish1("q", app.Message{KeySelector: `.n|tostring`})},
		{name: "subscribe", run: subscribe("readall", "ann", ruled("q", nil))},
		{name: "bind", run: subscribe("readall", "bob", nil)},
		{name: "subscribe in other ways", run: each(
			subscribe("ackall", "ann", ruled("q", func(r *inbox.Rules) { r.Consume = inbox.OnAck })),
			subscribe("readone", "w1", ruled("q", func(r *inbox.Rules) { r.Share, r.Limit = inbox.One, 2 })),
			subscribe("readone", "w2", nil),
			subscribe("jobs", "w1", ruled("q", job)),
			subscribe("jobs", "w2", nil),
			subscribe("last", "ann", ruled("q", func(r *inbox.Rules) { r.Select, r.Limit = inbox.Latest, 2 })),
			subscribe("digest", "dan", ruled("q", digest)),
			subscribe("loop", "ann", ruled("ring", func(r *inbox.Rules) { r.Filter = ".payload.n > 0" })),
			subscribe("mover", "eve", ruled("q", job)),
			subscribe("mover", "moe", nil),
		)},
		{name: "fill a queue", run: each(ring, ring, ring)},
		{name: "publish to a full queue", run: ring},
	}
}

func reading() []step {
	return []step{
		{name: "pull share all, on-read", run: pull("readall", "ann")},
		{name: "pull share all, on-ack", run: pull("ackall", "ann")},
		{name: "pull share one, on-read", run: pull("readone", "w1")},
		{name: "pull share one, on-ack", run: pull("jobs", "w1")},
		{name: "pull the latest", run: pull("last", "ann")},
		{name: "pull what is due", run: pull("", "dan")},
		{name: "ack, share all", run: ack("ackall", "ann")},
		{name: "ack, share one", run: ack("jobs", "w1")},
		{name: "pull with nothing to say", run: pull("readall", "ann")},
		{name: "pull after a lease has ended", run: later(jobLease+1, pull("jobs", "w2"))},
		{name: "pull parks", run: later(jobLease+1, pull("jobs", "w2"))},
		{name: "publish more", run: publish1("q", app.Message{})},
		{name: "pull what is due later", run: later(60, pull("", "dan"))},
		{name: "read", run: look},
		{name: "check", run: func(ctx context.Context, sc *scene) error {
			findings, err := sc.inbox.Check(ctx)
			if err == nil && len(findings) > 0 {
				return fmt.Errorf("findings %q", findings)
			}
			return err
		}},
		{name: "pull before rules change", run: pull("mover", "eve")},
		{name: "replace rules", run: subscribe("mover", "eve", ruled("q", func(r *inbox.Rules) { job(r); r.Filter = ".payload.n != 3" }))},
		{name: "share with all", run: subscribe("mover", "eve", ruled("q", func(r *inbox.Rules) { r.Consume = inbox.OnAck }))},
		{name: "move", run: subscribe("mover", "eve", ruled("ring", nil))},
		{name: "unsubscribe", run: unsubscribe},
	}
}

// look lists, shows and counts.
func look(ctx context.Context, sc *scene) error {
	for _, l := range []app.List{{Queue: "q", Limit: -1}, {Queue: "q", Unacked: true, Limit: 3}, {Queue: "q", Unacked: true, Subscription: "jobs", Limit: -1}} {
		var ids []int64
		err := sc.inbox.List(ctx, l, func(v app.ItemView) error { ids = append(ids, v.ID); return nil })
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			return fmt.Errorf("the list %+v is empty", l)
		}
	}
	queues, err := sc.inbox.Queues(ctx)
	if err != nil {
		return err
	}
	status, err := sc.inbox.Status(ctx)
	if err != nil {
		return err
	}
	if len(queues) < 2 || len(status) != len(sc.ledger.bindings) {
		return fmt.Errorf("queues %v, %d bindings", queues, len(status))
	}
	_, err = sc.inbox.Item(ctx, 1)
	return err
}

// unsubscribe takes moe off, who may be gone after an answer that was not heard.
func unsubscribe(ctx context.Context, sc *scene) error {
	b := binding{"mover", "moe"}
	if sc.ledger.bindings[b] == perhaps {
		status, err := sc.inbox.Status(ctx)
		if err != nil {
			return err
		}
		if !isBound(status, b) {
			sc.ledger.bindings[b] = unbound
			return nil
		}
	}
	sc.ledger.bindings[b] = perhaps
	err := sc.inbox.Unsubscribe(ctx, b.subscription, b.subscriber)
	if err == nil {
		sc.ledger.bindings[b] = unbound
	}
	return err
}
