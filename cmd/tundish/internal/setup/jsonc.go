package setup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// node is a value of a JSON text, by where its bytes are.
type node struct {
	kind       byte // '{', '[', '"', or 'v' for numbers and words
	start, end int
	items      []item
}

// item is a member of an object or an element of an array.
type item struct {
	key   string // of a member
	start int    // of the key, or of the element
	comma int    // where the comma behind it is; -1 without one
	value *node
}

// member finds the value of a key; nil without one, and when n is no object.
func (n *node) member(key string) *node {
	if n == nil || n.kind != '{' {
		return nil
	}
	for _, it := range n.items {
		if it.key == key {
			return it.value
		}
	}
	return nil
}

// jsonText is a JSON text with its positions. Comments and commas behind the last
// item are taken as they come: several hosts allow them in their files.
type jsonText struct {
	text []byte
	root *node // nil when there is nothing but space and comments
}

// maxDepth bounds how deep values may nest: a configuration is written by hand.
const maxDepth = 200

// parseJSON reads text. An error is a *PlaceError without a path.
func parseJSON(text []byte) (jsonText, error) {
	r := &jsonReader{text: text}
	if bytes.HasPrefix(text, []byte(byteOrderMark)) {
		r.at = len(byteOrderMark)
	}
	if err := r.space(); err != nil || r.at == len(text) {
		return jsonText{text: text}, err
	}
	root, err := r.value(0)
	if err != nil {
		return jsonText{}, err
	}
	if err := r.space(); err != nil {
		return jsonText{}, err
	}
	if r.at < len(text) {
		return jsonText{}, r.fail(r.at, "there is more after the end of the value")
	}
	return jsonText{text: text, root: root}, nil
}

const byteOrderMark = "\ufeff"

type jsonReader struct {
	text []byte
	at   int
}

func (r *jsonReader) fail(at int, format string, args ...any) error {
	return placed(r.text, at, fmt.Sprintf(format, args...))
}

// peek is the next byte; 0 at the end.
func (r *jsonReader) peek() byte {
	if r.at >= len(r.text) {
		return 0
	}
	return r.text[r.at]
}

// space skips blanks and comments.
func (r *jsonReader) space() error {
	for r.at < len(r.text) {
		rest := r.text[r.at:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			r.at++
		case bytes.HasPrefix(rest, []byte("//")):
			end := bytes.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			r.at += end
		case bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest[2:], []byte("*/"))
			if end < 0 {
				return r.fail(r.at, "the comment has no end")
			}
			r.at += end + 4
		default:
			return nil
		}
	}
	return nil
}

func (r *jsonReader) value(depth int) (*node, error) {
	if depth > maxDepth {
		return nil, r.fail(r.at, "values are nested more than %d deep", maxDepth)
	}
	n := &node{start: r.at, kind: r.peek()}
	var err error
	switch n.kind {
	case '{':
		err = r.items(n, '}', depth)
	case '[':
		err = r.items(n, ']', depth)
	case '"':
		_, err = r.quoted()
	default:
		n.kind = 'v'
		err = r.word()
	}
	n.end = r.at
	return n, err
}

// items reads what is between the brackets of n.
func (r *jsonReader) items(n *node, closing byte, depth int) error {
	r.at++
	seen := map[string]bool{}
	for {
		if err := r.space(); err != nil {
			return err
		}
		if r.peek() == closing {
			r.at++
			return nil
		}
		it, err := r.item(n.kind == '{', closing, depth)
		if err != nil {
			return err
		}
		if n.kind == '{' && seen[it.key] {
			return r.fail(it.start, "the name %q is there twice", it.key)
		}
		seen[it.key] = true
		n.items = append(n.items, it)
	}
}

// item reads a member or an element, and the comma behind it.
func (r *jsonReader) item(named bool, closing byte, depth int) (it item, err error) {
	it = item{start: r.at, comma: -1}
	if named {
		if r.peek() != '"' {
			return it, r.fail(r.at, "a name in double quotes, or %c, is missing", closing)
		}
		if it.key, err = r.quoted(); err != nil {
			return it, err
		}
		if err := r.space(); err != nil {
			return it, err
		}
		if r.peek() != ':' {
			return it, r.fail(r.at, "a : is missing")
		}
		r.at++
		if err := r.space(); err != nil {
			return it, err
		}
	}
	if it.value, err = r.value(depth + 1); err != nil {
		return it, err
	}
	if err := r.space(); err != nil {
		return it, err
	}
	switch r.peek() {
	case ',':
		it.comma = r.at
		r.at++
	case closing:
	default:
		return it, r.fail(r.at, "a comma or %c is missing", closing)
	}
	return it, nil
}

// quoted reads a string and gives what it stands for.
func (r *jsonReader) quoted() (string, error) {
	start := r.at
	for r.at++; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; {
		case c == '\\':
			r.at++
		case c < ' ':
			return "", r.fail(r.at, "a string does not end on its line")
		case c == '"':
			r.at++
			var s string
			if json.Unmarshal(r.text[start:r.at], &s) != nil {
				return "", r.fail(start, "the string is not valid")
			}
			return s, nil
		}
	}
	return "", r.fail(start, "the string has no end")
}

// word reads a number, true, false or null.
func (r *jsonReader) word() error {
	start := r.at
	for r.at < len(r.text) && strings.IndexByte(" \t\r\n,:{}[]\"/", r.text[r.at]) < 0 {
		r.at++
	}
	switch word := r.text[start:r.at]; {
	case len(word) == 0:
		return r.fail(start, "a value is missing")
	case !json.Valid(word):
		return r.fail(start, "%q is no value", word)
	}
	return nil
}
