package mcp

import (
	"bufio"
	"errors"
	"io"
)

// lineReader reads lines of a bounded length.
type lineReader struct {
	buffered *bufio.Reader
	most     int
}

func newLineReader(r io.Reader, most int) *lineReader {
	return &lineReader{buffered: bufio.NewReaderSize(r, 64<<10), most: most}
}

// next returns the next line, without what is beyond the bound; the rest of such a
// line is skipped, and whole is false. A last line without a newline counts.
func (l *lineReader) next() (line []byte, whole bool, err error) {
	whole = true
	for {
		part, err := l.buffered.ReadSlice('\n')
		if room := l.most - len(line); len(part) > room {
			part, whole = part[:room], false
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return line, whole, nil
		case errors.Is(err, io.EOF) && len(line) > 0:
			return line, whole, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, false, err
		}
	}
}
