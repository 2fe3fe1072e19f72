// Package memory is the reference implementation of ports/storage, of both
// halves: plain maps and slices, no SQL, no files. It is written to be obviously correct, serves
// the tests of the application as its store, and is what ports/porttest compares
// other stores with. Nothing survives the process.
//
// It is strict where the contract sets a condition: an ack of an item that is
// not kept, a binding of an unknown subscription and the like are errors.
package memory

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/ports/storage"
)

// patience is how long Update waits for the write lock (STO-1).
const patience = 5 * time.Second

// Place is what a path is to a store on files: the stores that Open gives work
// on one database and see each other's commits. Make one with New.
type Place struct {
	lock    chan struct{} // holds one token while a writer is at work
	current atomic.Pointer[state]
}

// New makes a place without items.
func New() *Place {
	p := &Place{lock: make(chan struct{}, 1)}
	p.current.Store(&state{})
	return p
}

// Open gives one more store on the place. What was committed outlives the store.
func (p *Place) Open() *Store { return &Store{place: p} }

// Break makes the stored rules of a subscription unusable for the given reason,
// which tests need and no store offers (PULL-10). It waits for writers.
func (p *Place) Break(subscription, reason string) error {
	return p.update(context.Background(), func(next *state) error {
		sub, ok := next.subscriptions.get(subscription)
		if !ok {
			return misuse("break unknown subscription %q", subscription)
		}
		sub.Broken, sub.Rules = reason, onlyQueue(sub.Rules)
		next.subscriptions.put(subscription, sub)
		return nil
	})
}

// update gives change a copy of the database to work on and makes it the
// database if nothing speaks against it. Dropping the copy is the rollback, so
// that a panic needs no care beyond the lock.
func (p *Place) update(ctx context.Context, change func(*state) error) error {
	if err := p.acquire(ctx); err != nil {
		return err
	}
	defer func() { <-p.lock }()
	next := p.current.Load().next()
	if err := ended(ctx); err != nil {
		return err
	}
	if err := change(next); err != nil {
		return err
	}
	if err := ended(ctx); err != nil {
		return err
	}
	p.current.Store(next)
	return nil
}

func (p *Place) acquire(ctx context.Context) error {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case p.lock <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ended(ctx)
	case <-timer.C:
		return &domain.Error{Code: domain.Busy, Text: "the database stayed locked by another writer", Remedy: "try again"}
	}
}

// ended is the error of a context that is over, nil while it is not.
func ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return &domain.Error{Code: domain.Deadline, Text: "the time for the database is over", Err: context.Cause(ctx)}
}

// misuse is the error for a caller that breaks a condition of the contract.
func misuse(format string, args ...any) error {
	return &domain.Error{Code: domain.Internal, Text: fmt.Sprintf(format, args...)}
}

// Store is one handle on a place. It is safe for concurrent use, and holds both
// halves: it implements [storage.Store] and [storage.Outbox].
type Store struct {
	place  *Place
	closed atomic.Bool
}

// View implements [storage.Store].
func (s *Store) View(ctx context.Context, fn func(storage.Reader) error) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	return fn(reader{s.place.current.Load()})
}

// Update implements [storage.Store].
func (s *Store) Update(ctx context.Context, fn func(storage.Writer) error) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	return s.place.update(ctx, func(next *state) error { return fn(writer{reader{next}}) })
}

// Check names the subscriptions that Break broke: there are no bytes that could
// be damaged.
func (s *Store) Check(ctx context.Context) (findings []string, err error) {
	err = s.View(ctx, func(r storage.Reader) error {
		subs, err := r.Subscriptions()
		for _, sub := range subs {
			if sub.Broken != "" {
				findings = append(findings, fmt.Sprintf("the subscription %q cannot be used: %s", sub.Name, sub.Broken))
			}
		}
		return err
	})
	return findings, err
}

// Close implements [storage.Store].
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return misuse("the store was closed before")
	}
	return nil
}

func (s *Store) usable(ctx context.Context) error {
	if s.closed.Load() {
		return misuse("the store is closed")
	}
	return ended(ctx)
}
