package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// handlersText is a YAML text with its positions.
type handlersText struct {
	text []byte
	root *yaml.Node // the mapping; nil when the text holds nothing
	key  *yaml.Node // handlers, and its value; nil without it
	list *yaml.Node
}

func parseHandlers(text []byte) (handlersText, error) {
	d := handlersText{text: text}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var doc, second yaml.Node
	switch err := decoder.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return d, nil
	case err != nil:
		return d, yamlError(err)
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		if err != nil {
			return d, yamlError(err)
		}
		return d, &PlaceError{Line: second.Line, Text: "there is a second document"}
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" && root.Value == "" {
		return d, nil
	}
	if root.Kind != yaml.MappingNode {
		return d, &PlaceError{Line: root.Line, Column: root.Column, Text: "the file is not a mapping"}
	}
	d.root = root
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == "handlers" {
			d.key, d.list = root.Content[i], root.Content[i+1]
		}
	}
	empty := d.list != nil && d.list.Kind == yaml.ScalarNode && d.list.Tag == "!!null" && d.list.Value == ""
	if d.list != nil && d.list.Kind != yaml.SequenceNode && !empty {
		return d, &PlaceError{Line: d.list.Line, Column: d.list.Column, Text: "handlers is not a list"}
	}
	return d, nil
}

// yamlError takes the line out of an error of the library, which has no column.
func yamlError(err error) error {
	line := 1
	if found := regexp.MustCompile(`line (\d+)`).FindStringSubmatch(err.Error()); found != nil {
		line, _ = strconv.Atoi(found[1])
	}
	return &PlaceError{Line: line, Text: strings.TrimPrefix(err.Error(), "yaml: ")}
}

// handler is a handler of ours in the list.
type handler struct {
	at            int
	node, command *yaml.Node
	words         []string
}

// events are the events at which gaff runs the handler.
func (h handler) events() []string {
	var events []string
	if list := yamlMember(h.node, "events"); list != nil {
		for _, event := range list.Content {
			events = append(events, event.Value)
		}
	}
	return events
}

// mixed tells whether the handler is at stop and at other events too.
func (h handler) mixed() bool {
	events := h.events()
	return len(events) > 1 && slices.Contains(events, gaffStop)
}

func (d handlersText) ours() []handler {
	if d.list == nil {
		return nil
	}
	var found []handler
	for i, n := range d.list.Content {
		command := yamlMember(n, "command")
		if command == nil || command.Kind != yaml.SequenceNode {
			continue
		}
		words := make([]string, len(command.Content))
		for j, word := range command.Content {
			words[j] = word.Value
		}
		if ours(words, "gaff") {
			found = append(found, handler{at: i, node: n, command: command, words: words})
		}
	}
	return found
}

func yamlMember(n *yaml.Node, key string) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// offset is where a line and a column, in characters, are in the text.
func (d handlersText) offset(line, column int) int {
	all := lines(d.text)
	at := len(strings.Join(all[:line-1], ""))
	for i := range all[line-1] {
		if column--; column == 0 {
			return at + i
		}
	}
	return at
}

// closing is the place behind the bracket that ends what begins at start; -1 when
// there is none.
func closing(text []byte, start int) int {
	depth := 0
	for i := start; i < len(text); i++ {
		switch c := text[i]; c {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"', '\'':
			for i++; i < len(text) && text[i] != c; i++ {
				if c == '"' && text[i] == '\\' {
					i++
				}
			}
		}
	}
	return -1
}

// sameBut tells whether two texts say the same, but for handlers of ours.
func sameBut(a, b []byte) bool {
	rest := func(text []byte) (any, error) {
		d, err := parseHandlers(text)
		if err != nil || d.root == nil {
			return map[string]any{}, err
		}
		if d.list != nil {
			ours := d.ours()
			d.list.Content = slices.DeleteFunc(slices.Clone(d.list.Content), func(n *yaml.Node) bool {
				return slices.ContainsFunc(ours, func(h handler) bool { return h.node == n })
			})
		}
		all := map[string]any{}
		if err := d.root.Decode(&all); err != nil {
			return nil, fmt.Errorf("reading it again: %w", err)
		}
		if list, ok := all["handlers"].([]any); all["handlers"] == nil || ok && len(list) == 0 {
			delete(all, "handlers")
		}
		return all, nil
	}
	of, err := rest(a)
	is, again := rest(b)
	return err == nil && again == nil && reflect.DeepEqual(of, is)
}
