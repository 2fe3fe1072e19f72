package sqlstore

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/tundish-go/tundish/domain"
)

// maxWait is how long a unit of work waits for locks (STO-1).
const maxWait = 5 * time.Second

// How long whoever finds the lock taken sleeps before it asks again. The first
// nap is about as long as a transaction, since mostly one other process is in the
// way, and naps double from there: who finds the lock taken time and again is one
// of many. Waking costs a process more than asking does, so that newcomers who ask
// often would take the processor from the one that holds the lock; and whoever has
// waited longest should be next, or some would wait a hundred times as long as
// others. So naps have a bound that falls with every bit of waiting (STO-8). Whoever
// is first in the line of those who wait only ever takes the first nap.
const (
	firstNap = 3 * time.Millisecond
	longNap  = 100 * time.Millisecond // the bound for those who have just come
	shortNap = 8 * time.Millisecond   // and for those who have waited for fade
	fade     = 300 * time.Millisecond
)

// napAfter gives the mean of the nap after a number of vain attempts, at least
// 1, and some time of waiting.
func napAfter(attempts int, waited time.Duration) time.Duration {
	bound := max(shortNap, longNap-min(waited, fade)/(fade/longNap))
	return min(bound, firstNap<<min(attempts-1, 10))
}

// patience is how long one unit of work may still wait for locks, in all its
// attempts together. Making or taking over a database comes on top.
type patience struct {
	store   *Store
	begun   time.Time
	linesUp bool // with the others that wait for the same lock
}

func (s *Store) patience() patience { return patience{store: s, begun: time.Now()} }

// lock runs try until it succeeds, fails for another reason than a lock, or the
// wait is over. Try leaves nothing behind when it fails.
func (p patience) lock(ctx context.Context, op string, try func() error) error {
	var first bool // in the line
	for attempts := 1; ; attempts++ {
		err := try()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil || p.store.classify(err) != domain.Busy {
			return p.store.fail(ctx, op, err)
		}
		waited := time.Since(p.begun)
		if waited > maxWait {
			return p.store.busy(op, err)
		}
		if attempts == 1 && p.linesUp {
			var leave func()
			if leave, first = p.store.lineUp(ctx); first {
				defer leave()
				continue
			}
		}
		mean := napAfter(attempts, waited)
		if first {
			mean = firstNap
		}
		if end, ok := ctx.Deadline(); ok { // several attempts must fit in
			mean = max(min(mean, time.Until(end)/4), time.Millisecond)
		}
		nap := time.NewTimer(mean/2 + rand.N(mean))
		select {
		case <-nap.C:
		case <-ctx.Done():
			nap.Stop()
			return ended(ctx, op, p.store.path)
		}
	}
}

// turn waits until no other goroutine of this store writes. Waiting here costs
// nothing, unlike waiting for the file's lock.
func (p patience) turn(ctx context.Context) error {
	select {
	case p.store.writer <- struct{}{}:
		return nil
	default:
	}
	over := time.NewTimer(time.Until(p.begun.Add(maxWait)))
	defer over.Stop()
	select {
	case p.store.writer <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ended(ctx, "write to", p.store.path)
	case <-over.C:
		return p.store.busy("write to", nil)
	}
}
