package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// hooks edits the JSON files in which most hosts list their hooks: an object
// hooks with an array for each event.
type hooks struct {
	host    string
	events  []string
	groups  bool     // the array has groups, and each an array hooks of its own
	named   bool     // a hook has a name
	typed   bool     // a hook has "type": "command"
	event   bool     // the command must say the event itself
	version bool     // the file has "version": 1
	command []string // members that may hold the command; the first is written
	timeout string   // member with the time limit
	limit   int      // what is written there
	longest int      // what is still a sensible limit
}

// hook is one hook of ours in a file.
type hook struct {
	event   string
	words   []string
	command string // which words are of; empty but in JSON
	line    int
	timeout string // as the file has it; empty without one

	array, group, handlers, handler, text *node // group and handlers are nil without groups
	i, j                                  int   // the places in array and in handlers
}

// line is the command for an event.
func (h hooks) line(words []string, event string) string {
	if h.event {
		words = append(append([]string{}, words...), "--event", event)
	}
	return join(words)
}

// handler is a hook as JSON.
func (h hooks) handler(line string) string {
	var b bytes.Buffer
	b.WriteByte('{')
	if h.typed {
		b.WriteString(`"type":"command",`)
	}
	if h.named {
		b.WriteString(`"name":"tundish",`)
	}
	fmt.Fprintf(&b, `%s:%s,%s:%d}`, quote(h.command[0]), quote(line), quote(h.timeout), h.limit)
	return b.String()
}

// entry is an element of an event's array.
func (h hooks) entry(line string) string {
	if h.groups {
		return `{"hooks":[` + h.handler(line) + `]}`
	}
	return h.handler(line)
}

// find lists the hooks of ours, in the order of the file.
func (h hooks) find(text []byte) ([]hook, error) {
	doc, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	return h.list(doc)
}

func (h hooks) list(doc jsonText) ([]hook, error) {
	root, err := doc.want(doc.root, '{', "the file")
	if err != nil || root == nil {
		return nil, err
	}
	all, err := doc.want(root.member("hooks"), '{', "hooks")
	if err != nil || all == nil {
		return nil, err
	}
	var found []hook
	for _, it := range all.items {
		if it.value.kind != '[' {
			if !h.known(it.key) {
				continue // a setting beside the events
			}
			_, err := doc.want(it.value, '[', "hooks."+it.key)
			return nil, err
		}
		for i, element := range it.value.items {
			at := hook{event: it.key, array: it.value, i: i, handler: element.value}
			if !h.groups {
				found = h.add(doc, found, at)
				continue
			}
			handlers := element.value.member("hooks")
			if handlers == nil || handlers.kind != '[' {
				continue
			}
			for j, inner := range handlers.items {
				at.group, at.handlers, at.j, at.handler = element.value, handlers, j, inner.value
				found = h.add(doc, found, at)
			}
		}
	}
	return found, nil
}

// add adds a hook if it is ours.
func (h hooks) add(doc jsonText, found []hook, at hook) []hook {
	for _, name := range h.command {
		text := at.handler.member(name)
		if text == nil || text.kind != '"' {
			continue
		}
		line := doc.stringAt(text)
		if words := split(line); ours(words, h.host) && !compound(line) {
			at.text, at.words, at.command = text, words, line
			at.line = placed(doc.text, text.start, "").Line
			if limit := at.handler.member(h.timeout); limit != nil {
				at.timeout = string(doc.text[limit.start:limit.end])
			}
			return append(found, at)
		}
	}
	return found
}

func (h hooks) known(event string) bool {
	for _, e := range h.events {
		if e == event {
			return true
		}
	}
	return false
}

func (d jsonText) stringAt(n *node) string {
	var s string
	if json.Unmarshal(d.text[n.start:n.end], &s) != nil {
		return ""
	}
	return s
}

// want checks the kind of a value. None is none, without an error.
func (d jsonText) want(n *node, kind byte, what string) (*node, error) {
	if n == nil || n.kind == kind {
		return n, nil
	}
	name := map[byte]string{'{': "an object", '[': "a list"}[kind]
	return nil, placed(d.text, n.start, fmt.Sprintf("%s is not %s", what, name))
}

