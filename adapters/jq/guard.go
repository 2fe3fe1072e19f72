package jq

import (
	"errors"
	"math/bits"
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

// deep counts the nodes of v; what follows copies them or looks at each a few
// times.
func deep(r *run, v any, _ []any) any {
	if _, err := r.weigh(v, 16); err != nil {
		return err
	}
	return v
}

// ordering counts the comparisons that sort the elements of v.
func ordering(r *run, v any, _ []any) any {
	array, _ := v.([]any)
	if _, err := r.weigh(v, 8*(1+bits.Len(uint(len(array))))); err != nil {
		return err
	}
	return v
}

// characters counts a text that becomes an array of characters.
func characters(r *run, v any, _ []any) any {
	if s, ok := v.(string); ok {
		n := utf8.RuneCountInString(s)
		if err := r.grow(n); err != nil {
			return err
		}
		if err := r.spend(elementWork * n); err != nil {
			return err
		}
	}
	return v
}

// counting counts the keys of v, which become a sorted array.
func counting(r *run, v any, _ []any) any {
	n := 0
	switch v := v.(type) {
	case []any:
		n = 2 * elementWork * len(v)
	case map[string]any:
		n = (elementWork + 2*keyWork) * len(v)
	}
	return result(v, r.spend(n))
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
	return result(v, r.grow(len(rows)*longest))
}

// joining counts the text that join makes.
func joining(r *run, v any, args []any) any {
	parts, _ := v.([]any)
	separator, _ := args[0].(string)
	size := 0
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			size += len(part)
		default:
			size += shortNumber + touchWork(part)
		}
		if size += len(separator); size > maxBytes {
			break
		}
	}
	return result(v, r.build(size))
}

// splitting counts the parts that a separator makes of a text.
func splitting(r *run, v any, args []any) any {
	s, _ := v.(string)
	separator, _ := args[0].(string)
	if err := r.spend(len(s)); err != nil {
		return err
	}
	parts := strings.Count(s, separator)
	if err := r.grow(parts); err != nil {
		return err
	}
	return result(v, r.spend(elementWork*parts))
}

// pairWork is comparing two elements of two arrays.
const pairWork = 32

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
	return result(v, r.spend(pairWork*left.nodes*right.nodes)) // at most 2^44
}

// pairs counts comparing each element of x with each of y.
func (r *run) pairs(x, y []any) error {
	left, err := r.weigh(x, 1)
	if err != nil {
		return err
	}
	right, err := r.weigh(y, 1)
	if err != nil {
		return err
	}
	return r.spend(pairWork / 8 * left.nodes * right.nodes)
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
