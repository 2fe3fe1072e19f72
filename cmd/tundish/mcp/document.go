package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
)

// document is any JSON value, as it was written. Hosts read the answers of a server
// with parsers of their own, for which a message that is nested too deep, or has a
// number out of range, is none at all: a document like that is given to them as text.
type document []byte

// UnmarshalJSON implements [json.Unmarshaler].
func (d *document) UnmarshalJSON(text []byte) error {
	*d = append((*d)[:0], text...)
	return nil
}

// MarshalJSON implements [json.Marshaler].
func (d document) MarshalJSON() ([]byte, error) {
	if d.plain() {
		return d, nil
	}
	return []byte(compact(string(d))), nil
}

// plainDepth is how deep a document may be nested that every host reads: the least
// limit of the usual parsers is twice that.
const plainDepth = 64

// plain tells whether every host can read it.
func (d document) plain() bool {
	tokens := json.NewDecoder(bytes.NewReader(d))
	tokens.UseNumber()
	for depth := 0; ; {
		token, err := tokens.Token()
		if err != nil {
			return errors.Is(err, io.EOF)
		}
		switch token := token.(type) {
		case json.Number:
			if _, err := strconv.ParseFloat(token.String(), 64); err != nil {
				return false
			}
		case json.Delim:
			if token == '[' || token == '{' {
				depth++
			} else {
				depth--
			}
			if depth > plainDepth {
				return false
			}
		}
	}
}
