package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/tundish-go/tundish/domain"
)

// maxFile bounds what is read: a configuration is written by hand.
const maxFile = 4 << 20

// file is a file as it was read.
type file struct {
	path   string // as the host names it
	target string // behind symbolic links
	exists bool
	text   []byte // nil when it does not exist
	mode   fs.FileMode
	info   fs.FileInfo
}

// readFile reads a file, which need not exist.
func readFile(path string) (file, error) {
	f := file{path: path, target: path}
	for range 40 { // as many links as a system follows
		to, err := os.Readlink(f.target)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(f.target), to)
		}
		f.target = to
	}
	info, err := os.Stat(f.target)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return f, nil
	case err != nil:
		return f, ioError("the file cannot be looked at", err)
	case !info.Mode().IsRegular():
		return f, &domain.Error{Code: domain.Invalid, Text: path + " is not a file", Remedy: "move it away"}
	case info.Size() > maxFile:
		return f, &domain.Error{Code: domain.Invalid, Text: fmt.Sprintf("%s has %d bytes; a configuration has at most %d", path, info.Size(), maxFile)}
	}
	opened, err := os.Open(f.target)
	if err != nil {
		return f, ioError("the file cannot be read", err)
	}
	defer opened.Close()
	text, err := io.ReadAll(io.LimitReader(opened, maxFile))
	if err != nil {
		return f, ioError("the file cannot be read", err)
	}
	f.exists, f.info, f.mode = true, info, info.Mode().Perm()
	f.text = append([]byte{}, text...) // not nil, though it may be empty
	return f, nil
}

// unchanged looks whether the file is still what was read.
func (f file) unchanged() error {
	now, err := readFile(f.path)
	if err != nil {
		return err
	}
	if now.exists != f.exists || now.target != f.target || !bytes.Equal(now.text, f.text) {
		return &domain.Error{Code: domain.IO, Text: f.path + " was changed meanwhile by somebody else", Remedy: "run the command again"}
	}
	return nil
}

// backup is where the file as it was before our first change is kept.
func (f file) backup() string { return f.target + ".before-tundish" }

// spare is where a file that was edited is kept: beside the copy, under the first
// number that is free, or that has a copy of just this text already.
func (f file) spare() (string, error) {
	for n := 1; ; n++ {
		path := fmt.Sprintf("%s-%d", f.backup(), n)
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return path, nil
		case err != nil:
			return "", ioError("the place of a copy cannot be looked at", err)
		case !info.Mode().IsRegular() || info.Size() != int64(len(f.text)):
			continue
		}
		if text, err := os.ReadFile(path); err == nil && bytes.Equal(text, f.text) {
			return path, nil
		}
	}
}

// replace puts text in the place of the file at path in one step: whoever reads
// it sees the old file or the new one, also after a crash. like, which may be nil,
// is a file whose owner the new one gets, where the system lets us.
func replace(path string, text []byte, mode fs.FileMode, like fs.FileInfo) (err error) {
	temp, err := os.CreateTemp(filepath.Dir(path), ".tundish-*")
	if err != nil {
		return ioError("a file cannot be made", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temp.Name())
		}
	}()
	if like != nil {
		chown(temp, like)
	}
	_, err = temp.Write(text)
	err = errors.Join(err, temp.Chmod(mode), temp.Sync(), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return ioError("the file cannot be written", err)
	}
	syncFolder(filepath.Dir(path))
	return nil
}

// syncFolder makes a rename lasting where folders can be synced.
func syncFolder(path string) {
	if folder, err := os.Open(path); err == nil {
		_ = folder.Sync()
		_ = folder.Close()
	}
}
