package sqlstore

import (
	"context"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

var _ storage.Archive = (*Store)(nil)

// ViewArchive implements [storage.Archive].
func (s *Store) ViewArchive(ctx context.Context, fn func(storage.ArchiveReader) error) error {
	return s.View(ctx, func(r storage.Reader) error {
		if ours, ok := r.(*reader); ok {
			return fn(ours)
		}
		return fn(emptyArchive{})
	})
}

// UpdateArchive implements [storage.Archive].
func (s *Store) UpdateArchive(ctx context.Context, fn func(storage.ArchiveWriter) error) error {
	_, err := s.change(ctx, writing(inboxSchema), func(t *tx) error { return fn(&writer{&reader{t}}) })
	return err
}

// All implements [storage.ArchiveReader].
func (r *reader) All(yield func(inbox.Item) (bool, error)) error {
	column := ""
	if r.hasExtras() {
		column = expiresColumn
	}
	stmt, err := r.t.prepare(`
SELECT i.id, q.name, i.created_ms, i.key, i.payload` + column + `
FROM item AS i CROSS JOIN queue AS q ON q.id = i.queue_id ORDER BY i.id`)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(r.t.ctx)
	if err != nil {
		return r.t.fail(err)
	}
	defer rows.Close()
	var row itemRow
	return r.each(rows, &row, []any{&row.ID, &row.Queue, &row.created, &row.Key, &row.payload}, yield)
}

// shownRow is a mark.
type shownRow struct {
	Subscription string `db:"subscription"`
	Subscriber   string `db:"subscriber"`
	Item         int64  `db:"item_id"`
}

// ShownOn implements [storage.ArchiveReader].
func (r *reader) ShownOn(items []int64) ([]inbox.Shown, error) {
	var rows []shownRow
	err := r.t.list(&rows, `
SELECT s.name AS subscription, m.subscriber, m.item_id
FROM shown AS m JOIN subscription AS s ON s.id = m.subscription_id
WHERE m.item_id IN (SELECT value FROM json_each(?)) ORDER BY m.item_id, s.name, m.subscriber`, set(items))
	if err != nil {
		return nil, err
	}
	shown := make([]inbox.Shown, len(rows))
	for i, row := range rows {
		shown[i] = inbox.Shown(row)
	}
	return shown, nil
}

// Dedupes implements [storage.ArchiveReader].
func (r *reader) Dedupes(queue string, yield func(inbox.Dedupe) error) error {
	stmt, err := r.t.prepare(`
SELECT q.name, d.id, d.item_id, d.at_ms FROM queue AS q CROSS JOIN dedupe AS d ON d.queue_id = q.id
WHERE ? IN ('', q.name) ORDER BY q.name, d.id`)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(r.t.ctx, queue)
	if err != nil {
		return r.t.fail(err)
	}
	defer rows.Close()
	for rows.Next() {
		var record inbox.Dedupe
		var at int64
		if err := rows.Scan(&record.Queue, &record.ID, &record.Item, &at); err != nil {
			return r.t.fail(err)
		}
		record.At = toSeconds(at)
		if record.Item < 0 { // see PutDedupe
			record.Item, record.Scheduled = 0, -record.Item
		}
		if err := yield(record); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return r.t.fail(err)
	}
	return nil
}

// Last implements [storage.ArchiveReader].
func (r *reader) Last() (last inbox.Last, err error) {
	if _, err = r.t.row("SELECT seq FROM sqlite_sequence WHERE name = 'item'", nil, &last.Item); err != nil {
		return last, err
	}
	if _, err = r.t.row("SELECT seq FROM sqlite_sequence WHERE name = 'scheduled'", nil, &last.Scheduled); err != nil {
		return last, err
	}
	_, err = r.t.row("SELECT value FROM counter WHERE name = 'pull'", nil, &last.Pull)
	return last, err
}

// Replant implements [storage.ArchiveWriter].
func (w *writer) Replant(item inbox.Item) error {
	if err := w.addQueue(item.Queue); err != nil {
		return err
	}
	_, _, err := w.t.exec(`
INSERT INTO item (id, queue_id, seq, created_ms, key, payload)
SELECT ?, id, next_seq, ?, ?, ? FROM queue WHERE name = ?`,
		item.ID, toMS(item.CreatedAt), text(item.Key), view(item.Payload), item.Queue)
	if err != nil {
		return err
	}
	_, _, err = w.t.exec("UPDATE queue SET kept = kept + 1, newest_id = ?, next_seq = next_seq + 1 WHERE name = ?", item.ID, item.Queue)
	if err != nil {
		return err
	}
	return w.expire(item.ID, item)
}

// Reschedule implements [storage.ArchiveWriter].
func (w *writer) Reschedule(s inbox.Scheduled) error {
	_, err := w.schedule(s.Number, s)
	return err
}

// RaiseLast implements [storage.ArchiveWriter].
func (w *writer) RaiseLast(last inbox.Last) error {
	if err := w.raiseSequence("item", last.Item); err != nil {
		return err
	}
	if last.Scheduled > 0 {
		if err := w.extras(); err != nil {
			return err
		}
		if err := w.raiseSequence("scheduled", last.Scheduled); err != nil {
			return err
		}
	}
	if last.Pull == 0 {
		return nil
	}
	_, _, err := w.t.exec(`
INSERT INTO counter (name, value) VALUES ('pull', ?) ON CONFLICT (name) DO UPDATE SET value = MAX(value, excluded.value)`, last.Pull)
	return err
}

// raiseSequence makes the ids of a table go on above one. SQLite keeps no row for
// a table that never had any.
func (w *writer) raiseSequence(table string, last int64) error {
	n, _, err := w.t.exec("UPDATE sqlite_sequence SET seq = MAX(seq, ?) WHERE name = ?", last, table)
	if err != nil || n > 0 || last == 0 {
		return err
	}
	_, _, err = w.t.exec("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", table, last)
	return err
}

// emptyArchive is the reader of a database that does not exist yet (CMD-5).
type emptyArchive struct{ nothing }

var _ storage.ArchiveReader = emptyArchive{}

func (emptyArchive) All(func(inbox.Item) (bool, error)) error { return nil }

func (emptyArchive) ShownOn([]int64) ([]inbox.Shown, error) { return nil, nil }

func (emptyArchive) Dedupes(string, func(inbox.Dedupe) error) error { return nil }

func (emptyArchive) Last() (inbox.Last, error) { return inbox.Last{}, nil }
