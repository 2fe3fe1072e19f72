package sqlstore

import "github.com/tundish-go/tundish/domain/inbox"

// Dedupe implements [storage.DedupeReader].
func (r *reader) Dedupe(queue, id string) (inbox.Dedupe, bool, error) {
	record := inbox.Dedupe{Queue: queue, ID: id}
	var at int64
	ok, err := r.t.row(`
SELECT item_id, at_ms FROM dedupe WHERE queue_id = (SELECT id FROM queue WHERE name = ?) AND id = ?`,
		[]any{queue, id}, &record.Item, &at)
	if err != nil || !ok {
		return inbox.Dedupe{}, false, err
	}
	record.At = toSeconds(at)
	if record.Item < 0 { // see PutDedupe
		record.Item, record.Scheduled = 0, -record.Item
	}
	return record, true, nil
}

// PutDedupe implements [storage.DedupeWriter]. The number of a scheduled message
// stands below zero in the column of the item that it will be.
func (w *writer) PutDedupe(record inbox.Dedupe) error {
	if err := w.addQueue(record.Queue); err != nil {
		return err
	}
	item := record.Item
	if record.Scheduled != 0 {
		item = -record.Scheduled
	}
	_, _, err := w.t.exec(`
INSERT INTO dedupe (queue_id, id, item_id, at_ms) SELECT id, ?, ?, ? FROM queue WHERE name = ?
ON CONFLICT (queue_id, id) DO UPDATE SET item_id = excluded.item_id, at_ms = excluded.at_ms`,
		record.ID, item, toMS(record.At), record.Queue)
	return err
}

// ForgetDedupes implements [storage.DedupeWriter].
func (w *writer) ForgetDedupes(before int64, limit int) error {
	_, _, err := w.t.exec(`
DELETE FROM dedupe WHERE (queue_id, id) IN (
  SELECT queue_id, id FROM dedupe WHERE at_ms < ? ORDER BY at_ms LIMIT ? + 0)`, toMS(before), limit)
	return err
}
