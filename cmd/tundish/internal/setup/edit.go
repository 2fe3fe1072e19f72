package setup

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// cut is a change to a text: the bytes from start to end become other ones.
type cut struct {
	start, end int
	put        string
}

// apply makes the changes, which do not overlap.
func apply(text []byte, cuts ...cut) []byte {
	slices.SortStableFunc(cuts, func(a, b cut) int { return a.start - b.start })
	var out []byte
	at := 0
	for _, c := range cuts {
		out = append(append(out, text[at:c.start]...), c.put...)
		at = c.end
	}
	return append(out, text[at:]...)
}

// newline is the end of a line as the text has it.
func newline(text []byte) string {
	if at := bytes.IndexByte(text, '\n'); at > 0 && text[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// indent is the space that begins the line of an offset.
func indent(text []byte, at int) string {
	start := bytes.LastIndexByte(text[:at], '\n') + 1
	end := start
	for end < at && (text[end] == ' ' || text[end] == '\t') {
		end++
	}
	return string(text[start:end])
}

// firstOnLine tells whether only space is in front of an offset.
func firstOnLine(text []byte, at int) bool {
	start := bytes.LastIndexByte(text[:at], '\n') + 1
	return start > 0 && start+len(indent(text, at)) == at
}

// unit is one step of the text's own indentation: that of its first member which
// has a line of its own.
func (d jsonText) unit() string {
	if d.root != nil {
		for _, it := range d.root.items {
			if step := indent(d.text, it.start); firstOnLine(d.text, it.start) && step != "" {
				return step
			}
		}
	}
	return "  "
}

// oneLine tells whether a container, or the whole text where it is empty, is
// written without line breaks.
func (d jsonText) oneLine(c *node) bool {
	if len(c.items) > 0 {
		return !bytes.Contains(d.text[c.start:c.items[0].start], []byte{'\n'})
	}
	return c != d.root && d.oneLine(d.root)
}

// insert puts a member, or with no key an element, behind the last one of c. The
// value is compact JSON; it is written in the style that it finds.
func (d jsonText) insert(c *node, key, value string) []byte {
	nl, inner := newline(d.text), indent(d.text, c.start)+d.unit()
	switch {
	case d.oneLine(c):
		return d.insertInline(c, key, value)
	case len(c.items) == 0:
		put := nl + inner + d.styled(key, value, inner)
		rest := d.text[c.start+1 : c.end-1]
		blank := len(bytes.Trim(rest, " \t")) == 0
		if !bytes.Contains(rest, []byte{'\n'}) {
			put += nl + indent(d.text, c.start)
		}
		if blank {
			return apply(d.text, cut{c.start + 1, c.end - 1, put})
		}
		return apply(d.text, cut{c.start + 1, c.start + 1, put})
	}
	last := c.items[len(c.items)-1]
	if inner = indent(d.text, last.start); !firstOnLine(d.text, last.start) {
		inner = indent(d.text, c.items[0].start)
	}
	put := nl + inner + d.styled(key, value, inner)
	if last.comma >= 0 {
		at := d.behind(last.comma + 1)
		return apply(d.text, cut{at, at, put + ","})
	}
	at := d.behind(last.value.end)
	if at == last.value.end {
		return apply(d.text, cut{at, at, "," + put})
	}
	return apply(d.text, cut{last.value.end, last.value.end, ","}, cut{at, at, put})
}

func (d jsonText) insertInline(c *node, key, value string) []byte {
	gap := ", "
	if !bytes.Contains(d.text, []byte(", ")) && !bytes.Contains(d.text, []byte(": ")) {
		gap = ","
	}
	put := value
	if key != "" {
		put = quote(key) + ":" + strings.TrimPrefix(gap, ",") + value
	}
	if len(c.items) == 0 {
		return apply(d.text, cut{c.start + 1, c.start + 1, put})
	}
	at := c.items[len(c.items)-1].value.end
	return apply(d.text, cut{at, at, gap + put})
}

// behind is the place behind the comments that follow at on its line, or at.
func (d jsonText) behind(at int) int {
	for next := at; ; {
		for next < len(d.text) && (d.text[next] == ' ' || d.text[next] == '\t') {
			next++
		}
		rest := d.text[next:]
		switch {
		case bytes.HasPrefix(rest, []byte("//")):
			end := bytes.IndexByte(rest, '\n')
			if end < 0 {
				return at // the bracket must be somewhere
			}
			return next + len(bytes.TrimSuffix(rest[:end], []byte{'\r'}))
		case bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest, []byte("*/"))
			if bytes.Contains(rest[:end], []byte{'\n'}) {
				return at
			}
			next += end + 2
			at = next
		default:
			return at
		}
	}
}

// styled is a member or element on lines of its own, the first one begun already.
func (d jsonText) styled(key, value, inner string) string {
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(value), inner, d.unit()); err != nil {
		panic(err) // it is ours
	}
	text := strings.ReplaceAll(out.String(), "\n", newline(d.text))
	if key != "" {
		text = quote(key) + ": " + text
	}
	return text
}

// quote is a string as JSON has it.
func quote(s string) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(s); err != nil {
		panic(err) // a string always encodes
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// remove takes an item away with what insert put around it. What was between the
// brackets of a container that is empty then is gone too, if it is only space.
func (d jsonText) remove(c *node, i int) []byte {
	it := c.items[i]
	start := it.start
	for start > c.start+1 && strings.IndexByte(" \t\r\n", d.text[start-1]) >= 0 {
		start--
	}
	ownLine := bytes.Contains(d.text[start:it.start], []byte{'\n'})
	end := it.value.end
	if len(c.items) == 1 && it.comma < 0 {
		before, after := d.text[c.start+1:start], d.text[end:c.end-1]
		if len(before) == 0 && len(bytes.TrimSpace(after)) == 0 {
			end = c.end - 1
		}
		return apply(d.text, cut{start, end, ""})
	}
	switch {
	case it.comma < 0: // the last one: the comma in front goes with it
		comma := c.items[i-1].comma
		return apply(d.text, cut{comma, comma + 1, ""}, cut{start, end, ""})
	case !ownLine && i+1 < len(c.items):
		start = it.start
		end = it.comma + 1
		for strings.IndexByte(" \t", d.text[end]) >= 0 {
			end++
		}
		return apply(d.text, cut{start, end, ""})
	case it.comma == end:
		return apply(d.text, cut{start, end + 1, ""})
	}
	return apply(d.text, cut{start, end, ""}, cut{it.comma, it.comma + 1, ""})
}
