package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tundish-go/tundish/domain"
)

// writeFile has write fill a new file that only its owner can read, and gives it its
// name when it is whole and safe on the disk.
func (s *session) writeFile(path string, replace bool, write func(io.Writer) error) error {
	if err := s.writable(path, replace); err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part")
	if err != nil {
		return fileError("written", path, err)
	}
	defer os.Remove(part.Name())
	err = write(part)
	if err == nil {
		err = part.Sync()
	}
	if err = errors.Join(err, part.Close()); err == nil {
		err = giveName(part.Name(), path, replace)
	}
	if errors.As(err, new(*fs.PathError)) || errors.As(err, new(*os.LinkError)) {
		return fileError("written", path, err)
	}
	return err
}

// writable refuses what must not be written over.
func (s *session) writable(path string, replace bool) error {
	if s.reserved(path) {
		return usage("name another file", "%q is a name that the database uses itself", path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil // what is wrong with it shows when it is made
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if own, err := os.Stat(s.database + suffix); err == nil && os.SameFile(own, info) {
			return usage("name another file", "%q belongs to the database itself", path)
		}
	}
	switch {
	case !info.Mode().IsRegular():
		return usage("name a file", "%q is no regular file", path)
	case !replace:
		return usage("name another file, or write over it with --force", "%q exists", path)
	}
	return nil
}

// reserved tells whether SQLite gives a file beside the database this name, now or
// later: it would delete what stands there, or take it for its own.
func (s *session) reserved(path string) bool {
	database, err := filepath.EvalSymlinks(s.database)
	if err != nil {
		database = s.database
	}
	rest, ours := strings.CutPrefix(filepath.Base(path), filepath.Base(database))
	if !ours || rest != "-wal" && rest != "-shm" && rest != "-journal" {
		return false
	}
	folder, err := os.Stat(filepath.Dir(path))
	own, ownErr := os.Stat(filepath.Dir(database))
	return err == nil && ownErr == nil && os.SameFile(folder, own)
}

// giveName renames a file. Without hard links, which some file systems lack, there
// is a moment in which another new file could be written over.
func giveName(from, to string, replace bool) error {
	if replace {
		return os.Rename(from, to)
	}
	err := os.Link(from, to)
	if errors.Is(err, fs.ErrExist) {
		return usage("name another file, or write over it with --force", "%q exists", to)
	}
	if err != nil {
		return os.Rename(from, to)
	}
	return nil
}

func fileError(done, path string, err error) error {
	code := domain.IO
	if errors.Is(err, fs.ErrPermission) {
		code = domain.Denied
	}
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			break
		}
		err = inner
	}
	return &domain.Error{Code: code, Text: fmt.Sprintf("the file %q cannot be %s", path, done), Remedy: "look at its folder and disk, or name another file", Err: err}
}
