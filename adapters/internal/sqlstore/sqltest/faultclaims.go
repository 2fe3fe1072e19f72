package sqltest

import (
	"bytes"
	"context"
	"fmt"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain/inbox"
)

// claiming are the use cases of those who answer items, give them back and look
// for them, on a database of their own.
func claiming() []whole {
	return []whole{
		{name: "ack several", prepare: crew, do: func(ctx context.Context, sc *scene) error {
			done, err := sc.inbox.AckMany(ctx, app.AckMany{Items: []int64{1, 2}, Subscriber: "w1", Subscription: "jobs", Note: "done"})
			return first(err, unless(len(done) == 2, "not both"))
		}},
		{name: "ack through", do: func(ctx context.Context, sc *scene) error {
			_, err := sc.inbox.AckMany(ctx, app.AckMany{Through: 3, Subscriber: "ann", Subscription: "all", Note: "seen"})
			return err
		}},
		{name: "nack", do: nack("w1", 5)},
		{name: "extend", do: func(ctx context.Context, sc *scene) error {
			done, err := sc.inbox.Extend(ctx, app.Extend{Items: []int64{5, 6}, Subscriber: "w1", Subscription: "jobs", Lease: 1000})
			return first(err, unless(len(done) == 2, "not both"))
		}},
		{name: "nack parks", prepare: later(jobLease+1, pull("jobs", "w2")), do: nack("w2", 0)},
		{name: "unpark", do: func(ctx context.Context, sc *scene) error {
			done, err := sc.inbox.Unpark(ctx, app.Unpark{Items: []int64{3, 4}, Subscription: "jobs"})
			return first(err, unless(len(done) == 2, "not both"))
		}},
		{name: "seek", do: seek("all", "ann", inbox.Place{Item: 3})},
		{name: "seek by time, share one", do: seek("jobs", "w1", inbox.Place{Since: 1})},
		{name: "peek", do: func(ctx context.Context, sc *scene) error {
			var out bytes.Buffer
			done, err := sc.inbox.Peek(ctx, app.Pull{Subscription: "all", Subscriber: "ann"}, &out)
			return first(err, unless(done.Delivered == 4 && out.Len() > 0, "it shows nothing"))
		}},
		{
			name:    "look out releases",
			prepare: each(schedule1(app.Message{Release: inbox.Moment{In: 5}}), later(5, seek("all", "ann", inbox.Place{New: true}))),
			do:      lookOut, follows: true, // a release is a unit of work of its own
		},
	}
}

// crew publishes items and gives them to workers.
func crew(ctx context.Context, sc *scene) error {
	crewed := ruled("q", func(r *inbox.Rules) { job(r); r.Limit = 10 })
	return each(
		func(ctx context.Context, sc *scene) error { return sc.publishAll(ctx, "q", 6) },
		subscribe("jobs", "w1", crewed), subscribe("jobs", "w2", nil),
		subscribe("all", "ann", ruled("q", func(r *inbox.Rules) { r.Consume = inbox.OnAck })),
		seek("jobs", "w1", inbox.Place{}), seek("all", "ann", inbox.Place{}),
		pull("jobs", "w1"), pull("all", "ann"),
	)(ctx, sc)
}

func nack(subscriber string, delay int64) acting {
	return func(ctx context.Context, sc *scene) error {
		done, err := sc.inbox.Nack(ctx, app.Nack{Items: []int64{3, 4}, Subscriber: subscriber, Subscription: "jobs", Delay: delay})
		if err == nil && (len(done) != 2 || done[1].Parked != (subscriber == "w2")) {
			err = fmt.Errorf("nacked %+v", done)
		}
		return err
	}
}

func seek(subscription, subscriber string, to inbox.Place) acting {
	return func(ctx context.Context, sc *scene) error {
		_, err := sc.inbox.Seek(ctx, app.Seek{Subscription: subscription, Subscriber: subscriber, To: to})
		return err
	}
}

// lookOut looks out for a message whose time has come.
func lookOut(ctx context.Context, sc *scene) error {
	l, err := sc.inbox.Lookout(app.Pull{Subscription: "all", Subscriber: "ann"})
	if err != nil {
		return err
	}
	sight, err := l.Look(ctx)
	return first(err, unless(sight.Items == 1, "nothing is in sight"))
}
