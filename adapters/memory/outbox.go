package memory

import (
	"bytes"
	"context"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// push is the push half of a database. Its rows are found by lane first, since a
// lane is what is changed at a time.
type push struct {
	lastSeq   int64                              // of the last entry that was accepted
	entries   table[outbox.Lane, []outbox.Entry] // never an empty list; in order of acceptance
	turns     table[outbox.Lane, outbox.Lease]
	accepted  table[message, outbox.Dedupe]
	delivered table[string, storage.DeliveredRecord] // by entry id
	holds     table[string, outbox.Hold]             // by workspace
	figures   table[string, int64]
}

// message is the key of a dedupe record.
type message struct {
	outbox.Lane
	clientID string
}

func (p *push) share() {
	p.entries.share()
	p.turns.share()
	p.accepted.share()
	p.delivered.share()
	p.holds.share()
	p.figures.share()
}

// BreakEntry gives the row of an entry a status that does not exist, which tests
// need and no store offers (OUT-12). It waits for writers.
func (p *Place) BreakEntry(id string) error {
	return p.update(context.Background(), func(next *state) error {
		for lane, entries := range next.push.entries.rows {
			if i := at(entries, id); i >= 0 {
				broken := entries[i]
				broken.Status = "broken"
				next.push.replace(lane, i, broken)
				return nil
			}
		}
		return misuse("break unknown entry %q", id)
	})
}

// ViewOutbox implements [storage.OutboxUnits].
func (s *Store) ViewOutbox(ctx context.Context, fn func(storage.OutboxReader) error) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	return fn(outboxReader{&s.place.current.Load().push})
}

// UpdateLane implements [storage.OutboxUnits]. Units of all lanes take turns.
func (s *Store) UpdateLane(ctx context.Context, lane outbox.Lane, fn func(storage.LaneWriter) error) error {
	return s.push(ctx, func(p *push) error { return fn(laneWriter{p, lane}) })
}

// Hold implements [storage.OutboxWorkspaces].
func (s *Store) Hold(ctx context.Context, workspace string, hold outbox.Hold) error {
	return s.push(ctx, func(p *push) error {
		hold.Since = stored(hold.Since)
		p.holds.put(workspace, hold)
		return nil
	})
}

// Release implements [storage.OutboxWorkspaces].
func (s *Store) Release(ctx context.Context, workspace string) error {
	return s.push(ctx, func(p *push) error {
		p.holds.remove(func(name string) bool { return name == workspace })
		return nil
	})
}

// Clean implements [storage.OutboxWorkspaces].
func (s *Store) Clean(ctx context.Context, workspace string, now time.Time) (rows int, err error) {
	err = s.push(ctx, func(p *push) error {
		before := p.rows()
		p.entries.remove(func(l outbox.Lane) bool { return l.Workspace == workspace })
		p.turns.remove(func(l outbox.Lane) bool { return l.Workspace == workspace && p.turns.rows[l].Lapsed(now) })
		p.accepted.remove(func(m message) bool { return m.Workspace == workspace })
		p.delivered.remove(func(id string) bool { return p.delivered.rows[id].Entry.WorkspaceID == workspace })
		p.holds.remove(func(name string) bool { return name == workspace })
		rows = before - p.rows()
		return nil
	})
	if err != nil {
		return 0, err
	}
	return rows, nil
}

// rows is the number of all rows that belong to workspaces.
func (p *push) rows() int {
	n := len(p.turns.rows) + len(p.accepted.rows) + len(p.delivered.rows) + len(p.holds.rows)
	for _, entries := range p.entries.rows {
		n += len(entries)
	}
	return n
}

// push changes the push half in one transaction.
func (s *Store) push(ctx context.Context, change func(*push) error) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	return s.place.update(ctx, func(next *state) error { return change(&next.push) })
}

// replace puts another entry in the place of one, in a list of its own.
func (p *push) replace(lane outbox.Lane, i int, entry outbox.Entry) {
	entries := append([]outbox.Entry(nil), p.entries.rows[lane]...)
	entries[i] = entry
	p.entries.put(lane, entries)
}

// at is the index of an entry in a list; -1 for none.
func at(entries []outbox.Entry, id string) int {
	for i := range entries {
		if entries[i].ID == id {
			return i
		}
	}
	return -1
}

// stored is a time as it comes back.
func stored(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// row is an entry as it is kept: nothing that is computed, and no memory shared.
func row(e outbox.Entry) outbox.Entry {
	e.AcceptedAt, e.LastAttemptAt = stored(e.AcceptedAt), stored(e.LastAttemptAt)
	e.NextAttemptAt, e.PriorSince = stored(e.NextAttemptAt), stored(e.PriorSince)
	e.BlockedByInFlight, e.InFlightFor, e.StaleLease, e.BlockedBy = false, 0, false, ""
	e.Model = bytes.Clone(e.Model)
	return e
}

// read is an entry as it is handed out.
func read(e outbox.Entry) outbox.Entry {
	e.Model = bytes.Clone(e.Model)
	if err := e.Check(); err != nil {
		e.Status, e.LastError = outbox.StatusUnreadable, err.Error()
	}
	return e
}

// head is an entry without what is long.
func head(e outbox.Entry) outbox.Entry {
	e.Text, e.Model = "", nil
	return e
}
