package sqlstore

import (
	"database/sql"
	"math"
	"strings"
	"unsafe"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// Item implements [storage.ItemReader].
func (r *reader) Item(id int64) (inbox.Item, bool, error) {
	item := inbox.Item{ID: id}
	var created int64
	var expires sql.NullInt64
	var payload string
	column, dest := "", []any{&item.Queue, &item.Key, &payload, &created}
	if r.hasExtras() {
		column, dest = expiresColumn, append(dest, &expires)
	}
	ok, err := r.t.row(`
SELECT q.name, i.key, i.payload, i.created_ms`+column+`
FROM item AS i JOIN queue AS q ON q.id = i.queue_id WHERE i.id = +?`, []any{id}, dest...)
	if err != nil || !ok {
		return inbox.Item{}, false, err
	}
	item.CreatedAt, item.Payload, item.ExpiresAt = toSeconds(created), owned(payload), toSeconds(expires.Int64)
	return item, true, nil
}

// Scan implements [storage.ItemReader]. It reads one row at a time, since one
// payload alone may be large.
func (r *reader) Scan(scan storage.Scan, yield func(inbox.Item) (bool, error)) error {
	query, args := r.scanQuery(scan)
	stmt, err := r.t.prepare(query)
	if err != nil {
		return err
	}
	if stmt.open { // a scan inside a like one, which needs its own statement
		own, err := r.t.sess.conn.PreparexContext(r.t.ctx, query)
		if err != nil {
			return r.t.fail(err)
		}
		defer own.Close()
		stmt = &statement{Stmt: own}
	}
	stmt.open = true
	defer func() { stmt.open = false }()
	rows, err := stmt.QueryContext(r.t.ctx, args...)
	if err != nil {
		return r.t.fail(err)
	}
	defer rows.Close()
	row := itemRow{Item: inbox.Item{Queue: scan.Queue}}
	dest := []any{&row.ID, &row.created}
	if !scan.HeadsOnly {
		dest = append(dest, &row.Key, &row.payload)
	}
	return r.each(rows, &row, dest, yield)
}

// itemRow is an item as it comes from a row.
type itemRow struct {
	inbox.Item
	created int64
	expires sql.NullInt64
	payload string
}

// each scans one row after the other into row, through dest, and behind that when it
// expires where that is kept, and hands the item over until yield answers false or
// fails.
func (r *reader) each(rows *sql.Rows, row *itemRow, dest []any, yield func(inbox.Item) (bool, error)) error {
	if r.hasExtras() {
		dest = append(dest, &row.expires)
	}
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return r.t.fail(err)
		}
		row.CreatedAt, row.Payload, row.ExpiresAt = toSeconds(row.created), owned(row.payload), toSeconds(row.expires.Int64)
		if more, err := yield(row.Item); err != nil || !more {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return r.t.fail(err)
	}
	return nil
}

func (r *reader) scanQuery(scan storage.Scan) (string, []any) {
	through := scan.Through
	if through == 0 {
		through = math.MaxInt64
	}
	var b strings.Builder
	b.WriteString("SELECT id, created_ms")
	if !scan.HeadsOnly {
		b.WriteString(", key, payload")
	}
	from := " FROM item"
	if r.hasExtras() {
		from = expiresColumn + " FROM item AS i"
	}
	b.WriteString(from)
	if scan.Key != nil { // left to choose, SQLite looks at every item between the bounds
		b.WriteString(" INDEXED BY item_key")
	}
	b.WriteString(" WHERE queue_id = (SELECT id FROM queue WHERE name = ?) AND id > ? AND id <= ?")
	args := []any{scan.Queue, scan.After, through}
	if scan.Key != nil {
		b.WriteString(" AND key = +?")
		args = append(args, *scan.Key)
	}
	b.WriteString(" ORDER BY id")
	if scan.Descending {
		b.WriteString(" DESC")
	}
	b.WriteString(" LIMIT ? + 0")
	return b.String(), append(args, bound(scan.Limit))
}

// bound spells a limit for SQLite, which takes a negative one for none.
func bound(limit int) int64 {
	if limit == 0 {
		return -1
	}
	return int64(limit)
}

// headRow is an item's head.
type headRow struct {
	ID        int64 `db:"id"`
	CreatedMS int64 `db:"created_ms"`
}

// Older implements [storage.ItemReader].
func (r *reader) Older(queue string, before int64, limit int) ([]inbox.Head, error) {
	var rows []headRow
	err := r.t.list(&rows, `
SELECT id, created_ms FROM (
  SELECT id, created_ms FROM item
  WHERE queue_id = (SELECT id FROM queue WHERE name = ?) AND created_ms < ?
  ORDER BY created_ms, id LIMIT ? + 0
) ORDER BY id`, queue, toMS(before), bound(limit))
	if err != nil {
		return nil, err
	}
	heads := make([]inbox.Head, len(rows))
	for i, row := range rows {
		heads[i] = inbox.Head{ID: row.ID, CreatedAt: toSeconds(row.CreatedMS)}
	}
	return heads, nil
}

// NextAfter implements [storage.ItemReader].
func (r *reader) NextAfter(queue string, id int64) (int64, error) {
	var next int64
	_, err := r.t.row(`
SELECT id FROM item
WHERE queue_id = (SELECT id FROM queue WHERE name = ?) AND id > ? ORDER BY id LIMIT 1`,
		[]any{queue, id}, &next)
	return next, err
}

// view is b as a string, for as long as nobody changes b, and owned is a string
// that nobody else has as bytes. Payloads may be large, and a scan reads many: a
// copy would be one too many.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func owned(s string) []byte {
	if s == "" {
		return nil
	}
	return unsafe.Slice(unsafe.StringData(s), len(s))
}

// text makes an optional text bindable by every driver.
func text(s *string) any {
	if s == nil {
		return nil
	}
	return *s
}
