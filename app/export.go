package app

import (
	"context"
	"encoding/json"
	"io"
	"slices"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// Export is what to write.
type Export struct {
	Queue string // only this one, with the subscriptions to it; empty for all
}

// Exported is what was written.
type Exported struct {
	Subscriptions int64
	Items         int64
	Scheduled     int64
	Skipped       []string // rows that cannot be told in this form, a line each (STO-5)
}

// Export writes the inbox, not the outbox, to w as JSON lines: first a header, then
// subscriptions with their bindings, items with their acks, leases and shown marks,
// publishers' own ids, messages that wait for their time, and at last a line that
// tells how many came before it. All is from one snapshot (CARE-7).
func (in *Inbox) Export(ctx context.Context, e Export, w io.Writer) (Exported, error) {
	archive, err := in.archive()
	if err != nil {
		return Exported{}, err
	}
	x := &exporting{queue: e.Queue, encoder: json.NewEncoder(w), left: map[string]bool{}}
	x.encoder.SetEscapeHTML(false)
	err = archive.ViewArchive(ctx, x.all)
	return x.done, err
}

// exporting is one export.
type exporting struct {
	queue   string
	encoder *json.Encoder
	lines   int64
	left    map[string]bool // subscriptions that were left out, whose claims go with them
	done    Exported
}

func (x *exporting) write(line any) error {
	x.lines++
	return x.encoder.Encode(line)
}

func (x *exporting) all(r storage.ArchiveReader) error {
	last, err := r.Last()
	if err != nil {
		return err
	}
	header := headerLine{
		Type: typeHeader, Format: formatName, Version: formatVersion, Queue: x.queue,
		LastItem: last.Item, LastPull: last.Pull, LastScheduled: last.Scheduled,
	}
	if err := x.write(header); err != nil {
		return err
	}
	for _, part := range []func(storage.ArchiveReader) error{x.subscriptions, x.items, x.dedupes, x.scheduled} {
		if err := part(r); err != nil {
			return err
		}
	}
	return x.write(endLine{Type: typeEnd, Lines: x.lines})
}

func (x *exporting) subscriptions(r storage.ArchiveReader) error {
	subs, err := r.Subscriptions()
	if err != nil {
		return err
	}
	for _, sub := range subs {
		if x.queue != "" && sub.Rules.Queue != x.queue {
			continue
		}
		if sub.Broken != "" {
			x.left[sub.Name] = true
			x.done.Skipped = append(x.done.Skipped, "the subscription "+sub.Name+" cannot be read: "+sub.Broken)
			continue
		}
		bindings, err := r.Bindings(sub.Name)
		if err != nil {
			return err
		}
		x.done.Subscriptions++
		if err := x.write(subscriptionFrom(sub, bindings)); err != nil {
			return err
		}
	}
	return nil
}

// Bounds of the items that are kept back until their claims are asked for.
const (
	exportItems = 500
	exportBytes = 4 << 20
)

func (x *exporting) items(r storage.ArchiveReader) error {
	var waiting []inbox.Item
	bytes := 0
	flush := func() error {
		err := x.claimed(r, waiting)
		waiting, bytes = waiting[:0], 0
		return err
	}
	take := func(item inbox.Item) (bool, error) {
		waiting = append(waiting, item)
		bytes += len(item.Payload)
		if len(waiting) < exportItems && bytes < exportBytes {
			return true, nil
		}
		return true, flush()
	}
	var err error
	if x.queue != "" {
		err = r.Scan(storage.Scan{Queue: x.queue}, take)
	} else {
		err = r.All(take)
	}
	if err != nil {
		return err
	}
	return flush()
}

// claimed writes items with their claims.
func (x *exporting) claimed(r storage.ArchiveReader, items []inbox.Item) error {
	if len(items) == 0 {
		return nil
	}
	ids := make([]int64, len(items))
	for i, item := range items {
		ids[i] = item.ID
	}
	more, err := x.attachedTo(r, ids)
	if err != nil {
		return err
	}
	for _, item := range items {
		if !json.Valid(item.Payload) {
			x.done.Skipped = append(x.done.Skipped, "the payload of item "+decimal(item.ID)+" is not JSON")
			continue
		}
		x.done.Items++
		if err := x.write(itemFrom(item, more[item.ID])); err != nil {
			return err
		}
	}
	return nil
}

// attached is what subscriptions have on one item.
type attached struct {
	acks   []inbox.Ack
	leases []inbox.Lease
	shown  []inbox.Shown
}

func (x *exporting) attachedTo(r storage.ArchiveReader, ids []int64) (map[int64]attached, error) {
	acks, err := r.Acks(ids)
	if err != nil {
		return nil, err
	}
	leases, err := r.LeasesOn(ids)
	if err != nil {
		return nil, err
	}
	shown, err := r.ShownOn(ids)
	if err != nil {
		return nil, err
	}
	acks = slices.DeleteFunc(acks, func(a inbox.Ack) bool { return x.left[a.Subscription] })
	leases = slices.DeleteFunc(leases, func(l inbox.Lease) bool { return x.left[l.Subscription] })
	shown = slices.DeleteFunc(shown, func(m inbox.Shown) bool { return x.left[m.Subscription] })
	all := map[int64]attached{}
	for _, ack := range acks {
		c := all[ack.Item]
		c.acks = append(c.acks, ack)
		all[ack.Item] = c
	}
	for _, lease := range leases {
		c := all[lease.Item]
		c.leases = append(c.leases, lease)
		all[lease.Item] = c
	}
	for _, mark := range shown {
		c := all[mark.Item]
		c.shown = append(c.shown, mark)
		all[mark.Item] = c
	}
	return all, nil
}

func (x *exporting) dedupes(r storage.ArchiveReader) error {
	return r.Dedupes(x.queue, func(d inbox.Dedupe) error { return x.write(dedupeFrom(d)) })
}

func (x *exporting) scheduled(r storage.ArchiveReader) error {
	return r.Scheduled(storage.ScheduleQuery{Queue: x.queue}, func(s inbox.Scheduled) (bool, error) {
		if !json.Valid(s.Payload) {
			x.done.Skipped = append(x.done.Skipped, "the payload of the scheduled message "+decimal(s.Number)+" is not JSON")
			return true, nil
		}
		x.done.Scheduled++
		return true, x.write(scheduledFrom(s))
	})
}
