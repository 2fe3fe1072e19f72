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
// created_at and, when there are any, expires_at and acks.
func (v ItemView) JSON() []byte {
	var b bytes.Buffer
	b.WriteString(`{"id":` + strconv.FormatInt(v.ID, 10) + `,"queue":`)
	writeContent(&b, v.Queue, v.Key, v.Payload)
	b.WriteString(`,"created_at":` + strconv.FormatInt(v.CreatedAt, 10))
	writeExpiry(&b, v.ExpiresAt)
	for i, a := range v.Acks {
		b.WriteString([]string{`,"acks":[`, `,`}[min(i, 1)] + `{"subscription":`)
		writeString(&b, a.Subscription)
		b.WriteString(`,"owner":`)
		writeString(&b, a.Owner)
		b.WriteString(`,"at":` + strconv.FormatInt(a.At, 10))
		if a.Note != "" {
			b.WriteString(`,"note":`)
			writeString(&b, a.Note)
		}
		b.WriteByte('}')
	}
	if len(v.Acks) > 0 {
		b.WriteByte(']')
	}
	b.WriteByte('}')
	return b.Bytes()
}

// writeContent writes what the publisher gave.
func writeContent(b *bytes.Buffer, queue string, key *string, payload []byte) {
	writeString(b, queue)
	b.WriteString(`,"key":`)
	if key == nil {
		b.WriteString("null")
	} else {
		writeString(b, *key)
	}
	b.WriteString(`,"payload":`)
	b.Write(payload)
}

// writeExpiry writes when something expires, if it ever does.
func writeExpiry(b *bytes.Buffer, at int64) {
	if at != 0 {
		b.WriteString(`,"expires_at":` + strconv.FormatInt(at, 10))
	}
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
