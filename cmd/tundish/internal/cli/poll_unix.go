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

// waitInput waits until there is something to read, or the end; at most so long.
func waitInput(file *os.File, left time.Duration) error {
	return wait(int(file.Fd()), unix.POLLIN, left)
}
