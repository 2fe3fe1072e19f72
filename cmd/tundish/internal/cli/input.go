package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/tundish-go/tundish/domain"
)

// lineReader reads lines and can stop waiting for one. It needs no goroutine:
// before it reads, it asks the system whether there is something.
type lineReader struct {
	file   *os.File
	most   int   // bytes of a line that are kept
	number int64 // of the line returned last, from 1

	unread  []byte
	skipped int64 // bytes already thrown away of a line that is too long
	ended   bool
}

// lineText is a line without its newline. Size is its length; text is shorter
// only when the line is longer than the reader keeps.
type lineText struct {
	text []byte
	size int64
}

// next returns the next line; the text is valid until the next call. At the end
// the error is io.EOF. When nothing came by until, it is os.ErrDeadlineExceeded,
// and what came of a line is kept for the next call; the zero time waits for
// ever.
func (r *lineReader) next(until time.Time) (lineText, error) {
	searched := 0
	for {
		if end := bytes.IndexByte(r.unread[searched:], '\n'); end >= 0 {
			return r.take(searched+end, 1), nil
		}
		if len(r.unread) > r.most {
			r.skipped += int64(len(r.unread))
			r.unread = r.unread[:0]
		}
		searched = len(r.unread)
		if r.ended {
			if searched == 0 && r.skipped == 0 {
				return lineText{}, io.EOF
			}
			return r.take(searched, 0), nil
		}
		if err := r.more(until); err != nil {
			return lineText{}, err
		}
	}
}

// take cuts a line of n bytes off what was read, and the newline after it.
func (r *lineReader) take(n, newline int) lineText {
	line := lineText{text: r.unread[:n], size: r.skipped + int64(n)}
	if r.skipped > 0 {
		line.text = nil
	}
	r.unread = r.unread[n+newline:]
	r.skipped = 0
	r.number++
	return line
}

func (r *lineReader) more(until time.Time) error {
	if !until.IsZero() {
		if err := waitInput(r.file, time.Until(until)); err != nil {
			return err
		}
	}
	const step = 64 << 10
	if cap(r.unread)-len(r.unread) < step {
		r.unread = append(make([]byte, 0, 2*len(r.unread)+2*step), r.unread...)
		outgrown(len(r.unread))
	}
	n, err := r.file.Read(r.unread[len(r.unread) : len(r.unread)+step])
	r.unread = r.unread[:len(r.unread)+n]
	switch {
	case errors.Is(err, io.EOF):
		r.ended = true
	case err != nil:
		return &domain.Error{Code: domain.IO, Text: "standard input cannot be read", Err: err}
	}
	return nil
}

// outgrown frees buffers that size bytes of input have outgrown, if they are
// large: the process may be on a small machine, and the collector would wait
// until there is twice as much of them.
func outgrown(size int) {
	if size > 1<<20 {
		runtime.GC()
	}
}
