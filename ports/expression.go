package ports

import (
	"context"
	"fmt"
)

// Document is all that an expression can see (PULL-15).
type Document struct {
	ID        int64
	Queue     string
	Key       *string // nil is JSON null
	Payload   []byte  // one valid JSON value in canonical spelling
	CreatedAt int64   // Unix seconds
	Now       int64   // Unix seconds; what the expression's own clock answers
}

// Expressions compiles the text of filters, templates, key selectors and queries.
// A text that cannot be used yields a *CompileError. Implementations are safe
// for concurrent use, and so is what they return; compiling the same text again
// is cheap.
type Expressions interface {
	Filter(text string) (Matcher, error)
	Template(text string) (Renderer, error)
	KeySelector(text string) (KeySelector, error)
	Query(text string) (Query, error)
	// Stray returns the name of a member that a filter or template reads of the item
	// although items have none of that name, mostly since the payload's was meant;
	// "" where it sees none. It only serves a hint (CMD-3).
	Stray(text string) string
}

// Matcher is a compiled filter.
type Matcher interface {
	// Match reports whether any output of the filter is neither false nor null
	// (PULL-1). When ctx ends first, the error is the cause of ctx; any other
	// error is the expression's own, with a text fit for a person.
	Match(ctx context.Context, doc Document) (bool, error)
	// Key is the text that an item's key must equal for the filter to match, if
	// the filter has that form, alone or as the first part of an `and`
	// (PULL-14). Only items with that key need to be asked.
	Key() (key string, ok bool)
}

// Renderer is a compiled template.
type Renderer interface {
	// Render returns the template's outputs, strings as they are and other
	// values as JSON, joined by newlines (PULL-8). Errors are as in Match.
	Render(ctx context.Context, doc Document) (string, error)
}

// KeySelector is a compiled expression that takes an item's key from its
// payload (PUB-3).
type KeySelector interface {
	// Select evaluates the expression with the document's payload as its input;
	// of the rest only Now counts. The one output must be a string, or null for
	// no key; anything else is an error.
	Select(ctx context.Context, doc Document) (*string, error)
}

// Query is a compiled expression over any JSON.
type Query interface {
	// Run evaluates the expression with one JSON value as its input, and yields
	// each output, strings as they are and other values as JSON (VIEW-4), until
	// yield fails, whose error it returns. now is what the expression's own clock
	// answers, in Unix seconds. Other errors are as in Match.
	Run(ctx context.Context, input []byte, now int64, yield func(output string) error) error
}

// CompileError says why an expression cannot be used, and where.
type CompileError struct {
	Text   string // the whole expression
	Offset int    // byte offset of the place in Text; -1 when there is none
	Reason string // what is wrong, without the expression itself
	Hint   string // what to do instead; may be empty
}

func (e *CompileError) Error() string {
	where := ""
	if e.Offset >= 0 {
		where = fmt.Sprintf(" at byte %d", e.Offset+1)
	}
	hint := ""
	if e.Hint != "" {
		hint = "; " + e.Hint
	}
	return fmt.Sprintf("%s%s in `%s`%s", e.Reason, where, e.Text, hint)
}
