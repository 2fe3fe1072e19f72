package sqlstore

import (
	"database/sql"
	"strings"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// selectScheduled leaves out the payload, which may be large.
const selectScheduled = `
SELECT s.id, q.name, s.at_ms, s.made_ms, s.expires_ms, s.dedupe, s.key`

// Scheduled implements [storage.ScheduleReader].
func (r *reader) Scheduled(query storage.ScheduleQuery, yield func(inbox.Scheduled) (bool, error)) error {
	if !r.hasExtras() {
		return nil
	}
	text, args := scheduledQuery(query)
	stmt, err := r.t.prepare(text)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(r.t.ctx, args...)
	if err != nil {
		return r.t.fail(err)
	}
	defer rows.Close()
	for rows.Next() {
		var row scheduledRow
		dest := row.dest()
		if query.HeadsOnly {
			dest = dest[:len(dest)-1]
		}
		if err := rows.Scan(dest...); err != nil {
			return r.t.fail(err)
		}
		if more, err := yield(row.read()); err != nil || !more {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return r.t.fail(err)
	}
	return nil
}

// scheduledRow is a scheduled message as the file has it.
type scheduledRow struct {
	id, at        int64
	made, expires sql.NullInt64
	dedupe        sql.NullString
	queue         string
	key           *string
	payload       string
}

func (row *scheduledRow) dest() []any {
	return []any{&row.id, &row.queue, &row.at, &row.made, &row.expires, &row.dedupe, &row.key, &row.payload}
}

func (row *scheduledRow) read() inbox.Scheduled {
	return inbox.Scheduled{
		Number: row.id, Queue: row.queue, Key: row.key, Payload: owned(row.payload), Dedupe: row.dedupe.String,
		At: toSeconds(row.at), MadeAt: toSeconds(row.made.Int64), Delayed: row.made.Valid,
		ExpiresAt: toSeconds(row.expires.Int64),
	}
}

// scheduledQuery spells a query. What is ripe is found by one index for each
// threshold, and what waits in a queue by the order of its index.
func scheduledQuery(query storage.ScheduleQuery) (string, []any) {
	var b strings.Builder
	var args []any
	b.WriteString(selectScheduled)
	if !query.HeadsOnly {
		b.WriteString(", s.payload")
	}
	b.WriteString(" FROM scheduled AS s JOIN queue AS q ON q.id = s.queue_id WHERE TRUE")
	if query.Queue != "" && query.Ripe == nil { // else SQLite would walk all that waits there
		b.WriteString(" AND s.queue_id = (SELECT id FROM queue WHERE name = ?)")
		args = append(args, query.Queue)
	}
	if query.Number != 0 {
		b.WriteString(" AND s.id = +?")
		args = append(args, query.Number)
	}
	if ripe := query.Ripe; ripe != nil {
		b.WriteString(" AND s.id IN (" + ripeScheduled + ")")
		args = append(args, query.Queue, toMS(ripe.AtMost), bound(query.Limit), query.Queue, toMS(ripe.MadeAfter))
	}
	b.WriteString(" ORDER BY s.at_ms, s.id LIMIT ? + 0")
	return b.String(), append(args, bound(query.Limit))
}

// ripeScheduled finds the first messages of a queue whose time has come, and all
// that a clock which ran ahead has delayed, of which there are few.
const ripeScheduled = `
  SELECT id FROM (
    SELECT id FROM scheduled WHERE queue_id = (SELECT id FROM queue WHERE name = ?) AND at_ms <= ?
    ORDER BY at_ms, id LIMIT ? + 0)
  UNION
  SELECT id FROM scheduled WHERE queue_id = (SELECT id FROM queue WHERE name = ?) AND made_ms IS NOT NULL AND made_ms > ?`

// ScheduledCounts implements [storage.ScheduleReader].
func (r *reader) ScheduledCounts() ([]inbox.QueueCount, error) {
	if !r.hasExtras() {
		return nil, nil
	}
	var rows []queueRow
	err := r.t.list(&rows, `
SELECT q.name, COUNT(*) AS kept FROM scheduled AS s JOIN queue AS q ON q.id = s.queue_id GROUP BY q.id ORDER BY q.name`)
	if err != nil {
		return nil, err
	}
	counts := make([]inbox.QueueCount, len(rows))
	for i, row := range rows {
		counts[i] = inbox.QueueCount{Queue: row.Name, Count: row.Kept}
	}
	return counts, nil
}

// Schedule implements [storage.ScheduleWriter].
func (w *writer) Schedule(s inbox.Scheduled) (int64, error) { return w.schedule(nil, s) }

// schedule stores a message under a number, or under the next one if that is nil.
func (w *writer) schedule(number any, s inbox.Scheduled) (int64, error) {
	if err := w.extras(); err != nil {
		return 0, err
	}
	if err := w.addQueue(s.Queue); err != nil {
		return 0, err
	}
	var made, expires, dedupe any
	if s.Delayed {
		made = toMS(s.MadeAt)
	}
	if s.ExpiresAt != 0 {
		expires = toMS(s.ExpiresAt)
	}
	if s.Dedupe != "" {
		dedupe = s.Dedupe
	}
	_, id, err := w.t.exec(`
INSERT INTO scheduled (id, queue_id, at_ms, made_ms, expires_ms, dedupe, key, payload)
SELECT ?, id, ?, ?, ?, ?, ?, ? FROM queue WHERE name = ?`,
		number, toMS(s.At), made, expires, dedupe, text(s.Key), view(s.Payload), s.Queue)
	return id, err
}

// Unschedule implements [storage.ScheduleWriter].
func (w *writer) Unschedule(numbers []int64) error {
	if !w.hasExtras() || len(numbers) == 0 {
		return nil
	}
	_, _, err := w.t.exec("DELETE FROM scheduled WHERE id IN (SELECT value FROM json_each(?))", set(numbers))
	return err
}
