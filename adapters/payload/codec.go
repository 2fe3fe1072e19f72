// Package payload brings published JSON into the spelling that is stored. It
// implements ports.Payloads on the jsontext tokenizer and decides nothing else:
// size limits and what an error means to the caller belong to the application.
package payload

import (
	"bytes"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tundish-go/tundish/ports"
)

// Codec implements ports.Payloads (PUB-1). The zero value is ready; it holds no
// state and is safe for concurrent use.
type Codec struct{}

var _ ports.Payloads = Codec{}

// New returns a Codec.
func New() Codec { return Codec{} }

// Canonical implements ports.Payloads: one pass when no object repeats a name,
// two more when one does. Time and memory are linear in len(raw), whatever raw
// holds. A maxDepth over 10,000 counts as 10,000, the tokenizer's own bound.
func (Codec) Canonical(raw []byte, maxDepth int) ([]byte, error) {
	deep := tooDeep(raw, maxDepth)
	if deep >= 0 {
		// What comes after the bracket cannot matter: either the text before
		// it is broken, which is the earlier mistake, or the depth is.
		raw = raw[:deep+1]
	}
	out, err := format(raw)
	if errors.Is(err, jsontext.ErrDuplicateName) {
		out, err = format(raw, jsontext.AllowDuplicateNames(true))
		if err == nil {
			return lastValues(out), nil
		}
	}
	if err == nil {
		return out, nil
	}
	offset := int64(len(raw))
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		offset = syntax.ByteOffset
	}
	if deep >= 0 && offset >= int64(deep) {
		return nil, depthError(deep, maxDepth)
	}
	return nil, explain(raw, int(offset), err)
}

// format respells raw in one buffer, in which a quarter stays free: less, and the
// encoder would move the text to a larger one. A payload may be large, and its
// publisher's process small.
func format(raw []byte, opts ...jsontext.Options) ([]byte, error) {
	out := bytes.NewBuffer(make([]byte, 0, len(raw)+len(raw)/2+64))
	if err := jsontext.NewEncoder(out, opts...).WriteValue(raw); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// tooDeep returns the offset of the first bracket that opens a level beyond
// maxDepth, or -1. It trusts the text: behind a syntax error its answer means
// nothing.
func tooDeep(raw []byte, maxDepth int) int {
	maxDepth = min(maxDepth, 10_000)
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i = stringEnd(raw, i)
		case '[', '{':
			if depth++; depth > maxDepth {
				return i
			}
		case ']', '}':
			depth--
		}
	}
	return -1
}

// stringEnd returns the offset of the quote that closes the string opened at
// open, or len(raw) when none does.
func stringEnd(raw []byte, open int) int {
	for i := open + 1; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			return i
		case '\\':
			i++ // the character behind a backslash never ends the string
		}
	}
	return len(raw)
}
