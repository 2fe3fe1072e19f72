package outbox

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// The calls of a store that flaky tells apart.
const (
	opView  = "view"
	opLane  = "lane"
	opRenew = "renew"
	opHook  = "settle hook"
	opElse  = "else"
	opAny   = "any" // all of them together
)

// errStore is what a broken store says: nothing is known about the commit.
var errStore = errors.New("the store broke")

// flaky is a real store that counts calls, and fails some before or after they took
// effect.
type flaky struct {
	storage.Outbox
	mu    sync.Mutex
	calls map[string]int
	plan  map[string]*failure
}

// failure is what becomes of the next calls of one kind.
type failure struct {
	skip, times int // of the calls that are not failed first, and that are then
	late        bool
	forever     bool // from then on all calls fail, without an effect: a worker that died
	begun       bool
	err         error
	meanwhile   func() // runs after the effect, before the answer
}

// fail makes the next calls of a kind fail.
func (f *flaky) fail(op string, next failure) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.plan == nil {
		f.plan = map[string]*failure{}
	}
	if next.err == nil {
		next.err = errStore
	}
	f.plan[op] = &next
}

// count is how many calls of a kind there were.
func (f *flaky) count(op string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[op]
}

// writes is how many calls changed something, or could have.
func (f *flaky) writes() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for op, calls := range f.calls {
		if op != opView {
			n += calls
		}
	}
	return n
}

func (f *flaky) call(op string, run func() error) error {
	f.mu.Lock()
	if f.calls == nil {
		f.calls = map[string]int{}
	}
	f.calls[op]++
	now := f.due(op)
	if now == nil {
		now = f.due(opAny)
	}
	f.mu.Unlock()
	if now == nil {
		return run()
	}
	if !now.late {
		return now.err
	}
	err := run()
	if err == nil && now.meanwhile != nil {
		now.meanwhile()
	}
	return errors.Join(now.err, err)
}

// due finds the failure that the next call of a kind meets.
func (f *flaky) due(op string) *failure {
	next := f.plan[op]
	switch {
	case next == nil:
		return nil
	case next.skip > 0:
		next.skip--
		return nil
	case next.times == 0:
		return nil
	}
	next.times--
	next.begun = true
	now := *next
	if next.forever {
		next.times, next.late = 1, false
	}
	return &now
}

// dead tells whether a failure that lasts forever has begun.
func (f *flaky) dead() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	next := f.plan[opAny]
	return next != nil && next.forever && next.begun
}

func (f *flaky) ViewOutbox(ctx context.Context, fn func(storage.OutboxReader) error) error {
	return f.call(opView, func() error { return f.Outbox.ViewOutbox(ctx, fn) })
}

func (f *flaky) UpdateLane(ctx context.Context, lane outbox.Lane, fn func(storage.LaneWriter) error) error {
	return f.call(opLane, func() error { return f.Outbox.UpdateLane(ctx, lane, fn) })
}

func (f *flaky) Renew(ctx context.Context, leases []storage.LaneLease, until time.Time) (lost []string, err error) {
	err = f.call(opRenew, func() error {
		lost, err = f.Outbox.Renew(ctx, leases, until)
		return err
	})
	return lost, err
}

func (f *flaky) SettleHook(ctx context.Context, id, owner string, done bool, again time.Time) error {
	return f.call(opHook, func() error { return f.Outbox.SettleHook(ctx, id, owner, done, again) })
}

func (f *flaky) ClaimHook(
	ctx context.Context, id, owner string, now, until time.Time,
) (record storage.DeliveredRecord, ok bool, err error) {
	err = f.call(opElse, func() error {
		record, ok, err = f.Outbox.ClaimHook(ctx, id, owner, now, until)
		return err
	})
	return record, ok, err
}

func (f *flaky) Forget(ctx context.Context, before time.Time, limit int) (n int, err error) {
	err = f.call(opElse, func() error {
		n, err = f.Outbox.Forget(ctx, before, limit)
		return err
	})
	return n, err
}

func (f *flaky) Count(ctx context.Context, add, marks map[string]int64) error {
	return f.call(opElse, func() error { return f.Outbox.Count(ctx, add, marks) })
}

func (f *flaky) Hold(ctx context.Context, workspace string, hold outbox.Hold) error {
	return f.call(opElse, func() error { return f.Outbox.Hold(ctx, workspace, hold) })
}
