package outbox

import (
	"context"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// ParkWorkspace sets a workspace aside: what waits or is under way there is parked
// with the reason, and so is what is accepted until UnparkWorkspace. It returns how
// many entries it parked.
func (s *Service) ParkWorkspace(ctx context.Context, workspaceID, reason string) (int, error) {
	if err := domain.CheckLabel("workspace", workspaceID); err != nil {
		return 0, err
	}
	if reason != "" {
		if err := domain.CheckLabel("reason", reason); err != nil {
			return 0, err
		}
	}
	if err := s.store.Hold(ctx, workspaceID, outbox.Hold{Reason: reason, Since: s.now()}); err != nil {
		return 0, err
	}
	return s.change(ctx, workspaceID, func(e Entry) bool { return e.Status != StatusParked && e.Status != StatusError }, outbox.Parked{Reason: reason})
}

// UnparkWorkspace ends what ParkWorkspace began, and returns how many entries go
// on. What was under way when it was parked is verified first.
func (s *Service) UnparkWorkspace(ctx context.Context, workspaceID string) (int, error) {
	if err := s.store.Release(ctx, workspaceID); err != nil {
		return 0, err
	}
	return s.change(ctx, workspaceID, func(e Entry) bool { return e.Status == StatusParked }, outbox.Unparked{})
}

// CleanupWorkspace deletes everything of a workspace and returns how many rows of
// all kinds went. The lease of a lane that is being worked on stays until that
// ends, and a send that ends later brings nothing back (OUT-11).
func (s *Service) CleanupWorkspace(ctx context.Context, workspaceID string) (int, error) {
	return s.store.Clean(ctx, workspaceID, s.now())
}

// change lets an event happen to the wanted entries of a workspace, lane by lane.
func (s *Service) change(ctx context.Context, workspace string, wanted func(Entry) bool, event outbox.Event) (int, error) {
	lanes, err := s.lanes(ctx, workspace, wanted)
	policy := s.policy(s.known(workspace))
	total := 0
	for _, lane := range lanes {
		changed := 0
		err := s.store.UpdateLane(ctx, lane, func(w storage.LaneWriter) error {
			changed = 0
			heads, err := w.Heads()
			if err != nil {
				return err
			}
			for _, e := range heads {
				next, _, err := policy.Next(e, event, s.now())
				if err != nil {
					continue // another state by now
				}
				if err := w.Put(next, true); err != nil {
					return err
				}
				changed++
			}
			return nil
		})
		if err != nil {
			return total, err
		}
		total += changed
	}
	return total, err
}

// lanes lists the lanes of a workspace that have a wanted entry.
func (s *Service) lanes(ctx context.Context, workspace string, wanted func(Entry) bool) (lanes []outbox.Lane, err error) {
	seen := map[outbox.Lane]bool{}
	err = s.each(ctx, storage.EntryQuery{Workspace: workspace}, func(e Entry) error {
		if wanted(e) && !seen[e.Lane()] {
			seen[e.Lane()] = true
			lanes = append(lanes, e.Lane())
		}
		return nil
	})
	return lanes, err
}
