package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/ports/storage"
)

// Backup implements [storage.Care]. The copy grows under another name beside path
// and gets its own when it is safe on the disk: a kill leaves at worst a file
// whose name ends in .part.
func (s *Store) Backup(ctx context.Context, path string, replace bool) (storage.Backup, error) {
	target, err := filepath.Abs(path)
	if err != nil {
		return storage.Backup{}, fileError("write", path, err)
	}
	if err := s.replaceable(target, replace); err != nil {
		return storage.Backup{}, err
	}
	p := reading(inboxSchema)
	p.op = "copy"
	if err := s.prepared(ctx, p); err != nil {
		return storage.Backup{}, err
	}
	part, err := newPart(target)
	if err != nil {
		return storage.Backup{}, fileError("write", target, err)
	}
	defer os.Remove(part)
	if err := s.copyInto(ctx, part, target); err != nil {
		return storage.Backup{}, err
	}
	done := storage.Backup{}
	if done.Items, err = s.countItems(ctx, part); err != nil {
		return storage.Backup{}, err
	}
	if info, err := os.Stat(part); err == nil {
		done.Bytes = info.Size()
	}
	return done, publishPart(part, target, replace)
}

// replaceable refuses a target that must not be written over.
func (s *Store) replaceable(target string, replace bool) error {
	refuse := func(remedy, format string) error {
		return &domain.Error{Code: domain.Invalid, Text: fmt.Sprintf(format, target), Remedy: remedy}
	}
	info, err := os.Stat(target)
	switch {
	case s.isReserved(target):
		return refuse("name another file", "%q is a name that the database uses itself")
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(target); err == nil {
			return refuse("name another file", "%q is a link to a file that does not exist")
		}
	case err != nil:
		return fileError("write", target, err)
	case !info.Mode().IsRegular():
		return refuse("name a file", "%q is no regular file")
	case s.isPart(info):
		return refuse("name another file", "%q belongs to the database itself")
	case !replace:
		return refuse("name another file, or write over it with --force", "%q exists")
	}
	for _, beside := range []string{"-wal", "-journal"} {
		if info, err := os.Stat(target + beside); err == nil && info.Size() > 0 {
			return refuse("name another file", "%q has the log of a database beside it, which would spoil a new one there")
		}
	}
	return nil
}

// isReserved tells whether SQLite gives a file beside the database this name, now or
// later: it would delete what stands there, or take it for its own.
func (s *Store) isReserved(path string) bool {
	rest, ours := strings.CutPrefix(filepath.Base(path), filepath.Base(s.path))
	if !ours || rest != "-wal" && rest != "-shm" && rest != "-journal" {
		return false
	}
	folder, err := os.Stat(filepath.Dir(path))
	own, ownErr := os.Stat(filepath.Dir(s.path))
	return err == nil && ownErr == nil && os.SameFile(folder, own)
}

// isPart tells whether a file is that of the database or one beside it.
func (s *Store) isPart(info fs.FileInfo) bool {
	for _, path := range []string{s.path, s.path + "-wal", s.path + "-shm"} {
		if own, err := os.Stat(path); err == nil && os.SameFile(own, info) {
			return true
		}
	}
	return false
}

// newPart makes an empty file beside target that only its owner can read.
func newPart(target string) (string, error) {
	file, err := os.CreateTemp(filepath.Dir(target), filepath.Base(target)+".*.part")
	if err != nil {
		return "", err
	}
	return file.Name(), file.Close()
}

// copyInto writes a consistent copy of the database, log included, into the empty
// file part, which stands for target in what goes wrong.
func (s *Store) copyInto(ctx context.Context, part, target string) error {
	const op = "copy"
	own, err := s.alone(ctx, op)
	if err != nil {
		return err
	}
	defer own.close()
	return s.patience().lock(ctx, op, func() error {
		err := own.exec(ctx, "VACUUM INTO ?", part)
		if err == nil {
			err = syncFile(part)
		}
		if err == nil || ctx.Err() != nil {
			return err
		}
		return s.copyError(target, err)
	})
}

// copyError tells apart what went wrong with the database and what with the copy.
func (s *Store) copyError(target string, err error) error {
	code := s.classify(err)
	if code == domain.IO && crowded(filepath.Dir(target)) {
		code = domain.Full
	}
	switch code {
	case domain.Full, domain.IO, domain.ReadOnly, domain.Denied:
		return &domain.Error{
			Code: code, Text: fmt.Sprintf("cannot write the copy %q", target), Err: err,
			Remedy: "free space on its disk, or name another file",
		}
	}
	return err
}

// countItems counts the items in a copy.
func (s *Store) countItems(ctx context.Context, path string) (items int64, err error) {
	copied := &Store{driver: s.driver, opts: s.opts, path: path, writer: make(chan struct{}, 1)}
	defer func() { err = errors.Join(err, copied.Close()) }()
	own, err := copied.connect(ctx)
	if err != nil {
		return 0, copied.fail(ctx, "read", err)
	}
	defer own.close()
	if err := own.get(ctx, &items, "SELECT COALESCE(SUM(kept), 0) FROM queue"); err != nil {
		return 0, copied.fail(ctx, "read", err)
	}
	return items, nil
}

// publishPart gives a finished copy its name, for good.
func publishPart(part, target string, replace bool) error {
	if err := syncFile(part); err != nil {
		return fileError("write", target, err)
	}
	err := rename(part, target, replace)
	if errors.Is(err, fs.ErrExist) {
		return &domain.Error{
			Code: domain.Invalid, Text: fmt.Sprintf("%q exists", target), Remedy: "name another file, or write over it with --force",
		}
	}
	if err != nil {
		return fileError("write", target, err)
	}
	_ = syncFile(filepath.Dir(target)) // as far as the file system lets folders be synced
	return nil
}

// rename moves a file, in the place of another one only if it may replace it. Where
// the file system has no hard links, the name is reserved first.
func rename(from, to string, replace bool) error {
	if replace {
		return os.Rename(from, to)
	}
	err := os.Link(from, to)
	if err == nil {
		return os.Remove(from)
	}
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := createEmpty(to, fileMode); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// fileError wraps an error of the operating system with a file that is not the
// database.
func fileError(op, path string, err error) error {
	code := systemCode(err)
	if code == domain.Internal {
		code = domain.IO
	}
	return &domain.Error{Code: code, Text: fmt.Sprintf("cannot %s %q", op, path), Remedy: "name another file", Err: systemCause(err)}
}
