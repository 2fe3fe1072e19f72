package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// barePost is the side of the driver alone: one connection for all acceptors, as
// tundish has one writer, and tables with the columns and indexes of its own.
type barePost struct {
	db     *sql.DB
	next   atomic.Int64
	mu     sync.Mutex // one transaction at a time
	conn   *sql.Conn
	insert *sql.Stmt
	dedupe *sql.Stmt
	begin  *sql.Stmt
	commit *sql.Stmt
	err    error // of preparing them
}

const barePostSchema = `
PRAGMA journal_mode = WAL;
PRAGMA busy_timeout = 5000;
PRAGMA synchronous = FULL;
PRAGMA foreign_keys = ON;
PRAGMA secure_delete = ON;
CREATE TABLE entry (
  seq              INTEGER PRIMARY KEY AUTOINCREMENT,
  id               TEXT    NOT NULL UNIQUE,
  workspace        TEXT    NOT NULL,
  session          TEXT    NOT NULL,
  status           TEXT    NOT NULL,
  version          INTEGER NOT NULL,
  send_token       TEXT    NOT NULL DEFAULT '',
  attempts         INTEGER NOT NULL DEFAULT 0,
  attempt_no       INTEGER NOT NULL DEFAULT 0,
  failed_no        INTEGER NOT NULL DEFAULT 0,
  attempt_start_ms INTEGER NOT NULL DEFAULT -62135596800000,
  verify_attempts  INTEGER NOT NULL DEFAULT 0,
  transient_fails  INTEGER NOT NULL DEFAULT 0,
  next_ms          INTEGER NOT NULL DEFAULT -62135596800000,
  accepted_ms      INTEGER NOT NULL,
  prior_since_ms   INTEGER NOT NULL DEFAULT -62135596800000,
  unknown          INTEGER NOT NULL DEFAULT 0,
  deliverer        TEXT    NOT NULL DEFAULT '',
  peer_id          TEXT    NOT NULL DEFAULT '',
  reason           TEXT    NOT NULL DEFAULT '',
  last_error       TEXT    NOT NULL DEFAULT '',
  parked_from      TEXT    NOT NULL DEFAULT '',
  parked_error     TEXT    NOT NULL DEFAULT '',
  client_message_id TEXT   NOT NULL,
  user_id          TEXT    NOT NULL DEFAULT '',
  waits            INTEGER NOT NULL,
  model            TEXT    NOT NULL DEFAULT '',
  text             TEXT    NOT NULL
) STRICT;
CREATE INDEX entry_due       ON entry (next_ms, seq, workspace, session) WHERE waits = 1;
CREATE INDEX entry_lane      ON entry (workspace, session);
CREATE INDEX entry_workspace ON entry (workspace);
CREATE INDEX entry_status    ON entry (status);
CREATE TABLE dedupe (
  workspace         TEXT    NOT NULL,
  session           TEXT    NOT NULL,
  client_message_id TEXT    NOT NULL,
  accepted_ms       INTEGER NOT NULL,
  final             TEXT    NOT NULL DEFAULT '',
  entry_id          TEXT    NOT NULL,
  digest            TEXT    NOT NULL,
  PRIMARY KEY (workspace, session, client_message_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX dedupe_living ON dedupe (entry_id) WHERE final = '';
CREATE INDEX dedupe_final  ON dedupe (accepted_ms) WHERE final <> ''`

func openBarePost(ctx context.Context, path string) (post, error) {
	db, err := sql.Open("sqlite3", "file:"+path)
	if err != nil {
		return nil, err
	}
	b := &barePost{db: db}
	if b.conn, err = db.Conn(ctx); err != nil {
		return nil, err
	}
	if _, err := b.conn.ExecContext(ctx, barePostSchema); err != nil {
		return nil, err
	}
	b.insert = b.prepare(ctx, `
INSERT INTO entry (id, workspace, session, status, version, accepted_ms, client_message_id, waits, text)
VALUES (?, ?, ?, 'pending', 1, ?, ?, 1, ?)`)
	b.dedupe = b.prepare(ctx, `
INSERT INTO dedupe (workspace, session, client_message_id, accepted_ms, entry_id, digest) VALUES (?, ?, ?, ?, ?, ?)`)
	b.begin = b.prepare(ctx, "BEGIN IMMEDIATE")
	b.commit = b.prepare(ctx, "COMMIT")
	return b, b.err
}

// prepare keeps the first error.
func (b *barePost) prepare(ctx context.Context, query string) *sql.Stmt {
	stmt, err := b.conn.PrepareContext(ctx, query)
	b.err = errors.Join(b.err, err)
	return stmt
}

// accept is one insert, which is a transaction by itself, or two in one.
func (b *barePost) accept(ctx context.Context, p prompt) error {
	now := time.Now().UnixMilli()
	id := fmt.Sprintf("ob_%012x-%023d", now, b.next.Add(1))
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.messageID == "" {
		_, err := b.insert.ExecContext(ctx, id, p.workspace, p.session, now, p.messageID, p.text)
		return err
	}
	if _, err := b.begin.ExecContext(ctx); err != nil {
		return err
	}
	if _, err := b.insert.ExecContext(ctx, id, p.workspace, p.session, now, p.messageID, p.text); err != nil {
		return err
	}
	const digest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	if _, err := b.dedupe.ExecContext(ctx, p.workspace, p.session, p.messageID, now, id, digest); err != nil {
		return err
	}
	_, err := b.commit.ExecContext(ctx)
	return err
}

// close closes the statements first: SQLite closes no connection that has some.
func (b *barePost) close() error {
	return errors.Join(b.insert.Close(), b.dedupe.Close(), b.begin.Close(), b.commit.Close(), b.conn.Close(), b.db.Close())
}
