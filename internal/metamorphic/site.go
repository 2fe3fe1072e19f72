package metamorphic

import (
	"context"
	"errors"
	"time"

	"github.com/tundish-go/tundish/adapters/jq"
	"github.com/tundish-go/tundish/adapters/payload"
	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// Opener opens a store, each time on the same place.
type Opener func(ctx context.Context) (storage.Store, error)

// Site is an inbox on one place, with a clock that its operations set. It
// belongs to one goroutine.
type Site struct {
	open   Opener
	store  storage.Store
	inbox  *app.Inbox
	clock  *clock
	engine *engine
	limits inbox.Retention
}

// Open makes a site with a store open.
func Open(ctx context.Context, open Opener) (*Site, error) {
	s := &Site{open: open, clock: &clock{}, engine: &engine{Expressions: jq.New()}}
	return s, s.reopen(ctx)
}

// Close closes the store.
func (s *Site) Close() error { return s.store.Close() }

func (s *Site) reopen(ctx context.Context) error {
	var err error
	if s.store != nil {
		err = s.store.Close()
	}
	store, opened := s.open(ctx)
	if err = errors.Join(err, opened); err != nil {
		return err
	}
	s.store = store
	s.inbox, err = app.New(app.Options{
		Store: store, Clock: s.clock, Expressions: s.engine, Payloads: payload.New(),
		Retention: func(string) inbox.Retention { return s.limits },
	})
	return err
}

// clock stands still where the last operation has set it. No time elapses on
// it, so that no scan ends early; what bounds a single evaluation is real time,
// and engine watches that.
type clock struct{ now int64 }

// Now is a moment within the second, since the rules cut fractions off (OBJ-0).
func (c *clock) Now() time.Time { return time.Unix(c.now, 750_000_000) }

func (*clock) Elapsed() time.Duration { return 0 }
