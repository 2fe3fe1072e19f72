package sqlstore

import (
	"database/sql"
	"math"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/tundish-go/tundish/domain"
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

// Insert implements [storage.ItemWriter].
func (w *writer) Insert(item inbox.Item) (int64, error) {
	id, err := w.add(item, 0)
	if err == nil {
		err = w.count(item.Queue, id, 1)
	}
	return id, err
}

// InsertAll implements [storage.ItemWriter]. It counts the items once.
func (w *writer) InsertAll(items []inbox.Item) (ids []int64, err error) {
	if len(items) == 0 {
		return nil, nil
	}
	ids = make([]int64, len(items))
	for i, item := range items {
		if ids[i], err = w.add(item, i); err != nil {
			return nil, err
		}
	}
	return ids, w.count(items[0].Queue, ids[len(ids)-1], len(ids))
}

// add stores an item behind so many that are not counted yet.
func (w *writer) add(item inbox.Item, behind int) (int64, error) {
	payload := view(item.Payload)
	id, found, err := w.append(item, payload, behind)
	if err == nil && !found {
		if err = w.addQueue(item.Queue); err == nil {
			id, found, err = w.append(item, payload, behind)
		}
	}
	if err == nil && !found {
		err = &domain.Error{Code: domain.Internal, Text: "a queue did not take an item"}
	}
	if err != nil {
		return 0, err
	}
	return id, w.expire(id, item)
}

// append stores an item in a queue that exists; found is false when it does not.
func (w *writer) append(item inbox.Item, payload string, behind int) (id int64, found bool, err error) {
	n, id, err := w.t.exec(`
INSERT INTO item (queue_id, seq, created_ms, key, payload)
SELECT id, next_seq + ?, ?, ?, ? FROM queue WHERE name = ?`,
		behind, toMS(item.CreatedAt), text(item.Key), payload, item.Queue)
	return id, n == 1, err
}

// count takes the newest items of a queue, up to an id, into its row.
func (w *writer) count(queue string, newest int64, items int) error {
	_, _, err := w.t.exec("UPDATE queue SET kept = kept + ?, newest_id = ?, next_seq = next_seq + ? WHERE name = ?",
		items, newest, items, queue)
	return err
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

// Remove implements [storage.ItemWriter].
func (w *writer) Remove(queue string, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	var there []int64
	err := w.t.list(&there, `
SELECT id FROM item
WHERE id IN (SELECT value FROM json_each(?)) AND queue_id = (SELECT id FROM queue WHERE name = ?)`,
		set(ids), queue)
	if err != nil || len(there) == 0 {
		return err
	}
	gone := set(there)
	tables := []string{"ack", "lease", "shown"}
	if w.hasExtras() {
		tables = append(tables, "note", "expiry")
	}
	for _, table := range tables {
		if err := w.removeOf(table, there, gone); err != nil {
			return err
		}
	}
	if _, _, err := w.t.exec("DELETE FROM item WHERE id IN (SELECT value FROM json_each(?))", gone); err != nil {
		return err
	}
	_, _, err = w.t.exec(`
UPDATE queue SET kept = kept - ?,
  newest_id = (SELECT COALESCE(MAX(i.id), 0) FROM item AS i WHERE i.queue_id = queue.id)
WHERE name = ?`, len(there), queue)
	return err
}

// removeOf deletes the rows of a table that belong to items. Mostly there are
// none, which one look tells sooner than a look for each item.
func (w *writer) removeOf(table string, items []int64, gone string) error {
	some, err := w.has(table, items)
	if err != nil || !some {
		return err
	}
	_, _, err = w.t.exec("DELETE FROM "+table+" WHERE item_id IN (SELECT value FROM json_each(?))", gone)
	return err
}

// has tells whether a table has rows of any item from the lowest to the highest
// of these.
func (r *reader) has(table string, items []int64) (some bool, err error) {
	return r.t.row("SELECT 1 FROM "+table+" WHERE item_id BETWEEN ? AND ? LIMIT 1",
		[]any{slices.Min(items), slices.Max(items)}, new(int64))
}

// set spells ids as a JSON array, so that one statement serves any number.
func set(ids []int64) string {
	b := make([]byte, 0, 8*len(ids)+2)
	b = append(b, '[')
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, id, 10)
	}
	return string(append(b, ']'))
}
