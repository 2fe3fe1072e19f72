package app

import (
	"context"
	"maps"
	"slices"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

// A queue or a key of an old database may have a name that nobody could choose
// today, and comes through as it is (STO-6).

func (r *reading) subscription(text []byte) error {
	var line subscriptionLine
	if err := decode(text, &line); err != nil {
		return err
	}
	if err := inbox.CheckSubscription(line.Name); err != nil {
		return err
	}
	if _, twice := r.bound[line.Name]; twice {
		return malformed("there is a subscription %s before", line.Name)
	}
	rules, err := inbox.ParseRules(string(line.Rules))
	if err != nil {
		return malformed("%v", err)
	}
	sub := inbox.Subscription{
		Name: line.Name, Rules: rules, Scan: line.Scan, LastError: line.LastError,
		Unreported: inbox.Counts{Dropped: line.Dropped, Errors: line.Errors, Parked: line.Parked},
	}
	r.bound[line.Name] = []string{}
	bindings := make([]inbox.Binding, 0, len(line.Bindings))
	fine, ahead := natural(line.Scan, line.Dropped, line.Errors, line.Parked), line.Scan
	for _, b := range line.Bindings {
		if err := inbox.CheckSubscriber(b.Subscriber); err != nil {
			return err
		}
		if slices.Contains(r.bound[line.Name], b.Subscriber) {
			return malformed("%s is bound twice", b.Subscriber)
		}
		r.bound[line.Name] = append(r.bound[line.Name], b.Subscriber)
		fine = fine && natural(b.Position, b.LastPull, b.Dropped, b.Errors, b.Parked, b.JudgedAfter, b.JudgedThrough)
		ahead = max(ahead, b.Position, b.JudgedThrough)
		bindings = append(bindings, b.binding(line.Name))
	}
	switch {
	case !fine:
		return malformed("a number is out of range")
	case ahead > r.top: // it would pass what is published later
		return malformed("a position is ahead of the last item, %d", r.top)
	}
	return r.sink.subscription(sub, bindings)
}

func (r *reading) item(ctx context.Context, text []byte) error {
	var line itemLine
	if err := decode(text, &line); err != nil {
		return err
	}
	switch {
	case line.ID < 1 || !natural(line.ID):
		return malformed("the id %d is out of range", line.ID)
	case line.ID <= r.last:
		return malformed("the id %d comes after %d", line.ID, r.last)
	case line.ID > r.top:
		return malformed("the id %d is above the last one, %d", line.ID, r.top)
	}
	r.last = line.ID
	item := line.item()
	var err error
	if item.Payload, err = r.content(line.Queue, line.Payload); err != nil {
		return err
	}
	with, err := r.attached(line)
	if err != nil {
		return err
	}
	return r.sink.item(ctx, item, with)
}

// content checks what a publisher gave, and respells the payload.
func (r *reading) content(queue string, payload []byte) ([]byte, error) {
	switch {
	case queue == "":
		return nil, malformed("there is no queue")
	case len(payload) == 0:
		return nil, malformed("there is no payload")
	}
	canonical, err := r.in.payloads.Canonical(payload, MaxPayloadDepth)
	if err != nil {
		return nil, &domain.Error{Code: domain.Payload, Text: "the payload is not valid JSON", Err: err}
	}
	return canonical, nil
}

// attached checks the claims on an item.
func (r *reading) attached(line itemLine) (with attached, err error) {
	claimed := map[string]bool{} // subscriptions with an ack or a lease
	for _, a := range line.Acks {
		err := r.claim(claimed, a.Subscription)
		if err == nil {
			err = inbox.CheckSubscriber(a.Owner)
		}
		if err == nil && a.Note != "" {
			err = inbox.CheckNote(a.Note)
		}
		if err != nil {
			return with, err
		}
		with.acks = append(with.acks, a.ack(line.ID))
	}
	acked := maps.Clone(claimed)
	for _, l := range line.Leases {
		err := r.claim(claimed, l.Subscription)
		if err == nil && l.Owner != "" { // else it was given back
			err = inbox.CheckSubscriber(l.Owner)
		}
		if err == nil && !natural(l.Attempts) {
			err = malformed("the number of attempts %d is out of range", l.Attempts)
		}
		if err != nil {
			return with, err
		}
		with.leases = append(with.leases, l.lease(line.ID))
	}
	for _, m := range line.Shown {
		mark := inbox.Shown{Subscription: m.Subscription, Subscriber: m.Subscriber, Item: line.ID}
		if acked[m.Subscription] {
			return with, malformed("the subscription %s has acked it, and shown it to %s", m.Subscription, domain.Shorten(m.Subscriber))
		}
		if !slices.Contains(r.bound[m.Subscription], m.Subscriber) {
			return with, malformed("%q is not bound to %q", domain.Shorten(m.Subscriber), domain.Shorten(m.Subscription))
		}
		with.shown = append(with.shown, mark)
	}
	return with, nil
}

// claim takes the one ack or lease that a subscription may have on an item.
func (r *reading) claim(claimed map[string]bool, subscription string) error {
	if _, there := r.bound[subscription]; !there {
		return malformed("there is no subscription %q before", domain.Shorten(subscription))
	}
	if claimed[subscription] {
		return malformed("the subscription %s has more than one ack or lease", subscription)
	}
	claimed[subscription] = true
	return nil
}

func (r *reading) dedupe(text []byte) error {
	var line dedupeLine
	if err := decode(text, &line); err != nil {
		return err
	}
	if err := inbox.CheckDedupe(line.ID); err != nil {
		return err
	}
	switch {
	case line.Queue == "":
		return malformed("there is no queue")
	case !natural(line.Item, line.Scheduled) || (line.Item == 0) == (line.Scheduled == 0):
		return malformed("it names neither an item nor a scheduled message, or both")
	}
	return r.sink.dedupe(line.dedupe())
}

func (r *reading) scheduled(text []byte) error {
	var line scheduledLine
	if err := decode(text, &line); err != nil {
		return err
	}
	switch {
	case line.Number < 1 || !natural(line.Number):
		return malformed("the number %d is out of range", line.Number)
	case r.waits[line.Number]:
		return malformed("the number %d is there twice", line.Number)
	}
	r.waits[line.Number] = true
	if line.Dedupe != "" {
		if err := inbox.CheckDedupe(line.Dedupe); err != nil {
			return err
		}
	}
	waiting := line.scheduled()
	var err error
	if waiting.Payload, err = r.content(line.Queue, line.Payload); err != nil {
		return err
	}
	return r.sink.scheduled(waiting)
}
