package main

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// bare is the side of the driver alone: one connection, prepared statements, the
// pragmas that tundish sets, and a table with the columns and indexes of its own.
type bare struct {
	db             *sql.DB
	conn           *sql.Conn
	insert, read   *sql.Stmt
	begin, commit  *sql.Stmt
	advance, stand *sql.Stmt
	err            error // of preparing them
}

const bareSchema = `
PRAGMA journal_mode = WAL;
PRAGMA busy_timeout = 5000;
PRAGMA synchronous = FULL;
PRAGMA foreign_keys = ON;
PRAGMA secure_delete = ON;
CREATE TABLE IF NOT EXISTS item (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  queue_id   INTEGER NOT NULL,
  seq        INTEGER NOT NULL,
  created_ms INTEGER NOT NULL,
  key        TEXT,
  payload    TEXT    NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS item_queue   ON item (queue_id);
CREATE INDEX IF NOT EXISTS item_created ON item (queue_id, created_ms);
CREATE INDEX IF NOT EXISTS item_key     ON item (queue_id, key) WHERE key IS NOT NULL;
CREATE TABLE IF NOT EXISTS cursor (id INTEGER PRIMARY KEY, position INTEGER NOT NULL) STRICT;
INSERT INTO cursor VALUES (1, 0) ON CONFLICT DO NOTHING`

func openBare(ctx context.Context, path string) (side, error) {
	db, err := sql.Open("sqlite3", "file:"+path)
	if err != nil {
		return nil, err
	}
	b := &bare{db: db}
	if b.conn, err = db.Conn(ctx); err != nil {
		return nil, err
	}
	if _, err := b.conn.ExecContext(ctx, bareSchema); err != nil {
		return nil, err
	}
	b.insert = b.prepare(ctx, "INSERT INTO item (queue_id, seq, created_ms, key, payload) VALUES (1, 1, ?, NULL, ?)")
	b.read = b.prepare(ctx, "SELECT id, created_ms, key, payload FROM item WHERE queue_id = 1 AND id > ? ORDER BY id LIMIT 50")
	b.begin = b.prepare(ctx, "BEGIN IMMEDIATE")
	b.commit = b.prepare(ctx, "COMMIT")
	b.advance = b.prepare(ctx, "UPDATE cursor SET position = ? WHERE id = 1")
	b.stand = b.prepare(ctx, "SELECT position FROM cursor WHERE id = 1")
	return b, b.err
}

// prepare keeps the first error.
func (b *bare) prepare(ctx context.Context, query string) *sql.Stmt {
	stmt, err := b.conn.PrepareContext(ctx, query)
	b.err = errors.Join(b.err, err)
	return stmt
}

// publish is one insert, which is a transaction by itself.
func (b *bare) publish(ctx context.Context, payload string) error {
	_, err := b.insert.ExecContext(ctx, time.Now().UnixMilli(), payload)
	return err
}

// pull reads the items after the position, prints them, and moves it.
func (b *bare) pull(ctx context.Context) (items int64, err error) {
	if _, err := b.begin.ExecContext(ctx); err != nil {
		return 0, err
	}
	var position int64
	if err := b.stand.QueryRowContext(ctx).Scan(&position); err != nil {
		return 0, err
	}
	rows, err := b.read.QueryContext(ctx, position)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var created int64
		var key, payload *string
		if err := rows.Scan(&position, &created, &key, &payload); err != nil {
			return 0, err
		}
		if _, err := fmt.Fprintf(io.Discard, "[q#%d] %s\n", position, *payload); err != nil {
			return 0, err
		}
		items++
	}
	if err := rows.Err(); err != nil {
		return 0, err
	}
	if _, err := b.advance.ExecContext(ctx, position); err != nil {
		return 0, err
	}
	_, err = b.commit.ExecContext(ctx)
	return items, err
}

// lines stores each line of a file, many in a transaction.
func (b *bare) lines(ctx context.Context, file string) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	waiting := 0
	for lines := bufio.NewScanner(in); lines.Scan(); {
		if waiting == 0 {
			if _, err := b.begin.ExecContext(ctx); err != nil {
				return err
			}
		}
		if err := b.publish(ctx, lines.Text()); err != nil {
			return err
		}
		if waiting++; waiting == perCommit {
			waiting = 0
			if _, err := b.commit.ExecContext(ctx); err != nil {
				return err
			}
		}
	}
	if waiting > 0 {
		_, err = b.commit.ExecContext(ctx)
	}
	return err
}

// close closes the statements first: SQLite closes no connection that has some.
func (b *bare) close() error {
	var errs []error
	for _, stmt := range []*sql.Stmt{b.insert, b.read, b.begin, b.commit, b.advance, b.stand} {
		errs = append(errs, stmt.Close())
	}
	return errors.Join(append(errs, b.conn.Close(), b.db.Close())...)
}
