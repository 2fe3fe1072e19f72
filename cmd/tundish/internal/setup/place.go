package setup

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// PlaceError says what in a file cannot be used, and where.
type PlaceError struct {
	Path   string
	Line   int // from 1
	Column int // characters, from 1; 0 when it is not known
	Text   string
}

// Error begins with the place, as compilers do.
func (e *PlaceError) Error() string {
	if e.Column == 0 {
		return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Text)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.Path, e.Line, e.Column, e.Text)
}

// placed makes the error of what is at an offset of text.
func placed(text []byte, at int, what string) *PlaceError {
	before := text[:min(at, len(text))]
	before = bytes.TrimPrefix(before, []byte(byteOrderMark))
	start := bytes.LastIndexByte(before, '\n') + 1
	return &PlaceError{
		Line: bytes.Count(before, []byte{'\n'}) + 1, Column: utf8.RuneCount(before[start:]) + 1, Text: what,
	}
}
