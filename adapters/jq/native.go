package jq

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// native is one of our functions: it gets the evaluation, its input and its
// arguments, and returns a value or an error.
type native func(r *run, v any, args []any) any

// natives are functions by name, with the number of arguments beside the
// evaluation.
type natives map[string]struct {
	arity int
	call  native
}

// makers returns the functions that make values.
func makers() natives {
	return natives{
		"__literal":  {1, noteLiteral},
		"__entry":    {0, noteEntry},
		"__number":   {1, func(_ *run, _ any, args []any) any { return json.Number(args[0].(string)) }},
		"__now":      {0, func(r *run, _ any, _ []any) any { return int(r.now) }},
		"__tojson":   {0, toJSON},
		"__tostring": {0, toString},
		"__fromjson": {0, fromJSON},
		"__tonumber": {0, toNumber},
		"__captures": {0, captures},

		"__add": {2, func(r *run, _ any, args []any) any { return r.add(args[0], args[1]) }},
		"__sub": {2, func(r *run, _ any, args []any) any { return r.subtract(args[0], args[1]) }},
		"__mul": {2, func(r *run, _ any, args []any) any { return r.multiply(args[0], args[1]) }},
		"__div": {2, func(r *run, _ any, args []any) any { return r.divide(args[0], args[1]) }},
		"__sum": {0, sum},
		"__eq":  {2, comparison(func(c int) bool { return c == 0 })},
		"__ne":  {2, comparison(func(c int) bool { return c != 0 })},
		"__lt":  {2, comparison(func(c int) bool { return c < 0 })},
		"__le":  {2, comparison(func(c int) bool { return c <= 0 })},
		"__gt":  {2, comparison(func(c int) bool { return c > 0 })},
		"__ge":  {2, comparison(func(c int) bool { return c >= 0 })},

		"__owner":   {0, func(*run, any, []any) any { return &owner{} }},
		"__set":     {3, setPath},
		"__take":    {2, takePath},
		"__drop":    {2, dropPath},
		"__delete":  {1, deleteDropped},
		"__discard": {2, discardPaths},

		"__regex":   {3, regex},
		"__split":   {2, splitRegex},
		"__replace": {1, replaceEdits},
	}
}

// guards returns those that count the work of what follows and pass their input
// on.
func guards() natives {
	return natives{
		"__shallow":    {0, shallow},
		"__deep":       {0, deep},
		"__ordering":   {0, ordering},
		"__characters": {0, characters},
		"__counting":   {0, counting},
		"__rectangle":  {0, rectangle},
		"__joining":    {1, joining},
		"__splitting":  {1, splitting},
		"__product":    {1, product},
		"__places":     {1, places},
		"__slicing":    {0, slicing},
		"__indexing":   {0, indexing},
		"__iterating":  {0, iterating},
		"__key":        {0, indexKey},
		"__touching":   {1, touching},
		"__getting":    {1, getting},
		"__pathed":     {0, pathed},
		"__caught":     {0, caught},
		"__numeric":    {0, numeric},
		"__remainder":  {0, remainder},
		"__bessel":     {0, bessel},
		"__timing":     {1, timing},
		"__listing":    {0, listing},
		"__formatting": {1, formatting},
	}
}

// options tells the engine's compiler about our functions.
func options() []gojq.CompilerOption {
	opts := []gojq.CompilerOption{gojq.WithVariables([]string{runVariable})}
	all := makers()
	maps.Copy(all, guards())
	for name, n := range all {
		opts = append(opts, gojq.WithFunction(name, n.arity+1, n.arity+1, func(v any, args []any) any {
			r := args[n.arity].(*run)
			if err := r.spend(1); err != nil {
				return err
			}
			return n.call(r, v, args[:n.arity])
		}))
	}
	return append(opts, gojq.WithIterFunction("__keys", 1, 1, func(v any, args []any) gojq.Iter {
		return keysOf(args[0].(*run), v)
	}))
}

