package app

import (
	"context"
	"slices"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// Ack takes responsibility for an item.
type Ack struct {
	Item       int64
	Subscriber string
	// Subscription is whose ack it is; empty for the only one that the
	// subscriber holds on the item's queue (ACK-1).
	Subscription string
	// Note is stored with the ack, if it is the first; empty for none (ACK-3).
	Note string
}

// AckMany takes responsibility for items, for all of them or for none (ACK-3).
type AckMany struct {
	Items []int64 // in the order in which they are acked; one given twice counts once
	// Through, in place of Items, means all items up to this id that the subscriber
	// was shown, under share all, or that are leased to it, under share one.
	Through      int64
	Subscriber   string
	Subscription string // as in Ack; needed where no item Through is kept
	Note         string // of all of them
}

// Acked is what an ack did.
type Acked struct {
	Item         int64
	Subscription string
	Repeat       bool // the subscriber had acked it before
	WasParked    bool
	NeverPulled  bool
	NoteLost     bool // it is a repeat, and the first ack does not have this note
}

// Ack records the subscriber's ack; a repeat by the owner succeeds. Another
// subscriber's ack or live lease yields an error with code domain.Claimed that
// wraps an *inbox.ClaimedError (ACK-1).
func (in *Inbox) Ack(ctx context.Context, a Ack) (Acked, error) {
	done, err := in.AckMany(ctx, AckMany{Items: []int64{a.Item}, Subscriber: a.Subscriber, Subscription: a.Subscription, Note: a.Note})
	if err != nil {
		return Acked{}, err
	}
	return done[0], nil
}

// throughStep is how many items of an ack through are acked in one transaction. A
// subscriber can have been shown very many, and publishers wait meanwhile.
const throughStep = 250

// AckMany records acks in one transaction. The first item that Ack would refuse is
// the error of all, and nothing is recorded. With Through nothing can be refused,
// there may be nothing to ack, and very many items take several transactions: what
// was recorded before one failed comes with the error (ACK-3).
func (in *Inbox) AckMany(ctx context.Context, a AckMany) (done []Acked, err error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	who := claimant{a.Subscriber, a.Subscription}
	if a.Through > 0 {
		return in.ackThrough(ctx, who, a)
	}
	err = in.store.Update(ctx, func(tx storage.Writer) error {
		now := in.now()
		for _, item := range distinct(a.Items) {
			one, err := ackOne(tx, who, item, a.Note, now)
			if err != nil {
				return err
			}
			done = append(done, one)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// ackThrough acks what is the subscriber's now, step by step. What others take in
// between, or retention, is passed over.
func (in *Inbox) ackThrough(ctx context.Context, who claimant, a AckMany) (done []Acked, err error) {
	var items []int64
	err = in.store.View(ctx, func(tx storage.Reader) error {
		b, err := who.bound(tx, a.Through)
		if err != nil {
			return err
		}
		who.subscription = b.Subscription.Name
		items, err = taken(tx, b, a.Through, in.now())
		return err
	})
	if err != nil {
		return nil, err
	}
	for step := range slices.Chunk(items, throughStep) {
		acked := make([]Acked, 0, len(step))
		err := in.store.Update(ctx, func(tx storage.Writer) error {
			now := in.now()
			for _, item := range step {
				one, err := ackOne(tx, who, item, a.Note, now)
				switch code := domain.CodeOf(err); {
				case code == domain.Claimed || code == domain.NotFound || one.Repeat:
				case err != nil:
					return err
				default:
					acked = append(acked, one)
				}
			}
			return nil
		})
		if err != nil {
			return done, err
		}
		done = append(done, acked...)
	}
	return done, nil
}

func (a AckMany) check() error {
	switch {
	case a.Through < 0 || (a.Through > 0) == (len(a.Items) > 0):
		return &domain.Error{Code: domain.Invalid, Text: "an ack needs either items or the last one, not both"}
	case a.Note != "":
		if err := inbox.CheckNote(a.Note); err != nil {
			return err
		}
	}
	return claimant{a.Subscriber, a.Subscription}.check()
}

// taken lists what a subscriber was shown and nobody has acked, or what is leased
// to it, up to an item (ACK-3).
func taken(r storage.Reader, b inbox.Bound, through, now int64) ([]int64, error) {
	name, who := b.Subscription.Name, b.Binding.Subscriber
	if b.Subscription.Rules.Share == inbox.All {
		return r.ShownTo(name, who, through)
	}
	leases, err := r.Leases(name, storage.LeaseQuery{State: storage.OpenLease})
	return inbox.HeldBy(leases, who, through, now), err
}

func ackOne(tx storage.Writer, who claimant, item int64, note string, now int64) (Acked, error) {
	facts, err := who.facts(tx, item)
	if err != nil {
		return Acked{}, err
	}
	sub := facts.Bound.Subscription
	decision, err := inbox.DecideAck(facts, note, now)
	if err != nil {
		return Acked{}, err
	}
	done := Acked{
		Item: item, Subscription: sub.Name, Repeat: decision.Record == nil,
		WasParked: decision.WasParked, NeverPulled: decision.NeverPulled, NoteLost: decision.NoteLost,
	}
	if decision.Record == nil {
		return done, nil
	}
	if _, err := park(tx, sub, now); err != nil {
		return Acked{}, err
	}
	return done, tx.PutAck(*decision.Record)
}
