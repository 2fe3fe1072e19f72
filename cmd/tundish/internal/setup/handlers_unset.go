package setup

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"
)

func (handlers) unset(text, base []byte) ([]byte, error) {
	d, err := parseHandlers(text)
	if err != nil {
		return nil, err
	}
	for found := d.ours(); len(found) > 0; found = d.ours() {
		if d, err = d.without(found[0]); err != nil {
			return nil, err
		}
	}
	before, err := parseHandlers(base)
	if err != nil {
		before = handlersText{}
	}
	after := d.text
	if d.list != nil && len(d.list.Content) == 0 && before.key == nil {
		after = d.withoutKey()
	}
	if len(base) > 0 && !bytes.HasSuffix(base, []byte{'\n'}) {
		after = bytes.TrimSuffix(bytes.TrimSuffix(after, []byte{'\n'}), []byte{'\r'}) // add had put it there
	}
	if base == nil && len(bytes.TrimSpace(bytes.TrimPrefix(after, []byte(byteOrderMark)))) == 0 {
		return nil, nil
	}
	if !sameBut(text, after) {
		return nil, errStuck
	}
	return after, nil
}

// without takes a handler of ours out.
func (d handlersText) without(h handler) (handlersText, error) {
	var after []byte
	if d.list.Style&yaml.FlowStyle != 0 {
		start := d.offset(h.node.Line, h.node.Column)
		end := closing(d.text, start)
		if end < 0 {
			return d, errStuck
		}
		switch rest := d.text[end:]; {
		case bytes.HasPrefix(rest, []byte(", ")):
			end += 2
		case bytes.HasPrefix(rest, []byte(",")):
			end++
		case h.at > 0:
			start = bytes.LastIndexByte(d.text[:start], ',')
		}
		after = apply(d.text, cut{start, end, ""})
	} else {
		all := lines(d.text)
		first, last := h.node.Line-1, lastLine(h.node)
		after = []byte(strings.Join(append(append([]string{}, all[:first]...), all[last:]...), ""))
	}
	next, err := parseHandlers(after)
	if err != nil || !sameBut(d.text, after) || len(next.ours()) >= len(d.ours()) {
		return d, errStuck
	}
	return next, nil
}

// lastLine is the last line of a value whose scalars are all on lines of their own.
func lastLine(n *yaml.Node) int {
	last := n.Line
	for _, inner := range n.Content {
		last = max(last, lastLine(inner))
	}
	return last
}

// withoutKey takes out handlers, which is empty.
func (d handlersText) withoutKey() []byte {
	if d.root.Style&yaml.FlowStyle != 0 {
		start := d.offset(d.key.Line, d.key.Column)
		end := closing(d.text, d.offset(d.list.Line, d.list.Column))
		if end < 0 {
			return d.text
		}
		if rest := d.text[end:]; bytes.HasPrefix(rest, []byte(", ")) {
			end += 2
		}
		return apply(d.text, cut{start, end, ""})
	}
	all := lines(d.text)
	if !strings.HasPrefix(strings.TrimSpace(all[d.key.Line-1]), "handlers:") || strings.Contains(all[d.key.Line-1], "#") {
		return d.text
	}
	return []byte(strings.Join(append(append([]string{}, all[:d.key.Line-1]...), all[d.key.Line:]...), ""))
}
