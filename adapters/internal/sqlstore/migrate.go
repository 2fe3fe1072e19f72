package sqlstore

import (
	"context"

	"github.com/tundish-go/tundish/domain"
)

// The numbers in the head of the file. The old program refuses every version
// above its own.
const (
	applicationID = 0x74756e64 // "tund"
	inboxSchema   = 2          // the first one that is ours
	outboxSchema  = 3          // with the push half
	extrasSchema  = 4          // with notes, expiry and schedules
	schemaVersion = extrasSchema
)

// migration leads from the version before to version.
type migration struct {
	version int64
	sql     string
}

// migrations lists all of them, oldest first. One that was ever released never
// changes; a new schema is a new entry.
func migrations() []migration {
	return []migration{{inboxSchema, schema}, {outboxSchema, outboxTables}, {extrasSchema, extrasTables}}
}

// create makes a schema in an empty database. Of many processes that do so at
// once, one does it and the others find it done (STO-3).
func (s *Store) create(ctx context.Context, wait patience, sess *session, to int64) error {
	if err := s.useLog(ctx, wait, sess); err != nil {
		return err
	}
	return s.migrate(ctx, wait, sess, 0, to)
}

// useLog brings the database into WAL mode. It must be ours, or empty.
//
// The change needs the file for itself. SQLite shuts the door on newcomers while
// it waits for those inside to leave, but opens it again when it gives up: without
// a timeout, many processes that find the file empty at once could keep each
// other from it for long.
func (s *Store) useLog(ctx context.Context, wait patience, sess *session) error {
	return wait.lock(ctx, "open", func() error {
		if err := sess.exec(ctx, longTimeout); err != nil {
			return err
		}
		var mode string
		err := sess.get(ctx, &mode, "PRAGMA journal_mode = WAL")
		if err := sess.exec(context.WithoutCancel(ctx), noTimeout); err != nil {
			return err
		}
		if err == nil && mode != "wal" {
			err = &domain.Error{
				Code: domain.Unsupported, Text: cannot("keep a log beside", s.path),
				Remedy: remedy(domain.Unsupported, s.path),
			}
		}
		return err
	})
}

// migrate leads a database of ours from a version, 0 for an empty one, to a later
// one in one transaction, unless another process was faster.
func (s *Store) migrate(ctx context.Context, wait patience, sess *session, from, to int64) error {
	const op = "prepare"
	var version int64
	err := wait.lock(ctx, op, func() (err error) {
		_, version, err = s.look(ctx, sess, "BEGIN IMMEDIATE", to)
		return err
	})
	if err != nil {
		return err
	}
	if version != from {
		if err := sess.rollback(ctx); err != nil {
			return s.fail(ctx, op, err)
		}
		return nil // begin looks again
	}
	if err := migrateFrom(ctx, sess, from, to); err != nil {
		_ = sess.rollback(ctx)
		return s.fail(ctx, op, err)
	}
	if err := sess.control(ctx, "COMMIT"); err != nil {
		_ = sess.rollback(ctx)
		return s.fail(ctx, op, err)
	}
	return nil
}

// migrateFrom runs what is missing inside the current transaction.
func migrateFrom(ctx context.Context, sess *session, from, to int64) error {
	for _, m := range migrations() {
		if m.version <= from || m.version > to {
			continue
		}
		if err := sess.exec(ctx, m.sql); err != nil {
			return err
		}
	}
	return nil
}
