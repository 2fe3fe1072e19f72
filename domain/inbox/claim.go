package inbox

import (
	"fmt"
	"strconv"

	"github.com/tundish-go/tundish/domain"
)

// ClaimedError says that another subscriber's claim stands in the way of an ack,
// a nack or an extension (ACK-1, ACK-3). Its code is domain.Claimed.
type ClaimedError struct {
	Item  int64
	Owner string
	At    int64 // Unix seconds of the owner's ack; meaningless with Until
	Until int64 // Unix seconds of the end of the owner's live lease; 0 when it is an ack
}

// Outcome is the line for standard output, word for word (ACK-1).
func (e *ClaimedError) Outcome() string {
	if e.Until != 0 {
		return "leased by " + e.Owner + " until " + strconv.FormatInt(e.Until, 10)
	}
	return "already acked by " + e.Owner + " at " + strconv.FormatInt(e.At, 10)
}

func (e *ClaimedError) Error() string {
	return "item " + strconv.FormatInt(e.Item, 10) + " is " + e.Outcome()
}

func claimed(what string, e *ClaimedError) error {
	return &domain.Error{Code: domain.Claimed, Text: "the " + what + " was refused", Err: e, Remedy: "leave the item to its owner"}
}

// ClaimFacts is what a subscriber's call about a claim finds: who calls, in which
// subscription, and what is known there of the item.
type ClaimFacts struct {
	Bound Bound
	Item  int64
	Ack   *Ack   // nil when nobody has acked
	Lease *Lease // nil when there is none
}

// DecideNack is the lease that is left of the subscriber's own when it gives the
// item back: nobody's, over at once or after a delay in seconds, with the attempt
// still counted. After the last attempt the item is parked at once, whatever the
// delay (ACK-3).
func DecideNack(f ClaimFacts, delay, now int64) (Lease, error) {
	l, err := f.held("nack", now)
	if err != nil {
		return Lease{}, err
	}
	if l.Attempts >= f.Bound.Subscription.Rules.MaxAttempts {
		l.Until, l.Parked = now, true
		return l, nil
	}
	l.Owner, l.Granted, l.Until = "", now, now+delay
	return l, nil
}

// DecideExtend is the subscriber's lease with another length, in seconds from now
// on, shorter or longer; it counts as the same attempt (ACK-3). It is granted anew:
// a clock that ran ahead when the first one was can tell by it no more (STO-7).
func DecideExtend(f ClaimFacts, length, now int64) (Lease, error) {
	l, err := f.held("extension", now)
	if err != nil {
		return Lease{}, err
	}
	l.Granted, l.Until = now, now+length
	return l, nil
}

// held finds the lease by which the subscriber holds the item.
func (f ClaimFacts) held(what string, now int64) (Lease, error) {
	sub, l := f.Bound.Subscription, f.Lease
	missing := func(format string, args ...any) (Lease, error) {
		return Lease{}, &domain.Error{
			Code: domain.NotFound, Text: fmt.Sprintf("the %s was refused: item %d ", what, f.Item) + fmt.Sprintf(format, args...),
			Remedy: "only an item that is leased to you can be given back or kept for longer",
		}
	}
	switch {
	case f.Ack != nil:
		return missing("is acked by %s since %d in %s", f.Ack.Owner, f.Ack.At, sub.Name)
	case l == nil:
		return missing("has no lease in %s", sub.Name)
	case l.Spent(sub.Rules, now):
		return missing("is parked in %s", sub.Name)
	case !l.Live(now):
		return missing("has no lease in %s any more: it ended at %d", sub.Name, l.Until)
	case l.Owner == "":
		return missing("was given back in %s and belongs to nobody until %d", sub.Name, l.Until)
	case l.Owner != f.Bound.Binding.Subscriber:
		return Lease{}, claimed(what, &ClaimedError{Item: f.Item, Owner: l.Owner, Until: l.Until})
	}
	return *l, nil
}

// DecideUnpark is the lease of a parked item that pulls may get again, at once and
// as if for the first time; nil for none (ACK-3).
func DecideUnpark(sub Subscription, item int64, lease *Lease, now int64) (Lease, error) {
	switch {
	case sub.Rules.Share != One:
		return Lease{}, invalid("tundish seek takes a subscriber back to an item",
			"item %d cannot be unparked in %s, which gives every subscriber each item", item, sub.Name)
	case lease == nil || !lease.Spent(sub.Rules, now):
		return Lease{}, &domain.Error{
			Code: domain.NotFound, Text: fmt.Sprintf("item %d is not parked in %s", item, sub.Name),
			Remedy: "tundish status --all lists what is parked",
		}
	}
	l := *lease
	l.Owner, l.Granted, l.Until, l.Attempts, l.Parked = "", now, now, 0, false
	return l, nil
}
