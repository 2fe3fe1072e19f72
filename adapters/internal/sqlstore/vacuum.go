package sqlstore

import (
	"context"
	"fmt"
	"os"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/ports/storage"
)

var _ storage.Care = (*Store)(nil)

// Vacuum implements [storage.Care].
//
// Zeros in the place of what is deleted are not enough: when SQLite distributes
// the rows of full or nearly empty pages anew, copies of rows stay behind in the
// free room of pages, and no later delete of the row finds them. Only writing all
// pages anew is sure to leave none.
func (s *Store) Vacuum(ctx context.Context) (storage.Vacuumed, error) {
	const op = "write anew"
	wait := s.patience()
	if err := wait.turn(ctx); err != nil {
		return storage.Vacuumed{}, err
	}
	defer func() { <-s.writer }()
	p := writing(inboxSchema)
	p.op, p.makes = op, false
	if err := s.prepared(ctx, p); err != nil {
		return storage.Vacuumed{}, err
	}
	own, err := s.alone(ctx, op)
	if err != nil {
		return storage.Vacuumed{}, err
	}
	defer own.close()
	done := storage.Vacuumed{Before: s.size()}
	wait = s.patience()
	if err := wait.lock(ctx, op, func() error { return own.exec(ctx, "VACUUM") }); err != nil {
		return storage.Vacuumed{}, err
	}
	if err := s.emptyLog(ctx, own); err != nil {
		return storage.Vacuumed{}, err
	}
	done.After = s.size()
	return done, nil
}

// prepared makes sure that there is a database of ours, taking over an old one if
// need be.
func (s *Store) prepared(ctx context.Context, p purpose) error {
	t, err := s.begin(ctx, p)
	if err != nil {
		return err
	}
	if t == nil {
		return &domain.Error{
			Code: domain.NotFound, Text: fmt.Sprintf("there is no database at %q", s.path), Remedy: "name another one with --db",
		}
	}
	t.release()
	return nil
}

// alone is a connection that nobody else gets, for what runs outside of any
// transaction or changes the connection.
func (s *Store) alone(ctx context.Context, op string) (own *session, err error) {
	err = s.patience().lock(ctx, op, func() (err error) {
		own, err = s.connect(ctx)
		return err
	})
	return own, err
}

// logRow is what SQLite tells about folding the log into the file.
type logRow struct {
	Busy   int64 `db:"busy"`
	Log    int64 `db:"log"`
	Folded int64 `db:"checkpointed"`
}

// emptyLog folds the log into the file and cuts it to nothing. That has to wait
// for those who still read from it.
func (s *Store) emptyLog(ctx context.Context, own *session) error {
	const op = "empty the log of"
	err := s.patience().lock(ctx, op, func() error {
		var row logRow
		if err := own.get(ctx, &row, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
			return err
		}
		if row.Busy != 0 {
			return &domain.Error{Code: domain.Busy, Text: "the log is in use"}
		}
		return nil
	})
	if domain.CodeOf(err) != domain.Busy {
		return err
	}
	return &domain.Error{
		Code: domain.Busy, Text: fmt.Sprintf("what was deleted may still be in %q, from which another program keeps reading", s.path+"-wal"),
		Remedy: "run tundish vacuum when that program has ended",
	}
}

// size is the size of the file and its log.
func (s *Store) size() (bytes int64) {
	for _, path := range []string{s.path, s.path + "-wal"} {
		if info, err := os.Stat(path); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}