// set puts a hook for each event in place, or brings what is there up to date.
// More than one of ours at an event becomes one.
func (h hooks) set(text []byte, words []string) ([]byte, error) {
	doc, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	if _, err := h.list(doc); err != nil {
		return nil, err
	}
	steps := []func(jsonText) []byte{h.setRoot, h.setVersion, func(d jsonText) []byte { return h.setAll(d, words) }}
	for _, event := range h.events {
		steps = append(steps, func(d jsonText) []byte { return h.setEvent(d, words, event) })
	}
	return run(text, append(steps, h.dropRepeats)...)
}

// run makes changes one after the other, each with the positions that the one
// before left.
func run(text []byte, steps ...func(jsonText) []byte) ([]byte, error) {
	for _, step := range steps {
		doc, err := parseJSON(text)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errStuck, err)
		}
		text = step(doc)
	}
	return text, nil
}

// setRoot gives an empty file its object.
func (h hooks) setRoot(d jsonText) []byte {
	if d.root != nil {
		return d.text
	}
	nl := newline(d.text)
	put := "{}" + nl
	if len(d.text) > 0 && !bytes.HasSuffix(d.text, []byte{'\n'}) && string(d.text) != byteOrderMark {
		put = nl + put
	}
	return append(bytes.Clone(d.text), put...)
}

func (h hooks) setVersion(d jsonText) []byte {
	if !h.version || d.root.member("version") != nil {
		return d.text
	}
	return d.insert(d.root, "version", "1")
}

// setAll makes the object with all events where there is none yet.
func (h hooks) setAll(d jsonText, words []string) []byte {
	if d.root.member("hooks") != nil {
		return d.text
	}
	var b bytes.Buffer
	for i, event := range h.events {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%s:[%s]", quote(event), h.entry(h.line(words, event)))
	}
	return d.insert(d.root, "hooks", "{"+b.String()+"}")
}

func (h hooks) setEvent(d jsonText, words []string, event string) []byte {
	all, line := d.root.member("hooks"), h.line(words, event)
	array := all.member(event)
	if array == nil {
		return d.insert(all, event, "["+h.entry(line)+"]")
	}
	found, err := h.list(d)
	if err != nil {
		return d.text // it was checked
	}
	for _, at := range found {
		if at.event != event {
			continue
		}
		if at.timeout == "" {
			d.text = d.insert(at.handler, h.timeout, strconv.Itoa(h.limit)) // behind the command, whose place stays
		}
		if at.command == line {
			return d.text
		}
		return apply(d.text, cut{at.text.start, at.text.end, quote(line)})
	}
	return d.insert(array, "", h.entry(line))
}

// dropRepeats leaves the first of ours at each event.
func (h hooks) dropRepeats(d jsonText) []byte {
	for {
		found, err := h.list(d)
		if err != nil {
			return d.text
		}
		seen := map[string]bool{}
		again := false
		for _, at := range found {
			if seen[at.event] {
				d, again = reparsed(h.drop(d, at), d)
				break
			}
			seen[at.event] = true
		}
		if !again {
			return d.text
		}
	}
}

// reparsed reads a text that was just edited; ok is false, and the old one
// returned, if it broke.
func reparsed(text []byte, before jsonText) (doc jsonText, ok bool) {
	doc, err := parseJSON(text)
	if err != nil {
		return before, false
	}
	return doc, true
}

// drop takes one hook out, and its group if that holds nothing else.
func (h hooks) drop(d jsonText, at hook) []byte {
	if !at.lonely() {
		return d.remove(at.handlers, at.j)
	}
	return d.remove(at.array, at.i)
}

// lonely tells whether nothing else is in the element of the array that has the hook.
func (at hook) lonely() bool { return at.handlers == nil || len(at.handlers.items) == 1 }

var errStuck = errors.New("the file cannot be edited without breaking it, so nothing was changed; edit it by hand")
