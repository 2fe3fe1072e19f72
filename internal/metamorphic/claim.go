package metamorphic

import (
	"context"

	"github.com/tundish-go/tundish/app"
)

// claim changes what is claimed of one item or of two (ACK-3).
func (d *doing) claim(ctx context.Context) (any, error) {
	in, a := d.site.inbox, d.op.Ack
	items := []int64{a.Item}
	if d.op.Also > 0 {
		items = append(items, d.op.Also)
	}
	switch d.op.Kind {
	case Nack:
		return in.Nack(ctx, app.Nack{Items: items, Subscriber: a.Subscriber, Subscription: a.Subscription, Delay: d.op.Seconds})
	case Extend:
		return in.Extend(ctx, app.Extend{Items: items, Subscriber: a.Subscriber, Subscription: a.Subscription, Lease: d.op.Seconds})
	case Unpark:
		done, err := in.Unpark(ctx, app.Unpark{Items: items, Subscription: a.Subscription})
		return map[string][]int64{"Unparked": done}, err
	}
	return in.AckMany(ctx, app.AckMany{Through: a.Item, Subscriber: a.Subscriber, Subscription: a.Subscription, Note: a.Note})
}
