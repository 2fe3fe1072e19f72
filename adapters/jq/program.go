package jq

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/itchyny/gojq"

	"github.com/tundish-go/tundish/ports"
)

// Bounds of an expression's text.
const (
	maxText  = 64 << 10 // bytes
	maxDepth = 2000     // nested queries
)

// program is a compiled text. Any number of evaluations may share it.
type program struct {
	key      *string // what Key answers
	light    bool    // a filter that does not look at the payload
	form     *form   // a filter that needs no engine; nil for any other
	pieces   []piece // a template that copies; nil for any other
	patterns patterns

	// What the engine runs. For a text that does without it, which always
	// compiles, it is made when something turns up that the engine must decide.
	once     sync.Once
	text     string
	query    *gojq.Query
	code     *gojq.Code
	literals [][]string
	err      error
}

// compile compiles text, which must be a jq expression that sees its item alone
// (CMD-3, PULL-15).
func compile(text string) (p *program, err error) {
	defer caughtPanic(text, &err)
	if len(text) > maxText {
		return nil, fault(text[:100], "", "the expression is longer than 64 KiB", "")
	}
	if strings.TrimSpace(text) == "" {
		return nil, fault(text, "", "the expression is empty", "write . for the whole item")
	}
	if deep := nesting(text); deep >= 0 {
		return nil, &ports.CompileError{Text: text, Offset: deep, Reason: "the expression is nested too deeply"}
	}
	q, err := gojq.Parse(text)
	if err != nil {
		return nil, syntaxFault(text, err)
	}
	if err := seal(text, q); err != nil {
		return nil, err
	}
	p = &program{light: isLight(q), form: formOf(q), pieces: piecesOf(q), text: text, query: q}
	if key, ok := keyOf(q); ok {
		p.key = &key
	}
	if p.form == nil && p.pieces == nil {
		if err := p.prepare(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// prepare makes what the engine runs, once.
func (p *program) prepare() error {
	p.once.Do(func() {
		p.err = p.translate()
		p.query = nil
	})
	return p.err
}

func (p *program) translate() (err error) {
	defer caughtPanic(p.text, &err)
	var r rewriter
	r.rewrite(p.text, p.query)
	p.literals = r.literals
	if err := addPrelude(p.query); err != nil {
		return err
	}
	if p.code, err = gojq.Compile(p.query, options()...); err != nil {
		return compileFault(p.text, err)
	}
	return nil
}

// caughtPanic is deferred where the engine's parser and compiler work: they have no
// other way to give up.
func caughtPanic(text string, err *error) {
	if recover() != nil {
		*err = fault(text, "", "the expression cannot be compiled", "")
	}
}

// nesting returns the place of the first bracket that opens too many levels, or
// -1. Brackets in strings count too, which refuses nothing that anybody writes.
func nesting(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '[', '{':
			if depth++; depth > maxDepth {
				return i
			}
		case ')', ']', '}':
			depth--
		}
	}
	return -1
}

// syntaxFault says where the parser stopped.
func syntaxFault(text string, err error) error {
	bad, ok := errors.AsType[*gojq.ParseError](err)
	if !ok {
		return fault(text, "", err.Error(), "")
	}
	reason, hint := bad.Error(), ""
	offset := bad.Offset - len(bad.Token)
	switch {
	case strings.HasPrefix(reason, "unexpected EOF"):
		reason = "the expression ends too early"
	case bad.Token == "'" || strings.HasPrefix(reason, `unexpected token "'`):
		reason, hint = "single quotes are not jq", "put text in double quotes"
	case strings.HasPrefix(reason, "unterminated"):
		reason = "a string is not closed"
	}
	offset = min(max(offset, 0), len(text))
	if hint == "" {
		hint = syntaxHint(text, bad.Token, offset)
	}
	return &ports.CompileError{Text: text, Offset: offset, Reason: reason, Hint: hint}
}

// compileFault names the thing that the engine's compiler does not know.
func compileFault(text string, err error) error {
	reason := err.Error()
	if name, ok := strings.CutPrefix(reason, "function not defined: "); ok {
		bare, _, _ := strings.Cut(name, "/")
		unknown := fault(text, bare, "unknown function "+name, "")
		if strings.HasSuffix(name, "/0") {
			unknown.Hint = unknownHint(text, bare, unknown.Offset)
		}
		return unknown
	}
	if name, ok := strings.CutPrefix(reason, "variable not defined: "); ok {
		return fault(text, name, "unknown variable "+name, "bind it first: … as "+name+" | …")
	}
	if name, ok := strings.CutPrefix(reason, "label not defined: "); ok {
		return fault(text, name, "unknown label "+name, "")
	}
	return fault(text, "", reason, "")
}

// filter implements ports.Matcher.
type filter struct{ *program }

// Match implements ports.Matcher: the first output that is neither false nor
// null ends the evaluation (PULL-1).
func (f filter) Match(ctx context.Context, doc ports.Document) (bool, error) {
	if f.form != nil {
		if matched, sure, err := f.form.match(ctx, &doc, f.light); sure {
			return matched, err
		}
	}
	return f.evaluate(ctx, doc)
}

// evaluate answers for doc by the engine.
func (f filter) evaluate(ctx context.Context, doc ports.Document) (bool, error) {
	r := f.start(ctx, doc.Now)
	item, err := r.item(doc, !f.light)
	if err != nil {
		return false, err
	}
	matched := false
	err = r.outputs(item, func(v any) (bool, error) {
		matched = v != nil && v != false
		return !matched, nil
	})
	return matched, err
}

// Key implements ports.Matcher (PULL-14).
func (f filter) Key() (string, bool) {
	if f.key == nil {
		return "", false
	}
	return *f.key, true
}

// template implements ports.Renderer.
type template struct{ *program }

// Render implements ports.Renderer (PULL-8). A result over 1 MiB is an error.
func (t template) Render(ctx context.Context, doc ports.Document) (string, error) {
	if t.pieces != nil {
		if text, ok, err := copied(ctx, t.pieces, doc); ok {
			return text, err
		}
	}
	return t.evaluate(ctx, doc)
}

// evaluate renders doc by the engine.
func (t template) evaluate(ctx context.Context, doc ports.Document) (string, error) {
	r := t.start(ctx, doc.Now)
	item, err := r.item(doc, true)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	first := true
	err = r.outputs(item, func(v any) (bool, error) {
		if !first {
			text.WriteByte('\n')
		}
		first = false
		s, ok := v.(string)
		if !ok {
			if s, err = r.encode(v, maxResult); err != nil {
				return false, err
			}
		}
		if text.Len()+len(s) > maxResult {
			return false, errors.New("the result is larger than 1 MiB")
		}
		text.WriteString(strings.ToValidUTF8(s, "\ufffd"))
		return true, nil
	})
	if err != nil {
		return "", err
	}
	return text.String(), nil
}

// selector implements ports.KeySelector.
type selector struct{ *program }

// Select implements ports.KeySelector (PUB-3).
func (s selector) Select(ctx context.Context, doc ports.Document) (*string, error) {
	r := s.start(ctx, doc.Now)
	input, err := r.decode(doc.Payload)
	if err != nil {
		return nil, err
	}
	var values []any
	err = r.outputs(input, func(v any) (bool, error) {
		values = append(values, v)
		return len(values) < 2, nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(values) == 0:
		return nil, errors.New("the key expression gives nothing; it must give one string, or null for no key")
	case len(values) > 1:
		return nil, errors.New("the key expression gives more than one value; it must give one string, or null for no key")
	case values[0] == nil:
		return nil, nil
	}
	key, ok := values[0].(string)
	if !ok {
		return nil, fmt.Errorf("the key expression gives %s (%s); it must give one string, or null for no key",
			article(gojq.TypeOf(values[0])), gojq.Preview(values[0]))
	}
	return &key, nil
}

// article puts a or an in front of the name of a type.
func article(kind string) string {
	if strings.ContainsAny(kind[:1], "ao") {
		return "an " + kind
	}
	return "a " + kind
}
