package sqlstore

import (
	"strings"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// leaseRow is a lease with the name of its subscription.
type leaseRow struct {
	Subscription string `db:"subscription"`
	Item         int64  `db:"item_id"`
	Owner        string `db:"owner"`
	GrantedMS    int64  `db:"granted_ms"`
	UntilMS      int64  `db:"until_ms"`
	Attempts     int64  `db:"attempts"`
	Parked       int64  `db:"parked"`
}

const selectLease = `
SELECT s.name AS subscription, l.item_id, l.owner, l.granted_ms, l.until_ms, l.attempts, l.parked
FROM lease AS l JOIN subscription AS s ON s.id = l.subscription_id `

// Lease implements [storage.LeaseReader].
func (r *reader) Lease(subscription string, item int64) (inbox.Lease, bool, error) {
	leases, err := r.leases(selectLease+"WHERE s.name = +? AND l.item_id = +?", subscription, item)
	if err != nil || len(leases) == 0 {
		return inbox.Lease{}, false, err
	}
	return leases[0], true, nil
}

// Leases implements [storage.LeaseReader].
func (r *reader) Leases(subscription string, query storage.LeaseQuery) ([]inbox.Lease, error) {
	where, args := selection(subscription, query)
	return r.leases(selectLease+where+" ORDER BY l.item_id LIMIT ? + 0", append(args, bound(query.Limit))...)
}

// CountLeases implements [storage.LeaseReader].
func (r *reader) CountLeases(subscription string, query storage.LeaseQuery) (int64, error) {
	where, args := selection(subscription, query)
	var n int64
	_, err := r.t.row("SELECT COUNT(*) FROM lease AS l "+where, args, &n)
	return n, err
}

// LeasesOn implements [storage.LeaseReader].
func (r *reader) LeasesOn(items []int64) ([]inbox.Lease, error) {
	if len(items) == 0 {
		return nil, nil
	}
	if some, err := r.has("lease", items); err != nil || !some {
		return nil, err
	}
	return r.leases(selectLease+"WHERE l.item_id IN (SELECT value FROM json_each(?)) ORDER BY l.item_id, s.name", set(items))
}

func (r *reader) leases(query string, args ...any) ([]inbox.Lease, error) {
	var rows []leaseRow
	if err := r.t.list(&rows, query, args...); err != nil {
		return nil, err
	}
	leases := make([]inbox.Lease, len(rows))
	for i, row := range rows {
		leases[i] = inbox.Lease{
			Subscription: row.Subscription, Item: row.Item, Owner: row.Owner,
			Granted: toSeconds(row.GrantedMS), Until: toSeconds(row.UntilMS),
			Attempts: row.Attempts, Parked: row.Parked != 0,
		}
	}
	return leases, nil
}

// openEnded finds the items whose open leases have ended, each half by its own
// index: left with an OR, SQLite reads all leases of the subscription.
const openEnded = ` AND l.item_id IN (
  SELECT item_id FROM lease
  WHERE subscription_id = (SELECT id FROM subscription WHERE name = ?) AND parked = 0 AND until_ms <= ?
  UNION ALL
  SELECT item_id FROM lease
  WHERE subscription_id = (SELECT id FROM subscription WHERE name = ?) AND parked = 0 AND granted_ms > ?)`

// selection spells a query as a condition on l.
func selection(subscription string, query storage.LeaseQuery) (string, []any) {
	var b strings.Builder
	b.WriteString("WHERE l.subscription_id = (SELECT id FROM subscription WHERE name = ?)")
	args := []any{subscription}
	if query.Item != 0 {
		b.WriteString(" AND l.item_id = +?")
		args = append(args, query.Item)
	}
	switch query.State {
	case storage.OpenLease:
		b.WriteString(" AND l.parked = 0")
	case storage.ParkedLease:
		b.WriteString(" AND l.parked = 1")
	}
	if ended := query.Ended; ended != nil {
		until, granted := toMS(ended.UntilAtMost), toMS(ended.GrantedAfter)
		if query.State == storage.OpenLease {
			b.WriteString(openEnded)
			args = append(args, subscription, until, subscription, granted)
		} else {
			b.WriteString(" AND (l.until_ms <= ? OR l.granted_ms > ?)")
			args = append(args, until, granted)
		}
	}
	if query.MinAttempts > 0 {
		b.WriteString(" AND l.attempts >= ?")
		args = append(args, query.MinAttempts)
	}
	if query.BelowAttempts > 0 {
		b.WriteString(" AND l.attempts < ?")
		args = append(args, query.BelowAttempts)
	}
	return b.String(), args
}

// PutLease implements [storage.LeaseWriter].
func (w *writer) PutLease(lease inbox.Lease) error {
	parked := 0
	if lease.Parked {
		parked = 1
	}
	n, _, err := w.t.exec(`
INSERT INTO lease (subscription_id, item_id, owner, granted_ms, until_ms, attempts, parked)
SELECT id, ?, ?, ?, ?, ?, ? FROM subscription WHERE name = ?
ON CONFLICT (subscription_id, item_id) DO UPDATE SET owner = excluded.owner,
  granted_ms = excluded.granted_ms, until_ms = excluded.until_ms,
  attempts = excluded.attempts, parked = excluded.parked`,
		lease.Item, lease.Owner, toMS(lease.Granted), toMS(lease.Until), lease.Attempts, parked, lease.Subscription)
	return required(n, err, lease.Subscription)
}

// Park implements [storage.LeaseWriter].
func (w *writer) Park(subscription string, query storage.LeaseQuery) (int64, error) {
	where, args := selection(subscription, query)
	n, _, err := w.t.exec("UPDATE lease AS l SET parked = 1 "+where, args...)
	return n, err
}

// RemoveLeases implements [storage.LeaseWriter].
func (w *writer) RemoveLeases(subscription string, query storage.LeaseQuery) error {
	where, args := selection(subscription, query)
	_, _, err := w.t.exec("DELETE FROM lease AS l "+where, args...)
	return err
}