// keysOf yields the keys of an object in their order.
func keysOf(r *run, v any) gojq.Iter {
	object, ok := v.(map[string]any)
	if !ok {
		return gojq.NewIter[any](errors.New("only an object has keys in an order"))
	}
	if err := r.spend(8 * elementWork * len(object)); err != nil {
		return gojq.NewIter[any](err)
	}
	return gojq.NewIter(r.known.keys(object)...)
}

// noteLiteral notes the order of the object that a literal has just made.
func noteLiteral(r *run, v any, args []any) any {
	object := v.(map[string]any)
	keys := r.program.literals[args[0].(int)]
	at := -1
	for i, k := range keys {
		if k == dynamicKey {
			at = i
		}
	}
	if at >= 0 {
		keys = withDynamic(object, keys, at)
	}
	r.known.note(object, keys)
	return v
}

// withDynamic puts the keys of object that a literal does not name, in the order
// of their names, where its computed key stands.
func withDynamic(object map[string]any, keys []string, at int) []string {
	var computed []string
	for k := range object {
		if !slices.Contains(keys, k) {
			computed = append(computed, k)
		}
	}
	slices.Sort(computed)
	return slices.Concat(keys[:at], computed, keys[at+1:])
}

// noteEntry notes the order of an entry that to_entries has just made.
func noteEntry(r *run, v any, _ []any) any {
	r.known.note(v.(map[string]any), r.entryKeys)
	return v
}

func toJSON(r *run, v any, _ []any) any {
	text, err := r.encode(v, maxBytes)
	if err != nil {
		return r.fail(err) // or a loop could catch it, and waste time again
	}
	return text
}

func toString(r *run, v any, _ []any) any {
	if s, ok := v.(string); ok {
		if err := r.build(len(s)); err != nil {
			return err
		}
		return s
	}
	return toJSON(r, v, nil)
}

// toNumber is jq's tonumber. The number keeps its digits.
func toNumber(_ *run, v any, _ []any) any {
	s, ok := v.(string)
	switch {
	case !ok && number(v) != nil:
		return v
	case !ok:
		return typeError(v, "cannot be parsed as a number")
	case s == "nan":
		return math.NaN()
	case len(s) > maxNumber || !isNumber(s):
		return typeError(v, "is no number")
	}
	return spelled(canonicalNumber(s))
}

// isNumber reports whether s is a number with an optional sign.
func isNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	mantissa, exponent, hasExponent := s, "", false
	if at := strings.IndexAny(s, "eE"); at >= 0 {
		mantissa, exponent, hasExponent = s[:at], s[at+1:], true
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole+fraction == "" || !areDigits(whole+fraction) {
		return false
	}
	if len(exponent) > 0 && (exponent[0] == '+' || exponent[0] == '-') {
		exponent = exponent[1:]
	}
	return !hasExponent || exponent != "" && areDigits(exponent)
}

func areDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

func fromJSON(r *run, v any, _ []any) any {
	s, ok := v.(string)
	if !ok {
		return typeError(v, "cannot be parsed as JSON")
	}
	if err := r.spend(2 * letterWork * len(s)); err != nil {
		return err
	}
	w, err := r.decode([]byte(s))
	if err != nil {
		if strings.EqualFold(strings.TrimSpace(s), "nan") {
			return nil
		}
		return errors.New(gojq.Preview(s) + " is not JSON: " + err.Error())
	}
	return result(w, r.spend(8*elementWork*r.read))
}

// comparison compares by jq's order of all values, counting the nodes that it
// may visit.
func comparison(holds func(int) bool) native {
	return func(r *run, _ any, args []any) any {
		if isContainer(args[0]) || isContainer(args[1]) {
			for _, v := range args {
				if _, err := r.weigh(v, 4); err != nil {
					return err
				}
			}
		} else if err := r.spend(touchWork(args[0]) + touchWork(args[1])); err != nil {
			return err
		}
		return holds(gojq.Compare(args[0], args[1]))
	}
}

func isContainer(v any) bool {
	switch v.(type) {
	case []any, map[string]any:
		return true
	}
	return false
}

// typeError says that v cannot be used in some way.
func typeError(v any, what string) error {
	return errors.New(gojq.TypeOf(v) + " (" + gojq.Preview(v) + ") " + what)
}
