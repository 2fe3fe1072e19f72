package sqlstore

import (
	"github.com/tundish-go/tundish/domain/inbox"
)

// expiresColumn is, behind a comma, when item i expires, in a schema that can
// tell; NULL is never.
const expiresColumn = ", (SELECT until_ms FROM expiry WHERE item_id = i.id)"

// FirstSince implements [storage.ItemReader]. Left to choose, SQLite could look at
// every item from the oldest on.
func (r *reader) FirstSince(queue string, since int64) (int64, error) {
	var id int64
	_, err := r.t.row(`
SELECT COALESCE(MIN(+id), 0) FROM item INDEXED BY item_created
WHERE queue_id = (SELECT id FROM queue WHERE name = ?) AND created_ms >= ?`, []any{queue, toMS(since)}, &id)
	return id, err
}

// Expired implements [storage.ItemReader].
func (r *reader) Expired(queue string, at int64, limit int) ([]int64, error) {
	if !r.hasExtras() {
		return nil, nil
	}
	var ids []int64
	err := r.t.list(&ids, `
SELECT item_id FROM (
  SELECT item_id FROM expiry
  WHERE queue_id = (SELECT id FROM queue WHERE name = ?) AND until_ms <= ? ORDER BY until_ms, item_id LIMIT ? + 0
) ORDER BY item_id`, queue, toMS(at), bound(limit))
	return ids, err
}

// Expiries implements [storage.ItemReader].
func (r *reader) Expiries(items []int64) (map[int64]int64, error) {
	if !r.hasExtras() || len(items) == 0 {
		return nil, nil
	}
	var id, until int64
	found := map[int64]int64{}
	err := r.t.each("SELECT item_id, until_ms FROM expiry WHERE item_id IN (SELECT value FROM json_each(?))",
		[]any{set(items)}, func() { found[id] = toSeconds(until) }, &id, &until)
	return found, err
}

// expire stores when a new item expires.
func (w *writer) expire(id int64, item inbox.Item) error {
	if item.ExpiresAt == 0 {
		return nil
	}
	if err := w.extras(); err != nil {
		return err
	}
	_, _, err := w.t.exec("INSERT INTO expiry (item_id, queue_id, until_ms) SELECT ?, id, ? FROM queue WHERE name = ?",
		id, toMS(item.ExpiresAt), item.Queue)
	return err
}
