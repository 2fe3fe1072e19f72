package faultdrv

import (
	"context"
	"database/sql/driver"
	"strings"
)

// conn is a connection that fails by plan. What the wrapped one cannot do, it
// skips, so that database/sql goes the same way as without it.
type conn struct {
	driver.Conn
	plan *Plan
}

// named joins the kind of an operation and the first line of its query.
func named(kind, query string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(query), "\n")
	return kind + " " + line
}

// PrepareContext implements [driver.ConnPrepareContext].
func (c *conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	var made driver.Stmt
	err := c.plan.do(ctx, named("prepare", query), c, false, func() (err error) {
		if inner, ok := c.Conn.(driver.ConnPrepareContext); ok {
			made, err = inner.PrepareContext(ctx, query)
		} else {
			made, err = c.Prepare(query)
		}
		if err == nil {
			c.plan.hold(made)
		}
		return err
	})
	if err != nil {
		c.plan.drop(made)
		return nil, err
	}
	return &stmt{made, c, query}, nil
}

// ExecContext implements [driver.ExecerContext].
func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (done driver.Result, err error) {
	inner, ok := c.Conn.(driver.ExecerContext)
	if !ok {
		return nil, driver.ErrSkip
	}
	err = c.plan.do(ctx, named("exec", query), c, false, func() (err error) {
		done, err = inner.ExecContext(ctx, query, args)
		return err
	})
	return done, err
}

// QueryContext implements [driver.QueryerContext].
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	inner, ok := c.Conn.(driver.QueryerContext)
	if !ok {
		return nil, driver.ErrSkip
	}
	return c.query(ctx, query, func() (driver.Rows, error) { return inner.QueryContext(ctx, query, args) })
}

// query wraps the rows that ask gives.
func (c *conn) query(ctx context.Context, query string, ask func() (driver.Rows, error)) (driver.Rows, error) {
	var made driver.Rows
	err := c.plan.do(ctx, named("query", query), c, false, func() (err error) {
		if made, err = ask(); err == nil {
			c.plan.hold(made)
		}
		return err
	})
	if err != nil {
		c.plan.drop(made)
		return nil, err
	}
	return &rows{made, c, query}, nil
}

// BeginTx implements [driver.ConnBeginTx].
func (c *conn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	inner, ok := c.Conn.(driver.ConnBeginTx)
	if !ok {
		return nil, driver.ErrSkip
	}
	var made driver.Tx
	err := c.plan.do(ctx, "begin", c, false, func() (err error) {
		made, err = inner.BeginTx(ctx, opts)
		return err
	})
	if err != nil {
		return nil, err
	}
	return tx{made, c}, nil
}

// CheckNamedValue implements [driver.NamedValueChecker].
func (c *conn) CheckNamedValue(v *driver.NamedValue) error { return check(v, c.Conn) }

// Close implements [driver.Conn].
func (c *conn) Close() error { return c.plan.release("close connection", c.Conn) }

// end rolls the open transaction back, if there is one.
func (c *conn) end(ctx context.Context) {
	if inner, ok := c.Conn.(driver.ExecerContext); ok {
		_, _ = inner.ExecContext(ctx, "ROLLBACK", nil)
	}
}

// check lets the first of the wrapped that can check a value do so.
func check(v *driver.NamedValue, wrapped ...any) error {
	for _, w := range wrapped {
		if inner, ok := w.(driver.NamedValueChecker); ok {
			return inner.CheckNamedValue(v)
		}
	}
	return driver.ErrSkip
}

// tx is a transaction that database/sql began.
type tx struct {
	driver.Tx
	conn *conn
}

// Commit implements [driver.Tx].
func (t tx) Commit() error {
	return t.conn.plan.do(context.Background(), "commit", t.conn, false, t.Tx.Commit)
}

// Rollback implements [driver.Tx].
func (t tx) Rollback() error {
	return t.conn.plan.do(context.Background(), "rollback", t.conn, false, t.Tx.Rollback)
}
