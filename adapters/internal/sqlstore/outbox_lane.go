package sqlstore

import (
	"fmt"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// laneWriter reads and changes one lane in one transaction.
type laneWriter struct {
	t    *tx
	lane outbox.Lane
}

var _ storage.LaneWriter = (*laneWriter)(nil)

// keyed puts the lane before other arguments of a statement.
func (w *laneWriter) keyed(args ...any) []any {
	return append([]any{w.lane.Workspace, w.lane.Session}, args...)
}

// Lease implements [storage.LaneReader].
func (w *laneWriter) Lease() (lease outbox.Lease, ok bool, err error) {
	var row laneRow
	ok, err = w.t.row("SELECT "+laneColumns+" FROM outbox_lane WHERE workspace = +? AND session = +?", w.keyed(), row.dest()...)
	if err != nil || !ok {
		return outbox.Lease{}, false, err
	}
	return row.read(), true, nil
}

const selectHeads = "SELECT " + entryHead + " FROM outbox_entry WHERE workspace = +? AND session = +? ORDER BY seq"

// Heads implements [storage.LaneReader].
func (w *laneWriter) Heads() (heads []outbox.Entry, err error) {
	var row entryRow
	err = w.t.each(selectHeads, w.keyed(), func() {
		heads = append(heads, row.shown())
	}, row.head()...)
	return heads, err
}

// ofLane finds an entry by its id, if it is in the lane.
const ofLane = " FROM outbox_entry WHERE +workspace = +? AND +session = +? AND id = +?"

// Entry implements [storage.LaneReader].
func (w *laneWriter) Entry(id string) (outbox.Entry, bool, error) {
	var row entryRow
	ok, err := w.t.row("SELECT "+entryWhole+ofLane, w.keyed(id), row.whole()...)
	if err != nil || !ok {
		return outbox.Entry{}, false, err
	}
	return row.shown(), true, nil
}

// Held implements [storage.LaneReader].
func (w *laneWriter) Held() (n int, err error) {
	_, err = w.t.row("SELECT COUNT(*) FROM outbox_entry WHERE workspace = +? AND session = +?", w.keyed(), &n)
	return n, err
}

// Dedupe implements [storage.LaneReader].
func (w *laneWriter) Dedupe(clientMessageID string) (record outbox.Dedupe, ok bool, err error) {
	record.Lane, record.ClientMessageID = w.lane, clientMessageID
	var accepted int64
	ok, err = w.t.row(`
SELECT entry_id, digest, accepted_ms, final FROM outbox_dedupe WHERE workspace = +? AND session = +? AND client_message_id = +?`,
		w.keyed(clientMessageID), &record.EntryID, &record.Digest, &accepted, &record.Final)
	if err != nil || !ok {
		return outbox.Dedupe{}, false, err
	}
	record.AcceptedAt = outboxTime(accepted)
	return record, true, nil
}

// WorkspaceHold implements [storage.LaneReader].
func (w *laneWriter) WorkspaceHold() (hold outbox.Hold, ok bool, err error) {
	return w.t.hold(w.lane.Workspace)
}

const insertEntry = `
INSERT INTO outbox_entry (workspace, session, id, version, waits, model, text, ` + stateColumns + `)
VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// Insert implements [storage.LaneWriter].
func (w *laneWriter) Insert(entry outbox.Entry) error {
	if err := w.check(entry); err != nil {
		return err
	}
	args := w.keyed(entry.ID, flag(entry.Waits()), string(entry.Model), entry.Text)
	_, _, err := w.t.exec(insertEntry, append(args, stateValues(entry)...)...)
	return err
}

const (
	updateEntry = `
UPDATE outbox_entry SET version = version + 1, waits = ?, (` + stateColumns + `)
  = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	updateText = ", model = ?, text = ?"
	whereEntry = " WHERE +workspace = +? AND +session = +? AND id = +?"
)

