package outbox

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/outbox"
)

// Round counts what a worker did.
type Round struct {
	Sent      int `json:"sent"`      // sends that ended, however
	Verified  int `json:"verified"`  // verifications that ended
	Delivered int `json:"delivered"` // entries that are finished
	Recovered int `json:"recovered"` // interrupted sends that were found
}

// Run delivers until ctx is cancelled: every tick, one action for each lane in which
// something is due. With a Deliverer, entries of workspaces that no route matches
// go to it; without one they are left to other workers. A tick of zero means
// Config.Tick. Once ctx is cancelled, Run claims nothing more, waits for its sends
// until the drain is over, cancels them, finishes the bookkeeping, and returns only
// when everything that it started has ended (OUT-10).
func (s *Service) Run(ctx context.Context, d Deliverer, tick time.Duration) {
	if tick <= 0 {
		tick = s.config.Tick
	}
	if err := s.lacking(d); err != nil {
		s.log.Error("the worker has nothing to do", "err", err)
		return
	}
	w, hard := s.worker(ctx, d)
	defer w.end(ctx, hard)
	s.mark(ctx)
	for {
		w.begin()
		_ = w.round(ctx, hard) // logged; the next tick looks again
		if !w.pause(ctx, hard, tick) {
			return
		}
	}
}

// RunOnce is one tick of Run that waits for everything it began. If a worker seems
// to have died, it first watches the leases that lapsed for a third of their
// length. The error is that of looking into the store.
func (s *Service) RunOnce(ctx context.Context, d Deliverer) (Round, error) {
	if err := s.lacking(d); err != nil {
		return Round{}, err
	}
	w, hard := s.worker(ctx, d)
	err := s.watch(ctx, w.routes)
	if err == nil {
		w.begin()
		err = w.round(ctx, hard)
	}
	for err == nil && w.freed(ctx) {
		err = w.refill(ctx, hard)
	}
	w.end(ctx, hard)
	return w.done, err
}

// DeliverOnce does the one action that is due in a lane, by d or, when d is nil, by
// the lane's route, and tells whether there was one.
func (s *Service) DeliverOnce(ctx context.Context, workspaceID, sessionID string, d Deliverer) bool {
	route := s.known(workspaceID)
	if d != nil {
		route.Deliverer = d
	}
	if route.Deliverer == nil {
		return false
	}
	j, _, err := s.take(ctx, outbox.Lane{Workspace: workspaceID, Session: sessionID}, route)
	if err != nil {
		s.log.Warn("a lane could not be taken", "workspace", workspaceID, "session", sessionID, "err", err)
	}
	if err != nil || j == nil {
		return false
	}
	j.run(context.WithoutCancel(ctx))
	return true
}

// CancelSends cancels the sends and verifications that run now in Run, whose drain
// is thereby over. Their outcome is not known.
func (s *Service) CancelSends() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.workers {
		w.stop(errStopped)
	}
}

// lacking is the error of a worker that could deliver nothing.
func (s *Service) lacking(d Deliverer) error {
	if d != nil || slices.ContainsFunc(s.routes, func(r Route) bool { return r.Deliverer != nil }) {
		return nil
	}
	return &domain.Error{Code: domain.Invalid, Text: "the outbox has nothing to deliver with", Remedy: "give a Deliverer, or a Route that has one"}
}

// all are the routes, with d for whatever they do not match.
func (s *Service) all(d Deliverer) []Route {
	routes := slices.Clone(s.routes)
	if d != nil {
		routes = append(routes, Route{Deliverer: d})
	}
	return routes
}

// worker is one run of Run. Its lanes work in goroutines of their own, and so
// does the upkeep, so that nothing holds up the next tick.
type worker struct {
	s      *Service
	routes []Route
	stop   context.CancelCauseFunc // cancels sends
	wg     sync.WaitGroup
	wake   chan struct{} // a place in the pool became free
	swept  time.Duration // elapsed at the last sweep

	mu      sync.Mutex
	busy    map[outbox.Lane]bool // lanes that a goroutine of ours works on
	served  map[outbox.Lane]bool // and those that had their action in this tick
	quick   int                  // jobs that are not slow yet
	left    int                  // how many places became free so far
	queue   []outbox.Lane        // found in this tick, and waiting for a place
	more    bool                 // beyond those there may be others
	hooking bool                 // hooks run
	upkeep  bool                 // the rest of the upkeep runs
	done    Round
}

// worker makes one, with the context that ends when its sends are to be cancelled.
func (s *Service) worker(ctx context.Context, d Deliverer) (w *worker, hard context.Context) {
	w = &worker{s: s, routes: s.all(d), wake: make(chan struct{}, 1), busy: map[outbox.Lane]bool{}}
	hard, w.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	w.swept = s.clock.Elapsed()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.workers[w] = struct{}{}
	return w, hard
}

// end waits for all goroutines. If ctx was cancelled, they have the drain to
// finish in.
func (w *worker) end(ctx, hard context.Context) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		w.wg.Wait()
	}()
	select {
	case <-over:
	case <-ctx.Done():
		drain := time.NewTimer(max(w.s.drain, 0))
		defer drain.Stop()
		select {
		case <-over:
		case <-drain.C:
			w.stop(errStopped)
		case <-hard.Done():
		}
	}
	<-over
	w.stop(errStopped)
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	delete(w.s.workers, w)
}

// begin starts a tick: every lane may have its action.
func (w *worker) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.served = map[outbox.Lane]bool{}
}

// pause waits for the next tick, and serves lanes meanwhile that had found no
// place; false when ctx has ended.
func (w *worker) pause(ctx, hard context.Context, tick time.Duration) bool {
	next := time.NewTimer(tick)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-next.C:
			return ctx.Err() == nil
		case <-w.wake:
			_ = w.refill(ctx, hard)
		}
	}
}

// freed waits for a place in the pool if a lane waits for one; false when none does
// or ctx has ended.
func (w *worker) freed(ctx context.Context) bool {
	if !w.starves() {
		return false
	}
	select {
	case <-w.wake:
		return true
	case <-ctx.Done():
		return false
	}
}

// refill gives free places to the lanes that wait for one. Nothing is read for that
// as long as the last look left some.
func (w *worker) refill(ctx, hard context.Context) error {
	lanes, look := w.unqueue()
	if look {
		return w.round(ctx, hard)
	}
	for _, lane := range lanes {
		w.start(ctx, hard, lane)
	}
	return nil
}

// round looks once, and starts what there is to do.
func (w *worker) round(ctx, hard context.Context) error {
	found, err := w.look(ctx)
	if err != nil {
		if ctx.Err() == nil {
			w.s.log.Warn("the store could not be read", "err", err)
		}
		return err
	}
	for _, lane := range found.lanes {
		w.start(ctx, hard, lane)
	}
	w.keepUp(ctx, found)
	return nil
}
