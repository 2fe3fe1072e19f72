package jq

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/itchyny/gojq"
)

// The guards return their input once its work is counted.

// shallow counts the bytes or elements of v.
func shallow(r *run, v any, _ []any) any {
	n := 0
	switch v := v.(type) {
	case string:
		n = letterWork * len(v)
	case []any:
		n = elementWork * len(v)
	case map[string]any:
		n = keyWork * len(v)
	}
	if err := r.spend(n); err != nil {
		return err
	}
	return v
}

// deep counts the nodes of v; what follows compares or copies them, about as
// often as sorting does.
func deep(r *run, v any, _ []any) any {
	if _, err := r.weigh(v, 16); err != nil {
		return err
	}
	return v
}

// characters counts a text that becomes an array of characters.
func characters(r *run, v any, _ []any) any {
	if s, ok := v.(string); ok {
		if err := r.grow(utf8.RuneCountInString(s)); err != nil {
			return err
		}
	}
	return v
}

// rectangle counts what transpose makes of an array of arrays.
func rectangle(r *run, v any, _ []any) any {
	rows, _ := v.([]any)
	longest := 0
	for _, row := range rows {
		if row, ok := row.([]any); ok {
			longest = max(longest, len(row))
		}
	}
	if longest > 0 && len(rows) > maxNodes/longest {
		return r.grow(maxNodes + 1)
	}
	if err := r.spend(len(rows) * longest); err != nil {
		return err
	}
	return v
}

// joining counts the text that join makes.
func joining(r *run, v any, args []any) any {
	parts, _ := v.([]any)
	separator, _ := args[0].(string)
	size := 0
	for _, part := range parts {
		if s, ok := part.(string); ok {
			size += len(s)
		}
		if size += len(separator); size > maxBytes {
			break
		}
	}
	if err := r.build(size); err != nil {
		return err
	}
	return v
}

// splitting counts the parts that a separator makes of a text.
func splitting(r *run, v any, args []any) any {
	s, _ := v.(string)
	separator, _ := args[0].(string)
	if err := r.grow(strings.Count(s, separator)); err != nil {
		return err
	}
	if err := r.spend(len(s)); err != nil {
		return err
	}
	return v
}

// product counts comparing each node of v with each of the argument.
func product(r *run, v any, args []any) any {
	if s, ok := v.(string); ok {
		return shallow(r, s, nil)
	}
	left, err := r.weigh(v, 1)
	if err != nil {
		return err
	}
	right, err := r.weigh(args[0], 1)
	if err != nil {
		return err
	}
	if err := r.spend(left * right); err != nil {
		return err
	}
	return v
}

// places returns where the argument stands in a text, in characters.
func places(r *run, v any, args []any) any {
	s, needle := v.(string), args[0].(string)
	found := []any{}
	if err := r.spend(letterWork * (len(s) + len(needle))); err != nil || needle == "" {
		return result(found, err)
	}
	at, past := 0, 0 // bytes, characters
	for {
		i := strings.Index(s[at:], needle)
		if i < 0 {
			return found
		}
		if err := r.spend(elementWork + len(needle)); err != nil {
			return err
		}
		past += utf8.RuneCountInString(s[at : at+i])
		found = append(found, past)
		_, size := utf8.DecodeRuneInString(s[at+i:])
		at += i + size
		past++
	}
}

// result is v, or err if there is one.
func result(v any, err error) any {
	if err != nil {
		return err
	}
	return v
}

// indexing refuses to index a text by number, which jq does too.
func indexing(_ *run, v any, _ []any) any {
	if s, ok := v.(string); ok {
		return errors.New("cannot index a string with a number: " + gojq.Preview(s))
	}
	return v
}

// indexKey counts looking for an array in an array, which is what an index that
// is an array means.
func indexKey(r *run, v any, _ []any) any {
	if needle, ok := v.([]any); ok {
		nodes, err := r.weigh(needle, 1)
		if err != nil {
			return err
		}
		if err := r.spend(nodes * 1024); err != nil {
			return err
		}
	}
	return v
}
