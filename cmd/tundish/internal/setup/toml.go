package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// tomlTable is a table of a TOML file: texts, flags, tables, and nil for values of
// other kinds, which nobody asks for.
//
// The reader is our own, since the one that there is looks up the local time zone
// before main, which every publish and every pull would pay for.
type tomlTable map[string]any

// table is the table of a name; empty when there is none.
func (t tomlTable) table(name string) tomlTable {
	below, _ := t[name].(tomlTable)
	return below
}

func (t tomlTable) text(name string) string {
	text, _ := t[name].(string)
	return text
}

var errTOML = errors.New("it is not TOML")

// parseTOML reads a file.
func parseTOML(text []byte) (tomlTable, error) {
	r := &tomlReader{text: bytes.TrimPrefix(text, []byte(byteOrderMark))}
	root := tomlTable{}
	at := root
	for r.blank(true); r.at < len(r.text); r.blank(true) {
		var err error
		if r.text[r.at] == '[' {
			at, err = r.header(root)
		} else {
			err = r.pair(at)
		}
		if err == nil {
			err = r.lineEnd()
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", bytes.Count(r.text[:min(r.at, len(r.text))], []byte{'\n'})+1, err)
		}
	}
	return root, nil
}

type tomlReader struct {
	text []byte
	at   int
}

// blank skips space and comments, and with lines the ends of lines too.
func (r *tomlReader) blank(lines bool) {
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case c == ' ' || c == '\t' || c == '\r' || lines && c == '\n':
			r.at++
		case c == '#':
			for r.at < len(r.text) && r.text[r.at] != '\n' {
				r.at++
			}
		default:
			return
		}
	}
}

func (r *tomlReader) lineEnd() error {
	if r.blank(false); r.at < len(r.text) && r.text[r.at] != '\n' {
		return errTOML
	}
	return nil
}

// take skips a text that must be there.
func (r *tomlReader) take(text string) error {
	if !bytes.HasPrefix(r.text[r.at:], []byte(text)) {
		return errTOML
	}
	r.at += len(text)
	return nil
}

// header reads [a.b] or [[a.b]] and finds its table, of a list the new one.
func (r *tomlReader) header(root tomlTable) (tomlTable, error) {
	brackets := 1
	if bytes.HasPrefix(r.text[r.at:], []byte("[[")) {
		brackets = 2
	}
	r.at += brackets
	names, err := r.key()
	if err == nil {
		err = r.take(strings.Repeat("]", brackets))
	}
	if err != nil {
		return nil, err
	}
	last := len(names) - 1
	above := root.below(names[:last])
	if brackets == 2 {
		above[names[last]] = tomlTable{}
	}
	return above.below(names[last:]), nil
}

// below is the table along a path, made as far as it is missing.
func (t tomlTable) below(path []string) tomlTable {
	for _, name := range path {
		next, ok := t[name].(tomlTable)
		if !ok {
			next = tomlTable{}
			t[name] = next
		}
		t = next
	}
	return t
}

// key reads names with dots between them.
func (r *tomlReader) key() ([]string, error) {
	var names []string
	for {
		r.blank(false)
		start := r.at
		switch {
		case r.at == len(r.text):
			return nil, errTOML
		case r.text[r.at] == '"' || r.text[r.at] == '\'':
			name, err := r.quoted()
			if err != nil {
				return nil, err
			}
			names = append(names, name)
		default:
			for r.at < len(r.text) && strings.IndexByte(" \t\r\n.=]#\"'[{},", r.text[r.at]) < 0 {
				r.at++
			}
			if start == r.at {
				return nil, errTOML
			}
			names = append(names, string(r.text[start:r.at]))
		}
		if r.blank(false); r.at == len(r.text) || r.text[r.at] != '.' {
			return names, nil
		}
		r.at++
	}
}

// pair reads a key and its value into a table.
func (r *tomlReader) pair(t tomlTable) error {
	names, err := r.key()
	if err == nil {
		err = r.take("=")
	}
	if err != nil {
		return err
	}
	value, err := r.value(0)
	t.below(names[:len(names)-1])[names[len(names)-1]] = value
	return err
}

func (r *tomlReader) value(depth int) (any, error) {
	r.blank(false)
	if r.at == len(r.text) || depth > maxDepth {
		return nil, errTOML
	}
	switch r.text[r.at] {
	case '"', '\'':
		return r.quoted()
	case '[':
		return nil, r.group(']', func() error { _, err := r.value(depth + 1); return err })
	case '{':
		t := tomlTable{}
		return t, r.group('}', func() error { return r.pair(t) })
	}
	start := r.at
	for r.at < len(r.text) && strings.IndexByte("\r\n,]}#", r.text[r.at]) < 0 {
		r.at++
	}
	switch word := strings.TrimSpace(string(r.text[start:r.at])); word {
	case "":
		return nil, errTOML
	case "true", "false":
		return word == "true", nil
	}
	return nil, nil //nolint:nilnil // a number or a time, which nobody asks for
}

// group reads what stands between brackets, with commas.
func (r *tomlReader) group(closing byte, one func() error) error {
	for r.at++; ; {
		r.blank(true)
		switch {
		case r.at == len(r.text):
			return errTOML
		case r.text[r.at] == closing:
			r.at++
			return nil
		}
		if err := one(); err != nil {
			return err
		}
		if r.blank(true); r.at < len(r.text) && r.text[r.at] == ',' {
			r.at++
		} else if r.at == len(r.text) || r.text[r.at] != closing {
			return errTOML
		}
	}
}

// quoted reads any of the four kinds of strings.
func (r *tomlReader) quoted() (string, error) {
	mark := string(r.text[r.at : r.at+1])
	if long := strings.Repeat(mark, 3); bytes.HasPrefix(r.text[r.at:], []byte(long)) {
		mark = long
	}
	start := r.at + len(mark)
	for at := start; at < len(r.text); at++ {
		switch {
		case r.text[at] == '\\' && mark[0] == '"':
			at++
		case bytes.HasPrefix(r.text[at:], []byte(mark)):
			r.at = at + len(mark)
			if mark[0] == '\'' {
				return string(r.text[start:at]), nil
			}
			return unescape(string(r.text[start:at]))
		case r.text[at] == '\n' && len(mark) == 1:
			return "", errTOML
		}
	}
	return "", errTOML
}

// unescape resolves what JSON writes in the same way, and \U.
func unescape(text string) (string, error) {
	if !strings.Contains(text, `\`) {
		return text, nil
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		size := map[byte]int{'u': 4, 'U': 8}[text[i+1]]
		if i++; size == 0 {
			var one string
			if json.Unmarshal([]byte(`"\`+text[i:i+1]+`"`), &one) == nil { // else a line that goes on
				b.WriteString(one)
			}
			continue
		}
		code, err := strconv.ParseUint(text[min(i+1, len(text)):min(i+1+size, len(text))], 16, 32)
		if err != nil {
			return "", errTOML
		}
		b.WriteRune(rune(code)) //nolint:gosec // 32 bits
		i += size
	}
	return b.String(), nil
}
