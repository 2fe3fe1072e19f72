package outbox

import (
	"context"
	"errors"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// The figures of sweeps, and the mark of the last loop, in the store.
const (
	figureCompleted     = "sweep.completed"
	figureRearmed       = "sweep.rearmed"
	figureUnchanged     = "sweep.unchanged"
	figureIndeterminate = "sweep.indeterminate"
	markLoop            = "loop_ms" // Unix milliseconds
)

// Sweep is what a sweep came to.
type Sweep struct {
	Completed     int `json:"completed"`     // the receiver had them
	Rearmed       int `json:"rearmed"`       // will be sent or verified again
	Unchanged     int `json:"unchanged"`     // stay in error
	Indeterminate int `json:"indeterminate"` // the ledger could not be asked
}

func (a *Sweep) add(b Sweep) {
	a.Completed += b.Completed
	a.Rearmed += b.Rearmed
	a.Unchanged += b.Unchanged
	a.Indeterminate += b.Indeterminate
}

// SweepWorkspaceParkedErrors asks the ledger about the entries in error of a
// workspace, and returns how many it completed or armed again. Without a ledger it
// answers 0. It never overwrites what changed meanwhile.
func (s *Service) SweepWorkspaceParkedErrors(ctx context.Context, workspaceID string) (int, error) {
	done, err := s.sweepErrors(ctx, workspaceID)
	return done.Completed + done.Rearmed, err
}

// SweepWorkspaceUnverifiable verifies anew the entries in error of a workspace whose
// fate is unknown, and returns how many. Call it when the receiver can be reached
// again; Run does so after its first contact.
func (s *Service) SweepWorkspaceUnverifiable(ctx context.Context, workspaceID string) (int, error) {
	done, err := s.sweepUnknown(ctx, workspaceID)
	return done.Rearmed, err
}

// SweepWorkspace does both sweeps.
func (s *Service) SweepWorkspace(ctx context.Context, workspaceID string) (Sweep, error) {
	done, err := s.sweepErrors(ctx, workspaceID)
	unknown, unknownErr := s.sweepUnknown(ctx, workspaceID)
	done.Rearmed += unknown.Rearmed
	return done, errors.Join(err, unknownErr)
}

func (s *Service) sweepErrors(ctx context.Context, workspace string) (Sweep, error) {
	route := s.known(workspace)
	if route.Ledger == nil {
		return Sweep{}, nil
	}
	return s.sweep(ctx, workspace, func(e Entry) (Sweep, error) {
		ledger := s.ask(ctx, route, e)
		if ledger.Indeterminate() {
			return Sweep{Indeterminate: 1}, nil
		}
		return s.sweepEntry(ctx, route, e, outbox.Swept{Ledger: ledger})
	})
}

func (s *Service) sweepUnknown(ctx context.Context, workspace string) (Sweep, error) {
	route := s.known(workspace)
	return s.sweep(ctx, workspace, func(e Entry) (Sweep, error) {
		if _, _, err := s.policy(route).Next(e, outbox.Reached{}, s.now()); err != nil {
			return Sweep{}, nil // no transaction for nothing
		}
		return s.sweepEntry(ctx, route, e, outbox.Reached{})
	})
}

// page is how many entries a sweep reads at once.
const page = 100

// sweep goes through the entries in error of a workspace, page by page, and counts.
func (s *Service) sweep(ctx context.Context, workspace string, one func(Entry) (Sweep, error)) (total Sweep, err error) {
	defer func() {
		if total != (Sweep{}) {
			err = errors.Join(err, s.store.Count(context.WithoutCancel(ctx), map[string]int64{
				figureCompleted: int64(total.Completed), figureRearmed: int64(total.Rearmed),
				figureUnchanged: int64(total.Unchanged), figureIndeterminate: int64(total.Indeterminate),
			}, nil))
		}
	}()
	err = s.each(ctx, storage.EntryQuery{Workspace: workspace, Status: StatusError}, func(e Entry) error {
		done, err := one(e)
		total.add(done)
		return err
	})
	return total, err
}

// each reads the heads of the selected entries, page by page and each page in a
// snapshot of its own, and hands them over until one fails.
func (s *Service) each(ctx context.Context, query storage.EntryQuery, one func(Entry) error) error {
	query.Limit, query.HeadsOnly = page, true
	for {
		var entries []Entry
		err := s.store.ViewOutbox(ctx, func(r storage.OutboxReader) (err error) {
			entries, err = r.Entries(query)
			return err
		})
		if err != nil || len(entries) == 0 {
			return err
		}
		for _, e := range entries {
			if err := one(e); err != nil {
				return err
			}
			query.AfterSeq = e.Seq
		}
	}
}

// sweepEntry lets an event happen to an entry, unless it changed since it was read.
func (s *Service) sweepEntry(ctx context.Context, route Route, e Entry, event outbox.Event) (Sweep, error) {
	var done settlement
	err := s.store.UpdateLane(ctx, e.Lane(), func(w storage.LaneWriter) error {
		done = settlement{}
		fresh, ok, err := w.Entry(e.ID)
		if err != nil || !ok || fresh.Version != e.Version {
			return err
		}
		done, err = s.apply(w, route, e.ID, event, false)
		return err
	})
	switch {
	case err != nil:
		return Sweep{}, err
	case done.finished:
		s.hook(ctx, done, false, e.ID)
		return Sweep{Completed: 1}, nil
	case done.stored && !done.gone:
		return Sweep{Rearmed: 1}, nil
	}
	return Sweep{Unchanged: 1}, nil
}

// sweepAll sweeps every workspace with entries in error that routes match, and
// leaves the mark of the loop.
func (s *Service) sweepAll(ctx context.Context, routes []Route) {
	workspaces := map[string]bool{}
	err := s.each(ctx, storage.EntryQuery{Status: StatusError}, func(e Entry) error {
		if _, ok := s.route(routes, e.WorkspaceID); ok {
			workspaces[e.WorkspaceID] = true
		}
		return nil
	})
	if err != nil && ctx.Err() == nil {
		s.log.Warn("the entries in error could not be read", "err", err)
	}
	for workspace := range workspaces {
		if _, err := s.sweepErrors(ctx, workspace); err != nil && ctx.Err() == nil {
			s.log.Warn("a sweep failed", "workspace", workspace, "err", err)
		}
	}
	s.mark(ctx)
}

// mark leaves the mark of the loop: that a worker is there.
func (s *Service) mark(ctx context.Context) {
	if err := s.store.Count(ctx, nil, map[string]int64{markLoop: s.now().UnixMilli()}); err != nil && ctx.Err() == nil {
		s.log.Warn("the mark of the loop could not be stored", "err", err)
	}
}

// contact notes whether a workspace's receiver answered. The first answer after a
// silence, or after the start, lets its unknown entries be verified anew.
func (s *Service) contact(workspace string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !ok:
		delete(s.reached, workspace)
	case !s.reached[workspace]:
		s.reached[workspace] = true
		s.back = append(s.back, workspace)
	}
}

// returned takes the workspaces whose receivers answer again.
func (s *Service) returned() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	back := s.back
	s.back = nil
	return back
}

// reachAgain puts a workspace back that could not be seen to.
func (s *Service) reachAgain(workspace string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.back = append(s.back, workspace)
}
