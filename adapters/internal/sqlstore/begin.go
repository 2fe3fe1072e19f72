package sqlstore

import (
	"context"
	"slices"

	"github.com/tundish-go/tundish/domain"
)

// state is what stands at the path.
type state uint8

const (
	ours     state = iota // our database in a schema that serves the purpose
	empty                 // nothing, or a database without any table
	outdated              // our database in an older schema
	taken                 // a database of the old program, to be taken over
)

// purpose is what a unit of work is for.
type purpose struct {
	op     string // for error texts
	write  bool
	makes  bool  // what is not there yet; else there is nothing to do then
	schema int64 // the least that serves it
}

// Purposes of the two halves. SQLite reads the whole schema at every start, so that
// the tables of the outbox are made when they are first written to: where only the
// inbox is used, nobody pays for them.
func reading(schema int64) purpose { return purpose{op: "read", schema: schema} }

func writing(schema int64) purpose {
	return purpose{op: "write to", write: true, makes: true, schema: schema}
}

// begin starts a unit of work on a database in a schema that serves, which it
// makes, migrates or takes over first if need be. What makes nothing gets nil where
// there is nothing (CMD-5).
func (s *Store) begin(ctx context.Context, p purpose) (*tx, error) {
	if over(ctx) {
		return nil, ended(ctx, p.op, s.path)
	}
	if !s.verified.Load() {
		there, err := s.exists()
		switch {
		case err != nil:
			return nil, err
		case !there && !p.makes:
			return nil, nil
		case !there:
			if err := s.makeFile(); err != nil {
				return nil, err
			}
		}
	}
	wait := s.patience()
	var sess *session
	err := wait.lock(ctx, p.op, func() (err error) {
		sess, err = s.take(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	version, ok, err := s.start(ctx, wait, sess, p)
	if err != nil || !ok {
		s.put(sess)
		return nil, err
	}
	return &tx{ctx: ctx, s: s, sess: sess, op: p.op, schema: version}, nil
}

// start brings sess into a transaction and tells the schema that it sees; false
// when there is nothing.
func (s *Store) start(ctx context.Context, wait patience, sess *session, p purpose) (version int64, ok bool, err error) {
	mode := "BEGIN"
	if p.write {
		mode = "BEGIN IMMEDIATE"
	}
	for {
		var found state
		wait.linesUp = p.write
		err := wait.lock(ctx, p.op, func() (err error) {
			found, version, err = s.look(ctx, sess, mode, p.schema)
			return err
		})
		if err != nil {
			return 0, false, err
		}
		if found == ours {
			again, err := s.settle(ctx, wait, sess, p.write)
			if err != nil || !again {
				return version, err == nil, err
			}
			continue
		}
		if err := sess.rollback(ctx); err != nil {
			return 0, false, s.fail(ctx, p.op, err)
		}
		switch {
		case found == taken:
			err = s.takeOver(ctx, wait, sess)
		case !p.makes:
			return 0, false, nil
		case found == outdated:
			err = s.migrate(ctx, wait, sess, version, p.schema)
		default:
			err = s.create(ctx, wait, sess, p.schema)
		}
		if err != nil {
			return 0, false, err
		}
		wait = s.patience() // what came first was another wait
	}
}

// look begins a transaction and looks at what it sees. If that fails, there is
// no transaction.
func (s *Store) look(ctx context.Context, sess *session, mode string, least int64) (state, int64, error) {
	if err := sess.control(ctx, mode); err != nil {
		// Only a lock that was refused is certain to have begun nothing.
		sess.broken = s.classify(err) != domain.Busy
		return 0, 0, err
	}
	found, version, err := s.inspect(ctx, sess, least)
	if err != nil {
		_ = sess.rollback(ctx)
	}
	return found, version, err
}

// settle completes the first look at a database of ours, inside the transaction
// that looked. One that is not in WAL mode, such as a copy that VACUUM made, is
// brought into it by the first writer; again says that the transaction was given
// up for that.
func (s *Store) settle(ctx context.Context, wait patience, sess *session, write bool) (again bool, err error) {
	if !sess.settled {
		s.tighten()
		sess.settled = true
	}
	s.verified.Store(true)
	if !write || s.logged.Load() {
		return false, nil
	}
	var mode string
	if err := sess.get(ctx, &mode, "PRAGMA journal_mode"); err != nil {
		_ = sess.rollback(ctx)
		return false, s.fail(ctx, "open", err)
	}
	s.logged.Store(mode == "wal")
	if mode == "wal" {
		return false, nil
	}
	if err := sess.rollback(ctx); err != nil {
		return false, s.fail(ctx, "open", err)
	}
	return true, s.useLog(ctx, wait, sess)
}

// inspect tells what the current transaction sees, and refuses what is not ours
// (STO-5). A schema below the least one is outdated. Once a store has seen its
// database, only the schema can change.
func (s *Store) inspect(ctx context.Context, sess *session, least int64) (state, int64, error) {
	var version int64
	if err := sess.pragma(ctx, "PRAGMA user_version", &version); err != nil {
		return 0, 0, err
	}
	if s.verified.Load() && version >= least && version <= schemaVersion {
		return ours, version, nil
	}
	var application int64
	if err := sess.pragma(ctx, "PRAGMA application_id", &application); err != nil {
		return 0, 0, err
	}
	switch {
	case application == applicationID && version > schemaVersion:
		return 0, 0, s.newer(version)
	case application == applicationID && version >= least:
		return ours, version, nil
	case application == applicationID && version >= inboxSchema:
		return outdated, version, nil
	case application == 0 && version <= oldVersion:
		return s.unmarked(ctx, sess, version)
	}
	return 0, 0, s.foreign("is the database of another application")
}

// unmarked tells an empty database from one of the old program, neither of which
// names an application.
func (s *Store) unmarked(ctx context.Context, sess *session, version int64) (state, int64, error) {
	var tables []string
	if err := sess.conn.SelectContext(ctx, &tables, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"); err != nil {
		return 0, 0, err
	}
	switch {
	case version == 0 && len(tables) == 0:
		return empty, version, nil
	case version == oldVersion && slices.Equal(tables, oldTables()):
		return taken, version, nil
	}
	return 0, 0, s.foreign("is the database of another application")
}
