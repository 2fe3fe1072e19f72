package deliverinbox

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/delivery"
)

// Kind names this kind of deliverer.
const Kind = "inbox"

// Message is what is published for an entry.
type Message struct {
	Queue   string
	Key     string // the session
	Dedupe  string // the entry's id
	Payload []byte // the entry as JSON
}

// Publisher stores messages in the inbox. It is safe for concurrent use.
type Publisher interface {
	// Publish stores a message durably, unless one of the queue with the same id
	// for duplicates was stored before, which is no error. Errors have the codes
	// of package domain.
	Publish(ctx context.Context, m Message) error
}

// PublisherFunc makes a Publisher of a function.
type PublisherFunc func(ctx context.Context, m Message) error

// Publish calls the function.
func (f PublisherFunc) Publish(ctx context.Context, m Message) error { return f(ctx, m) }

// Deliverer publishes each entry into one queue. It is safe for concurrent use.
type Deliverer struct {
	queue     string
	publisher Publisher
}

var _ delivery.Deliverer = (*Deliverer)(nil)

// New makes a deliverer for a queue. The error has code Invalid.
func New(queue string, publisher Publisher) (*Deliverer, error) {
	if err := domain.CheckLabel("queue", queue); err != nil {
		return nil, err
	}
	return &Deliverer{queue: queue, publisher: publisher}, nil
}

// Kind is "inbox".
func (*Deliverer) Kind() string { return Kind }

// PeerID is empty: the inbox knows a send by the entry's id.
func (*Deliverer) PeerID(outbox.Entry, time.Time) string { return "" }

// Deliver publishes one entry. No failure is ambiguous: even if the item was
// stored, sending it again stores nothing. What is wrong with the entry or the
// queue is pointless to repeat, and all else, which is wrong with the database,
// is transient.
func (d *Deliverer) Deliver(ctx context.Context, send delivery.Send) error {
	payload, err := json.Marshal(send.Entry)
	if err != nil {
		return outbox.Pointless(fmt.Errorf("entry %s cannot be written as JSON: %w", send.Entry.ID, err))
	}
	if err := send.Held(ctx); err != nil {
		return outbox.Transient(fmt.Errorf("nothing was published: %w", err))
	}
	err = d.publisher.Publish(ctx, Message{
		Queue: d.queue, Key: send.Entry.SessionID, Dedupe: send.Entry.ID, Payload: payload,
	})
	if err == nil {
		return nil
	}
	err = fmt.Errorf("queue %q did not take the entry: %w", d.queue, err)
	switch domain.CodeOf(err) {
	case domain.Invalid, domain.Payload, domain.Expression, domain.NotFound:
		return outbox.Pointless(err)
	}
	return outbox.Transient(err)
}
