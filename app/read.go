package app

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
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
		after, found, err := l.start(r)
		if err != nil || !found {
			return err
		}
		return l.upwards(r, after, yield)
	})
}

// listStep is how many items have their acks read at once.
const listStep = 250

// upwards hands over the selected items above an id.
func (l List) upwards(r storage.Reader, after int64, yield func(ItemView) error) error {
	for {
		ids, acks, err := l.step(r, storage.Scan{After: after, Limit: listStep})
		if err != nil || len(ids) == 0 {
			return err
		}
		last := ids[len(ids)-1]
		if slices.ContainsFunc(ids, func(id int64) bool { return l.selects(acks[id]) }) {
			err = r.Scan(storage.Scan{Queue: l.Queue, After: after, Through: last}, func(item inbox.Item) (bool, error) {
				if !l.selects(acks[item.ID]) {
					return true, nil
				}
				err := yield(ItemView{Item: item, Acks: acks[item.ID]})
				return err == nil, err
			})
			if err != nil {
				return err
			}
		}
		after = last
	}
}

// start is the id after which the newest Limit selected items lie; found is false
// when there are none.
func (l List) start(r storage.Reader) (after int64, found bool, err error) {
	if l.Limit < 0 {
		return 0, true, nil
	}
	left := l.Limit
	down := storage.Scan{Descending: true}
	for {
		down.Limit = listStep
		if !l.Unacked {
			down.Limit = int(min(listStep, left))
		}
		ids, acks, err := l.step(r, down)
		if err != nil || len(ids) == 0 {
			return after, found, err
		}
		for _, id := range ids {
			if !l.selects(acks[id]) {
				continue
			}
			after, found = id-1, true
			if left--; left == 0 {
				return after, found, nil
			}
		}
		if down.Through = ids[len(ids)-1] - 1; down.Through == 0 { // which would be no bound
			return after, found, nil
		}
	}
}

// step reads the ids of the next items of a scan, and the acks on them.
func (l List) step(r storage.Reader, scan storage.Scan) (ids []int64, acks map[int64][]inbox.Ack, err error) {
	scan.Queue, scan.HeadsOnly = l.Queue, true
	err = r.Scan(scan, func(item inbox.Item) (bool, error) {
		ids = append(ids, item.ID)
		return true, nil
	})
	if err != nil {
		return nil, nil, err
	}
	all, err := r.Acks(ids)
	if err != nil {
		return nil, nil, err
	}
	acks = make(map[int64][]inbox.Ack, len(all))
	for _, a := range all {
		acks[a.Item] = append(acks[a.Item], a)
	}
	return ids, acks, nil
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
