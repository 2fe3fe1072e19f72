package setup

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// handlers edits gaff's handlers.yml. The library tells where things are; the text
// is changed by lines, and read again to see that nothing else became different.
type handlers struct{}

func (handlers) find(text []byte) ([]hook, error) {
	d, err := parseHandlers(text)
	if err != nil {
		return nil, err
	}
	var found []hook
	for _, h := range d.ours() {
		for _, event := range h.events() {
			at := hook{event: event, words: h.words, line: h.node.Line, i: h.at}
			if limit := yamlMember(h.node, "timeout_ms"); limit != nil {
				at.timeout = limit.Value
			}
			found = append(found, at)
		}
	}
	return found, nil
}

// entries are our handlers: the lines of a block, or one object in a flow. There
// are two, since gaff counts what happens for each handler: one for all events has
// spent its tool calls and prompts before the agent stops, and is not run then.
func (d handlersText) entries(words []string) [][]string {
	var entries [][]string
	for _, events := range [][]string{gaffWork(), {gaffStop}} {
		entries = append(entries, entry(d.free(events), events, words))
	}
	return entries
}

// entry is one handler.
func entry(name string, events, words []string) []string {
	return []string{
		"name: " + name,
		"events: " + flow(events),
		"every: {tool_calls: 1, prompts: 1}", // a prompt alone is not a tool call
		"command: " + flow(words),
		"timeout_ms: 400",
		"max_bytes: 3000",
	}
}

// free is a name for the handler of these events that no handler has.
func (d handlersText) free(events []string) string {
	taken := map[string]bool{}
	if d.list != nil {
		for _, n := range d.list.Content {
			if name := yamlMember(n, "name"); name != nil {
				taken[name.Value] = true
			}
		}
	}
	suffix := ""
	if slices.Contains(events, gaffStop) {
		suffix = "-" + gaffStop
	}
	name := "tundish" + suffix
	for n := 1; taken[name]; n++ {
		name = "tundish-mail" + suffix
		if n > 1 {
			name += "-" + strconv.Itoa(n)
		}
	}
	return name
}

func flow(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quote(word)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

func (handlers) set(text []byte, words []string) ([]byte, error) {
	d, err := parseHandlers(text)
	if err != nil {
		return nil, err
	}
	found := d.ours()
	if arranged(found, words) {
		return text, nil
	}
	if after := d.renewed(words); settled(text, after, words) {
		return after, nil
	}
	for len(found) > 0 {
		if d, err = d.without(found[0]); err != nil {
			return nil, err
		}
		found = d.ours()
	}
	after := d.add(words)
	if !settled(text, after, words) {
		return nil, errStuck
	}
	return after, nil
}

// arranged tells whether handlers are as init leaves them: all run words, each
// event has one, and the one at stop has no other event.
func arranged(found []handler, words []string) bool {
	count := map[string]int{}
	for _, h := range found {
		if !slices.Equal(h.words, words) || h.mixed() {
			return false
		}
		for _, event := range h.events() {
			count[event]++
		}
	}
	return !slices.ContainsFunc(gaffEvents(), func(event string) bool { return count[event] != 1 })
}

// settled tells whether a change leaves all else, and our handlers as they are to
// be.
func settled(before, after []byte, words []string) bool {
	d, err := parseHandlers(after)
	return err == nil && arranged(d.ours(), words) && sameBut(before, after)
}

// renewed changes handlers in their place: all get the words, and one for all
// events, which is what init wrote once, becomes two.
func (d handlersText) renewed(words []string) []byte {
	found := d.ours()
	var cuts []cut
	for _, h := range found {
		cuts = append(cuts, d.reflow(h.command, words))
	}
	if len(found) == 1 && found[0].mixed() {
		rest := slices.DeleteFunc(found[0].events(), func(event string) bool { return event == gaffStop })
		stop := d.entries(words)[1]
		cuts = append(cuts, d.reflow(yamlMember(found[0].node, "events"), rest), d.behind(found[0], stop))
	}
	if slices.ContainsFunc(cuts, func(c cut) bool { return c.end < 0 }) {
		return nil
	}
	return apply(d.text, cuts...)
}

// reflow puts other words in the place of a list in brackets; its end is negative
// when the list is none.
func (d handlersText) reflow(list *yaml.Node, words []string) cut {
	if list.Style&yaml.FlowStyle == 0 {
		return cut{end: -1}
	}
	start := d.offset(list.Line, list.Column)
	return cut{start, closing(d.text, start), flow(words)}
}

// behind puts a handler behind another one; its end is negative when that has no
// end.
func (d handlersText) behind(h handler, entry []string) cut {
	if d.list.Style&yaml.FlowStyle != 0 {
		end := closing(d.text, d.offset(h.node.Line, h.node.Column))
		return cut{end, end, ", {" + strings.Join(entry, ", ") + "}"}
	}
	at := len(strings.Join(lines(d.text)[:lastLine(h.node)], ""))
	put := d.block(entry, strings.Repeat(" ", d.list.Column-1))
	if !bytes.HasSuffix(d.text[:at], []byte{'\n'}) {
		put = newline(d.text) + put
	}
	return cut{at, at, put}
}

// block is a handler as lines.
func (d handlersText) block(entry []string, indent string) string {
	nl := newline(d.text)
	return indent + "- " + strings.Join(entry, nl+indent+"  ") + nl
}

// add puts our handlers in front of the others, so that no comment is parted from
// the one below it.
func (d handlersText) add(words []string) []byte {
	entries := d.entries(words)
	objects := make([]string, len(entries))
	for i, entry := range entries {
		objects[i] = "{" + strings.Join(entry, ", ") + "}"
	}
	inline := strings.Join(objects, ", ")
	indent := "  "
	switch {
	case d.root != nil && d.root.Style&yaml.FlowStyle != 0 && d.list == nil:
		return d.open(d.root, "handlers: ["+inline+"]")
	case d.list != nil && d.list.Style&yaml.FlowStyle != 0:
		return d.open(d.list, inline)
	case d.list != nil && len(d.list.Content) > 0:
		indent = strings.Repeat(" ", d.list.Column-1)
	}
	var put string
	for _, entry := range entries {
		put += d.block(entry, indent)
	}
	text := d.ended()
	if d.list == nil {
		return append(text, "handlers:"+newline(d.text)+put...)
	}
	at := len(text)
	if lines := lines(text); d.key.Line < len(lines) {
		at = len(strings.Join(lines[:d.key.Line], ""))
	}
	return apply(text, cut{at, at, put})
}

// open puts something first into a flow.
func (d handlersText) open(n *yaml.Node, put string) []byte {
	at := d.offset(n.Line, n.Column) + 1
	if len(n.Content) > 0 {
		put += ", "
	}
	return apply(d.text, cut{at, at, put})
}

// ended is the text with an end to its last line.
func (d handlersText) ended() []byte {
	text := bytes.Clone(d.text)
	if len(text) > 0 && !bytes.HasSuffix(text, []byte{'\n'}) {
		text = append(text, newline(d.text)...)
	}
	return text
}
