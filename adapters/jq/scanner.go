package jq

import "unicode/utf8"

// Bounds of what is scanned. The rest is for the engine.
const (
	maxScanDepth = 200
	maxScanNodes = maxNodes - 4 // as the decoder counts them
)

// field is a value of a payload that a form looks at, and those in it.
type field struct {
	name  string
	place int // among what is found
	inner []*field
}

// scanner finds fields in JSON text in one pass. It takes only what the decoder of
// the engine takes, and not all of that: canonical text without surprises.
type scanner struct {
	text  []byte
	at    int
	nodes int
	found [maxPlaces][]byte // the text of each field; nil for one that is not there
}

// scan finds the field root, which is all of text, and those in it. It reports
// false where the engine has to look.
func (s *scanner) scan(text []byte, root *field) bool {
	s.text = text
	return utf8.Valid(text) && s.value(root, 0) && s.at == len(text) && s.nodes <= maxScanNodes
}

// next passes the byte c if it is the next one.
func (s *scanner) next(c byte) bool {
	if s.at == len(s.text) || s.text[s.at] != c {
		return false
	}
	s.at++
	return true
}

// value passes a value, which is f; f is nil for one that nobody looks at.
func (s *scanner) value(f *field, depth int) (ok bool) {
	if s.at == len(s.text) || depth > maxScanDepth {
		return false
	}
	s.nodes++
	start := s.at
	parent := f != nil && len(f.inner) > 0
	switch s.text[start] {
	case '{':
		ok = s.object(f, depth)
	case 'n':
		ok = s.word("null")
	case '"':
		ok = !parent && s.quoted()
	case '[':
		ok = !parent && s.array(depth)
	case 't':
		ok = !parent && s.word("true")
	case 'f':
		ok = !parent && s.word("false")
	default:
		ok = !parent && s.number()
	}
	if f != nil {
		s.found[f.place] = s.text[start:s.at]
	}
	return ok
}

func (s *scanner) object(f *field, depth int) bool {
	s.nodes += 3
	s.at++
	if s.next('}') {
		return true
	}
	for {
		start := s.at
		if start == len(s.text) || s.text[start] != '"' || !s.quoted() {
			return false
		}
		inner, ok := s.field(f, s.text[start+1:s.at-1])
		if !ok || !s.next(':') || !s.value(inner, depth+1) {
			return false
		}
		if s.next('}') {
			return true
		}
		if !s.next(',') {
			return false
		}
	}
}

// field returns the field of that name in a field, nil when nobody looks at it. A
// name that is spelled with escapes could be any, and of a name that comes again
// the last one counts.
func (s *scanner) field(in *field, name []byte) (f *field, ok bool) {
	if in == nil || len(in.inner) == 0 {
		return nil, true
	}
	for _, c := range name {
		if c == '\\' {
			return nil, false
		}
	}
	for _, f := range in.inner {
		if f.name == string(name) {
			return f, s.found[f.place] == nil
		}
	}
	return nil, true
}

func (s *scanner) array(depth int) bool {
	s.at++
	if s.next(']') {
		return true
	}
	for s.value(nil, depth+1) {
		if s.next(']') {
			return true
		}
		if !s.next(',') {
			return false
		}
	}
	return false
}

func (s *scanner) word(word string) bool {
	if len(s.text)-s.at < len(word) || string(s.text[s.at:s.at+len(word)]) != word {
		return false
	}
	s.at += len(word)
	return true
}

// quoted passes a string.
func (s *scanner) quoted() bool {
	text := s.text
	for i := s.at + 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			s.at = i + 1
			return true
		case c < ' ':
			return false
		case c == '\\':
			n := escape(text[i+1:])
			if n == 0 {
				return false
			}
			i += n
		}
	}
	return false
}

// escape returns how long the escape is that text begins with, behind its
// backslash; 0 for one that is none or half of a surrogate pair.
func escape(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	switch text[0] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 1
	case 'u':
	default:
		return 0
	}
	if len(text) < 5 || text[1]|0x20 == 'd' && text[2] >= '8' {
		return 0
	}
	for _, c := range text[1:5] {
		if !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
			return 0
		}
	}
	return 5
}

// number passes a number.
func (s *scanner) number() bool {
	start := s.at
	s.next('-')
	if !s.next('0') && !s.digits() {
		return false
	}
	if s.next('.') && !s.digits() {
		return false
	}
	if s.next('e') || s.next('E') {
		if !s.next('+') {
			s.next('-')
		}
		if !s.digits() {
			return false
		}
	}
	return s.at-start <= maxNumber
}

// digits passes digits, of which there must be one.
func (s *scanner) digits() bool {
	start := s.at
	for s.at < len(s.text) && isDigit(s.text[s.at]) {
		s.at++
	}
	return s.at > start
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
