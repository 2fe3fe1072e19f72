//go:build unix

package config

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// open opens a file for reading, as os.Open does but for its poller, which would
// be set up for this one file and cost more than reading it.
func open(path string) (*os.File, error) {
	for {
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		switch {
		case err == nil:
			return os.NewFile(uintptr(fd), path), nil
		case !errors.Is(err, syscall.EINTR):
			return nil, &fs.PathError{Op: "open", Path: path, Err: err}
		}
	}
}
