package sqlstore

import (
	"slices"
	"strconv"
)

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
