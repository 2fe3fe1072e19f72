package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
	"time"

	"github.com/tundish-go/tundish/domain"
)

// classify gives the code of an error of ours or of the driver.
func (s *Store) classify(err error) domain.Code {
	var e *domain.Error
	if errors.As(err, &e) {
		return e.Code
	}
	code := s.driver.Classify(err)
	if code == domain.IO || code == domain.Internal {
		if system := systemCode(err); system != domain.Internal {
			return system
		}
	}
	return code
}

// fail wraps an error of the driver with the operation and the path, once. A
// context that has ended is the reason, whatever the driver says (STO-5).
func (s *Store) fail(ctx context.Context, op string, err error) error {
	var e *domain.Error
	if errors.As(err, &e) {
		return err
	}
	if ctx.Err() != nil {
		return ended(ctx, op, s.path)
	}
	code := s.classify(err)
	switch code {
	case domain.Busy:
		return s.busy(op, err)
	case domain.Foreign:
		return s.foreign("is no SQLite database")
	case domain.IO, domain.ReadOnly:
		if better := s.diagnose(code); better != domain.Internal {
			code = better
		}
		switch code { // a driver may call it something else, or a disk error
		case domain.Full:
			err = syscall.ENOSPC
		case domain.Denied:
			err = syscall.EACCES
		}
	}
	return &domain.Error{Code: code, Text: cannot(op, s.path), Remedy: remedy(code, s.path), Err: err}
}

func (s *Store) busy(op string, err error) error {
	return &domain.Error{
		Code: domain.Busy, Text: cannot(op, s.path) + ", which another program keeps locked",
		Remedy: remedy(domain.Busy, s.path), Err: err,
	}
}

// foreign says that the file is not ours; what completes the sentence.
func (s *Store) foreign(what string) error {
	return &domain.Error{
		Code: domain.Foreign, Text: fmt.Sprintf("%q %s", s.path, what), Remedy: remedy(domain.Foreign, s.path),
	}
}

func (s *Store) newer(version int64) error {
	return &domain.Error{
		Code: domain.Newer, Remedy: remedy(domain.Newer, s.path),
		Text: fmt.Sprintf("%q has schema %d, and this tundish knows none above %d", s.path, version, schemaVersion),
	}
}

// diagnose asks the operating system why SQLite could not open, read or write a
// file, which the drivers tell in different ways or not at all. Internal when it
// has nothing to add.
func (s *Store) diagnose(code domain.Code) domain.Code {
	folder := filepath.Dir(s.path)
	for _, path := range []string{s.path, s.path + "-wal", s.path + "-shm", folder} {
		if code := systemCode(accessible(path)); code != domain.Internal {
			return code
		}
	}
	if code == domain.IO && crowded(folder) {
		return domain.Full
	}
	return domain.Internal
}

// tight is the free space, in bytes, below which a failure to write is taken for
// a full disk.
const tight = 1 << 20

// over tells whether ctx has ended, by the clock: while this process runs in SQLite,
// the runtime looks at its timers up to ten milliseconds late, and nothing may be
// committed by then (PULL-11).
func over(ctx context.Context) bool {
	if end, ok := ctx.Deadline(); ok && !time.Now().Before(end) {
		<-ctx.Done()
	}
	return ctx.Err() != nil
}

// ended is the error of a unit of work whose context has ended.
func ended(ctx context.Context, op, path string) error {
	return &domain.Error{
		Code: domain.Deadline, Text: cannot(op, path) + " in the time given", Err: context.Cause(ctx),
	}
}

// placeError wraps an error of the operating system.
func placeError(op, path string, err error) error {
	code := systemCode(err)
	if code == domain.Internal {
		code = domain.IO
	}
	return &domain.Error{Code: code, Text: cannot(op, path), Remedy: remedy(code, path), Err: systemCause(err)}
}

func cannot(op, path string) string { return fmt.Sprintf("cannot %s the database %q", op, path) }

// systemCode gives the code of an error of the operating system; Internal when
// err holds none or one that says nothing more.
func systemCode(err error) domain.Code {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return domain.Internal
	}
	switch errno {
	case syscall.ENOSPC, syscall.EDQUOT:
		return domain.Full
	case syscall.EROFS:
		return domain.ReadOnly
	case syscall.EACCES, syscall.EPERM:
		return domain.Denied
	}
	return domain.Internal
}

// systemCause drops the path that the text names already.
func systemCause(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// remedy says what to do about a code; empty when nothing fits all cases.
func remedy(code domain.Code, path string) string {
	switch code {
	case domain.Busy:
		return "try again, and end the program that holds the lock if it hangs"
	case domain.Full:
		return "free space on its disk"
	case domain.ReadOnly:
		return "make the file, its -wal and -shm, and its folder writable, or name another database"
	case domain.Denied:
		return "make the file, its -wal and -shm, and its folder belong to you, or name another database"
	case domain.Foreign:
		return "name another file for the database"
	case domain.Newer:
		return "install a newer tundish"
	case domain.Corrupt:
		return fmt.Sprintf("copy %q with the files beside it away and restore a backup", path)
	case domain.Unsupported:
		return "name a database on a local disk"
	case domain.IO:
		return "look at the disk and at the folder of the file"
	}
	return ""
}

// PrimaryCode maps a primary result code of SQLite, which is the low byte of any
// result code, to a code of ours. It serves the drivers' packages.
func PrimaryCode(code int) domain.Code {
	switch code & 0xff {
	case 3, 23: // PERM, AUTH
		return domain.Denied
	case 5, 6, 15: // BUSY, LOCKED, PROTOCOL: another process is faster
		return domain.Busy
	case 8: // READONLY
		return domain.ReadOnly
	case 10, 14: // IOERR, CANTOPEN
		return domain.IO
	case 11: // CORRUPT
		return domain.Corrupt
	case 13: // FULL
		return domain.Full
	case 22: // NOLFS
		return domain.Unsupported
	case 26: // NOTADB
		return domain.Foreign
	}
	return domain.Internal
}
