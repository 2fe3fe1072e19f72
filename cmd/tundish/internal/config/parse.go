package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// format is the only value of the key of that name so far.
const format = "1"

// reader walks one file's nodes. Its methods return a *FileError that names
// line and key.
type reader struct {
	path   string
	source Source
	config Config
}

func parse(path string, text []byte, s Source) (Config, error) {
	r := &reader{path: path, source: s}
	root, err := r.document(text)
	if err != nil {
		return Config{}, err
	}
	if err := r.file(root); err != nil {
		return Config{}, err
	}
	return r.config, nil
}

func (r *reader) fault(line int, key, reason string, args ...any) error {
	return &FileError{Path: r.path, Line: line, Key: key, Reason: fmt.Sprintf(reason, args...)}
}

// document returns the root of the one document in text; nil when text holds
// nothing but white space and comments.
func (r *reader) document(text []byte) (*yaml.Node, error) {
	if !utf8.Valid(text) {
		return nil, r.fault(badLine(text), "", "the text is not UTF-8; save the file as UTF-8")
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document, second yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, r.syntax(err)
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		return nil, r.fault(second.Line, "", "a second document starts here; keep one")
	case !errors.Is(err, io.EOF):
		return nil, r.syntax(err)
	}
	return document.Content[0], nil
}

// badLine is the line of the first byte that is not UTF-8.
func badLine(text []byte) int {
	valid := len(text)
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRune(text[i:])
		if c == utf8.RuneError && size == 1 {
			valid = i
			break
		}
		i += size
	}
	return bytes.Count(text[:valid], []byte("\n")) + 1
}

// syntax turns the library's message into one with file and line.
func (r *reader) syntax(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if m := regexp.MustCompile(`^line (\d+): `).FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = text[len(m[0]):]
	}
	return r.fault(line, "", "this is not YAML: %s", text)
}

func (r *reader) file(root *yaml.Node) error {
	if root == nil || null(root) {
		return r.fault(0, "format", "the key is missing; the first line of the file must be format: 1")
	}
	seen := false
	err := r.mapping(root, "", func(key string, at, value *yaml.Node) error {
		switch key {
		case "format":
			seen = true
			return r.format(value)
		case "database":
			return r.database(value)
		case "queues":
			return r.queues(value)
		case "outbox":
			return r.outbox(value)
		}
		return r.unknown(at, key, "format, database, queues and outbox")
	})
	if err == nil && !seen {
		err = r.fault(0, "format", "the key is missing; the first line of the file must be format: 1")
	}
	return err
}

func (r *reader) unknown(at *yaml.Node, key, known string) error {
	return r.fault(at.Line, key, "this key is not known; known here are %s", known)
}

// mapping calls each with the names and values of a mapping. prefix is the
// dotted path of node.
func (r *reader) mapping(node *yaml.Node, prefix string, each func(key string, at, value *yaml.Node) error) error {
	if node.Kind != yaml.MappingNode || node.ShortTag() != "!!map" {
		return r.fault(node.Line, prefix, "%s stands where names and values must, such as format: 1", describe(node))
	}
	lines := make(map[string]int, len(node.Content)/2)
	for i := 0; i+1 < len(node.Content); i += 2 {
		at, value := node.Content[i], node.Content[i+1]
		if at.Kind != yaml.ScalarNode || null(at) || at.ShortTag() == "!!merge" {
			return r.fault(at.Line, prefix, "%s stands where a name must", describe(at))
		}
		key := at.Value
		path := dotted(prefix, key)
		if first, twice := lines[key]; twice {
			return r.fault(at.Line, path, "the key was set in line %d already; keep one", first)
		}
		lines[key] = at.Line
		if value.Kind == yaml.AliasNode {
			return r.fault(value.Line, path, "references such as *%s are not read here; write the value", value.Value)
		}
		if err := each(key, at, value); err != nil {
			return err
		}
	}
	return nil
}

func dotted(prefix, key string) string {
	if prefix == "" {
		return key
	}
	return prefix + "." + key
}

func (r *reader) format(value *yaml.Node) error {
	if value.Kind != yaml.ScalarNode || value.Value != format || value.ShortTag() != "!!int" {
		return r.fault(value.Line, "format", "%s is not a format that this version reads; use 1", describe(value))
	}
	return nil
}

func (r *reader) database(value *yaml.Node) error {
	if null(value) {
		return nil
	}
	if value.Kind != yaml.ScalarNode {
		return r.fault(value.Line, "database", "%s stands where a path must", describe(value))
	}
	path, err := databasePath(value.Value, r.path, r.source.Home)
	if err != nil {
		return r.fault(value.Line, "database", "%v", err)
	}
	r.config.Database = path
	return nil
}

func (r *reader) queues(value *yaml.Node) error {
	if null(value) {
		return nil
	}
	r.config.Queues = make(map[string]Limits, len(value.Content)/2)
	return r.mapping(value, "queues", func(name string, at, value *yaml.Node) error {
		if name == "" {
			return r.fault(at.Line, "queues", "the name of a queue is empty")
		}
		limits, err := r.limits(value, dotted("queues", name))
		r.config.Queues[name] = limits
		return err
	})
}

func (r *reader) limits(value *yaml.Node, prefix string) (limits Limits, err error) {
	if null(value) {
		return Limits{}, nil
	}
	err = r.mapping(value, prefix, func(key string, at, value *yaml.Node) (err error) {
		path := dotted(prefix, key)
		switch key {
		case "max_items":
			limits.MaxItems, err = r.items(value, path)
		case "max_age":
			limits.MaxAge, err = r.age(value, path)
		default:
			err = r.unknown(at, path, "max_items and max_age")
		}
		return err
	})
	return limits, err
}

func (r *reader) items(value *yaml.Node, key string) (int64, error) {
	if null(value) {
		return 0, nil
	}
	n, err := strconv.ParseInt(value.Value, 10, 64)
	switch {
	case value.Kind != yaml.ScalarNode, value.ShortTag() != "!!int", err != nil:
		return 0, r.fault(value.Line, key, "%s is not a whole number; use one such as 10000", describe(value))
	case n < 1:
		return 0, r.fault(value.Line, key, "%d is below 1; use 1 or more, or leave it out for no limit", n)
	}
	return n, nil
}

func (r *reader) age(value *yaml.Node, key string) (int64, error) {
	if null(value) {
		return 0, nil
	}
	if value.Kind != yaml.ScalarNode {
		return 0, r.fault(value.Line, key, "%s stands where a duration must, such as 7d", describe(value))
	}
	seconds, err := r.source.Duration(value.Value)
	if err != nil {
		return 0, r.fault(value.Line, key, "%v", err)
	}
	return seconds, nil
}

// null tells whether nothing was written as a value: the key counts as not set.
func null(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null"
}

// describe names a node for a message.
func describe(node *yaml.Node) string {
	switch node.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "the reference *" + node.Value
	}
	if null(node) {
		return "nothing"
	}
	if node.ShortTag() == "!!str" {
		return "the text " + strconv.Quote(node.Value)
	}
	return node.Value
}
