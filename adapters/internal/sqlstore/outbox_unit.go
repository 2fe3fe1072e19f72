package sqlstore

import (
	"context"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

var _ storage.Outbox = (*Store)(nil)

// ViewOutbox implements [storage.OutboxUnits].
func (s *Store) ViewOutbox(ctx context.Context, fn func(storage.OutboxReader) error) error {
	t, err := s.begin(ctx, reading(outboxSchema))
	if err != nil {
		return err
	}
	if t == nil {
		return fn(emptyOutbox{})
	}
	defer t.release()
	if err := fn(&outboxReader{t}); err != nil {
		return err
	}
	return t.err
}

// UpdateLane implements [storage.OutboxUnits]. The one lock of the database
// serves for the lane: the commit of a unit that changed nothing writes nothing.
func (s *Store) UpdateLane(ctx context.Context, lane outbox.Lane, fn func(storage.LaneWriter) error) error {
	return s.changeOutbox(ctx, func(t *tx) error { return fn(&laneWriter{t, lane}) })
}

// changeOutbox is change for the tables of the outbox, which it makes if need be.
func (s *Store) changeOutbox(ctx context.Context, fn func(*tx) error) error {
	_, err := s.change(ctx, writing(outboxSchema), fn)
	return err
}

// amend is that for what would change nothing in an empty outbox, and so makes none;
// there tells whether there is one.
func (s *Store) amend(ctx context.Context, fn func(*tx) error) (there bool, err error) {
	p := writing(outboxSchema)
	p.makes = false
	return s.change(ctx, p, fn)
}
