//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package sqlstore

import (
	"errors"
	"os"
	"syscall"
)

// awaitTurn waits for the advisory lock of the file at path, which the open file
// holds until it is closed; nil if that can't be had. Nothing ends the wait.
func awaitTurn(path string) *os.File {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
		switch {
		case err == nil:
			return file
		case !errors.Is(err, syscall.EINTR):
			_ = file.Close()
			return nil
		}
	}
}
