package app

import (
	"context"
	"time"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// Purge removes items of a queue on purpose, whether they were read or not. Nobody
// counts them as dropped: that tells what retention took away (CARE-6).
type Purge struct {
	Queue string
	// Before spares what was created at this Unix second or later, and what waits
	// for its time; 0 spares nothing.
	Before int64
	// Progress, if set, is told now and then how many items are gone so far.
	Progress func(items int64)
}

// Purged is what a purge removed.
type Purged struct {
	Items     int64
	Scheduled int64 // messages that waited for their time
}

// Purge removes items in steps of at most inbox.MaxRemoval, each a unit of work of
// its own with room for others between them; items that are published meanwhile
// stay. Then the file is written anew (CARE-4). An error together with something in
// Purged means that so much is gone, and that it may still be read in the file.
func (in *Inbox) Purge(ctx context.Context, p Purge) (done Purged, err error) {
	top, err := in.newest(ctx, p.Queue)
	if err != nil {
		return done, err
	}
	for {
		began := in.clock.Elapsed()
		var step Purged
		err := in.store.Update(ctx, func(tx storage.Writer) (err error) {
			step, err = p.step(tx, top, in.now())
			return err
		})
		if err != nil {
			return done, err
		}
		if step == (Purged{}) {
			break
		}
		done.Items += step.Items
		done.Scheduled += step.Scheduled
		if p.Progress != nil {
			p.Progress(done.Items)
		}
		if err := breathe(ctx, in.clock.Elapsed()-began); err != nil {
			return done, err
		}
	}
	if done == (Purged{}) {
		return done, nil
	}
	return done, in.scrub(ctx)
}

func (in *Inbox) newest(ctx context.Context, queue string) (id int64, err error) {
	err = in.store.View(ctx, func(r storage.Reader) error {
		id, err = r.Newest(queue)
		return err
	})
	return id, err
}

// breathe leaves the lock to others for as long as it was held, since who waits
// for it asks for it only now and then.
func breathe(ctx context.Context, held time.Duration) error {
	pause := time.NewTimer(held)
	defer pause.Stop()
	select {
	case <-pause.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// step removes some of what goes; nothing when all has gone.
func (p Purge) step(tx storage.Writer, top, now int64) (Purged, error) {
	if p.Before == 0 {
		waiting, err := p.scheduled(tx, now)
		if err != nil || waiting > 0 {
			return Purged{Scheduled: waiting}, err
		}
	}
	removed, err := p.next(tx, top)
	if err != nil || len(removed) == 0 {
		return Purged{}, err
	}
	readers, err := parkAll(tx, p.Queue, now)
	if err != nil {
		return Purged{}, err
	}
	before := snapshot(readers)
	if err := tx.Remove(p.Queue, removed); err != nil {
		return Purged{}, err
	}
	if err := advance(tx, p.Queue, removed, readers); err != nil {
		return Purged{}, err
	}
	if p.Before == 0 {
		forgetErrors(readers)
	}
	return Purged{Items: int64(len(removed))}, putChanged(tx, before, readers)
}

// scheduled takes back some of what waits. A publish under the id of one of those is
// no duplicate of anything any more, as after unschedule (TIME-9).
func (p Purge) scheduled(tx storage.Writer, now int64) (int64, error) {
	var waiting []inbox.Scheduled
	query := storage.ScheduleQuery{Queue: p.Queue, Limit: inbox.MaxRemoval, HeadsOnly: true}
	err := tx.Scheduled(query, func(s inbox.Scheduled) (bool, error) {
		waiting = append(waiting, s)
		return true, nil
	})
	if err != nil {
		return 0, err
	}
	numbers := make([]int64, 0, len(waiting))
	for _, s := range waiting {
		if err := forgetDedupe(tx, s, now); err != nil {
			return 0, err
		}
		numbers = append(numbers, s.Number)
	}
	return int64(len(numbers)), tx.Unschedule(numbers)
}

// next lists the items that go in a step, ascending, without looking at those that
// stay.
func (p Purge) next(r storage.Reader, top int64) (ids []int64, err error) {
	if p.Before == 0 {
		return p.some(r, 0, top)
	}
	heads, err := r.Older(p.Queue, p.Before, inbox.MaxRemoval)
	for _, h := range heads {
		if h.ID <= top {
			ids = append(ids, h.ID)
		}
	}
	return ids, err
}

// some lists items that go, with ids above after and up to top, ascending.
func (p Purge) some(r storage.Reader, after, top int64) (ids []int64, err error) {
	if top == 0 {
		return nil, nil
	}
	scan := storage.Scan{Queue: p.Queue, After: after, Through: top, HeadsOnly: true}
	err = r.Scan(scan, func(item inbox.Item) (bool, error) {
		if p.Before == 0 || item.CreatedAt < p.Before {
			ids = append(ids, item.ID)
		}
		return len(ids) < inbox.MaxRemoval, nil
	})
	return ids, err
}

// forgetErrors drops the texts of filter errors, which may quote what was purged.
func forgetErrors(readers []inbox.QueueReader) {
	for i := range readers {
		readers[i].Subscription.LastError = ""
		for j := range readers[i].Bindings {
			readers[i].Bindings[j].LastError = ""
		}
	}
}
