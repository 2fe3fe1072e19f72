package sqltest

import (
	"context"
	"fmt"
	"slices"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain/inbox"
)

// waits is what is known of the messages that wait for their time.
type waits struct {
	known []string // payloads whose publish was acknowledged
	taken []string // and taken back, for certain
}

func (w waits) clone() waits { return waits{slices.Clone(w.known), slices.Clone(w.taken)} }

// timing are the use cases with times, on what all others left. The first makes
// the tables for them.
func timing() []step {
	all := []step{
		{name: "schedule", run: schedule1(app.Message{Release: inbox.Moment{In: 5}})},
		{name: "schedule once", run: schedule1(app.Message{Release: inbox.Moment{In: 5}, Dedupe: "build 8", Payload: []byte(`{"n":1000004}`)})},
		{name: "schedule for long", run: schedule1(app.Message{Release: inbox.Moment{In: 100_000}})},
		{name: "take back", run: takeBack},
		{name: "list what waits", run: func(ctx context.Context, sc *scene) error { _, err := sc.waiting(ctx); return err }},
		{name: "publish releases", run: later(5, publish1("q", app.Message{}))},
		{name: "pull releases", run: each(schedule1(app.Message{Release: inbox.Moment{In: 5}}), later(5, pull("readall", "ann")))},
		{name: "publish what expires", run: brief},
		{name: "subscribe to what expires", run: subscribe("short", "ann", ruled("brief", nil))},
		{name: "pull passes what has expired", run: each(brief, later(60, pull("short", "ann")))},
		{name: "publish removes what has expired", run: each(brief, later(60, brief))},
		{name: "look at everything", run: func(ctx context.Context, sc *scene) error { _, err := sc.inbox.Overview(ctx); return err }},
	}
	for i := range all {
		all[i].verify = func(sc *scene) { sc.verify(sc.Context()) }
	}
	return all
}

// brief publishes what soon expires.
func brief(ctx context.Context, sc *scene) error {
	return sc.publish(ctx, "brief", app.Message{Expires: inbox.Moment{In: 60}})
}

func schedule1(m app.Message) acting {
	return func(ctx context.Context, sc *scene) error {
		m := m
		m.Queue = "q"
		if m.Payload == nil {
			m.Payload = []byte(sc.ledger.payload())
		}
		sc.ledger.try(string(m.Payload))
		done, err := sc.inbox.Publish(ctx, m)
		if err == nil && done.Scheduled == 0 {
			err = fmt.Errorf("%+v is not scheduled", done)
		}
		if err == nil {
			sc.ledger.waits.known = append(sc.ledger.waits.known, string(m.Payload))
		}
		return err
	}
}

// takeBack schedules a message and takes it back. Until that is answered, nobody
// knows whether it still waits.
func takeBack(ctx context.Context, sc *scene) error {
	payload := sc.ledger.payload()
	sc.ledger.try(payload)
	done, err := sc.inbox.Publish(ctx, app.Message{Queue: "q", Payload: []byte(payload), Release: inbox.Moment{In: 100_000}})
	if err == nil {
		err = sc.inbox.Unschedule(ctx, done.Scheduled)
	}
	if err == nil {
		sc.ledger.waits.taken = append(sc.ledger.waits.taken, payload)
	}
	return err
}

// waiting lists the payloads of what waits.
func (sc *scene) waiting(ctx context.Context) (payloads []string, err error) {
	err = sc.inbox.ListScheduled(ctx, app.Scheduled{Limit: -1}, func(s inbox.Scheduled) error {
		payloads = append(payloads, string(s.Payload))
		return nil
	})
	return payloads, err
}

// verifyWaits demands that everything that was scheduled waits or has become an
// item, once, and that nothing that was taken back did (TIME-1, TIME-9).
func (sc *scene) verifyWaits(ctx context.Context) {
	waiting, err := sc.waiting(ctx)
	sc.must("list what waits", err)
	if len(waiting) > 0 {
		sc.ledger.now += 5 // so that the publish that follows releases it, and not one of the pulls
	}
	there := map[string]int{}
	for _, payload := range waiting {
		there[payload]++
	}
	for _, items := range sc.items(ctx) {
		for _, item := range items {
			there[string(item.Payload)]++
		}
	}
	for _, payload := range sc.ledger.waits.known {
		if there[payload] != 1 {
			sc.fault("what was scheduled as %s is there %d times", payload, there[payload])
		}
	}
	for _, payload := range sc.ledger.waits.taken {
		if there[payload] != 0 {
			sc.fault("what was taken back as %s is there %d times", payload, there[payload])
		}
	}
}
