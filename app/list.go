package app

import (
	"bytes"
	"context"
	"slices"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// List selects items of one queue: those that pass all of its conditions.
type List struct {
	Queue        string
	Unacked      bool    // only items that no subscription has acked
	Parked       bool    // only items that are parked in Subscription now (VIEW-10)
	Subscription string  // with Unacked: that this one has not acked
	Key          *string // only items with this key, which an index finds (VIEW-6)
	Since        int64   // only items published at this Unix second or later; 0 for any (VIEW-7)
	Text         string  // only items whose payload, as it is shown, holds this (VIEW-8)
	Limit        int64   // the newest so many; 0 none, below 0 all
}

// List hands over the selected items, oldest first, from one snapshot. An
// unknown subscription has code domain.NotFound (CMD-4), and so has one that reads
// another queue, with Parked. It reads no further down than Limit needs.
func (in *Inbox) List(ctx context.Context, l List, yield func(ItemView) error) error {
	run := &listing{List: l, now: in.now()}
	return in.store.View(ctx, func(r storage.Reader) (err error) {
		if l.Subscription != "" || l.Parked {
			if run.sub, err = requireSubscription(r, l.Subscription); err != nil {
				return err
			}
		}
		if l.Parked {
			if err := readsQueue(run.sub, l.Queue); err != nil {
				return err
			}
		}
		if l.Limit == 0 {
			return nil
		}
		run.r = r
		after, found, err := run.start()
		if err != nil || !found {
			return err
		}
		return run.upwards(after, yield)
	})
}

// listStep is how many items have their acks read at once.
const listStep = 250

// listing is a list that is being read.
type listing struct {
	List
	r     storage.Reader
	sub   inbox.Subscription // the one of Subscription
	now   int64
	floor int64 // nothing up to this id is selected
}

// page is a stretch of a scan.
type page struct {
	ids      []int64 // of all its items
	selected []int64 // of those that pass all conditions
	acks     map[int64][]inbox.Ack
}

// upwards hands over the selected items above an id.
func (l *listing) upwards(after int64, yield func(ItemView) error) error {
	for {
		p, err := l.page(storage.Scan{After: after, Limit: listStep})
		if err != nil || len(p.ids) == 0 {
			return err
		}
		last := p.ids[len(p.ids)-1]
		if len(p.selected) > 0 {
			scan := storage.Scan{Queue: l.Queue, Key: l.Key, After: after, Through: last}
			err = l.r.Scan(scan, func(item inbox.Item) (bool, error) {
				if !slices.Contains(p.selected, item.ID) {
					return true, nil
				}
				err := yield(ItemView{Item: item, Acks: p.acks[item.ID]})
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
func (l *listing) start() (after int64, found bool, err error) {
	if l.Since != 0 {
		first, err := l.r.FirstSince(l.Queue, l.Since)
		if err != nil || first == 0 {
			return 0, false, err
		}
		l.floor = first - 1
	}
	if l.Limit < 0 {
		return l.floor, true, nil
	}
	left := l.Limit
	down := storage.Scan{Descending: true, After: l.floor}
	for {
		down.Limit = listStep
		if !l.Unacked && !l.Parked && l.Text == "" && l.Since == 0 {
			down.Limit = int(min(listStep, left))
		}
		p, err := l.page(down)
		if err != nil || len(p.ids) == 0 {
			return after, found, err
		}
		for _, id := range p.selected {
			after, found = id-1, true
			if left--; left == 0 {
				return after, found, nil
			}
		}
		if down.Through = p.ids[len(p.ids)-1] - 1; down.Through == 0 { // which would be no bound
			return after, found, nil
		}
	}
}

// page reads the ids of the next items of a scan, which of them are selected, and
// their acks. Payloads are read only for a text.
func (l *listing) page(scan storage.Scan) (p page, err error) {
	text := []byte(l.Text)
	scan.Queue, scan.Key, scan.HeadsOnly = l.Queue, l.Key, len(text) == 0
	err = l.r.Scan(scan, func(item inbox.Item) (bool, error) {
		p.ids = append(p.ids, item.ID)
		if (l.Since == 0 || item.CreatedAt >= l.Since) && bytes.Contains(item.Payload, text) {
			p.selected = append(p.selected, item.ID)
		}
		return true, nil
	})
	if err != nil {
		return page{}, err
	}
	if l.Parked {
		if p.selected, err = l.keepParked(p.selected); err != nil {
			return page{}, err
		}
	}
	all, err := l.r.Acks(p.selected)
	if err != nil {
		return page{}, err
	}
	p.acks = make(map[int64][]inbox.Ack, len(all))
	for _, a := range all {
		p.acks[a.Item] = append(p.acks[a.Item], a)
	}
	p.selected = slices.DeleteFunc(p.selected, func(id int64) bool { return !l.selects(p.acks[id]) })
	return p, nil
}

func (l *listing) selects(acks []inbox.Ack) bool {
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
