package jq

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// encoder writes values as compact JSON with the keys of objects in their order.
// It stops at maxNodes nodes and limit bytes.
type encoder struct {
	known orders
	buf   []byte
	nodes int
	limit int
}

// errTooLarge says that a value does not fit into an encoder's bounds.
func errTooLarge() error { return errors.New("the value is too large to print") }

// encode writes v.
func (e *encoder) encode(v any) error {
	if e.nodes++; e.nodes > maxNodes || len(e.buf) > e.limit {
		return errTooLarge()
	}
	switch v := v.(type) {
	case nil:
		e.buf = append(e.buf, "null"...)
	case bool:
		e.buf = strconv.AppendBool(e.buf, v)
	case int:
		e.buf = strconv.AppendInt(e.buf, int64(v), 10)
	case float64:
		e.buf = appendFloat(e.buf, v)
	case *big.Int:
		e.buf = v.Append(e.buf, 10)
	case json.Number:
		e.buf = append(e.buf, v...)
	case string:
		if len(v) > e.limit {
			return errTooLarge()
		}
		e.buf = appendString(e.buf, v)
	case []any:
		return e.encodeArray(v)
	case map[string]any:
		return e.encodeObject(v)
	default:
		return fmt.Errorf("the expression yields no JSON value")
	}
	return nil
}

func (e *encoder) encodeArray(array []any) error {
	e.buf = append(e.buf, '[')
	for i, v := range array {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		if err := e.encode(v); err != nil {
			return err
		}
	}
	e.buf = append(e.buf, ']')
	return nil
}

func (e *encoder) encodeObject(object map[string]any) error {
	e.buf = append(e.buf, '{')
	for i, k := range e.known.keys(object) {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.buf = append(appendString(e.buf, k), ':')
		if err := e.encode(object[k]); err != nil {
			return err
		}
	}
	e.buf = append(e.buf, '}')
	return nil
}

// appendFloat writes f as jq does: in the shortest form that reads back, with an
// exponent when the number is small or ends in many zeros. What is no number is
// null, and what is infinite is the largest number.
func appendFloat(dst []byte, f float64) []byte {
	if math.IsNaN(f) {
		return append(dst, "null"...)
	}
	f = min(max(f, -math.MaxFloat64), math.MaxFloat64)
	mark := len(dst)
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	text := string(dst[mark:])
	mantissa, exponent, _ := strings.Cut(text, "e")
	digits := len(strings.TrimPrefix(strings.Replace(mantissa, ".", "", 1), "-"))
	point, _ := strconv.Atoi(exponent) // the place of the point is one further
	if f == 0 || point+1 > -4 && point+1 <= digits+15 {
		return strconv.AppendFloat(dst[:mark], f, 'f', -1, 64)
	}
	return dst
}

// appendString writes s quoted, with the escapes that jq uses. Bytes that are
// not UTF-8 become replacement characters.
func appendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(append(dst, s[start:i]...), "\ufffd"...)
				start = i + size
			}
			i += size
			continue
		}
		if c < ' ' || c == '"' || c == '\\' || c == 0x7f {
			dst = append(dst, s[start:i]...)
			start = i + 1
			switch c {
			case '"', '\\':
				dst = append(dst, '\\', c)
			case '\b':
				dst = append(dst, `\b`...)
			case '\f':
				dst = append(dst, `\f`...)
			case '\n':
				dst = append(dst, `\n`...)
			case '\r':
				dst = append(dst, `\r`...)
			case '\t':
				dst = append(dst, `\t`...)
			default:
				dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			}
		}
		i++
	}
	return append(append(dst, s[start:]...), '"')
}
