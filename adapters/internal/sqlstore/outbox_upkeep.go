package sqlstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// Hold implements [storage.OutboxWorkspaces].
func (s *Store) Hold(ctx context.Context, workspace string, hold outbox.Hold) error {
	return s.changeOutbox(ctx, func(t *tx) error {
		_, _, err := t.exec("INSERT OR REPLACE INTO outbox_hold (workspace, since_ms, reason) VALUES (?, ?, ?)",
			workspace, outboxMS(hold.Since), hold.Reason)
		return err
	})
}

// Release implements [storage.OutboxWorkspaces].
func (s *Store) Release(ctx context.Context, workspace string) error {
	_, err := s.amend(ctx, func(t *tx) error {
		_, _, err := t.exec("DELETE FROM outbox_hold WHERE workspace = ?", workspace)
		return err
	})
	return err
}

// Clean implements [storage.OutboxWorkspaces].
func (s *Store) Clean(ctx context.Context, workspace string, now time.Time) (rows int, err error) {
	_, err = s.amend(ctx, func(t *tx) error {
		for _, table := range []string{"outbox_entry", "outbox_dedupe", "outbox_delivered", "outbox_hold"} {
			n, _, err := t.exec("DELETE FROM "+table+" WHERE workspace = ?", workspace)
			if err != nil {
				return err
			}
			rows += int(n)
		}
		n, _, err := t.exec("DELETE FROM outbox_lane WHERE workspace = +? AND until_ms <= ?", workspace, outboxMS(now))
		rows += int(n)
		return err
	})
	if err != nil {
		return 0, err
	}
	return rows, nil
}

const renewLease = `
UPDATE outbox_lane SET until_ms = ?, renewals = renewals + 1 WHERE workspace = +? AND session = +? AND +token = +?`

// Renew implements [storage.OutboxUpkeep].
func (s *Store) Renew(ctx context.Context, leases []storage.LaneLease, until time.Time) (lost []string, err error) {
	there, err := s.amend(ctx, func(t *tx) error {
		for _, l := range leases {
			n, _, err := t.exec(renewLease, outboxMS(until), l.Lane.Workspace, l.Lane.Session, l.Token)
			if err != nil {
				return err
			}
			if n == 0 {
				lost = append(lost, l.Token)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !there {
		for _, l := range leases {
			lost = append(lost, l.Token)
		}
	}
	return lost, nil
}

// ClaimHook implements [storage.OutboxUpkeep].
func (s *Store) ClaimHook(
	ctx context.Context, entryID, owner string, now, until time.Time,
) (record storage.DeliveredRecord, ok bool, err error) {
	_, err = s.amend(ctx, func(t *tx) error {
		n, _, err := t.exec(`
UPDATE outbox_delivered SET hook_owner = ?, hook_until_ms = ?, hook_runs = hook_runs + 1
WHERE id = +? AND +hook_done = 0 AND (+hook_owner IN ('', +?) OR +hook_until_ms <= +?)`,
			owner, outboxMS(until), entryID, owner, outboxMS(now))
		if err != nil || n == 0 {
			return err
		}
		var row deliveredRow
		ok, err = t.row("SELECT "+deliveredColumns+" FROM outbox_delivered WHERE id = ?", []any{entryID}, row.whole()...)
		record = row.read()
		return err
	})
	if err != nil || !ok {
		return storage.DeliveredRecord{}, false, err
	}
	return record, true, nil
}

// SettleHook implements [storage.OutboxUpkeep].
func (s *Store) SettleHook(ctx context.Context, entryID, owner string, done bool, again time.Time) error {
	set := "hook_until_ms = ?"
	if done {
		set, again = "hook_until_ms = ?, hook_done = 1, model = '', text = ''", time.Time{}
	}
	_, err := s.amend(ctx, func(t *tx) error {
		_, _, err := t.exec("UPDATE outbox_delivered SET hook_owner = '', "+set+" WHERE id = +? AND +hook_done = 0 AND +hook_owner = +?",
			outboxMS(again), entryID, owner)
		return err
	})
	return err
}

// old is a row that Forget may delete: a dedupe record, or a delivered one, which
// has only an id.
type old struct {
	at   int64
	lane outbox.Lane
	id   string
}

func (o old) compare(other old) int {
	return cmp.Or(cmp.Compare(o.at, other.at), cmp.Compare(o.lane.Workspace, other.lane.Workspace),
		cmp.Compare(o.lane.Session, other.lane.Session), cmp.Compare(o.id, other.id))
}

const (
	selectOldDelivered = "SELECT delivered_ms, id" + oldDelivered + " ORDER BY delivered_ms, id LIMIT ? + 0"
	selectOldDedupe    = "SELECT accepted_ms, workspace, session, client_message_id" + oldDedupe + `
ORDER BY accepted_ms, workspace, session, client_message_id LIMIT ? + 0`
)

// Forget implements [storage.OutboxUpkeep].
func (s *Store) Forget(ctx context.Context, before time.Time, limit int) (forgotten int, err error) {
	_, err = s.amend(ctx, func(t *tx) error {
		rows, err := t.oldest(beforeMS(before), max(limit, 0))
		if err != nil {
			return err
		}
		for _, o := range rows {
			query, args := "DELETE FROM outbox_delivered WHERE id = ?", []any{o.id}
			if o.lane != (outbox.Lane{}) {
				query = "DELETE FROM outbox_dedupe WHERE workspace = +? AND session = +? AND client_message_id = +?"
				args = []any{o.lane.Workspace, o.lane.Session, o.id}
			}
			if _, _, err := t.exec(query, args...); err != nil {
				return err
			}
		}
		forgotten = len(rows)
		return nil
	})
	if err != nil {
		return 0, err
	}
	return forgotten, nil
}

// oldest finds what Forget deletes: of both kinds together the oldest.
func (t *tx) oldest(before int64, limit int) ([]old, error) {
	var rows []old
	for _, query := range []string{selectOldDelivered, selectOldDedupe} {
		var o old
		dest := []any{&o.at, &o.id}
		if query == selectOldDedupe {
			dest = []any{&o.at, &o.lane.Workspace, &o.lane.Session, &o.id}
		}
		if err := t.each(query, []any{before, limit}, func() { rows = append(rows, o) }, dest...); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(rows, old.compare)
	return rows[:min(limit, len(rows))], nil
}

// Count implements [storage.OutboxUpkeep].
func (s *Store) Count(ctx context.Context, add, marks map[string]int64) error {
	count := s.amend // nothing to store makes no database
	if len(add)+len(marks) > 0 {
		count = func(ctx context.Context, fn func(*tx) error) (bool, error) { return true, s.changeOutbox(ctx, fn) }
	}
	_, err := count(ctx, func(t *tx) error {
		for _, name := range slices.Sorted(maps.Keys(add)) {
			_, _, err := t.exec(`
INSERT INTO outbox_figure (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value`,
				name, add[name])
			if err != nil {
				return err
			}
		}
		for _, name := range slices.Sorted(maps.Keys(marks)) {
			if _, _, err := t.exec("INSERT OR REPLACE INTO outbox_figure (name, value) VALUES (?, ?)", name, marks[name]); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}
