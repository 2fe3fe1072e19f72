package sqlstore

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// replaceAll puts what is in staged in the place of all rows, in one transaction on
// own. Before it commits, a copy of what there was gets its name; a failure takes it
// away again, and a kill may leave it.
func (s *Store) replaceAll(ctx context.Context, own *session, staged *Store, hold outbox.Hold) (done storage.Restored, err error) {
	const op = "restore"
	// Without checks a table can be emptied at once. What comes has been checked.
	if err := own.exec(ctx, "PRAGMA foreign_keys = OFF"); err != nil {
		return done, s.fail(ctx, op, err)
	}
	if err := own.exec(ctx, "ATTACH ? AS staged", staged.path); err != nil {
		return done, s.fail(ctx, op, err)
	}
	err = s.patience().lock(ctx, op, func() error {
		_, _, err := s.look(ctx, own, "BEGIN IMMEDIATE", inboxSchema)
		return err
	})
	if err != nil {
		return done, err
	}
	kept, err := s.exchange(ctx, own, hold, &done)
	if err == nil && ctx.Err() != nil {
		err = ended(ctx, op, s.path)
	}
	if err == nil {
		err = own.control(ctx, "COMMIT")
	}
	if err != nil {
		// A commit that failed may have come through. Where nothing is left to
		// roll back, the copy stays.
		if own.rollback(ctx) == nil && kept != "" {
			os.Remove(kept)
		}
		return storage.Restored{}, s.fail(ctx, op, err)
	}
	done.Kept = kept
	_ = own.exec(ctx, "PRAGMA wal_checkpoint(TRUNCATE)") // or whoever comes next does it
	return done, nil
}

// exchange does the work under the write lock, and returns the name of the copy of
// what there was.
func (s *Store) exchange(ctx context.Context, own *session, hold outbox.Hold, done *storage.Restored) (kept string, err error) {
	tables, err := s.sameTables(ctx, own)
	if err != nil {
		return "", err
	}
	part, err := s.keep(ctx, own, tables)
	if part != "" {
		defer os.Remove(part)
	}
	for _, table := range tables {
		if err == nil {
			err = refill(ctx, own, table)
		}
	}
	if err == nil {
		err = raiseSequences(ctx, own)
	}
	if err == nil {
		done.Held, err = holdAll(ctx, own, tables, hold)
	}
	if err == nil {
		err = own.get(ctx, &done.Items, "SELECT COALESCE(SUM(kept), 0) FROM main.queue")
	}
	if err != nil || part == "" {
		return "", err
	}
	return s.nameCopy(part, ".before-restore")
}

// keep copies the database, which the write lock keeps as it is, unless it is empty.
func (s *Store) keep(ctx context.Context, own *session, tables []string) (part string, err error) {
	some := false
	for _, table := range tables {
		if err == nil && !some {
			err = own.get(ctx, &some, "SELECT EXISTS (SELECT 1 FROM main."+table+")")
		}
	}
	if err != nil || !some {
		return "", err
	}
	if part, err = newPart(s.path); err != nil {
		return "", placeError("keep a copy of", s.path, err)
	}
	return part, s.copyInto(ctx, part, part)
}

// sameTables lists the tables, which both databases must have alike.
func (s *Store) sameTables(ctx context.Context, own *session) ([]string, error) {
	const query = "SELECT name FROM %s.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%%' ESCAPE '!' ORDER BY name"
	var ours, theirs []string
	if err := own.conn.SelectContext(ctx, &ours, fmt.Sprintf(query, "main")); err != nil {
		return nil, err
	}
	if err := own.conn.SelectContext(ctx, &theirs, fmt.Sprintf(query, "staged")); err != nil {
		return nil, err
	}
	if !slices.Equal(ours, theirs) {
		return nil, &domain.Error{
			Code: domain.Busy, Text: cannot("restore", s.path), Remedy: "try again: another program changed its schema",
		}
	}
	return ours, nil
}

// refill empties a table and fills it from the staged one.
func refill(ctx context.Context, own *session, table string) error {
	var columns []string
	err := own.conn.SelectContext(ctx, &columns, "SELECT '\"' || name || '\"' FROM pragma_table_info(?, 'main')", table)
	if err != nil {
		return err
	}
	names := strings.Join(columns, ", ")
	if err := own.exec(ctx, "DELETE FROM main."+table); err != nil {
		return err
	}
	return own.exec(ctx, fmt.Sprintf("INSERT INTO main.%[1]s (%[2]s) SELECT %[2]s FROM staged.%[1]s", table, names))
}

// raiseSequences makes ids go on above what either database gave (OBJ-1).
func raiseSequences(ctx context.Context, own *session) error {
	return own.exec(ctx, `
UPDATE main.sqlite_sequence SET seq = MAX(seq,
  COALESCE((SELECT MAX(s.seq) FROM staged.sqlite_sequence AS s WHERE s.name = main.sqlite_sequence.name), 0));
INSERT INTO main.sqlite_sequence (name, seq)
SELECT s.name, s.seq FROM staged.sqlite_sequence AS s WHERE s.name NOT IN (SELECT name FROM main.sqlite_sequence)`)
}

// holdAll sets the workspaces aside in which something waits to be sent: what is
// known of it is as old as the copy.
func holdAll(ctx context.Context, own *session, tables []string, hold outbox.Hold) (int64, error) {
	if !slices.Contains(tables, "outbox_hold") {
		return 0, nil
	}
	result, err := own.conn.ExecContext(ctx, `
INSERT INTO main.outbox_hold (workspace, since_ms, reason)
SELECT DISTINCT workspace, ?, ? FROM main.outbox_entry WHERE status NOT IN (?, ?)
ON CONFLICT (workspace) DO NOTHING`, outboxMS(hold.Since), hold.Reason, outbox.StatusParked, outbox.StatusError)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
