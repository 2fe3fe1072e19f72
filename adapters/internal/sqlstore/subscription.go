package sqlstore

import (
	"fmt"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// subscriptionRow is a subscription with the name of its queue.
type subscriptionRow struct {
	Name      string `db:"name"`
	Queue     string `db:"queue"`
	Rules     string `db:"rules"`
	Scan      int64  `db:"scan"`
	Dropped   int64  `db:"dropped"`
	Errors    int64  `db:"errors"`
	Parked    int64  `db:"parked"`
	LastError string `db:"last_error"`
}

const selectSubscription = `
SELECT s.name, q.name AS queue, s.rules, s.scan, s.dropped, s.errors, s.parked, s.last_error
FROM subscription AS s JOIN queue AS q ON q.id = s.queue_id `

func (row subscriptionRow) subscription(sess *session) inbox.Subscription {
	rules, broken := sess.rules(row.Rules, row.Queue)
	return inbox.Subscription{
		Name: row.Name, Rules: rules, Broken: broken, Scan: row.Scan,
		Unreported: inbox.Counts{Dropped: row.Dropped, Errors: row.Errors, Parked: row.Parked},
		LastError:  row.LastError,
	}
}

// Subscription implements [storage.SubscriptionReader].
func (r *reader) Subscription(name string) (inbox.Subscription, bool, error) {
	subs, err := r.subscriptions(selectSubscription+"WHERE s.name = +?", name)
	if err != nil || len(subs) == 0 {
		return inbox.Subscription{}, false, err
	}
	return subs[0], true, nil
}

// Subscriptions implements [storage.SubscriptionReader].
func (r *reader) Subscriptions() ([]inbox.Subscription, error) {
	return r.subscriptions(selectSubscription + "ORDER BY s.name")
}

// SubscriptionsOn implements [storage.SubscriptionReader].
func (r *reader) SubscriptionsOn(queue string) ([]inbox.Subscription, error) {
	return r.subscriptions(selectSubscription+"WHERE q.name = +? ORDER BY s.name", queue)
}

func (r *reader) subscriptions(query string, args ...any) ([]inbox.Subscription, error) {
	var rows []subscriptionRow
	if err := r.t.list(&rows, query, args...); err != nil {
		return nil, err
	}
	subs := make([]inbox.Subscription, len(rows))
	for i, row := range rows {
		subs[i] = row.subscription(r.t.sess)
	}
	return subs, nil
}

// PutSubscription implements [storage.SubscriptionWriter].
func (w *writer) PutSubscription(sub inbox.Subscription) error {
	if sub.Broken != "" {
		return &domain.Error{
			Code: domain.Internal, Text: fmt.Sprintf("subscription %s has no rules to store", sub.Name),
		}
	}
	if err := w.addQueue(sub.Rules.Queue); err != nil {
		return err
	}
	_, _, err := w.t.exec(`
INSERT INTO subscription (name, queue_id, rules, scan, dropped, errors, parked, last_error)
SELECT ?, id, ?, ?, ?, ?, ?, ? FROM queue WHERE name = ?
ON CONFLICT (name) DO UPDATE SET queue_id = excluded.queue_id, rules = excluded.rules,
  scan = excluded.scan, dropped = excluded.dropped, errors = excluded.errors,
  parked = excluded.parked, last_error = excluded.last_error`,
		sub.Name, sub.Rules.JSON(), sub.Scan,
		sub.Unreported.Dropped, sub.Unreported.Errors, sub.Unreported.Parked, sub.LastError, sub.Rules.Queue)
	return err
}

// PutProgress implements [storage.SubscriptionWriter].
func (w *writer) PutProgress(sub inbox.Subscription) error {
	n, _, err := w.t.exec(`
UPDATE subscription SET scan = ?, dropped = ?, errors = ?, parked = ?, last_error = ? WHERE name = ?`,
		sub.Scan, sub.Unreported.Dropped, sub.Unreported.Errors, sub.Unreported.Parked, sub.LastError, sub.Name)
	return required(n, err, sub.Name)
}

// ResetClaims implements [storage.SubscriptionWriter].
func (w *writer) ResetClaims(subscription string) error {
	for _, query := range []string{
		"DELETE FROM ack   WHERE subscription_id = (SELECT id FROM subscription WHERE name = ?)",
		"DELETE FROM lease WHERE subscription_id = (SELECT id FROM subscription WHERE name = ?)",
		"DELETE FROM shown WHERE subscription_id = (SELECT id FROM subscription WHERE name = ?)",
	} {
		if _, _, err := w.t.exec(query, subscription); err != nil {
			return err
		}
	}
	if !w.hasExtras() {
		return nil
	}
	_, _, err := w.t.exec("DELETE FROM note WHERE subscription_id = (SELECT id FROM subscription WHERE name = ?)", subscription)
	return err
}

// RemoveSubscription implements [storage.SubscriptionWriter].
func (w *writer) RemoveSubscription(name string) (size storage.SubscriptionSize, err error) {
	for _, table := range []struct {
		name  string
		count *int64
	}{{"binding", &size.Bindings}, {"ack", &size.Acks}, {"lease", &size.Leases}, {"shown", &size.Shown}} {
		_, err := w.t.row("SELECT COUNT(*) FROM "+table.name+" WHERE subscription_id = (SELECT id FROM subscription WHERE name = ?)",
			[]any{name}, table.count)
		if err != nil {
			return size, err
		}
	}
	if err := w.ResetClaims(name); err != nil {
		return size, err
	}
	if _, _, err := w.t.exec("DELETE FROM binding WHERE subscription_id = (SELECT id FROM subscription WHERE name = ?)", name); err != nil {
		return size, err
	}
	_, _, err = w.t.exec("DELETE FROM subscription WHERE name = ?", name)
	return size, err
}

// required turns a change of no row into the error that the subscription which
// the change belongs to does not exist.
func required(changed int64, err error, subscription string) error {
	if err == nil && changed == 0 {
		return &domain.Error{Code: domain.NotFound, Text: fmt.Sprintf("there is no subscription %q", subscription)}
	}
	return err
}
