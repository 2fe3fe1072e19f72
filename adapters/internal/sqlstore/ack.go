package sqlstore

import (
	"math"

	"github.com/tundish-go/tundish/domain/inbox"
)

// ackRow is an ack with the name of its subscription.
type ackRow struct {
	Subscription string `db:"subscription"`
	Item         int64  `db:"item_id"`
	Owner        string `db:"owner"`
	AtMS         int64  `db:"at_ms"`
	Note         string `db:"note"`
}

const selectAck = `
SELECT s.name AS subscription, a.item_id, a.owner, a.at_ms, '' AS note
FROM ack AS a JOIN subscription AS s ON s.id = a.subscription_id `

const selectNoted = `
SELECT s.name AS subscription, a.item_id, a.owner, a.at_ms, COALESCE(n.text, '') AS note
FROM ack AS a JOIN subscription AS s ON s.id = a.subscription_id
LEFT JOIN note AS n ON n.subscription_id = a.subscription_id AND n.item_id = a.item_id `

// Ack implements [storage.AckReader].
func (r *reader) Ack(subscription string, item int64) (inbox.Ack, bool, error) {
	acks, err := r.acks("WHERE s.name = +? AND a.item_id = +?", subscription, item)
	if err != nil || len(acks) == 0 {
		return inbox.Ack{}, false, err
	}
	return acks[0], true, nil
}

// Acks implements [storage.AckReader].
func (r *reader) Acks(items []int64) ([]inbox.Ack, error) {
	if len(items) == 0 {
		return nil, nil
	}
	if some, err := r.has("ack", items); err != nil || !some {
		return nil, err
	}
	return r.acks("WHERE a.item_id IN (SELECT value FROM json_each(?)) ORDER BY a.item_id, s.name", set(items))
}

func (r *reader) acks(where string, args ...any) ([]inbox.Ack, error) {
	query := selectAck
	if r.hasExtras() {
		query = selectNoted
	}
	var rows []ackRow
	if err := r.t.list(&rows, query+where, args...); err != nil {
		return nil, err
	}
	acks := make([]inbox.Ack, len(rows))
	for i, row := range rows {
		acks[i] = inbox.Ack{Subscription: row.Subscription, Item: row.Item, Owner: row.Owner, At: toSeconds(row.AtMS), Note: row.Note}
	}
	return acks, nil
}

// Claimed implements [storage.AckReader].
func (r *reader) Claimed(subscription string, after, through int64) ([]int64, error) {
	if through == 0 {
		through = math.MaxInt64
	}
	var items []int64
	err := r.t.list(&items, `
WITH s AS (SELECT id FROM subscription WHERE name = ?1)
SELECT item_id FROM ack   WHERE subscription_id = (SELECT id FROM s) AND item_id > ?2 AND item_id <= ?3
UNION
SELECT item_id FROM lease WHERE subscription_id = (SELECT id FROM s) AND item_id > ?2 AND item_id <= ?3
ORDER BY item_id`, subscription, after, through)
	return items, err
}

// CountShown implements [storage.AckReader].
func (r *reader) CountShown(subscription, subscriber string) (int64, error) {
	var n int64
	_, err := r.t.row(`
SELECT COUNT(*) FROM shown
WHERE subscription_id = (SELECT id FROM subscription WHERE name = ?) AND subscriber = ?`,
		[]any{subscription, subscriber}, &n)
	return n, err
}

// ShownTo implements [storage.AckReader].
func (r *reader) ShownTo(subscription, subscriber string, through int64) ([]int64, error) {
	var items []int64
	err := r.t.list(&items, `
SELECT item_id FROM shown
WHERE subscription_id = (SELECT id FROM subscription WHERE name = ?) AND subscriber = ? AND item_id <= ?
ORDER BY item_id`, subscription, subscriber, through)
	return items, err
}

// PutAck implements [storage.ClaimWriter].
func (w *writer) PutAck(ack inbox.Ack) error {
	n, _, err := w.t.exec(`
INSERT INTO ack (subscription_id, item_id, owner, at_ms) SELECT id, ?, ?, ? FROM subscription WHERE name = ?`,
		ack.Item, ack.Owner, toMS(ack.At), ack.Subscription)
	if err := required(n, err, ack.Subscription); err != nil {
		return err
	}
	for _, query := range []string{
		"DELETE FROM lease WHERE item_id = ? AND subscription_id = (SELECT id FROM subscription WHERE name = ?)",
		"DELETE FROM shown WHERE item_id = ? AND subscription_id = (SELECT id FROM subscription WHERE name = ?)",
	} {
		if _, _, err := w.t.exec(query, ack.Item, ack.Subscription); err != nil {
			return err
		}
	}
	return w.putNote(ack)
}

// putNote stores the note of an ack, if it has one: most have none, and a database
// without notes does without their table.
func (w *writer) putNote(ack inbox.Ack) error {
	if ack.Note == "" {
		return nil
	}
	if err := w.extras(); err != nil {
		return err
	}
	_, _, err := w.t.exec("INSERT INTO note (subscription_id, item_id, text) SELECT id, ?, ? FROM subscription WHERE name = ?",
		ack.Item, ack.Note, ack.Subscription)
	return err
}

// MarkShown implements [storage.ClaimWriter].
func (w *writer) MarkShown(subscription, subscriber string, items []int64) error {
	if len(items) == 0 {
		return nil
	}
	_, _, err := w.t.exec(`
INSERT INTO shown (subscription_id, subscriber, item_id)
SELECT s.id, ?, i.value FROM subscription AS s, json_each(?) AS i WHERE s.name = +?
ON CONFLICT (subscription_id, subscriber, item_id) DO NOTHING`, subscriber, set(items), subscription)
	return err
}

// Unmark implements [storage.ClaimWriter].
func (w *writer) Unmark(subscription, subscriber string, after int64) error {
	_, _, err := w.t.exec(`
DELETE FROM shown
WHERE subscription_id = (SELECT id FROM subscription WHERE name = ?) AND subscriber = ? AND item_id > ?`,
		subscription, subscriber, after)
	return err
}
