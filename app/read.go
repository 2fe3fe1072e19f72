package app

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// ItemView is an item with its acks, by subscription.
type ItemView struct {
	inbox.Item
	Acks []inbox.Ack
}

// JSON is the view as one compact JSON object: id, queue, key, payload,
// created_at and, when there are any, acks.
func (v ItemView) JSON() []byte {
	var b bytes.Buffer
	b.WriteString(`{"id":` + strconv.FormatInt(v.ID, 10) + `,"queue":`)
	writeString(&b, v.Queue)
	b.WriteString(`,"key":`)
	if v.Key == nil {
		b.WriteString("null")
	} else {
		writeString(&b, *v.Key)
	}
	b.WriteString(`,"payload":`)
	b.Write(v.Payload)
	b.WriteString(`,"created_at":` + strconv.FormatInt(v.CreatedAt, 10))
	for i, a := range v.Acks {
		b.WriteString([]string{`,"acks":[`, `,`}[min(i, 1)] + `{"subscription":`)
		writeString(&b, a.Subscription)
		b.WriteString(`,"owner":`)
		writeString(&b, a.Owner)
		b.WriteString(`,"at":` + strconv.FormatInt(a.At, 10) + `}`)
	}
	if len(v.Acks) > 0 {
		b.WriteByte(']')
	}
	b.WriteByte('}')
	return b.Bytes()
}

func writeString(b *bytes.Buffer, s string) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // a string always encodes
	}
	b.Truncate(b.Len() - 1)
}

// Item finds one item by its id; a missing one has code domain.NotFound.
func (in *Inbox) Item(ctx context.Context, id int64) (view ItemView, err error) {
	err = in.store.View(ctx, func(r storage.Reader) error {
		item, ok, err := r.Item(id)
		if err != nil {
			return err
		}
		if !ok {
			return noItem(id)
		}
		view.Item = item
		view.Acks, err = r.Acks([]int64{id})
		return err
	})
	return view, err
}

// Queues lists the queues that hold items, in bytewise order.
func (in *Inbox) Queues(ctx context.Context) (queues []inbox.QueueCount, err error) {
	err = in.store.View(ctx, func(r storage.Reader) error {
		queues, err = r.Queues()
		return err
	})
	return queues, err
}

// List selects items of one queue.
type List struct {
	Queue        string
	Unacked      bool   // only items that no subscription has acked
	Subscription string // with Unacked: that this one has not acked
	Limit        int64  // the newest so many; 0 none, below 0 all
}

// List hands over the selected items, oldest first, from one snapshot. An
// unknown subscription has code domain.NotFound (CMD-4).
func (in *Inbox) List(ctx context.Context, l List, yield func(ItemView) error) error {
	return in.store.View(ctx, func(r storage.Reader) error {
		if l.Subscription != "" {
			if _, err := requireSubscription(r, l.Subscription); err != nil {
				return err
			}
		}
		if l.Limit == 0 {
			return nil
		}
		after, err := l.start(r)
		if err != nil {
			return err
		}
		return r.Scan(storage.Scan{Queue: l.Queue, After: after}, func(item inbox.Item) (bool, error) {
			acks, err := r.Acks([]int64{item.ID})
			if err != nil || !l.selects(acks) {
				return err == nil, err
			}
			err = yield(ItemView{Item: item, Acks: acks})
			return err == nil, err
		})
	})
}

// start is the id after which the newest Limit selected items lie.
func (l List) start(r storage.Reader) (after int64, err error) {
	if l.Limit < 0 {
		return 0, nil
	}
	left := l.Limit
	err = r.Scan(storage.Scan{Queue: l.Queue, Descending: true, HeadsOnly: true}, func(item inbox.Item) (bool, error) {
		selected := true
		if l.Unacked {
			acks, err := r.Acks([]int64{item.ID})
			if err != nil {
				return false, err
			}
			selected = l.selects(acks)
		}
		if selected {
			left--
		}
		after = item.ID - 1
		return left > 0, nil
	})
	return after, err
}

func (l List) selects(acks []inbox.Ack) bool {
	if !l.Unacked {
		return true
	}
	for _, a := range acks {
		if l.Subscription == "" || a.Subscription == l.Subscription {
			return false
		}
	}
	return true
}
