package sqlstore

import (
	"context"
	"fmt"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports"
	"github.com/tundish-go/tundish/ports/storage"
)

// oldTime spells a column of the old schema, which holds seconds, in
// milliseconds, within the same bounds as toMS.
func oldTime(column string) string {
	return fmt.Sprintf("MAX(%d, MIN(CAST(%s AS INTEGER), %d)) * 1000", -maxSeconds, column, maxSeconds)
}

// carrySQL fills the tables of today from the old ones, apart from what depends
// on rules. Casts keep odd values that the old tables, which were not STRICT,
// may hold. Acks and leases of items that are gone are not missed by anyone.
func carrySQL() string {
	return `
INSERT INTO queue (name) SELECT queue FROM items UNION SELECT queue FROM subscriptions ORDER BY 1;

INSERT INTO item (id, queue_id, seq, created_ms, key, payload)
SELECT i.id, q.id, ROW_NUMBER() OVER (PARTITION BY q.id ORDER BY i.id), ` + oldTime("i.created_at") + `,
  CAST(i.key AS TEXT), CAST(i.payload AS TEXT)
FROM items AS i JOIN queue AS q ON q.name = i.queue ORDER BY i.id;

UPDATE queue SET
  kept = (SELECT COUNT(*) FROM item WHERE queue_id = queue.id),
  newest_id = (SELECT COALESCE(MAX(item.id), 0) FROM item WHERE queue_id = queue.id);
UPDATE queue SET next_seq = kept + 1;

DELETE FROM sqlite_sequence WHERE name = 'item';
INSERT INTO sqlite_sequence (name, seq) SELECT 'item', seq FROM sqlite_sequence WHERE name = 'items';

INSERT INTO subscription (name, queue_id, rules, scan, dropped, errors, parked, last_error)
SELECT s.name, q.id, s.rules, s.scan, s.dropped, s.errors, s.parked, COALESCE(s.last_error, '')
FROM subscriptions AS s JOIN queue AS q ON q.name = s.queue;

INSERT INTO binding (subscription_id, subscriber, position, next_ms, dropped, errors, last_error)
SELECT s.id, b.subscriber, b.cursor, ` + oldTime("b.next_at") + `, b.dropped, b.errors, COALESCE(b.last_error, '')
FROM subscribers AS b JOIN subscription AS s ON s.name = b.subscription;

INSERT INTO ack (subscription_id, item_id, owner, at_ms)
SELECT s.id, a.item, a.owner, ` + oldTime("a.acked_at") + `
FROM acks AS a JOIN subscription AS s ON s.name = a.subscription JOIN item AS i ON i.id = a.item;

INSERT INTO lease (subscription_id, item_id, owner, granted_ms, until_ms, attempts, parked)
SELECT s.id, l.item, l.owner, 0, ` + oldTime("l.expires_at") + `, l.attempts, l.parked <> 0
FROM leases AS l JOIN subscription AS s ON s.name = l.subscription JOIN item AS i ON i.id = l.item`
}

// dropSQL removes the old tables, children first.
const dropSQL = `
DROP TABLE leases;
DROP TABLE acks;
DROP TABLE subscribers;
DROP TABLE subscriptions;
DROP TABLE items`

// carryOver makes the schema of today and moves everything into it, inside the
// current transaction of sess.
func (s *Store) carryOver(ctx context.Context, sess *session) error {
	if err := migrateFrom(ctx, sess, 0, inboxSchema); err != nil {
		return err
	}
	if err := sess.exec(ctx, carrySQL()); err != nil {
		return err
	}
	w := &writer{&reader{&tx{ctx: ctx, s: s, sess: sess, op: "take over"}}}
	if err := s.carryRules(w); err != nil {
		return err
	}
	return sess.exec(ctx, dropSQL)
}

// carryRules adds what the old program derived from rules and ours records: when
// a lease was granted, and which items a binding was shown.
func (s *Store) carryRules(w *writer) error {
	subs, err := w.Subscriptions()
	if err != nil {
		return err
	}
	for _, sub := range subs {
		length := int64(inbox.DefaultLease)
		if sub.Broken == "" {
			length = sub.Rules.Lease
		}
		_, _, err := w.t.exec(`
UPDATE lease SET granted_ms = until_ms - ? WHERE subscription_id = (SELECT id FROM subscription WHERE name = ?)`,
			toMS(length), sub.Name)
		if err != nil {
			return err
		}
		if sub.Broken == "" && sub.Rules.Share == inbox.All && sub.Rules.Consume == inbox.OnAck {
			if err := s.carryShown(w, sub); err != nil {
				return err
			}
		}
	}
	return nil
}

// carryShown marks as shown what the old program counted as unacked: the items
// between where a binding began and where it stands which the filter matches and
// nobody in the subscription acked.
func (s *Store) carryShown(w *writer, sub inbox.Subscription) error {
	match := s.oldFilter(sub.Rules.Filter)
	var spans []spanRow
	err := w.t.list(&spans, "SELECT subscriber, origin, cursor FROM subscribers WHERE subscription = ?", sub.Name)
	if err != nil {
		return err
	}
	for _, span := range spans {
		if span.Cursor <= 0 {
			continue // nothing was read, and 0 would be no bound
		}
		var shown []int64
		scan := storage.Scan{Queue: sub.Rules.Queue, After: span.Origin, Through: span.Cursor}
		err := w.Scan(scan, func(item inbox.Item) (bool, error) {
			_, acked, err := w.Ack(sub.Name, item.ID)
			if err == nil && !acked && match(w.t.ctx, item) {
				shown = append(shown, item.ID)
			}
			return true, err
		})
		if err != nil {
			return err
		}
		if err := w.MarkShown(sub.Name, span.Subscriber, shown); err != nil {
			return err
		}
	}
	return nil
}

// spanRow is where an old binding began and where it stands.
type spanRow struct {
	Subscriber string `db:"subscriber"`
	Origin     int64  `db:"origin"`
	Cursor     int64  `db:"cursor"`
}

// oldFilter asks a filter about an item as it was when it was shown, which was
// soon after it was published. A filter that fails matches nothing.
func (s *Store) oldFilter(text string) func(context.Context, inbox.Item) bool {
	if text == "" || s.opts.Expressions == nil {
		return func(context.Context, inbox.Item) bool { return true }
	}
	matcher, err := s.opts.Expressions.Filter(text)
	if err != nil {
		return func(context.Context, inbox.Item) bool { return false }
	}
	return func(ctx context.Context, item inbox.Item) bool {
		ok, err := matcher.Match(ctx, ports.Document{
			ID: item.ID, Queue: item.Queue, Key: item.Key, Payload: item.Payload,
			CreatedAt: item.CreatedAt, Now: item.CreatedAt,
		})
		return err == nil && ok
	}
}
