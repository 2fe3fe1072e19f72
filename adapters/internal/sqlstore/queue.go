package sqlstore

import "github.com/tundish-go/tundish/domain/inbox"

// queueRow is a queue and the number of its items.
type queueRow struct {
	Name string `db:"name"`
	Kept int64  `db:"kept"`
}

// Queues implements [storage.QueueReader].
func (r *reader) Queues() ([]inbox.QueueCount, error) {
	var rows []queueRow
	if err := r.t.list(&rows, "SELECT name, kept FROM queue WHERE kept > 0 ORDER BY name"); err != nil {
		return nil, err
	}
	counts := make([]inbox.QueueCount, len(rows))
	for i, row := range rows {
		counts[i] = inbox.QueueCount{Queue: row.Name, Count: row.Kept}
	}
	return counts, nil
}

// Count implements [storage.QueueReader].
func (r *reader) Count(queue string) (int64, error) {
	var kept int64
	_, err := r.t.row("SELECT kept FROM queue WHERE name = ?", []any{queue}, &kept)
	return kept, err
}

// Newest implements [storage.QueueReader].
func (r *reader) Newest(queue string) (int64, error) {
	var id int64
	_, err := r.t.row("SELECT newest_id FROM queue WHERE name = ?", []any{queue}, &id)
	return id, err
}

// CountAfter implements [storage.QueueReader]. While a queue has no gaps, its
// numbering answers; gaps come from removing items that are not the oldest, as
// retention by age does when clocks and ids disagree.
func (r *reader) CountAfter(queue string, id int64) (int64, error) {
	var queueID, kept, oldest, next, newest int64
	found, err := r.t.row(`
SELECT q.id, q.kept, o.seq, n.seq, e.seq FROM queue AS q
JOIN item AS o ON o.id = (SELECT MIN(id) FROM item WHERE queue_id = q.id)
JOIN item AS n ON n.id = (SELECT MIN(id) FROM item WHERE queue_id = q.id AND id > ?)
JOIN item AS e ON e.id = q.newest_id
WHERE q.name = +?`, []any{id, queue}, &queueID, &kept, &oldest, &next, &newest)
	switch {
	case err != nil || !found: // the queue is empty, or ends before id
		return 0, err
	case kept == newest-oldest+1:
		return newest - next + 1, nil
	}
	var n int64
	_, err = r.t.row("SELECT COUNT(*) FROM item WHERE queue_id = ? AND id > ?", []any{queueID, id}, &n)
	return n, err
}

// addQueue makes sure that a queue has a row.
func (w *writer) addQueue(name string) error {
	_, _, err := w.t.exec("INSERT INTO queue (name) VALUES (?) ON CONFLICT (name) DO NOTHING", name)
	return err
}
