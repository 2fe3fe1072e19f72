package sqlstore

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/tundish-go/tundish/domain"
)

// maxWait is how long a unit of work waits for locks (STO-1).
const maxWait = 5 * time.Second

// The bounds of one nap between two attempts to get a lock. They do not grow
// with the wait: whoever has waited long must not be asked to wait longer than
// whoever has just come (STO-8). Much shorter ones would have two dozen waiting
// processes use up the processor by waking. They do grow with the time that an
// attempt takes, which is long when the machine is busy: the holder of the lock
// needs the processor more than those who ask for it.
const (
	minNap  = time.Millisecond
	maxNap  = 16 * time.Millisecond
	longNap = 100 * time.Millisecond
)

// patience is how long one unit of work may still wait for locks, in all its
// attempts together. Making or taking over a database comes on top.
type patience struct {
	store *Store
	end   time.Time
}

func (s *Store) patience() patience { return patience{store: s, end: time.Now().Add(maxWait)} }

// lock runs try until it succeeds, fails for another reason than a lock, or the
// wait is over. Try leaves nothing behind when it fails.
func (p patience) lock(ctx context.Context, op string, try func() error) error {
	for {
		begun := time.Now()
		err := try()
		took := time.Since(begun)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil || p.store.classify(err) != domain.Busy {
			return p.store.fail(ctx, op, err)
		}
		if time.Now().After(p.end) {
			return p.store.busy(op, err)
		}
		nap := time.NewTimer(minNap + rand.N(maxNap-minNap) + min(4*took, longNap))
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
	over := time.NewTimer(time.Until(p.end))
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
