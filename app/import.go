package app

import (
	"context"
	"io"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// Imported is what an import stored.
type Imported struct {
	Subscriptions int64
	Bindings      int64
	Items         int64
	Scheduled     int64
	// First and Last are the ids of the first and the last item; 0 without items.
	First, Last int64
	// Expired is how many items were left out since their time was over, by
	// ImportItems.
	Expired int64
	// Waiting is how many messages that wait for their time were left out, by
	// ImportItems.
	Waiting int64
}

// Import stores what an export holds, with its ids, in an inbox that has neither
// items nor subscriptions nor messages that wait: everything, or nothing when
// anything is wrong. Source is read twice from where it starts: first to check all
// of it, and then, under the write lock, to store it (CARE-8).
func (in *Inbox) Import(ctx context.Context, source io.ReadSeeker) (done Imported, err error) {
	archive, err := in.archive()
	if err != nil {
		return done, err
	}
	if err := in.store.View(ctx, vacant); err != nil {
		return done, err
	}
	if err := in.read(ctx, source, ignored{}); err != nil {
		return done, err
	}
	err = archive.UpdateArchive(ctx, func(tx storage.ArchiveWriter) error {
		done = Imported{}
		if err := vacant(tx); err != nil {
			return err
		}
		return in.read(ctx, source, &planting{tx: tx, done: &done})
	})
	if err != nil {
		return Imported{}, err
	}
	return done, nil
}

// vacant refuses an inbox that has something already.
func vacant(r storage.Reader) error {
	subs, err := r.Subscriptions()
	if err != nil {
		return err
	}
	queues, err := r.Queues()
	if err != nil {
		return err
	}
	waiting, err := r.ScheduledCounts()
	if err != nil || len(subs)+len(queues)+len(waiting) == 0 {
		return err
	}
	return &domain.Error{
		Code: domain.Invalid, Text: "the database has items or subscriptions already, whose ids and names an import could meet",
		Remedy: "import into a new database, or publish the items anew with --items",
	}
}

// ignored is where the lines of an export go that is only checked.
type ignored struct{}

func (ignored) header(headerLine) error                                { return nil }
func (ignored) subscription(inbox.Subscription, []inbox.Binding) error { return nil }
func (ignored) item(context.Context, inbox.Item, attached) error       { return nil }
func (ignored) dedupe(inbox.Dedupe) error                              { return nil }
func (ignored) scheduled(inbox.Scheduled) error                        { return nil }

// planting stores the lines of an export as they are.
type planting struct {
	tx   storage.ArchiveWriter
	done *Imported
}

func (p *planting) header(h headerLine) error {
	return p.tx.RaiseLast(inbox.Last{Item: h.LastItem, Pull: h.LastPull, Scheduled: h.LastScheduled})
}

func (p *planting) subscription(sub inbox.Subscription, bindings []inbox.Binding) error {
	p.done.Subscriptions++
	if err := p.tx.PutSubscription(sub); err != nil {
		return err
	}
	for _, b := range bindings {
		p.done.Bindings++
		if err := p.tx.PutBinding(b); err != nil {
			return err
		}
	}
	return nil
}

func (p *planting) item(_ context.Context, item inbox.Item, with attached) error {
	p.done.count(item.ID)
	if err := p.tx.Replant(item); err != nil {
		return err
	}
	for _, ack := range with.acks {
		if err := p.tx.PutAck(ack); err != nil {
			return err
		}
	}
	for _, lease := range with.leases {
		if err := p.tx.PutLease(lease); err != nil {
			return err
		}
	}
	for _, m := range with.shown {
		if err := p.tx.MarkShown(m.Subscription, m.Subscriber, []int64{m.Item}); err != nil {
			return err
		}
	}
	return nil
}

func (p *planting) dedupe(d inbox.Dedupe) error { return p.tx.PutDedupe(d) }

func (p *planting) scheduled(s inbox.Scheduled) error {
	p.done.Scheduled++
	return p.tx.Reschedule(s)
}

func (i *Imported) count(id int64) {
	if i.Items == 0 {
		i.First = id
	}
	i.Items, i.Last = i.Items+1, id
}

// Bounds of one commit of ImportItems.
const (
	importItems = 500
	importBytes = MaxPayloadBytes
)

// ImportItems publishes the items of an export anew, in their order and under new
// ids, as publishes in batches would, retention included. Subscriptions, acks and
// all else are left out, and so are messages that wait for their time and items whose
// time is over, which are counted. All lines are checked before the first is
// published; an error after that comes with what was stored (CARE-8).
func (in *Inbox) ImportItems(ctx context.Context, source io.ReadSeeker) (done Imported, err error) {
	if err := in.read(ctx, source, &publishing{in: in}); err != nil {
		return done, err
	}
	p := &publishing{in: in, store: true}
	if err = in.read(ctx, source, p); err == nil {
		err = p.flush(ctx)
	}
	return p.done, err
}

// publishing publishes items, or only checks whether they could be.
type publishing struct {
	ignored
	in      *Inbox
	store   bool
	done    Imported
	waiting []Draft // of one queue
	bytes   int
}

func (p *publishing) item(ctx context.Context, item inbox.Item, _ attached) error {
	message := Message{Queue: item.Queue, Key: item.Key, Payload: item.Payload}
	if item.ExpiresAt != 0 {
		message.Expires = inbox.Moment{At: item.ExpiresAt}
		if item.ExpiresAt <= p.in.now() {
			p.done.Expired++
			return nil
		}
	}
	draft, err := p.in.Prepare(ctx, message)
	if err != nil || !p.store {
		return err
	}
	full := len(p.waiting) >= importItems || p.bytes+len(draft.payload) > importBytes
	if len(p.waiting) > 0 && (full || p.waiting[0].queue != draft.queue) {
		if err := p.flush(ctx); err != nil {
			return err
		}
	}
	p.waiting, p.bytes = append(p.waiting, draft), p.bytes+len(draft.payload)
	return nil
}

func (p *publishing) scheduled(inbox.Scheduled) error {
	p.done.Waiting++
	return nil
}

func (p *publishing) flush(ctx context.Context) error {
	if len(p.waiting) == 0 {
		return nil
	}
	ids, err := p.in.PublishAll(ctx, p.waiting[0].queue, p.waiting)
	for _, id := range ids {
		p.done.count(id)
	}
	p.waiting, p.bytes = nil, 0
	return err
}
