package app

import (
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// apply stores what the plan says.
func (p *pulling) apply(tx storage.Writer, plan inbox.Plan) error {
	var number int64
	if plan.Delivered() > 0 {
		var err error
		if number, err = tx.NextPull(); err != nil {
			return err
		}
	}
	for _, b := range plan.Batches {
		if err := p.applyBatch(tx, b, number); err != nil {
			return err
		}
	}
	return nil
}

func (p *pulling) applyBatch(tx storage.Writer, b inbox.Batch, number int64) error {
	name := b.Subscription.Name
	if b.Park {
		if _, err := tx.Park(name, parking(b.Subscription.Rules, inbox.ExpiryAt(p.now))); err != nil {
			return err
		}
	}
	if b.SubscriptionChanged {
		if err := tx.PutProgress(b.Subscription); err != nil {
			return err
		}
	}
	if b.BindingChanged || len(b.Texts) > 0 {
		if len(b.Texts) > 0 {
			b.Binding.LastPull = number
		}
		if err := tx.PutBinding(b.Binding); err != nil {
			return err
		}
	}
	for _, item := range b.Lapsed {
		if err := tx.RemoveLeases(name, storage.LeaseQuery{Item: item}); err != nil {
			return err
		}
	}
	for _, lease := range b.Leases {
		if err := tx.PutLease(lease); err != nil {
			return err
		}
	}
	for _, ack := range b.Acks {
		if err := tx.PutAck(ack); err != nil {
			return err
		}
	}
	if len(b.Shown) > 0 {
		return tx.MarkShown(name, b.Binding.Subscriber, b.Shown)
	}
	return nil
}
