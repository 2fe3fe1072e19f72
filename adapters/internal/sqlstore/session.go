package sqlstore

import (
	"context"

	"github.com/jmoiron/sqlx"
)

// setup brings a connection into the state that every statement relies on,
// whatever the driver's defaults are. SQLite itself does not wait for locks: that
// is patience's, which watches the context. Deleted text is overwritten (STO-1).
const setup = noTimeout + `;
PRAGMA synchronous = FULL;
PRAGMA foreign_keys = ON;
PRAGMA secure_delete = ON`

// How long SQLite itself waits for a lock: usually not at all, and in useLog.
const (
	noTimeout   = "PRAGMA busy_timeout = 0"
	longTimeout = "PRAGMA busy_timeout = 500"
)

// session is one connection with its prepared statements. It belongs to one
// goroutine at a time.
type session struct {
	conn    *sqlx.Conn
	stmts   map[string]*statement
	settled bool // it has been looked at together with the files beside it
	broken  bool // it may still be inside a transaction: do not use it again
}

// statement is a prepared statement. Preparing costs what running it once
// unprepared would, so every statement is kept from its first use on.
type statement struct {
	*sqlx.Stmt
	open bool // its rows are being read; running it again would end them
}

func (s *session) prepare(ctx context.Context, query string) (*statement, error) {
	if stmt, ok := s.stmts[query]; ok {
		return stmt, nil
	}
	stmt, err := s.conn.PreparexContext(ctx, query)
	if err != nil {
		return nil, err
	}
	kept := &statement{Stmt: stmt}
	s.stmts[query] = kept
	return kept, nil
}

// exec runs a statement that is not worth keeping, or several of them.
func (s *session) exec(ctx context.Context, query string, args ...any) error {
	_, err := s.conn.ExecContext(ctx, query, args...)
	return err
}

// get reads the one row of a query that is not worth keeping.
func (s *session) get(ctx context.Context, dest any, query string, args ...any) error {
	return s.conn.GetContext(ctx, dest, query, args...)
}

// pragma reads one number from a kept statement. Like control it does so outside
// of ctx: both take no time, and a driver that watches a context pays for it
// with a goroutine.
func (s *session) pragma(ctx context.Context, query string, dest *int64) error {
	ctx = context.WithoutCancel(ctx)
	stmt, err := s.prepare(ctx, query)
	if err != nil {
		return err
	}
	return stmt.QueryRowContext(ctx).Scan(dest)
}

// control runs BEGIN, COMMIT and the like from a kept statement.
func (s *session) control(ctx context.Context, query string) error {
	ctx = context.WithoutCancel(ctx)
	stmt, err := s.prepare(ctx, query)
	if err != nil {
		return err
	}
	_, err = stmt.ExecContext(ctx)
	return err
}

// rollback ends a transaction even when ctx has ended. SQLite may have ended it
// already, after a full disk for example, and says so with an error; the
// connection is then given up rather than asked what state it is in, and the
// error is for those who wanted to go on with it.
func (s *session) rollback(ctx context.Context) error {
	err := s.control(ctx, "ROLLBACK")
	if err != nil {
		s.broken = true
	}
	return err
}

// close frees the connection. Statements come first: SQLite closes no connection
// that has some, and database/sql does not know those of a single connection.
func (s *session) close() {
	for _, stmt := range s.stmts {
		_ = stmt.Close()
	}
	_ = s.conn.Close()
}
