package app

import (
	"context"
	"fmt"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports"
	"github.com/tundish-go/tundish/ports/storage"
)

// Bounds of a payload (PUB-1).
const (
	MaxPayloadBytes = 16 << 20
	MaxPayloadDepth = 1000
)

// Message is what a publisher hands over.
type Message struct {
	Queue   string
	Key     *string // nil for none
	Payload []byte  // JSON text as it came
	// Dedupe is the publisher's own id of the message; empty for none (PUB-3).
	Dedupe string
	// KeySelector is an expression that takes the key from the payload; empty for
	// none. It does not go together with Key (PUB-3).
	KeySelector string
	// Release is when the message becomes an item; the zero Moment is at once
	// (TIME-1).
	Release inbox.Moment
	// Expires is from when on nobody gets the item; the zero Moment is never. A
	// duration counts from the publish, also beside Release (TIME-6).
	Expires inbox.Moment
}

// Draft is a message that was found fit to be stored.
type Draft struct {
	queue   string
	key     *string
	payload []byte
	dedupe  string
	release inbox.Moment
	expires inbox.Moment
}

// Published is where a message is stored.
type Published struct {
	ID        int64 // 0 while it waits for its time
	Scheduled int64 // the number under which it waits for its time; 0 when it does not
	Duplicate bool  // an earlier publish stored it, under ID or Scheduled (PUB-3, TIME-5)
}

// Publish stores one message durably and applies the queue's retention, in one
// transaction (PUB-2, RET-1). What waits in the queue and is ripe comes before it
// (TIME-4).
func (in *Inbox) Publish(ctx context.Context, m Message) (Published, error) {
	draft, err := in.Prepare(ctx, m)
	if err != nil {
		return Published{}, err
	}
	var done Published
	err = in.insert(ctx, draft.queue, MaxPayloadBytes, func(tx storage.Writer, now int64) (stored int, err error) {
		if draft.dedupe != "" {
			record, ok, err := tx.Dedupe(draft.queue, draft.dedupe)
			if err != nil {
				return 0, err
			}
			if ok && record.Holds(now) {
				done = Published{ID: record.Item, Scheduled: record.Scheduled, Duplicate: true}
				return 0, nil
			}
		}
		if done, err = draft.store(tx, now); done.ID != 0 {
			stored = 1
		}
		return stored, err
	})
	if err != nil {
		return Published{}, err
	}
	return done, nil
}

// PublishAll stores drafts of one queue in one transaction, in order, and
// returns their ids. It counts as one publish for retention (PUB-3). Drafts with
// a dedupe id or a time of release are refused.
func (in *Inbox) PublishAll(ctx context.Context, queue string, drafts []Draft) ([]int64, error) {
	for _, d := range drafts {
		if d.dedupe != "" || d.queue != queue || d.release != (inbox.Moment{}) {
			return nil, &domain.Error{
				Code: domain.Invalid, Text: fmt.Sprintf("a batch for %q takes neither dedupe ids nor times of release nor other queues", queue),
				Remedy: "publish such messages one by one",
			}
		}
	}
	if len(drafts) == 0 {
		return nil, nil
	}
	var ids []int64
	err := in.insert(ctx, queue, MaxPayloadBytes, func(tx storage.Writer, now int64) (int, error) {
		items := make([]inbox.Item, len(drafts))
		for i, d := range drafts {
			items[i] = d.item(now)
		}
		var err error
		ids, err = tx.InsertAll(items)
		return len(items), err
	})
	if err != nil {
		return nil, err
	}
	return ids, nil
}

// Prepare checks a message and brings its payload into the stored spelling. It
// touches no store (PUB-1, OBJ-5).
func (in *Inbox) Prepare(ctx context.Context, m Message) (Draft, error) {
	if err := m.check(); err != nil {
		return Draft{}, err
	}
	if now := in.now(); m.Expires != (inbox.Moment{}) {
		if err := inbox.CheckExpiry(m.Expires.From(now), m.Release.From(now), now); err != nil {
			return Draft{}, err
		}
	}
	payload, err := in.payloads.Canonical(m.Payload, MaxPayloadDepth)
	if err != nil {
		return Draft{}, &domain.Error{Code: domain.Payload, Text: "the payload is not valid JSON", Err: err}
	}
	key := m.Key
	if m.KeySelector != "" {
		if key, err = in.selectKey(ctx, m.KeySelector, payload); err != nil {
			return Draft{}, err
		}
	}
	return Draft{queue: m.Queue, key: key, payload: payload, dedupe: m.Dedupe, release: m.Release, expires: m.Expires}, nil
}

func (m Message) check() error {
	if err := inbox.CheckQueue(m.Queue); err != nil {
		return err
	}
	if m.Key != nil {
		if m.KeySelector != "" {
			return &domain.Error{Code: domain.Invalid, Text: "a key and an expression for the key exclude each other", Remedy: "give one of them"}
		}
		if err := inbox.CheckKey(*m.Key); err != nil {
			return err
		}
	}
	if m.Dedupe != "" {
		if err := inbox.CheckDedupe(m.Dedupe); err != nil {
			return err
		}
	}
	if len(m.Payload) > MaxPayloadBytes {
		return &domain.Error{
			Code: domain.Payload, Text: fmt.Sprintf("the payload has %d bytes", len(m.Payload)),
			Remedy: fmt.Sprintf("publish at most %d bytes (16 MiB), for example the path of a file", MaxPayloadBytes),
		}
	}
	return nil
}

func (in *Inbox) selectKey(ctx context.Context, expression string, payload []byte) (*string, error) {
	selector, err := in.expressions.KeySelector(expression)
	if err != nil {
		return nil, expressionError("expression for the key", err)
	}
	key, err := selector.Select(ctx, ports.Document{Payload: payload, Now: in.now()})
	if err != nil {
		return nil, &domain.Error{Code: domain.Expression, Text: fmt.Sprintf("the expression %q gives no key", expression), Err: err}
	}
	if key == nil {
		return nil, nil
	}
	if err := inbox.CheckKey(*key); err != nil {
		return nil, &domain.Error{Code: domain.Expression, Text: fmt.Sprintf("the expression %q gives no key", expression), Err: err}
	}
	return key, nil
}

func (d Draft) item(now int64) inbox.Item {
	return inbox.Item{Queue: d.queue, Key: d.key, Payload: d.payload, CreatedAt: now, ExpiresAt: d.expires.From(now)}
}

// store makes the draft an item, or has it wait for its time.
func (d Draft) store(tx storage.Writer, now int64) (done Published, err error) {
	if d.release == (inbox.Moment{}) {
		done.ID, err = tx.Insert(d.item(now))
	} else {
		waiting := inbox.Scheduled{
			Queue: d.queue, Key: d.key, Payload: d.payload, Dedupe: d.dedupe, At: d.release.From(now), ExpiresAt: d.expires.From(now),
		}
		if d.release.In > 0 {
			waiting.Delayed, waiting.MadeAt = true, now
		}
		done.Scheduled, err = tx.Schedule(waiting)
	}
	if err != nil || d.dedupe == "" {
		return done, err
	}
	if err := tx.ForgetDedupes(now-inbox.DedupeTTL, inbox.MaxRemoval); err != nil {
		return done, err
	}
	return done, tx.PutDedupe(inbox.Dedupe{Queue: d.queue, ID: d.dedupe, Item: done.ID, Scheduled: done.Scheduled, At: now})
}
