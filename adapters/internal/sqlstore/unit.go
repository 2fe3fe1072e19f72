package sqlstore

import (
	"context"

	"github.com/tundish-go/tundish/ports/storage"
)

// View implements [storage.Store].
func (s *Store) View(ctx context.Context, fn func(storage.Reader) error) error {
	t, err := s.begin(ctx, reading(inboxSchema))
	if err != nil {
		return err
	}
	if t == nil {
		return fn(nothing{})
	}
	defer t.release()
	if err := fn(&reader{t}); err != nil {
		return err
	}
	return t.err
}

// Update implements [storage.Store].
func (s *Store) Update(ctx context.Context, fn func(storage.Writer) error) error {
	_, err := s.change(ctx, writing(inboxSchema), func(t *tx) error { return fn(&writer{&reader{t}}) })
	return err
}

// change runs fn in a transaction that holds the write lock, and commits; there is
// false when there was nothing that the purpose could change.
func (s *Store) change(ctx context.Context, p purpose, fn func(*tx) error) (there bool, err error) {
	wait := s.patience()
	if err := wait.turn(ctx); err != nil {
		return false, err
	}
	defer func() { <-s.writer }()
	t, err := s.begin(ctx, p)
	if err != nil || t == nil {
		return false, err
	}
	defer t.release()
	if err := fn(t); err != nil {
		return true, err
	}
	return true, t.commit()
}

// tx is one unit of work on one connection. It keeps its context because the
// ports' methods take none: it lives no longer than the call that gave it.
type tx struct {
	ctx    context.Context
	s      *Store
	sess   *session
	op     string
	schema int64 // of the database
	over   bool  // committed
	err    error // the first failure; nothing runs after it
}

// fail records the first failure of a unit of work. SQLite may have rolled back
// by itself then, so that a later statement would take effect on its own.
func (t *tx) fail(err error) error {
	if t.err == nil {
		t.err = t.s.fail(t.ctx, t.op, err)
	}
	return t.err
}

// ready tells whether a statement may run.
func (t *tx) ready() error {
	if t.err == nil && over(t.ctx) {
		t.err = ended(t.ctx, t.op, t.s.path)
	}
	return t.err
}

// commit ends the unit of work for good, unless something failed or ctx has
// ended. From here on ctx decides nothing: a commit is done or not done.
func (t *tx) commit() error {
	if err := t.ready(); err != nil {
		return err
	}
	t.sess.commits++
	if err := t.sess.control(t.ctx, "COMMIT"); err != nil {
		return t.s.fail(context.WithoutCancel(t.ctx), "commit to", err)
	}
	t.over = true
	return nil
}

// release rolls back what was not committed and gives the connection back.
func (t *tx) release() {
	if !t.over {
		_ = t.sess.rollback(t.ctx)
	}
	t.s.put(t.sess)
}

// row reads the first row into dest; false when there is none.
func (t *tx) row(query string, args []any, dest ...any) (bool, error) {
	stmt, err := t.prepare(query)
	if err != nil {
		return false, err
	}
	rows, err := stmt.QueryContext(t.ctx, args...)
	if err != nil {
		return false, t.fail(err)
	}
	defer rows.Close()
	found := rows.Next()
	if found {
		if err := rows.Scan(dest...); err != nil {
			return false, t.fail(err)
		}
	}
	if err := rows.Err(); err != nil {
		return false, t.fail(err)
	}
	return found, nil
}

// each reads all rows, one after another, into dest, and calls row after each.
func (t *tx) each(query string, args []any, row func(), dest ...any) error {
	stmt, err := t.prepare(query)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(t.ctx, args...)
	if err != nil {
		return t.fail(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return t.fail(err)
		}
		row()
	}
	if err := rows.Err(); err != nil {
		return t.fail(err)
	}
	return nil
}

// list reads all rows into dest, a pointer to a slice.
func (t *tx) list(dest any, query string, args ...any) error {
	stmt, err := t.prepare(query)
	if err != nil {
		return err
	}
	if err := stmt.SelectContext(t.ctx, dest, args...); err != nil {
		return t.fail(err)
	}
	return nil
}

// exec runs a statement and returns the number of rows it changed and the id of
// the last one it inserted, which means nothing if it inserted none.
func (t *tx) exec(query string, args ...any) (changed, id int64, err error) {
	stmt, err := t.prepare(query)
	if err != nil {
		return 0, 0, err
	}
	result, err := stmt.ExecContext(t.ctx, args...)
	if err != nil {
		return 0, 0, t.fail(err)
	}
	changed, err = result.RowsAffected()
	if err != nil {
		return 0, 0, t.fail(err)
	}
	if id, err = result.LastInsertId(); err != nil {
		return 0, 0, t.fail(err)
	}
	return changed, id, nil
}

func (t *tx) prepare(query string) (*statement, error) {
	if err := t.ready(); err != nil {
		return nil, err
	}
	stmt, err := t.sess.prepare(t.ctx, query)
	if err != nil {
		return nil, t.fail(err)
	}
	return stmt, nil
}

// reader answers from one transaction.
type reader struct{ t *tx }

// version names what the database holds, as far as one connection can tell: its
// own commits, and SQLite's number for those of all others.
type version struct {
	sess        *session
	own, others int64
}

// Version names what has been committed: two equal answers of one store, each
// given before any change in its unit of work, tell that nothing was committed
// between them. Answers that differ tell nothing.
func (r *reader) Version() (any, error) {
	v := version{sess: r.t.sess, own: r.t.sess.commits}
	_, err := r.t.row("PRAGMA data_version", nil, &v.others)
	return v, err
}

// writer is a reader that changes.
type writer struct{ *reader }

var (
	_ storage.Reader = (*reader)(nil)
	_ storage.Writer = (*writer)(nil)
)
