package app

import (
	"context"
	"slices"
	"time"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// pullReleaseBytes bounds what a pull releases of a queue, in bytes of payload, but
// for one message: a pull often has little time, and prints little.
const pullReleaseBytes = 1 << 20

// releaseRipe turns messages of a queue whose time has come into items, in the
// order of their times, until their payloads have so many bytes, and tells the ids of
// the items (TIME-1, TIME-4).
func releaseRipe(tx storage.Writer, queue string, bytes int, now int64) ([]int64, error) {
	ripe := inbox.RipeAt(now)
	var due, numbers []int64
	query := storage.ScheduleQuery{Queue: queue, Ripe: &ripe, Limit: inbox.MaxRelease, HeadsOnly: true}
	err := tx.Scheduled(query, func(s inbox.Scheduled) (bool, error) {
		due = append(due, s.Number)
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	var ids []int64
	for _, number := range due {
		s, err := scheduledAs(tx, number)
		if err != nil {
			return nil, err
		}
		id, err := releaseOne(tx, s, now)
		if err != nil {
			return nil, err
		}
		numbers, ids = append(numbers, number), append(ids, id)
		if bytes -= len(s.Payload); bytes <= 0 {
			break
		}
	}
	return ids, tx.Unschedule(numbers)
}

// scheduledAs reads the message that waits under a number. All that are ripe, read
// with their payloads, would have to be sorted with them.
func scheduledAs(r storage.Reader, number int64) (message inbox.Scheduled, err error) {
	err = r.Scheduled(storage.ScheduleQuery{Number: number}, func(s inbox.Scheduled) (bool, error) {
		message = s
		return false, nil
	})
	return message, err
}

// releaseOne stores the item of a message. A repeated publish is answered with the
// item's id from now on, for as long as it would have been anyway (TIME-5).
func releaseOne(tx storage.Writer, s inbox.Scheduled, now int64) (id int64, err error) {
	id, err = tx.Insert(s.Released(now))
	if err != nil || s.Dedupe == "" {
		return id, err
	}
	record, ok, err := tx.Dedupe(s.Queue, s.Dedupe)
	if err != nil || !ok || record.Scheduled != s.Number {
		return id, err
	}
	record.Item, record.Scheduled = id, 0
	return id, tx.PutDedupe(record)
}

// release makes items of what the last plan found ripe, each queue in a transaction of
// its own and with the retention that a publish would bring. It takes at most half of
// the pull's time: what is not done by then goes on waiting, and keeps nothing else
// from being delivered (TIME-4).
func (p *pulling) release(ctx context.Context) error {
	part := ctx
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		part, cancel = context.WithTimeoutCause(ctx, time.Until(deadline)/2, errOutOfTime)
		defer cancel()
	}
	for _, queue := range p.ripe {
		err := p.in.insert(part, queue, pullReleaseBytes, func(storage.Writer, int64) (int, error) { return 0, nil })
		if err != nil && part.Err() != nil && ctx.Err() == nil {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ripeQueues names the queues of bindings in which something waits whose time has
// come, each once.
func ripeQueues(r storage.Reader, bound []inbox.Bound, now int64) ([]string, error) {
	ripe := inbox.RipeAt(now)
	var queues []string
	for _, b := range bound {
		queue := b.Subscription.Rules.Queue
		if slices.Contains(queues, queue) {
			continue
		}
		query := storage.ScheduleQuery{Queue: queue, Ripe: &ripe, Limit: 1, HeadsOnly: true}
		err := r.Scheduled(query, func(inbox.Scheduled) (bool, error) {
			queues = append(queues, queue)
			return false, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return queues, nil
}
