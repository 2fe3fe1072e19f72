package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// oldVersion is the schema of the old program, which names no application.
const oldVersion = 1

func oldTables() []string {
	return []string{"acks", "items", "leases", "sqlite_sequence", "subscribers", "subscriptions"}
}

// takeOver turns a database of the old program into one of ours, in place and in
// one transaction, and leaves a copy of the old file beside it (STO-6). If
// another process was faster, nothing happens.
//
// The copy gets its name just before the commit and loses it when the commit
// fails: a kill leaves the old database or the new one, and at worst a copy too
// many.
func (s *Store) takeOver(ctx context.Context, wait patience, sess *session) error {
	const op = "take over"
	var found state
	err := wait.lock(ctx, op, func() (err error) {
		found, _, err = s.look(ctx, sess, "BEGIN IMMEDIATE", inboxSchema)
		return err
	})
	if err != nil {
		return err
	}
	if found != taken {
		if err := sess.rollback(ctx); err != nil {
			return s.fail(ctx, op, err)
		}
		return nil // begin looks again
	}
	copied, err := s.replaceOld(ctx, wait, sess)
	if err != nil {
		// A commit that failed may have come through. Where nothing is left to
		// roll back, the copy stays.
		if sess.rollback(ctx) == nil && copied != "" {
			os.Remove(copied)
		}
		return s.fail(ctx, op, err)
	}
	s.opts.warn(fmt.Sprintf("took over the database of tundish 0.1.2 in %q; the old one is kept in %q", s.path, copied))
	return nil
}

// replaceOld does the work under the write lock, commit included, and returns
// the name of the copy, if it was made, with any error.
func (s *Store) replaceOld(ctx context.Context, wait patience, sess *session) (string, error) {
	part := s.path + ".old-0.1.2.part"
	defer os.Remove(part)
	if err := s.copyOld(ctx, wait, part); err != nil {
		return "", err
	}
	if err := s.carryOver(ctx, sess); err != nil {
		return "", err
	}
	name, err := s.nameCopy(part, ".old-0.1.2")
	if err != nil {
		return "", err
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	} else {
		// Without a log, readers that are about to leave hold up a commit.
		err = wait.lock(ctx, "take over", func() error {
			return sess.control(ctx, "COMMIT")
		})
	}
	return name, err
}

// copyOld writes a consistent copy of the database, log included, to part. It
// needs a connection of its own, since the one that holds the lock is in a
// transaction. What a killed process left there is replaced: whoever holds the
// lock is alone.
func (s *Store) copyOld(ctx context.Context, wait patience, part string) error {
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return placeError("copy", s.path, err)
	}
	if err := createEmpty(part, fileMode); err != nil {
		return placeError("copy", s.path, err)
	}
	return wait.lock(ctx, "copy", func() error {
		own, err := s.connect(ctx)
		if err != nil {
			return err
		}
		defer own.close()
		if err := own.exec(ctx, "VACUUM INTO ?", part); err != nil {
			return err
		}
		return syncFile(part)
	})
}

// nameCopy gives the copy a name that no file has, made of the database's own and a
// label, by reserving the name first, since not every file system has hard links.
func (s *Store) nameCopy(part, label string) (string, error) {
	stem := strings.TrimSuffix(s.path, ".db") + label
	for n := 1; ; n++ {
		name := stem + ".db"
		if n > 1 {
			name = fmt.Sprintf("%s-%d.db", stem, n)
		}
		err := createEmpty(name, fileMode)
		if errors.Is(err, fs.ErrExist) {
			// One without content was reserved by a process that died.
			if info, statErr := os.Lstat(name); statErr != nil || !info.Mode().IsRegular() || info.Size() > 0 {
				continue
			}
			err = nil
		}
		if err == nil {
			if err = os.Rename(part, name); err == nil {
				_ = syncFile(filepath.Dir(name)) // as far as the file system lets folders be synced
				return name, nil
			}
			os.Remove(name)
		}
		return "", placeError("keep a copy of", s.path, err)
	}
}

// syncFile makes a file, or the names in a folder, survive a power cut.
func syncFile(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}
