package sqlstore

import (
	"strings"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// outboxReader answers from one transaction.
type outboxReader struct{ t *tx }

var _ storage.OutboxReader = (*outboxReader)(nil)

const selectLeases = "SELECT workspace, session, " + laneColumns + " FROM outbox_lane ORDER BY workspace, session"

// Leases implements [storage.OutboxReader].
func (r *outboxReader) Leases() (leases []storage.LaneLease, err error) {
	var lane outbox.Lane
	var row laneRow
	err = r.t.each(selectLeases, nil, func() {
		leases = append(leases, storage.LaneLease{Lane: lane, Lease: row.read()})
	}, append([]any{&lane.Workspace, &lane.Session}, row.dest()...)...)
	return leases, err
}

// minEntryPage is how many rows are looked at together, at least, where only some
// of them can be what is asked for.
const minEntryPage = 256

// Entries implements [storage.OutboxReader].
func (r *outboxReader) Entries(query storage.EntryQuery) (found []outbox.Entry, err error) {
	size := query.Limit
	if size > 0 && query.Status != "" {
		size = max(size, minEntryPage)
	}
	for after := query.AfterSeq; ; {
		rows := 0
		text, args := entryPage(query, after, size)
		var row entryRow
		dest := row.head()
		if !query.HeadsOnly {
			dest = row.whole()
		}
		err := r.t.each(text, args, func() {
			e := row.shown()
			after = e.Seq
			rows++
			if query.Status == "" || e.Status == query.Status {
				found = append(found, e)
			}
		}, dest...)
		if err != nil {
			return nil, err
		}
		if query.Limit > 0 && len(found) >= query.Limit {
			return found[:query.Limit], nil
		}
		if size == 0 || rows < size {
			return found, nil
		}
	}
}

// entryPage spells a page of a query: all that its rows can be told by in SQL.
func entryPage(query storage.EntryQuery, after int64, size int) (string, []any) {
	var b strings.Builder
	var args []any
	b.WriteString("SELECT ")
	if query.HeadsOnly {
		b.WriteString(entryHead)
	} else {
		b.WriteString(entryWhole)
	}
	b.WriteString(" FROM outbox_entry WHERE ")
	if query.Workspace != "" {
		b.WriteString("workspace = +? AND ")
		args = append(args, query.Workspace)
		if query.Session != "" {
			b.WriteString("session = +? AND ")
			args = append(args, query.Session)
		}
	}
	if query.Status != "" && query.Status != outbox.StatusUnreadable {
		if query.Workspace != "" {
			b.WriteByte('+') // the index of a workspace serves better
		}
		b.WriteString("status = +? AND ")
		args = append(args, query.Status)
	}
	b.WriteString("seq > ? ORDER BY seq LIMIT ? + 0")
	return b.String(), append(args, after, bound(size))
}

// Holds implements [storage.OutboxReader].
func (r *outboxReader) Holds() (holds []storage.WorkspaceHold, err error) {
	var h storage.WorkspaceHold
	var since int64
	err = r.t.each("SELECT workspace, reason, since_ms FROM outbox_hold ORDER BY workspace", nil, func() {
		h.Since = outboxTime(since)
		holds = append(holds, h)
	}, &h.Workspace, &h.Reason, &since)
	return holds, err
}

// hold finds the hold of a workspace.
func (t *tx) hold(workspace string) (hold outbox.Hold, ok bool, err error) {
	var since int64
	ok, err = t.row("SELECT reason, since_ms FROM outbox_hold WHERE workspace = ?", []any{workspace}, &hold.Reason, &since)
	if err != nil || !ok {
		return outbox.Hold{}, false, err
	}
	hold.Since = outboxTime(since)
	return hold, true, nil
}

const selectDueHooks = "SELECT " + deliveredColumns + ` FROM outbox_delivered WHERE id IN (
  SELECT id FROM outbox_delivered WHERE hook_done = 0 AND hook_until_ms <= ? ORDER BY delivered_ms, id LIMIT ? + 0)
ORDER BY delivered_ms, id`

// DueHooks implements [storage.OutboxReader].
func (r *outboxReader) DueHooks(now time.Time, limit int) (records []storage.DeliveredRecord, err error) {
	var row deliveredRow
	err = r.t.each(selectDueHooks, []any{outboxMS(now), max(limit, 0)}, func() { records = append(records, row.read()) }, row.whole()...)
	return records, err
}

// What Forget may delete: delivered records and dedupe records.
const (
	oldDelivered = " FROM outbox_delivered WHERE hook_done = 1 AND delivered_ms < ?"
	oldDedupe    = " FROM outbox_dedupe WHERE final <> '' AND accepted_ms < ?"
)

// beforeMS spells the end of a span that does not include it.
func beforeMS(t time.Time) int64 { return outboxMS(t.Add(time.Millisecond - 1)) }

// Forgettable implements [storage.OutboxReader].
func (r *outboxReader) Forgettable(before time.Time) (some bool, err error) {
	ms := beforeMS(before)
	var n int64
	_, err = r.t.row("SELECT EXISTS (SELECT 1"+oldDelivered+") OR EXISTS (SELECT 1"+oldDedupe+")", []any{ms, ms}, &n)
	return n != 0, err
}

// selectDepth counts entries by what decides whether they can be read. It reads
// all of them in the order of the file, which no index is faster than.
const selectDepth = `
SELECT status, parked_from, MIN(attempts, verify_attempts, transient_fails, failed_no, attempt_no - failed_no) < 0 AS odd, COUNT(*)
FROM outbox_entry NOT INDEXED GROUP BY status, parked_from, odd`

// Figures implements [storage.OutboxReader].
func (r *outboxReader) Figures() (map[string]int64, error) {
	figures := map[string]int64{}
	var name string
	var n, odd int64
	err := r.t.each("SELECT name, value FROM outbox_figure", nil, func() { figures[name] = n }, &name, &n)
	if err != nil {
		return nil, err
	}
	var e outbox.Entry
	err = r.t.each(selectDepth, nil, func() {
		e.Attempts = -int(odd)
		status := e.Status
		if e.Check() != nil {
			status = outbox.StatusUnreadable
		}
		figures["entries."+status] += n
	}, &e.Status, &e.ParkedFrom, &odd, &n)
	if err != nil {
		return nil, err
	}
	return figures, nil
}
