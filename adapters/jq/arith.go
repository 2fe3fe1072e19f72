package jq

import (
	"errors"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// add is jq's +. A merged object has the keys of a, then the new ones of b.
func (r *run) add(a, b any) any {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			if err := r.build(len(x) + len(y)); err != nil {
				return err
			}
			return x + y
		}
	case []any:
		if y, ok := b.([]any); ok {
			if err := r.grow(len(x) + len(y)); err != nil {
				return err
			}
			return slices.Concat(x, y)
		}
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			if err := r.growObject(len(x) + len(y)); err != nil {
				return err
			}
			z := make(map[string]any, len(x)+len(y))
			maps.Copy(z, x)
			maps.Copy(z, y)
			r.known.note(z, r.merged(x, y))
			return z
		}
	default:
		if z, ok := r.calculate(addition(), a, b); ok {
			return z
		}
	}
	return operandError(a, b, "added")
}

// merged returns the keys of x, then those that only y has.
func (r *run) merged(x, y map[string]any) []string {
	keys := slices.Clone(r.known.keys(x))
	for _, k := range r.known.keys(y) {
		if _, ok := x[k]; !ok {
			keys = append(keys, k)
		}
	}
	return keys
}

// sum adds what an array or object holds, in order.
func sum(r *run, v any, _ []any) any {
	var values []any
	switch v := v.(type) {
	case []any:
		values = v
	case map[string]any:
		if err := r.spend(keyWork * len(v)); err != nil {
			return err
		}
		for _, k := range r.known.keys(v) {
			values = append(values, v[k])
		}
	default:
		return typeError(v, "cannot be added up")
	}
	if err := r.spend(elementWork * len(values)); err != nil {
		return err
	}
	var total any
	for i := 0; i < len(values); i++ {
		next := values[i]
		if n := sameKind(values[i:]); n > 1 {
			next = r.joined(values[i : i+n])
			i += n - 1
		}
		if err, ok := next.(error); ok {
			return err
		}
		total = r.add(total, next)
		if err, ok := total.(error); ok {
			return err
		}
	}
	return total
}

// sameKind returns how many of values, from the first on, are all texts, all
// arrays or all objects; these are put together in one go.
func sameKind(values []any) int {
	kind := gojq.TypeOf(values[0])
	switch kind {
	case "string", "array", "object":
	default:
		return 1
	}
	n := 1
	for n < len(values) && gojq.TypeOf(values[n]) == kind {
		n++
	}
	return n
}

// joined puts values of one kind together.
func (r *run) joined(values []any) any {
	size := 0
	for _, v := range values {
		switch v := v.(type) {
		case string:
			size += len(v)
		case []any:
			size += len(v)
		case map[string]any:
			size += len(v)
		}
	}
	switch values[0].(type) {
	case string:
		if err := r.build(size); err != nil {
			return err
		}
		var text strings.Builder
		for _, v := range values {
			text.WriteString(v.(string))
		}
		return text.String()
	case []any:
		if err := r.grow(size); err != nil {
			return err
		}
		all := make([]any, 0, size)
		for _, v := range values {
			all = append(all, v.([]any)...)
		}
		return all
	}
	if err := r.growObject(size); err != nil {
		return err
	}
	all := map[string]any{}
	var keys []string
	for _, v := range values {
		object := v.(map[string]any)
		for _, k := range r.known.keys(object) {
			if _, ok := all[k]; !ok {
				keys = append(keys, k)
			}
			all[k] = object[k]
		}
	}
	r.known.note(all, keys)
	return all
}

// subtract is jq's -.
func (r *run) subtract(a, b any) any {
	x, isArray := a.([]any)
	y, ok := b.([]any)
	if isArray && ok {
		if err := r.pairs(x, y); err != nil {
			return err
		}
		kept := make([]any, 0, len(x))
		for _, v := range x {
			if !slices.ContainsFunc(y, func(w any) bool { return gojq.Compare(v, w) == 0 }) {
				kept = append(kept, v)
			}
		}
		return kept
	}
	if z, ok := r.calculate(subtraction(), a, b); ok {
		return z
	}
	return operandError(a, b, "subtracted")
}

// multiply is jq's *: numbers, a repeated text, objects merged at every depth.
func (r *run) multiply(a, b any) any {
	if z, ok := r.calculate(multiplication(), a, b); ok {
		return z
	}
	if x, ok := a.(map[string]any); ok {
		if y, ok := b.(map[string]any); ok {
			return r.deepMerge(x, y)
		}
	}
	text, times := a, b
	if _, ok := text.(string); !ok {
		text, times = b, a
	}
	s, isText := text.(string)
	n, isNumber := gojq.ToFloat64(times)
	if !isText || !isNumber {
		return operandError(a, b, "multiplied")
	}
	if n < 0 || math.IsNaN(n) {
		return nil
	}
	if s == "" {
		return ""
	}
	if err := r.build(int(min(n*float64(len(s)), maxBytes+1))); err != nil {
		return err
	}
	return strings.Repeat(s, int(n))
}

// deepMerge merges y into a copy of x.
func (r *run) deepMerge(x, y map[string]any) any {
	if err := r.growObject(len(x) + len(y)); err != nil {
		return err
	}
	z := make(map[string]any, len(x)+len(y))
	maps.Copy(z, x)
	for k, v := range y {
		if old, ok := z[k].(map[string]any); ok {
			if next, ok := v.(map[string]any); ok {
				v = r.deepMerge(old, next)
				if err, failed := v.(error); failed {
					return err
				}
			}
		}
		z[k] = v
	}
	r.known.note(z, r.merged(x, y))
	return z
}

// divide is jq's /: numbers, or a text split by another.
func (r *run) divide(a, b any) any {
	if s, ok := a.(string); ok {
		if separator, ok := b.(string); ok {
			return r.split(s, separator)
		}
	}
	x, y := number(a), number(b)
	if x == nil || y == nil {
		return operandError(a, b, "divided")
	}
	if err := r.spend(2 * (touchWork(a) + touchWork(b))); err != nil {
		return err
	}
	f, _ := gojq.ToFloat64(x)
	g, _ := gojq.ToFloat64(y)
	if g == 0 {
		return errors.New(gojq.Preview(a) + " and " + gojq.Preview(b) + " cannot be divided because the divisor is zero")
	}
	_, xFloat := x.(float64)
	_, yFloat := y.(float64)
	if xFloat || yFloat {
		return f / g
	}
	quotient, rest := new(big.Int).QuoRem(toBig(x), toBig(y), new(big.Int))
	switch {
	case rest.Sign() != 0:
		return f / g
	case quotient.IsInt64():
		return int(quotient.Int64())
	}
	return quotient
}

// split cuts s at separator.
func (r *run) split(s, separator string) any {
	if err, failed := splitting(r, s, []any{separator}).(error); failed {
		return err
	}
	parts := []any{}
	if s == "" {
		return parts
	}
	for part := range strings.SplitSeq(s, separator) {
		parts = append(parts, part)
	}
	return parts
}

// operandError says that an operator does not take a and b.
func operandError(a, b any, how string) error {
	return errors.New(gojq.TypeOf(a) + " (" + gojq.Preview(a) + ") and " +
		gojq.TypeOf(b) + " (" + gojq.Preview(b) + ") cannot be " + how)
}
