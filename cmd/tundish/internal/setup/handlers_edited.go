package setup

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

func (handlers) loses(before, after []byte) bool {
	d, err := parseHandlers(before)
	next, again := parseHandlers(after)
	if err != nil || again != nil {
		return true // never: both were read
	}
	stay := next.ours()
	renewed := len(stay) > 0 && (bytes.Equal(after, before) || bytes.Equal(after, d.renewed(stay[0].words)))
	return slices.ContainsFunc(d.ours(), func(h handler) bool {
		if renewed { // with all but their commands
			return !slices.Equal(h.words, stay[0].words) && !gaff().usual(h.words)
		}
		return !d.plain(h)
	})
}

// plain tells whether a handler of ours is to the byte as init writes it, or as it
// once wrote the one for all events.
func (d handlersText) plain(h handler) bool {
	events, name := h.events(), yamlMember(h.node, "name")
	known := slices.ContainsFunc([][]string{gaffWork(), {gaffStop}, gaffEvents()}, func(of []string) bool { return slices.Equal(of, events) })
	if !known || name == nil || !ownName(name.Value, events) || !gaff().usual(h.words) {
		return false
	}
	entry := entry(name.Value, events, h.words)
	if d.list.Style&yaml.FlowStyle != 0 {
		start := d.offset(h.node.Line, h.node.Column)
		end := closing(d.text, start)
		return end >= 0 && string(d.text[start:end]) == "{"+strings.Join(entry, ", ")+"}"
	}
	is := strings.Join(lines(d.text)[h.node.Line-1:lastLine(h.node)], "")
	return strings.TrimRight(is, "\r\n") == strings.TrimRight(d.block(entry, strings.Repeat(" ", d.list.Column-1)), "\r\n")
}

// ownName tells whether free may give a name to the handler of these events.
func ownName(name string, events []string) bool {
	suffix := ""
	if len(events) == 1 {
		suffix = "-" + gaffStop
	}
	return regexp.MustCompile(`^tundish(-mail)?` + suffix + `$|^tundish-mail` + suffix + `-[0-9]+$`).MatchString(name)
}