// Put implements [storage.LaneWriter].
func (w *laneWriter) Put(entry outbox.Entry, textless bool) error {
	if err := w.check(entry); err != nil {
		return err
	}
	query := updateEntry + whereEntry
	args := append([]any{flag(entry.Waits())}, stateValues(entry)...)
	if !textless {
		query = updateEntry + updateText + whereEntry
		args = append(args, string(entry.Model), entry.Text)
	}
	return w.one(entry.ID)(w.t.exec(query, append(args, w.keyed(entry.ID)...)...))
}

// Remove implements [storage.LaneWriter].
func (w *laneWriter) Remove(entryID, final string) error {
	_, _, err := w.t.exec(`
UPDATE outbox_dedupe SET final = ? WHERE final = '' AND entry_id = +? AND +workspace = +? AND +session = +?`,
		final, entryID, w.lane.Workspace, w.lane.Session)
	if err != nil {
		return err
	}
	return w.one(entryID)(w.t.exec("DELETE"+ofLane, w.keyed(entryID)...))
}

// PutDedupe implements [storage.LaneWriter].
func (w *laneWriter) PutDedupe(record outbox.Dedupe) error {
	if record.Lane != w.lane || record.ClientMessageID == "" {
		return misused(fmt.Sprintf("the dedupe record %q is not of this lane", record.ClientMessageID))
	}
	_, _, err := w.t.exec(`
INSERT OR REPLACE INTO outbox_dedupe (workspace, session, client_message_id, entry_id, digest, accepted_ms, final)
VALUES (?, ?, ?, ?, ?, ?, ?)`,
		w.keyed(record.ClientMessageID, record.EntryID, record.Digest, outboxMS(record.AcceptedAt), record.Final)...)
	return err
}

const insertDelivered = `
INSERT OR REPLACE INTO outbox_delivered (workspace, session, id, seq, version, model, text,
  delivered_ms, hook_done, hook_until_ms, hook_runs, hook_owner, ` + stateColumns + `)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// PutDelivered implements [storage.LaneWriter].
func (w *laneWriter) PutDelivered(record storage.DeliveredRecord) error {
	e := record.Entry
	if err := w.check(e); err != nil {
		return err
	}
	if record.HookDone {
		e.Text, e.Model = "", nil
	}
	args := w.keyed(e.ID, e.Seq, e.Version, string(e.Model), e.Text, outboxMS(record.At),
		flag(record.HookDone), outboxMS(record.HookUntil), record.HookRuns, record.HookOwner)
	_, _, err := w.t.exec(insertDelivered, append(args, stateValues(e)...)...)
	return err
}

// PutLease implements [storage.LaneWriter].
func (w *laneWriter) PutLease(lease outbox.Lease) error {
	_, _, err := w.t.exec(`
INSERT OR REPLACE INTO outbox_lane (workspace, session, `+laneColumns+`)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		w.keyed(lease.Token, lease.Owner, outboxMS(lease.Acquired), outboxMS(lease.Until), lease.Length.Milliseconds(),
			lease.Renewals, lease.EntryID)...)
	return err
}

// DropLease implements [storage.LaneWriter].
func (w *laneWriter) DropLease() error {
	_, _, err := w.t.exec("DELETE FROM outbox_lane WHERE workspace = +? AND session = +?", w.keyed()...)
	return err
}

// check tells whether an entry makes sense in the lane.
func (w *laneWriter) check(e outbox.Entry) error {
	if e.Lane() != w.lane {
		return misused(fmt.Sprintf("the entry %q is of another lane", e.ID))
	}
	if err := e.Check(); err != nil {
		return misused(fmt.Sprintf("the entry %q makes no sense: %v", e.ID, err))
	}
	return nil
}

// one turns a change of no row into the error that the lane has no such entry.
func (w *laneWriter) one(entryID string) func(changed, id int64, err error) error {
	return func(changed, _ int64, err error) error {
		if err == nil && changed == 0 {
			return misused(fmt.Sprintf("the lane has no entry %q", entryID))
		}
		return err
	}
}
