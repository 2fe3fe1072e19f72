package cli

import (
	"errors"
	"os"
	"time"
)

// OutputState says what is known about standard output from the time before the
// runtime put something else in the place of a closed one.
type OutputState uint8

// The states. A suspect output looks like what the runtime puts there, but a
// caller may have chosen it too.
const (
	OutputOpen OutputState = iota
	OutputClosed
	OutputSuspect
)

// output is standard output. Writes end at a deadline once one is set.
type output struct {
	file     *os.File
	state    OutputState
	deadline time.Time // zero: none
}

var errClosed = errors.New("standard output is closed")

// SetWriteDeadline ends writes that begin before t and have not ended by then.
// The zero time sets none. It is heeded where the system can tell whether a
// write would block.
func (o *output) SetWriteDeadline(t time.Time) error {
	o.deadline = t
	return nil
}

// Write writes all of p or fails.
func (o *output) Write(p []byte) (int, error) {
	if o.state == OutputClosed {
		return 0, errClosed
	}
	var n int
	var err error
	if o.deadline.IsZero() {
		n, err = o.file.Write(p)
	} else {
		n, err = writeUntil(o.file, p, o.deadline)
	}
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return n, err
}
