package sqlstore

import "github.com/tundish-go/tundish/domain/inbox"

// bindingRow is a binding with the name of its subscription.
type bindingRow struct {
	Subscription  string `db:"subscription"`
	Subscriber    string `db:"subscriber"`
	Position      int64  `db:"position"`
	NextMS        int64  `db:"next_ms"`
	LastPull      int64  `db:"last_pull"`
	Dropped       int64  `db:"dropped"`
	Errors        int64  `db:"errors"`
	Parked        int64  `db:"parked"`
	LastError     string `db:"last_error"`
	JudgedAfter   int64  `db:"judged_after"`
	JudgedThrough int64  `db:"judged_through"`
}

// boundRow is a binding with the whole subscription.
type boundRow struct {
	bindingRow
	Queue        string
	Newest       int64
	Rules        string
	Scan         int64
	SubDropped   int64
	SubErrors    int64
	SubParked    int64
	SubLastError string
}

const bindingColumns = `
  s.name AS subscription, b.subscriber, b.position, b.next_ms, b.last_pull,
  b.dropped, b.errors, b.parked, b.last_error, b.judged_after, b.judged_through`

const selectBound = `
SELECT q.name, q.newest_id, s.rules, s.scan, s.dropped, s.errors, s.parked, s.last_error,` + bindingColumns + `
FROM binding AS b
JOIN subscription AS s ON s.id = b.subscription_id
JOIN queue AS q ON q.id = s.queue_id `

func (row bindingRow) binding() inbox.Binding {
	return inbox.Binding{
		Subscription: row.Subscription, Subscriber: row.Subscriber,
		Position: row.Position, NextAt: toSeconds(row.NextMS), LastPull: row.LastPull,
		Unreported: inbox.Counts{Dropped: row.Dropped, Errors: row.Errors, Parked: row.Parked},
		LastError:  row.LastError,
		Judged:     inbox.Span{After: row.JudgedAfter, Through: row.JudgedThrough},
	}
}

func (row boundRow) bound(sess *session) inbox.Bound {
	sub := subscriptionRow{
		Name: row.Subscription, Queue: row.Queue, Rules: row.Rules, Scan: row.Scan,
		Dropped: row.SubDropped, Errors: row.SubErrors, Parked: row.SubParked, LastError: row.SubLastError,
	}
	return inbox.Bound{Subscription: sub.subscription(sess), Binding: row.binding(), Newest: row.Newest}
}

// Bound implements [storage.BindingReader].
func (r *reader) Bound(subscription, subscriber string) (inbox.Bound, bool, error) {
	bounds, err := r.bounds(selectBound+"WHERE s.name = +? AND b.subscriber = +?", subscription, subscriber)
	if err != nil || len(bounds) == 0 {
		return inbox.Bound{}, false, err
	}
	return bounds[0], true, nil
}

// BoundBy implements [storage.BindingReader].
func (r *reader) BoundBy(subscriber string) ([]inbox.Bound, error) {
	return r.bounds(selectBound+"WHERE b.subscriber = +? ORDER BY s.name", subscriber)
}

// bounds reads its rows by place: this is all that most pulls read, and learning
// the columns by reflection would cost a short process as much as the query.
func (r *reader) bounds(query string, args ...any) ([]inbox.Bound, error) {
	var bounds []inbox.Bound
	var row boundRow
	err := r.t.each(query, args, func() { bounds = append(bounds, row.bound(r.t.sess)) },
		&row.Queue, &row.Newest, &row.Rules, &row.Scan,
		&row.SubDropped, &row.SubErrors, &row.SubParked, &row.SubLastError,
		&row.Subscription, &row.Subscriber, &row.Position, &row.NextMS, &row.LastPull,
		&row.Dropped, &row.Errors, &row.Parked, &row.LastError, &row.JudgedAfter, &row.JudgedThrough)
	return bounds, err
}

// Bindings implements [storage.BindingReader].
func (r *reader) Bindings(subscription string) ([]inbox.Binding, error) {
	var rows []bindingRow
	err := r.t.list(&rows, "SELECT"+bindingColumns+`
FROM subscription AS s JOIN binding AS b ON b.subscription_id = s.id
WHERE s.name = +? ORDER BY b.subscriber`, subscription)
	if err != nil {
		return nil, err
	}
	bindings := make([]inbox.Binding, len(rows))
	for i, row := range rows {
		bindings[i] = row.binding()
	}
	return bindings, nil
}

// PutBinding implements [storage.BindingWriter].
func (w *writer) PutBinding(b inbox.Binding) error {
	n, _, err := w.t.exec(`
INSERT INTO binding (subscription_id, subscriber, position, next_ms, last_pull,
  dropped, errors, parked, last_error, judged_after, judged_through)
SELECT id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM subscription WHERE name = ?
ON CONFLICT (subscription_id, subscriber) DO UPDATE SET position = excluded.position,
  next_ms = excluded.next_ms, last_pull = excluded.last_pull, dropped = excluded.dropped,
  errors = excluded.errors, parked = excluded.parked, last_error = excluded.last_error,
  judged_after = excluded.judged_after, judged_through = excluded.judged_through`,
		b.Subscriber, b.Position, toMS(b.NextAt), b.LastPull,
		b.Unreported.Dropped, b.Unreported.Errors, b.Unreported.Parked, b.LastError,
		b.Judged.After, b.Judged.Through, b.Subscription)
	return required(n, err, b.Subscription)
}

// RemoveBinding implements [storage.BindingWriter].
func (w *writer) RemoveBinding(subscription, subscriber string) error {
	for _, query := range []string{
		"DELETE FROM shown   WHERE subscription_id = (SELECT id FROM subscription WHERE name = ?) AND subscriber = ?",
		"DELETE FROM binding WHERE subscription_id = (SELECT id FROM subscription WHERE name = ?) AND subscriber = ?",
	} {
		if _, _, err := w.t.exec(query, subscription, subscriber); err != nil {
			return err
		}
	}
	return nil
}

// NextPull implements [storage.BindingWriter].
func (w *writer) NextPull() (int64, error) {
	_, _, err := w.t.exec(`
INSERT INTO counter (name, value) VALUES ('pull', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1`)
	if err != nil {
		return 0, err
	}
	var number int64
	_, err = w.t.row("SELECT value FROM counter WHERE name = 'pull'", nil, &number)
	return number, err
}
