package memory

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// outboxReader answers from one state.
type outboxReader struct{ *push }

// waiting is a lane by one of its due entries, whose place in the order of
// acceptance is seq.
type waiting struct {
	storage.DueLane
	seq int64
}

// longest puts first what waits longest (OUT-3).
func longest(a, b waiting) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.seq, b.seq)) }

// since is the time from which on a due entry waits.
func since(e outbox.Entry) time.Time {
	if e.NextAttemptAt.IsZero() {
		return e.AcceptedAt
	}
	return e.NextAttemptAt
}

// DueLanes implements [storage.OutboxReader].
func (r outboxReader) DueLanes(now, beyond time.Time, yield func(storage.DueLane) bool) error {
	var lanes []waiting
	for lane, entries := range r.entries.rows {
		if _, leased := r.turns.get(lane); leased {
			continue
		}
		var due []waiting
		for _, e := range entries {
			if e.Waits() && (!e.NextAttemptAt.After(now) || e.NextAttemptAt.After(beyond)) {
				due = append(due, waiting{storage.DueLane{Lane: lane, Since: since(e)}, e.Seq})
			}
		}
		if len(due) > 0 {
			lanes = append(lanes, slices.MinFunc(due, longest))
		}
	}
	slices.SortFunc(lanes, longest)
	for _, lane := range lanes {
		if !yield(lane.DueLane) {
			return nil
		}
	}
	return nil
}

func (r outboxReader) Leases() ([]storage.LaneLease, error) {
	var leases []storage.LaneLease
	for lane, lease := range r.turns.rows {
		leases = append(leases, storage.LaneLease{Lane: lane, Lease: lease})
	}
	slices.SortFunc(leases, func(a, b storage.LaneLease) int {
		return cmp.Or(cmp.Compare(a.Lane.Workspace, b.Lane.Workspace), cmp.Compare(a.Lane.Session, b.Lane.Session))
	})
	return leases, nil
}

func (r outboxReader) Entries(query storage.EntryQuery) ([]outbox.Entry, error) {
	var found []outbox.Entry
	for lane, entries := range r.entries.rows {
		if query.Workspace != "" && (lane.Workspace != query.Workspace || query.Session != "" && lane.Session != query.Session) {
			continue
		}
		for _, e := range entries {
			e = read(e)
			if e.Seq <= query.AfterSeq || query.Status != "" && e.Status != query.Status {
				continue
			}
			if query.HeadsOnly {
				e = head(e)
			}
			found = append(found, e)
		}
	}
	slices.SortFunc(found, func(a, b outbox.Entry) int { return cmp.Compare(a.Seq, b.Seq) })
	if query.Limit > 0 {
		found = found[:min(query.Limit, len(found))]
	}
	return found, nil
}

func (r outboxReader) Holds() ([]storage.WorkspaceHold, error) {
	var holds []storage.WorkspaceHold
	for workspace, hold := range r.holds.rows {
		holds = append(holds, storage.WorkspaceHold{Workspace: workspace, Hold: hold})
	}
	slices.SortFunc(holds, func(a, b storage.WorkspaceHold) int { return cmp.Compare(a.Workspace, b.Workspace) })
	return holds, nil
}

func (r outboxReader) DueHooks(now time.Time, limit int) ([]storage.DeliveredRecord, error) {
	due := r.delivered.pick(func(d storage.DeliveredRecord) bool {
		return !d.HookDone && !d.HookUntil.After(now)
	}, oldest)
	due = due[:min(limit, len(due))]
	for i := range due {
		due[i] = kept(due[i])
	}
	return due, nil
}

func (r outboxReader) Forgettable(before time.Time) (bool, error) {
	for _, record := range r.delivered.rows {
		if forgettable(record, before) {
			return true, nil
		}
	}
	for _, record := range r.accepted.rows {
		if settled(record, before) {
			return true, nil
		}
	}
	return false, nil
}

func (r outboxReader) Figures() (map[string]int64, error) {
	figures := maps.Clone(r.figures.rows)
	if figures == nil {
		figures = map[string]int64{}
	}
	for _, entries := range r.entries.rows {
		for _, e := range entries {
			figures["entries."+read(e).Status]++
		}
	}
	return figures, nil
}

func forgettable(record storage.DeliveredRecord, before time.Time) bool {
	return record.HookDone && record.At.Before(before)
}

func settled(record outbox.Dedupe, before time.Time) bool {
	return record.Final != "" && record.AcceptedAt.Before(before)
}

func oldest(a, b storage.DeliveredRecord) int {
	return cmp.Or(a.At.Compare(b.At), strings.Compare(a.Entry.ID, b.Entry.ID))
}
