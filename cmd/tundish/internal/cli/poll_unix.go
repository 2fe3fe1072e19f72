//go:build unix

package cli

import (
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// chunk is the size up to which a write to a pipe that poll calls writable does
// not block.
const chunk = 4096

// writeUntil writes p in chunks that cannot block, and waits for room between
// them until the deadline (PULL-12).
func writeUntil(file *os.File, p []byte, deadline time.Time) (int, error) {
	fd := int(file.Fd())
	written := 0
	for written < len(p) {
		if err := wait(fd, unix.POLLOUT, time.Until(deadline)); err != nil {
			return written, err
		}
		n, err := unix.Write(fd, p[written:min(written+chunk, len(p))])
		switch {
		case err == nil && n <= 0:
			return written, io.ErrShortWrite
		case err == nil:
			written += n
		case !errors.Is(err, unix.EINTR) && !errors.Is(err, unix.EAGAIN):
			return written, err
		}
	}
	return written, nil
}

// wait waits until a descriptor is ready for events, or broken, which the next
// call on it tells. When the time is over first, the error is
// os.ErrDeadlineExceeded.
func wait(fd int, events int16, left time.Duration) error {
	end := time.Now().Add(left)
	for {
		left := min(max(0, time.Until(end)), time.Minute)
		polled := []unix.PollFd{{Fd: int32(fd), Events: events}}
		n, err := unix.Poll(polled, int((left+time.Millisecond-1)/time.Millisecond))
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return err
		case n > 0:
			return nil
		default:
			return os.ErrDeadlineExceeded
		}
	}
}

// waitOutput waits until a write of a chunk does not block; at most so long. It
// fails when nobody can read it any more.
func waitOutput(file *os.File, left time.Duration) error {
	fd := int(file.Fd())
	if err := wait(fd, unix.POLLOUT, left); err != nil {
		return err
	}
	if wait(fd, 0, 0) == nil { // what is always told: an error, or the other end closed
		return unix.EPIPE
	}
	return nil
}

// waitInput waits until there is something to read, or the end; at most so long.
func waitInput(file *os.File, left time.Duration) error {
	return wait(int(file.Fd()), unix.POLLIN, left)
}
