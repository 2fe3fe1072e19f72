//go:build unix

package mcp

import (
	"errors"
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// input is standard input whose reads can be ended: no goroutine has to be left
// behind in one.
type input struct {
	file, woken, wake *os.File
	once              sync.Once
}

func newInput(file *os.File) (*input, error) {
	woken, wake, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &input{file: file, woken: woken, wake: wake}, nil
}

// Read reads what is there, waiting for something; once the input is stopped it is
// at its end.
func (i *input) Read(p []byte) (int, error) {
	for {
		polled := []unix.PollFd{
			{Fd: int32(i.file.Fd()), Events: unix.POLLIN}, {Fd: int32(i.woken.Fd()), Events: unix.POLLIN},
		}
		_, err := unix.Poll(polled, -1)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, os.NewSyscallError("poll", err)
		case polled[1].Revents != 0:
			return 0, io.EOF
		default:
			return i.file.Read(p)
		}
	}
}

// stop ends reads now and later. It may be called at any time, and again.
func (i *input) stop() { i.once.Do(func() { _ = i.wake.Close() }) }

// free gives back what the input holds. No read may run or follow.
func (i *input) free() {
	i.stop()
	_ = i.woken.Close()
}
