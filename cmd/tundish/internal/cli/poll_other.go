//go:build !unix

package cli

import (
	"os"
	"time"
)

// writeUntil cannot wait for room here: it writes, and tells afterwards when
// that took too long.
func writeUntil(file *os.File, p []byte, deadline time.Time) (int, error) {
	n, err := file.Write(p)
	if err == nil && !time.Now().Before(deadline) {
		err = os.ErrDeadlineExceeded
	}
	return n, err
}

// waitOutput cannot wait here: the write that follows does.
func waitOutput(*os.File, time.Duration) error { return nil }

// waitInput cannot wait here: the read that follows does.
func waitInput(*os.File, time.Duration) error { return nil }
