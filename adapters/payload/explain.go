package payload

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/tundish-go/tundish/ports"
)

// depthError says that the bracket at offset opens one level too many.
func depthError(offset, maxDepth int) *ports.PayloadError {
	return &ports.PayloadError{
		Offset: int64(offset),
		Reason: fmt.Sprintf("arrays and objects are nested deeper than %d", min(maxDepth, 10_000)),
	}
}

// explain says what is wrong with raw at offset, where the tokenizer stopped
// with err, in words that name the thing and the remedy. Everything in front of
// offset is a valid beginning of a JSON value.
func explain(raw []byte, offset int, err error) *ports.PayloadError {
	if len(bytes.TrimSpace(raw)) == 0 {
		return &ports.PayloadError{Offset: -1, Reason: "there is no JSON value: the text is empty"}
	}
	p := position(raw, offset)
	if word := wordStart(raw, offset); !p.inString && word < offset && !isDigit(raw[word]) {
		// Inside something like true: the whole word is the mistake.
		return &ports.PayloadError{Offset: int64(word), Reason: p.valueReason(raw[word:])}
	}
	p.inNumber = wordStart(raw, offset) < offset
	fault := func(reason string) *ports.PayloadError {
		return &ports.PayloadError{Offset: int64(offset), Reason: reason}
	}
	rest := raw[min(offset, len(raw)):]
	switch {
	case p.inString && len(rest) == 0:
		return fault("the text ends inside a string: its closing quote is missing")
	case len(rest) == 0:
		return fault(p.endReason())
	case !utf8.FullRune(rest) || startsInvalid(rest):
		return fault("the text is not valid UTF-8")
	case p.inString:
		return fault(stringReason(rest))
	}
	return fault(p.reason(rest, err))
}

// startsInvalid reports whether b starts with bytes that are not UTF-8.
func startsInvalid(b []byte) bool {
	r, size := utf8.DecodeRune(b)
	return r == utf8.RuneError && size <= 1
}

// stringReason names what is wrong inside a string, at the start of rest.
func stringReason(rest []byte) string {
	switch {
	case bytes.HasPrefix(rest, []byte(`\u`)) && isHex(rest[2:]):
		return fmt.Sprintf("%s is half of a surrogate pair without its other half", rest[:6])
	case rest[0] == '\\':
		r, _ := utf8.DecodeRune(rest[1:])
		return fmt.Sprintf(`the string has the escape \%c, which JSON does not know; a backslash itself is written \\`, r)
	default:
		return fmt.Sprintf("the string has a raw control character; write it as \\u%04x", rest[0])
	}
}

// isHex reports whether b starts with four hexadecimal digits.
func isHex(b []byte) bool {
	if len(b) < 4 {
		return false
	}
	for _, c := range b[:4] {
		if !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f') {
			return false
		}
	}
	return true
}

// place is where in a JSON text an offset lies.
type place struct {
	inString bool
	open     []byte // the brackets that are open, outermost first
	before   byte   // the last byte that is not white space; 0 at the start
	isName   bool   // a string just ended and it is a member's name
	inNumber bool   // directly behind a digit, or a letter or sign behind one
}

// position reads the valid beginning raw[:offset].
func position(raw []byte, offset int) place {
	var p place
	head := raw[:min(offset, len(raw))]
	expectName := false
	for i := 0; i < len(head); i++ {
		c := head[i]
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		case '"':
			if i = stringEnd(head, i); i == len(head) {
				p.inString = true
				return p
			}
			p.isName = expectName
		case '[', '{':
			p.open = append(p.open, c)
		case ']', '}':
			p.open = p.open[:len(p.open)-1]
		}
		inObject := len(p.open) > 0 && p.open[len(p.open)-1] == '{'
		expectName = inObject && (c == '{' || c == ',')
		if c != '"' {
			p.isName = false
		}
		p.before = c
	}
	return p
}

// endReason says what is missing where the text ends.
func (p place) endReason() string {
	if len(p.open) == 0 {
		return "the text ends too early: the value is not complete"
	}
	if p.open[len(p.open)-1] == '{' {
		return "the text ends too early: an object is not closed with }"
	}
	return "the text ends too early: an array is not closed with ]"
}

// reason says what is wrong at rest, outside a string.
func (p place) reason(rest []byte, err error) string {
	top := byte(0)
	if len(p.open) > 0 {
		top = p.open[len(p.open)-1]
	}
	wantsValue := p.before == 0 || p.before == ':' || p.before == '[' || p.before == ',' && top == '['
	switch {
	case rest[0] == '\'' && (wantsValue || top == '{'):
		return "single quotes are not JSON; put names and text in double quotes"
	case wantsValue:
		return p.valueReason(rest)
	case top == '{' && (p.before == '{' || p.before == ','):
		return nameReason(p.before, rest)
	case top == '{' && p.isName:
		return "a colon must follow the name"
	case p.inNumber && p.before == '0' && isDigit(rest[0]) && rest[0] != '-':
		return "numbers have no leading zeros"
	case p.inNumber && isWordByte(rest[0]):
		return "this does not continue a JSON number: " + quoteStart(rest)
	case top == '{':
		return "a comma or } must follow"
	case top == '[':
		return "a comma or ] must follow"
	case p.before != 0:
		return "text follows the end of the value: " + quoteStart(rest) + "; publish one value at a time"
	}
	return err.Error()
}

// valueReason says why no value starts at rest.
func (p place) valueReason(rest []byte) string {
	r, _ := utf8.DecodeRune(rest)
	switch {
	case p.before == ',' && r == ']':
		return "a value must follow the comma"
	case r == '\ufeff':
		return "the text starts with a byte order mark, which JSON does not allow"
	case bytes.HasPrefix(rest, []byte("//")), bytes.HasPrefix(rest, []byte("/*")), r == '#':
		return "comments are not JSON"
	case r == '.' || r == '+':
		return "a number starts with a digit or a minus sign"
	case unicode.IsLetter(r) || r == '_':
		word := firstWord(rest)
		return fmt.Sprintf("%s is not a JSON value; text needs double quotes: \"%s\"", word, word)
	default:
		return "a value must stand here, not " + quoteStart(rest)
	}
}

// nameReason says why no member starts at rest, behind an object's { or comma.
func nameReason(before byte, rest []byte) string {
	if before == ',' && rest[0] == '}' {
		return "a name must follow the comma"
	}
	if before == ',' {
		return "a name in double quotes must follow the comma"
	}
	return "a name in double quotes or } must follow"
}

// firstWord returns the first word of b, at most 40 bytes of it.
func firstWord(b []byte) []byte {
	n := 0
	for n < min(len(b), 40) {
		r, size := utf8.DecodeRune(b[n:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' {
			break
		}
		n += size
	}
	return b[:n]
}

// quoteStart shows the first characters of b.
func quoteStart(b []byte) string {
	n := 0
	for range 20 {
		if n < len(b) {
			_, size := utf8.DecodeRune(b[n:])
			n += size
		}
	}
	return fmt.Sprintf("%q", b[:n])
}

// wordStart returns where the number or literal that ends at offset starts.
func wordStart(raw []byte, offset int) int {
	for offset > 0 && isWordByte(raw[offset-1]) {
		offset--
	}
	return offset
}

// isWordByte reports whether c can be part of a number or literal.
func isWordByte(c byte) bool {
	return isDigit(c) || c == '-' || c == '+' || c == '.' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' || c == '-' }
