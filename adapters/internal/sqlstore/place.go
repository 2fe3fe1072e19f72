package sqlstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tundish-go/tundish/domain"
)

// The modes of what the store creates: payloads are private mail (STO-2).
const (
	folderMode fs.FileMode = 0o700
	fileMode   fs.FileMode = 0o600
)

// exists tells whether there is a file with content at the path, and refuses
// what can never be a database, without opening anything. A file without content
// is a database that has yet to be made (STO-5).
//
// Looking into the file is left to SQLite: closing a second descriptor of a file
// releases the locks that other connections of this process hold on it.
func (s *Store) exists() (bool, error) {
	info, err := os.Stat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, placeError("open", s.path, err)
	case info.IsDir():
		return false, s.foreign("is a folder")
	case !info.Mode().IsRegular():
		return false, s.foreign("is no regular file")
	case info.Size() == 1: // which the C library would take for none, and overwrite
		return false, s.foreign("is no SQLite database")
	}
	return info.Size() > 0, s.suitable()
}

// suitable refuses network file systems, on which locks and shared memory do
// not work, and warns of those on which they might not (STO-5).
func (s *Store) suitable() error {
	kind, verdict := filesystem(standing(filepath.Dir(s.path)))
	switch verdict {
	case refused:
		return &domain.Error{
			Code: domain.Unsupported, Remedy: remedy(domain.Unsupported, s.path),
			Text: fmt.Sprintf("%q is on a network file system (%s), which cannot hold the database", s.path, kind),
		}
	case doubtful:
		s.warnOnce(fmt.Sprintf("%q is on a shared file system (%s): use the database from one machine only", s.path, kind))
	}
	return nil
}

// standing is path, or the lowest folder above it that is there.
func standing(path string) string {
	for {
		above := filepath.Dir(path)
		if _, err := os.Stat(path); above == path || !errors.Is(err, fs.ErrNotExist) {
			return path
		}
		path = above
	}
}

func (s *Store) warnOnce(line string) {
	s.mu.Lock()
	told := s.warned
	s.warned = true
	s.mu.Unlock()
	if !told {
		s.opts.warn(line)
	}
}

// makeFile creates the folder and an empty file, as far as they are missing.
func (s *Store) makeFile() error {
	if err := s.suitable(); err != nil {
		return err
	}
	if err := makeFolder(filepath.Dir(s.path)); err != nil {
		return placeError("make the folder of", s.path, err)
	}
	if err := createEmpty(s.path, fileMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return placeError("create", s.path, err)
	}
	return nil
}

// makeFolder creates a folder with those above it. Each is synced into the one
// above, as far as that is possible: SQLite does so for files only, and what is
// in a folder lasts no longer than its name.
func makeFolder(path string) error {
	if _, err := os.Stat(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	above := filepath.Dir(path)
	if err := makeFolder(above); err != nil {
		return err
	}
	if err := os.Mkdir(path, folderMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	_ = syncFile(above)
	return nil
}

// tighten gives the files beside the database its own mode, where a driver
// created them with a wider one (STO-2). They hold nothing yet when this
// process made them.
func (s *Store) tighten() {
	info, err := os.Stat(s.path)
	if err != nil {
		return
	}
	mode := info.Mode().Perm()
	for _, path := range []string{s.path + "-wal", s.path + "-shm"} {
		if beside, err := os.Stat(path); err == nil && beside.Mode().Perm()&^mode != 0 {
			_ = os.Chmod(path, beside.Mode().Perm()&mode) // another owner's file stays as it is
		}
	}
}

// verdict says whether a file system can hold a database.
type verdict uint8

const (
	fine verdict = iota
	doubtful
	refused
)

// judge gives the verdict on a file system by its name.
func judge(kind string) verdict {
	switch kind {
	case "nfs", "nfs4", "smb", "smb2", "smbfs", "cifs", "afs", "afpfs", "webdav", "sshfs", "fuse.sshfs":
		return refused
	case "9p", "virtiofs":
		return doubtful
	}
	return fine
}
