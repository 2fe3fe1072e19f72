package inbox

import (
	"strconv"

	"github.com/tundish-go/tundish/domain"
)

// ClaimedError says that another subscriber's claim stands in the way of an ack
// (ACK-1). Its code is domain.Claimed.
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

// AckFacts is what an ack finds.
type AckFacts struct {
	Bound Bound
	Item  int64
	Ack   *Ack   // nil when nobody has acked
	Lease *Lease // nil when there is none
}

// AckDecision is what becomes of an ack.
type AckDecision struct {
	Record      *Ack // to be recorded; nil when the owner repeats the ack
	WasParked   bool
	NeverPulled bool // no pull of the subscription, or under share all of the binding, has passed the item
}

// DecideAck lets the first ack win, repeats it for its owner, and refuses
// others, as it does beside another subscriber's live lease (ACK-1).
func DecideAck(f AckFacts, now int64) (AckDecision, error) {
	who := f.Bound.Binding.Subscriber
	if f.Ack != nil {
		if f.Ack.Owner != who {
			return AckDecision{}, claimed(&ClaimedError{Item: f.Item, Owner: f.Ack.Owner, At: f.Ack.At})
		}
		return AckDecision{}, nil
	}
	if f.Lease != nil && f.Lease.Live(now) && f.Lease.Owner != who {
		return AckDecision{}, claimed(&ClaimedError{Item: f.Item, Owner: f.Lease.Owner, Until: f.Lease.Until})
	}
	return AckDecision{
		Record:      &Ack{Subscription: f.Bound.Binding.Subscription, Item: f.Item, Owner: who, At: now},
		WasParked:   f.Lease != nil && f.Lease.Spent(f.Bound.Subscription.Rules, now),
		NeverPulled: f.Lease == nil && f.Item > f.Bound.Position(),
	}, nil
}

func claimed(e *ClaimedError) error {
	return &domain.Error{Code: domain.Claimed, Text: "the ack was refused", Err: e, Remedy: "leave the item to its owner"}
}
