package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	push "github.com/tundish-go/tundish/app/outbox"
	rules "github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// firsts is how often a database is opened for its first tick.
const firsts = 20

// ticks takes the time of n ticks of a worker that finds nothing due: the median of
// first ones, opening included, the median and the most of the others, and the
// median of as many calls of Status as there were first ones.
func ticks(ctx context.Context, path string, n int) ([]time.Duration, error) {
	if _, err := idle(ctx, path, firsts, 10*time.Millisecond); err != nil {
		return nil, err
	}
	var first, status []time.Duration
	for range firsts {
		took, err := idle(ctx, path, 1, 1)
		if err != nil {
			return nil, err
		}
		first = append(first, took...)
	}
	later, err := idle(ctx, path, n+1, 1)
	if err != nil {
		return nil, err
	}
	later = later[1:]
	store, err := openStore(ctx, path)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	s, err := push.New(push.Options{Store: store})
	for range firsts {
		begun := time.Now()
		if err == nil {
			_, err = s.Status(ctx)
		}
		status = append(status, time.Since(begun))
	}
	return []time.Duration{middle(first), middle(later), slices.Max(later), middle(status)}, err
}

func middle(took []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(took))[len(took)/2]
}

// idle opens the store and runs a worker for so many ticks, with a pause between
// them. It fails if a tick wrote or delivered, and if reads come so soon after each
// other that a tick must have read more than once.
func idle(ctx context.Context, path string, ticks int, pause time.Duration) (took []time.Duration, err error) {
	begun := time.Now()
	store, err := openStore(ctx, path)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	seen := &witness{Outbox: store, most: ticks, stop: stop}
	s, err := push.New(push.Options{Store: seen})
	if err != nil {
		return nil, err
	}
	s.Run(ctx, func(context.Context, string, string, push.Entry) error {
		seen.acted.Add(1)
		return nil
	}, pause)
	if n := seen.acted.Load(); n > 0 {
		return nil, fmt.Errorf("ticks with nothing due wrote or delivered %d times", n)
	}
	if seen.looks[ticks].Sub(seen.looks[0]) < time.Duration(ticks)*pause {
		return nil, fmt.Errorf("%d ticks read more than once each", ticks)
	}
	for i := range ticks {
		took = append(took, seen.looks[i+1].Sub(begun))
		begun = seen.looks[i+1]
	}
	return took, nil
}

// witness is a store that notes when a worker looks into it, which begins a tick,
// and what it does besides. After the last tick it stops the worker.
type witness struct {
	storage.Outbox
	most  int
	stop  func()
	looks []time.Time // only the worker's own goroutine looks
	acted atomic.Int64
}

var errActed = errors.New("nothing was to be done")

func (w *witness) ViewOutbox(ctx context.Context, fn func(storage.OutboxReader) error) error {
	w.looks = append(w.looks, time.Now())
	if len(w.looks) > w.most {
		w.stop()
		return context.Canceled
	}
	return w.Outbox.ViewOutbox(ctx, fn)
}

func (w *witness) UpdateLane(context.Context, rules.Lane, func(storage.LaneWriter) error) error {
	return w.act()
}

func (w *witness) Forget(context.Context, time.Time, int) (int, error) { return 0, w.act() }

// Count stores nothing of the mark that a worker leaves before its first tick.
func (w *witness) Count(context.Context, map[string]int64, map[string]int64) error {
	if len(w.looks) == 0 {
		return nil
	}
	return w.act()
}

func (w *witness) ClaimHook(
	context.Context, string, string, time.Time, time.Time,
) (storage.DeliveredRecord, bool, error) {
	return storage.DeliveredRecord{}, false, w.act()
}

func (w *witness) act() error {
	w.acted.Add(1)
	return errActed
}
