package sqlstore

import (
	"context"

	"github.com/jmoiron/sqlx"

	"github.com/tundish-go/tundish/domain/inbox"
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
	known   map[string]parsed // rules by their stored text
	commits int64             // begun on it; SQLite tells it of those of others only
	settled bool              // it has been looked at together with the files beside it
	broken  bool              // it may still be inside a transaction: do not use it again
}

// statement is a prepared statement. Preparing costs what running it once
// unprepared would, so every statement is kept from its first use on. Where the
// planner could make use of a parameter's value, SQLite prepares a statement anew
// when the parameter is bound or, by one driver, unbound before every run: that is
// behind LIMIT, and beside = in a join or among several conditions. There the
// statements say ? + 0 and +?, whose values the planner does not look at.
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

// parsed is what a stored text of rules says, or why it cannot be used.
type parsed struct {
	rules inbox.Rules
	err   error
}

// maxKnown bounds how many texts of rules a session remembers.
const maxKnown = 256

// rules reads the stored rules of a subscription to queue, and says why they
// cannot be used if so. A pull reads the same text twice, and in a long process
// every pull does.
func (s *session) rules(text, queue string) (rules inbox.Rules, broken string) {
	p, ok := s.known[text]
	if !ok {
		p.rules, p.err = inbox.ParseRules(text)
		if s.known == nil || len(s.known) == maxKnown {
			s.known = map[string]parsed{}
		}
		s.known[text] = p
	}
	switch {
	case p.err != nil:
		return inbox.Rules{Queue: queue}, p.err.Error()
	case p.rules.Queue != queue:
		return inbox.Rules{Queue: queue}, "stored rules name another queue"
	}
	return p.rules, ""
}

// exec runs a statement that is not worth keeping, or several of them.
func (s *session) exec(ctx context.Context, query string, args ...any) error {
	_, err := s.conn.ExecContext(ctx, query, args...)
	return err
}

// get reads the one row of a query that is not worth keeping.
func (s *session) get(ctx context.Context, dest any, query string) error {
	return s.conn.GetContext(ctx, dest, query)
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
