package outbox

import (
	"context"
	"sync"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
)

// maxQueue is how many lanes a look finds beyond those that have a place.
const maxQueue = 512

// room is how many lanes may be started now, and how many places were left so far.
func (w *worker) room() (room, left int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.free(), w.left
}

// free is the number of free places. The caller has the lock.
func (w *worker) free() int {
	return max(0, min(w.s.config.Workers-w.quick, outbox.MaxInFlight-len(w.busy)))
}

// enqueue lets lanes wait for a place; more tells whether others wait in the store.
// A place that was left since room looked is had at once.
func (w *worker) enqueue(lanes []outbox.Lane, more bool, left int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queue, w.more = lanes, more
	if (more || len(lanes) > 0) && w.left != left {
		w.rouse()
	}
}

// unqueue takes as many waiting lanes as there are places. Look tells that the store
// has to be asked for more.
func (w *worker) unqueue() (lanes []outbox.Lane, look bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := min(w.free(), len(w.queue))
	lanes, w.queue = w.queue[:n], w.queue[n:]
	return lanes, n == 0 && len(w.queue) == 0 && w.more
}

// starves tells whether a lane waits for a place.
func (w *worker) starves() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.more || len(w.queue) > 0
}

// rouse lets the worker look again. The caller has the lock.
func (w *worker) rouse() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// wants finds the route of a lane that can have an action in this tick.
func (w *worker) wants(lane outbox.Lane) (Route, bool) {
	route, ok := w.s.route(w.routes, lane.Workspace)
	if !ok {
		return Route{}, false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return route, !w.busy[lane] && !w.served[lane]
}

// start gives a lane its action in a goroutine. A job that takes long leaves the
// pool, so that it holds up nobody else (OUT-3).
func (w *worker) start(ctx, hard context.Context, lane outbox.Lane) {
	route, _ := w.s.route(w.routes, lane.Workspace)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.busy[lane] || w.served[lane] {
		return
	}
	w.busy[lane], w.served[lane] = true, true
	w.quick++
	w.wg.Go(func() {
		leave := sync.OnceFunc(func() { w.leave(lane, false) })
		slow := time.AfterFunc(outbox.SlowAfter, leave)
		w.serve(ctx, hard, lane, route)
		slow.Stop()
		leave()
		w.leave(lane, true)
	})
}

// leave frees the place of a job in the pool, and its lane when it is over.
func (w *worker) leave(lane outbox.Lane, over bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if over {
		delete(w.busy, lane)
	} else {
		w.quick--
	}
	w.left++
	if w.more || len(w.queue) > 0 {
		w.rouse()
	}
}

// serve takes a lane and does what is due there.
func (w *worker) serve(ctx, hard context.Context, lane outbox.Lane, route Route) {
	j, recovered, err := w.s.take(ctx, lane, route)
	if err != nil && ctx.Err() == nil {
		w.s.log.Warn("a lane could not be taken", "workspace", lane.Workspace, "session", lane.Session, "err", err)
	}
	var done settlement
	if err == nil && j != nil {
		done = j.run(hard)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done.Recovered += recovered
	switch {
	case err != nil || j == nil:
		return
	case j.action == outbox.Ship:
		w.done.Sent++
	default:
		w.done.Verified++
	}
	if done.finished {
		w.done.Delivered++
	}
}

// keepUp runs what belongs to no lane's turn: hooks that are due, and beside them,
// records that may be forgotten and sweeps. Of each there is one run at a time, and
// neither holds up the other, or a tick.
func (w *worker) keepUp(ctx context.Context, found sight) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(found.hooks) > 0 && !w.hooking {
		w.hooking = true
		w.wg.Go(func() {
			w.s.hooks(ctx, found.hooks)
			w.mu.Lock()
			defer w.mu.Unlock()
			w.hooking = false
		})
	}
	elapsed := w.s.clock.Elapsed()
	sweep := elapsed-w.swept >= w.s.config.ParkedSweepInterval
	if w.upkeep {
		return
	}
	back := w.s.returned()
	if !found.forget && !sweep && len(back) == 0 {
		return
	}
	w.upkeep = true
	if sweep {
		w.swept = elapsed
	}
	w.wg.Go(func() {
		w.tidy(ctx, found.forget, back, sweep)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.upkeep = false
	})
}

// tidy deletes old records, and sweeps.
func (w *worker) tidy(ctx context.Context, forget bool, back []string, sweep bool) {
	if forget {
		if _, err := w.s.store.Forget(ctx, w.s.now().Add(-w.s.config.DedupeTTL), forgetATick); err != nil && ctx.Err() == nil {
			w.s.log.Warn("old records could not be deleted", "err", err)
		}
	}
	for _, workspace := range back {
		if _, err := w.s.SweepWorkspaceUnverifiable(ctx, workspace); err != nil {
			w.s.reachAgain(workspace) // the next tick tries again
			if ctx.Err() == nil {
				w.s.log.Warn("a sweep failed", "workspace", workspace, "err", err)
			}
		}
	}
	if sweep {
		w.s.sweepAll(ctx, w.routes)
	}
}
