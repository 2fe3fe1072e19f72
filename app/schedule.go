package app

import (
	"bytes"
	"context"
	"fmt"
	"strconv"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// Scheduled is what ListScheduled selects.
type Scheduled struct {
	Queue string // empty for all
	Limit int64  // those that come first, at most so many; 0 none, below 0 all
}

// ListScheduled hands over messages that wait for their time, the next one first,
// from one snapshot (TIME-9).
func (in *Inbox) ListScheduled(ctx context.Context, l Scheduled, yield func(inbox.Scheduled) error) error {
	if l.Limit == 0 {
		return nil
	}
	query := storage.ScheduleQuery{Queue: l.Queue, Limit: int(max(0, l.Limit))}
	return in.store.View(ctx, func(r storage.Reader) error {
		return r.Scheduled(query, func(s inbox.Scheduled) (bool, error) {
			err := yield(s)
			return err == nil, err
		})
	})
}

// ScheduledJSON is a message that waits as one compact JSON object: scheduled,
// queue, key, payload, at and, when it expires, expires_at.
func ScheduledJSON(s inbox.Scheduled) []byte {
	var b bytes.Buffer
	b.WriteString(`{"scheduled":` + strconv.FormatInt(s.Number, 10) + `,"queue":`)
	writeContent(&b, s.Queue, s.Key, s.Payload)
	b.WriteString(`,"at":` + strconv.FormatInt(s.At, 10))
	writeExpiry(&b, s.ExpiresAt)
	b.WriteByte('}')
	return b.Bytes()
}

// Unschedule takes back a message that waits for its time; its dedupe id is free
// again. One that does not wait, any more or at all, has code domain.NotFound
// (TIME-9).
func (in *Inbox) Unschedule(ctx context.Context, number int64) error {
	missing := &domain.Error{
		Code: domain.NotFound, Text: fmt.Sprintf("no message waits under number %d", number),
		Remedy: "it was released, taken back, or never there; list --scheduled shows what waits",
	}
	found := false
	find := func(r storage.Reader, message *inbox.Scheduled) error {
		query := storage.ScheduleQuery{Number: number, HeadsOnly: true}
		found = false
		return r.Scheduled(query, func(s inbox.Scheduled) (bool, error) {
			*message, found = s, true
			return false, nil
		})
	}
	var message inbox.Scheduled
	err := in.store.View(ctx, func(r storage.Reader) error { return find(r, &message) })
	if err != nil {
		return err
	}
	if !found { // a look changes nothing, and makes no database
		return missing
	}
	return in.store.Update(ctx, func(tx storage.Writer) error {
		if err := find(tx, &message); err != nil {
			return err
		}
		if !found {
			return missing
		}
		if err := forgetDedupe(tx, message, in.now()); err != nil {
			return err
		}
		return tx.Unschedule([]int64{number})
	})
}

// forgetDedupe makes the publisher's id of a message usable again: its record is
// as old as one that holds nothing back, and goes with the next old ones.
func forgetDedupe(tx storage.Writer, s inbox.Scheduled, now int64) error {
	if s.Dedupe == "" {
		return nil
	}
	record, ok, err := tx.Dedupe(s.Queue, s.Dedupe)
	if err != nil || !ok || record.Scheduled != s.Number {
		return err
	}
	record.At = now - inbox.DedupeTTL
	return tx.PutDedupe(record)
}
