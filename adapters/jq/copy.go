package jq

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/itchyny/gojq"

	"github.com/tundish-go/tundish/ports"
)

// piece is a part of a template that is copied: a text, or what stands at a path
// in the item.
type piece struct {
	text string
	path []string // field names; none for a text
}

// piecesOf returns the parts of a template that is a path of field names, or a
// text with nothing but such paths in it; nil for any other.
func piecesOf(q *gojq.Query) []piece {
	q = unwrap(q)
	if path, ok := fieldPath(q); ok {
		return []piece{{path: path}}
	}
	if q == nil || q.Term == nil || len(q.FuncDefs) > 0 || q.Term.Type != gojq.TermTypeString || len(q.Term.SuffixList) > 0 {
		return nil
	}
	var pieces []piece
	for _, part := range q.Term.Str.Queries {
		part = unwrap(part)
		if text, ok := literalString(part); ok {
			pieces = append(pieces, piece{text: text})
		} else if path, ok := fieldPath(part); ok {
			pieces = append(pieces, piece{path: path})
		} else {
			return nil
		}
	}
	return pieces
}

// fieldPath returns the names of a query like .payload.a.b.
func fieldPath(q *gojq.Query) ([]string, bool) {
	if q == nil || q.Term == nil || len(q.FuncDefs) > 0 || q.Term.Type != gojq.TermTypeIndex {
		return nil, false
	}
	indexes := []*gojq.Index{q.Term.Index}
	for _, s := range q.Term.SuffixList {
		indexes = append(indexes, s.Index)
	}
	var path []string
	for _, i := range indexes {
		if i == nil || i.Name == "" {
			return nil, false
		}
		path = append(path, i.Name)
	}
	return path, true
}

// copied renders doc from pieces without the engine, which would give the same
// text. It reports false where it cannot tell what the engine would do.
func copied(ctx context.Context, pieces []piece, doc ports.Document) (text string, ok bool, err error) {
	if ctx.Err() != nil {
		return "", true, context.Cause(ctx)
	}
	values := make([]string, len(pieces))
	inPayload := map[int][]string{}
	for i, p := range pieces {
		switch {
		case p.path == nil:
			values[i] = p.text
		case p.path[0] == "payload":
			inPayload[i] = p.path[1:]
		default:
			if values[i], ok = itemField(doc, p.path); !ok {
				return "", false, nil
			}
		}
	}
	if len(inPayload) > 0 && !find(doc.Payload, inPayload, values) {
		return "", false, nil
	}
	size := 0
	for _, v := range values {
		size += len(v)
	}
	if size > maxResult {
		return "", true, errors.New("the result is larger than 1 MiB")
	}
	return strings.ToValidUTF8(strings.Join(values, ""), "\ufffd"), true, nil
}

// itemField returns what the engine would print of a field beside the payload.
func itemField(doc ports.Document, path []string) (string, bool) {
	value, isNull := "null", false
	switch path[0] {
	case "id":
		value = strconv.FormatInt(doc.ID, 10)
	case "queue":
		value = doc.Queue
	case "created_at":
		value = strconv.FormatInt(doc.CreatedAt, 10)
	case "key":
		if isNull = doc.Key == nil; !isNull {
			value = *doc.Key
		}
	default:
		isNull = true
	}
	// null has all fields, and they are null; a text or a number has none.
	return value, isNull || len(path) == 1
}

// find puts what the engine would print of the value at each path in text, which
// is JSON, at its place in values. The decoder refuses a repeated name or bad
// text anywhere, and find with it.
func find(text []byte, paths map[int][]string, values []string) bool {
	deeper := map[int][]string{}
	for i, path := range paths {
		values[i] = "null"
		if len(path) > 0 {
			deeper[i] = path
			continue
		}
		whole, ok := printed(text)
		if !ok {
			return false
		}
		values[i] = whole
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(text))
	switch kind := d.PeekKind(); {
	case kind == 'n' || len(deeper) == 0:
		return d.SkipValue() == nil && atEnd(d)
	case kind != '{':
		return false
	}
	if _, err := d.ReadToken(); err != nil {
		return false
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return false
		}
		if !enter(d, name.String(), deeper, values) {
			return false
		}
	}
	_, err := d.ReadToken()
	return err == nil && atEnd(d)
}

// enter reads the value of the member name for the paths that lead there.
func enter(d *jsontext.Decoder, name string, paths map[int][]string, values []string) bool {
	var here []int
	inner := map[int][]string{}
	for i, path := range paths {
		switch {
		case path[0] != name:
		case len(path) == 1:
			here = append(here, i)
		default:
			inner[i] = path[1:]
		}
	}
	if len(here)+len(inner) == 0 {
		return d.SkipValue() == nil
	}
	value, err := d.ReadValue()
	if err != nil || len(inner) > 0 && !find(value, inner, values) {
		return false
	}
	for _, i := range here {
		text, ok := printed(value)
		if !ok {
			return false
		}
		values[i] = text
	}
	return true
}

func atEnd(d *jsontext.Decoder) bool {
	_, err := d.ReadToken()
	return errors.Is(err, io.EOF)
}

// printed returns the engine's text of a JSON value, where that is a copy of it or
// the contents of a string.
func printed(value []byte) (string, bool) {
	if len(value) > 0 && value[0] == '"' {
		text, err := jsontext.AppendUnquote(nil, value)
		return string(text), err == nil
	}
	if !isCompact(value) {
		return "", false
	}
	return string(value[:min(len(value), maxResult+1)]), true // more is too much anyway
}

// isCompact reports whether JSON text is spelled as the engine would: without
// spaces, and with its escapes.
func isCompact(text []byte) bool {
	inString := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			inString = !inString
		case c == 0x7f:
			return false
		case !inString:
			if c <= ' ' {
				return false
			}
		case c == '\\':
			if i++; i == len(text) || strings.IndexByte(`"\bfnrt`, text[i]) < 0 {
				return false // an escape of a code point is seldom, and may be of any
			}
		}
	}
	return true
}
