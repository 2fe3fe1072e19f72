package app

import (
	"context"
	"slices"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// releaseRipe turns messages of a queue whose time has come into items, in the
// order of their times, and tells how many (TIME-1, TIME-4).
func releaseRipe(tx storage.Writer, queue string, now int64) (int, error) {
	ripe, bytes := inbox.RipeAt(now), 0
	var due []inbox.Scheduled
	query := storage.ScheduleQuery{Queue: queue, Ripe: &ripe, Limit: inbox.MaxRelease}
	err := tx.Scheduled(query, func(s inbox.Scheduled) (bool, error) {
		due = append(due, s)
		bytes += len(s.Payload)
		return bytes < MaxPayloadBytes, nil
	})
	if err != nil || len(due) == 0 {
		return 0, err
	}
	numbers := make([]int64, 0, len(due))
	for _, s := range due {
		if err := releaseOne(tx, s, now); err != nil {
			return 0, err
		}
		numbers = append(numbers, s.Number)
	}
	return len(due), tx.Unschedule(numbers)
}

// releaseOne stores the item of a message. A repeated publish is answered with the
// item's id from now on, for as long as it would have been anyway (TIME-5).
func releaseOne(tx storage.Writer, s inbox.Scheduled, now int64) error {
	id, err := tx.Insert(s.Released(now))
	if err != nil || s.Dedupe == "" {
		return err
	}
	record, ok, err := tx.Dedupe(s.Queue, s.Dedupe)
	if err != nil || !ok || record.Scheduled != s.Number {
		return err
	}
	record.Item, record.Scheduled = id, 0
	return tx.PutDedupe(record)
}

// release makes items of what is ripe in queues, each in a transaction of its own
// and with the retention that a publish would bring (TIME-4).
func (in *Inbox) release(ctx context.Context, queues []string) error {
	for _, queue := range queues {
		err := in.insert(ctx, queue, func(storage.Writer, int64) (int, error) { return 0, nil })
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
