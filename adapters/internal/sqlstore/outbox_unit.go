package sqlstore

import (
	"context"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

var _ storage.Outbox = (*Store)(nil)

// ViewOutbox implements [storage.OutboxUnits].
func (s *Store) ViewOutbox(ctx context.Context, fn func(storage.OutboxReader) error) error {
	t, err := s.begin(ctx, "read", false)
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
	return s.change(ctx, func(t *tx) error { return fn(&laneWriter{t, lane}) })
}

// amend is change for what would change nothing in an empty database, and so does
// not make one; there tells whether there is a database.
func (s *Store) amend(ctx context.Context, fn func(*tx) error) (there bool, err error) {
	if ctx.Err() != nil {
		return false, ended(ctx, "write to", s.path)
	}
	if !s.verified.Load() {
		if there, err := s.exists(); err != nil || !there {
			return false, err
		}
	}
	return true, s.change(ctx, fn)
}
