package faultdrv

import (
	"context"
	"database/sql/driver"
)

// stmt is a prepared statement that fails by plan. Both drivers of SQLite take a
// context with their statements.
type stmt struct {
	driver.Stmt
	conn  *conn
	query string
}

// ExecContext implements [driver.StmtExecContext].
func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (done driver.Result, err error) {
	inner, ok := s.Stmt.(driver.StmtExecContext)
	if !ok {
		return nil, driver.ErrSkip
	}
	err = s.conn.plan.do(ctx, named("exec", s.query), s.conn, false, func() (err error) {
		done, err = inner.ExecContext(ctx, args)
		return err
	})
	return done, err
}

// QueryContext implements [driver.StmtQueryContext].
func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	inner, ok := s.Stmt.(driver.StmtQueryContext)
	if !ok {
		return nil, driver.ErrSkip
	}
	return s.conn.query(ctx, s.query, func() (driver.Rows, error) { return inner.QueryContext(ctx, args) })
}

// CheckNamedValue implements [driver.NamedValueChecker].
func (s *stmt) CheckNamedValue(v *driver.NamedValue) error { return check(v, s.Stmt, s.conn.Conn) }

// Close implements [driver.Stmt].
func (s *stmt) Close() error {
	return s.conn.plan.release(named("close statement", s.query), s.Stmt)
}

// rows are an answer that fails by plan.
type rows struct {
	driver.Rows
	conn  *conn
	query string
}

// Next implements [driver.Rows].
func (r *rows) Next(dest []driver.Value) error {
	return r.conn.plan.do(context.Background(), named("next", r.query), r.conn, false, func() error { return r.Rows.Next(dest) })
}

// Close implements [driver.Rows].
func (r *rows) Close() error { return r.conn.plan.release(named("close rows", r.query), r.Rows) }
