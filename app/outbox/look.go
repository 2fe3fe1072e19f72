package outbox

import (
	"context"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// How much upkeep one tick does at most (OUT-7).
const (
	hooksATick  = 100
	forgetATick = 500
)

// sight is what one look into the store found.
type sight struct {
	lanes  []outbox.Lane // to be served, longest waiting first; those of dead workers before
	hooks  []storage.DeliveredRecord
	forget bool
}

// look reads everything that a tick depends on in one snapshot.
func (w *worker) look(ctx context.Context) (found sight, err error) {
	now := w.s.now()
	err = w.s.store.ViewOutbox(ctx, func(r storage.OutboxReader) error {
		leases, err := r.Leases()
		if err != nil {
			return err
		}
		if found.hooks, err = w.hooks(r, now); err != nil {
			return err
		}
		if found.forget, err = r.Forgettable(now.Add(-w.s.config.DedupeTTL)); err != nil {
			return err
		}
		found.lanes, err = w.due(r, w.s.lapsed(leases), now)
		return err
	})
	return found, err
}

// due lists the lanes that are to be served, as many as there is room for: those
// that are free because a worker died, then those that wait longest. The next ones
// wait for a place.
func (w *worker) due(r storage.OutboxReader, lapsed []outbox.Lane, now time.Time) (lanes []outbox.Lane, err error) {
	held, err := heldWorkspaces(r)
	if err != nil {
		return nil, err
	}
	room, left := w.room()
	more := false
	admit := func(lane outbox.Lane) bool {
		if len(lanes) >= room+maxQueue {
			more = true
			return false
		}
		lanes = append(lanes, lane)
		return true
	}
	defer func() {
		room = min(room, len(lanes))
		w.enqueue(lanes[room:], more, left)
		lanes = lanes[:room]
	}()
	for _, lane := range lapsed {
		if _, ok := w.wants(lane); ok && !admit(lane) {
			return lanes, nil
		}
	}
	dueErr := r.DueLanes(now, now.Add(w.s.config.LongestDelay()), func(due storage.DueLane) bool {
		route, ok := w.wants(due.Lane)
		if !ok || route.Deliverer == nil {
			return true
		}
		var idle bool
		if idle, err = w.s.idle(r, due.Lane, route, held, now); err != nil || idle {
			return err == nil
		}
		return admit(due.Lane)
	})
	if err == nil {
		err = dueErr
	}
	return lanes, err
}

// idle tells whether there is no need to take a lane: its workspace is set aside, or
// the head of its strict order keeps everything back.
func (s *Service) idle(r storage.OutboxReader, lane outbox.Lane, route Route, held map[string]bool, now time.Time) (bool, error) {
	if held[lane.Workspace] {
		return true, nil
	}
	if route.Order != OrderStrict {
		return false, nil
	}
	head, ok, err := first(r, lane)
	return ok && !s.config.Due(head, now), err
}

// heldWorkspaces are those that are set aside.
func heldWorkspaces(r storage.OutboxReader) (map[string]bool, error) {
	holds, err := r.Holds()
	held := make(map[string]bool, len(holds))
	for _, h := range holds {
		held[h.Workspace] = true
	}
	return held, err
}

// first is the head of a lane, which may be unreadable.
func first(r storage.OutboxReader, lane outbox.Lane) (head Entry, ok bool, err error) {
	heads, err := r.Entries(storage.EntryQuery{Workspace: lane.Workspace, Session: lane.Session, Limit: 1, HeadsOnly: true})
	if err != nil || len(heads) == 0 {
		return Entry{}, false, err
	}
	return heads[0], true, nil
}

// hooks lists delivered hooks that are due in the workspaces of the worker's routes:
// the hooks of other workspaces are for others, who may have one where we have none.
func (w *worker) hooks(r storage.OutboxReader, now time.Time) ([]storage.DeliveredRecord, error) {
	for limit := hooksATick; ; limit *= 2 {
		records, err := r.DueHooks(now, limit)
		if err != nil {
			return nil, err
		}
		var mine []storage.DeliveredRecord
		for _, record := range records {
			if _, ok := w.s.route(w.routes, record.Entry.WorkspaceID); ok && len(mine) < hooksATick {
				mine = append(mine, record)
			}
		}
		if len(mine) > 0 || len(records) < limit {
			return mine, nil
		}
	}
}
