package outbox

import (
	"context"
	"strings"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// List returns the entries of a session in order of acceptance, unreadable ones
// too; of all sessions when sessionID is empty, and of all workspaces when both are.
// What blocks a pending entry is computed, never stored (OUT-9).
func (s *Service) List(ctx context.Context, workspaceID, sessionID string) ([]Entry, error) {
	var entries []Entry
	var leases []storage.LaneLease
	err := s.store.ViewOutbox(ctx, func(r storage.OutboxReader) (err error) {
		if entries, err = r.Entries(storage.EntryQuery{Workspace: workspaceID, Session: sessionID}); err != nil {
			return err
		}
		leases, err = r.Leases()
		return err
	})
	if err != nil {
		return nil, err
	}
	held := make(map[outbox.Lane]Lease, len(leases))
	for _, l := range leases {
		held[l.Lane] = l.Lease
	}
	heads := map[outbox.Lane]string{}
	now := s.now()
	for i := range entries {
		e := &entries[i]
		if lease, ok := held[e.Lane()]; ok && e.Status == StatusPending {
			e.BlockedByInFlight, e.InFlightFor = true, max(0, now.Sub(lease.Acquired))
			e.StaleLease = lease.Lapsed(now)
		}
		head, ok := heads[e.Lane()]
		if !ok {
			heads[e.Lane()] = e.ID
		} else if s.known(e.WorkspaceID).Order == OrderStrict {
			e.BlockedBy = head
		}
	}
	return entries, nil
}

// Status is the state of an outbox in figures.
type Status struct {
	Entries    map[string]int64 `json:"entries"` // by status
	OldestID   string           `json:"oldestID,omitempty"`
	OldestAt   time.Time        `json:"oldestAt,omitzero"` // when the oldest living entry was accepted
	Sweeps     map[string]int64 `json:"sweeps"`            // what all sweeps came to
	Leases     []Holding        `json:"leases"`
	Holds      []Aside          `json:"holds"`
	LastLoopAt time.Time        `json:"lastLoopAt,omitzero"` // when a worker last looked around, to within ParkedSweepInterval
}

// Holding is a lane that somebody works on.
type Holding struct {
	WorkspaceID string        `json:"workspaceID"`
	SessionID   string        `json:"sessionID"`
	EntryID     string        `json:"entryID"`
	Owner       string        `json:"owner"`
	For         time.Duration `json:"for"`   // nanoseconds
	Stale       bool          `json:"stale"` // ran out, and nobody has taken it yet
}

// Aside is a workspace that ParkWorkspace has set aside.
type Aside struct {
	WorkspaceID string        `json:"workspaceID"`
	Reason      string        `json:"reason,omitempty"`
	For         time.Duration `json:"for"` // nanoseconds
}

// Status counts.
func (s *Service) Status(ctx context.Context) (Status, error) {
	status := Status{Entries: map[string]int64{}, Sweeps: map[string]int64{}, Leases: []Holding{}, Holds: []Aside{}}
	now := s.now()
	err := s.store.ViewOutbox(ctx, func(r storage.OutboxReader) error {
		figures, err := r.Figures()
		if err != nil {
			return err
		}
		for name, n := range figures {
			if state, ok := strings.CutPrefix(name, "entries."); ok {
				status.Entries[state] = n
			} else if outcome, ok := strings.CutPrefix(name, "sweep."); ok {
				status.Sweeps[outcome] = n
			}
		}
		if ms, ok := figures[markLoop]; ok {
			status.LastLoopAt = time.UnixMilli(ms).UTC()
		}
		oldest, err := r.Entries(storage.EntryQuery{Limit: 1, HeadsOnly: true})
		if err != nil {
			return err
		}
		if len(oldest) > 0 {
			status.OldestID, status.OldestAt = oldest[0].ID, oldest[0].AcceptedAt
		}
		holds, err := r.Holds()
		if err != nil {
			return err
		}
		for _, h := range holds {
			status.Holds = append(status.Holds, Aside{WorkspaceID: h.Workspace, Reason: h.Reason, For: max(0, now.Sub(h.Since))})
		}
		leases, err := r.Leases()
		for _, l := range leases {
			status.Leases = append(status.Leases, Holding{
				WorkspaceID: l.Lane.Workspace, SessionID: l.Lane.Session, EntryID: l.EntryID, Owner: l.Owner,
				For: max(0, now.Sub(l.Acquired)), Stale: l.Lapsed(now),
			})
		}
		return err
	})
	return status, err
}
