package jq

import (
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// rewriter changes a syntax tree so that the engine calls our functions where
// its own would lose the order of keys, change the text of a number, or do
// unbounded work. The prelude defines what the calls mean.
type rewriter struct {
	literals [][]string // the keys of each object literal, in their order
	lines    []int      // where each $__loc__ stands
	located  int        // how many of them were replaced
}

// rewrite changes q, the tree of text.
func (r *rewriter) rewrite(text string, q *gojq.Query) {
	r.lines = locLines(text)
	v := visitor{query: r.query, term: r.term, pattern: r.pattern, str: r.text}
	v.walk(q)
}

// query replaces operators.
func (r *rewriter) query(q *gojq.Query) {
	var call *gojq.Query
	if update, ok := updateOperator(q.Op); ok {
		// a += b is b as $x | a |= . + $x.
		change := &gojq.Query{Left: identity(), Op: update, Right: funcQuery("$__rhs")}
		r.query(change)
		call = pipe(q.Right, funcQuery("__modify", q.Left, change))
		call.Patterns = []*gojq.Pattern{{Name: "$__rhs"}}
	} else if q.Op == gojq.OpAssign {
		call = funcQuery("__assign", q.Left, q.Right)
	} else if q.Op == gojq.OpModify {
		call = funcQuery("__modify", q.Left, q.Right)
	} else if name, ok := operatorFunc(q.Op); ok {
		call = callQuery(name, q.Left, q.Right)
	} else {
		return
	}
	call.Meta, call.FuncDefs = q.Meta, q.FuncDefs
	*q = *call
}

// operatorFunc returns our function for an operator.
func operatorFunc(op gojq.Operator) (string, bool) {
	switch op {
	case gojq.OpAdd:
		return "__add", true
	case gojq.OpSub:
		return "__sub", true
	case gojq.OpMul:
		return "__mul", true
	case gojq.OpDiv:
		return "__div", true
	case gojq.OpEq:
		return "__eq", true
	case gojq.OpNe:
		return "__ne", true
	case gojq.OpLt:
		return "__lt", true
	case gojq.OpLe:
		return "__le", true
	case gojq.OpGt:
		return "__gt", true
	case gojq.OpGe:
		return "__ge", true
	}
	return "", false
}

// updateOperator returns the operator that an arithmetic update applies.
func updateOperator(op gojq.Operator) (gojq.Operator, bool) {
	switch op {
	case gojq.OpUpdateAdd:
		return gojq.OpAdd, true
	case gojq.OpUpdateSub:
		return gojq.OpSub, true
	case gojq.OpUpdateMul:
		return gojq.OpMul, true
	case gojq.OpUpdateDiv:
		return gojq.OpDiv, true
	case gojq.OpUpdateMod:
		return gojq.OpMod, true
	case gojq.OpUpdateAlt:
		return gojq.OpAlt, true
	}
	return 0, false
}

// term replaces literals, interpolation, iteration and formats.
func (r *rewriter) term(t *gojq.Term) {
	switch t.Type {
	case gojq.TermTypeObject:
		r.object(t)
	case gojq.TermTypeNumber:
		if number := canonicalNumber(t.Number); number != t.Number || !isPlain(number) {
			replace(t, callQuery("__number", stringQuery(number)))
		}
	case gojq.TermTypeFunc:
		if t.Func.Name == "$__loc__" {
			r.loc(t)
		}
	case gojq.TermTypeString:
		r.text(t.Str)
	case gojq.TermTypeTry:
		t.Try = guardedTry(t.Try)
	case gojq.TermTypeFormat:
		r.format(t)
	}
	r.suffixes(t)
}

// object notes the order of an object literal and makes it known whenever the
// literal makes an object.
func (r *rewriter) object(t *gojq.Term) {
	var keys []string
	for _, kv := range t.Object.KeyVals {
		if kv.Key == "$__loc__" && kv.Val == nil {
			loc := &gojq.Term{}
			r.loc(loc)
			kv.Key, kv.Val = "__loc__", &gojq.Query{Term: loc}
		}
		key := strings.TrimPrefix(kv.Key, "$")
		switch {
		case kv.KeyString != nil && kv.KeyString.Queries == nil:
			key = kv.KeyString.Str
		case kv.KeyString != nil:
			key = dynamicKey
		case kv.KeyQuery != nil:
			key = dynamicKey
			kv.KeyQuery = pipe(kv.KeyQuery, callQuery("__key"))
		}
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	if len(keys) < 2 {
		return
	}
	literal := *t
	literal.SuffixList = nil
	note := callQuery("__literal", numberQuery(len(r.literals)))
	r.literals = append(r.literals, keys)
	replace(t, pipe(termQuery(literal), note))
}

// pattern counts the computed keys of a pattern that takes an object apart.
func (r *rewriter) pattern(p *gojq.Pattern) {
	for _, o := range p.Object {
		if o.KeyQuery != nil {
			o.KeyQuery = pipe(o.KeyQuery, callQuery("__key"))
		}
	}
}

// guardedTry counts the errors that a try catches.
func guardedTry(t *gojq.Try) *gojq.Try {
	catch := t.Catch
	if catch == nil {
		catch = funcQuery("empty")
	}
	return &gojq.Try{Body: t.Body, Catch: pipe(callQuery("__caught"), catch)}
}

// dynamicKey stands for a key that is known only when the literal is evaluated.
// No key that JSON text can hold is equal to it.
const dynamicKey = "\xff"

// loc replaces $__loc__ by the object that jq makes of it.
func (r *rewriter) loc(t *gojq.Term) {
	line := 1
	if r.located < len(r.lines) {
		line = r.lines[r.located]
	}
	r.located++
	t.Type, t.Func = gojq.TermTypeObject, nil
	t.Object = &gojq.Object{KeyVals: []*gojq.ObjectKeyVal{
		{Key: "file", Val: stringQuery("<top-level>")},
		{Key: "line", Val: numberQuery(line)},
	}}
	r.object(t)
}

// format replaces formats that print JSON.
func (r *rewriter) format(t *gojq.Term) {
	convert := callQuery("__formatting", stringQuery(strings.TrimPrefix(t.Format, "@")))
	switch t.Format {
	case "@text":
		convert = callQuery("__tostring")
	case "@json":
		convert = callQuery("__tojson")
	}
	if t.Str != nil {
		interpolate(t.Str, convert)
		if t.Format == "@json" || t.Format == "@text" {
			t.Type, t.Format = gojq.TermTypeString, ""
		}
		return
	}
	if t.Format == "@json" || t.Format == "@text" {
		replace(t, convert)
		return
	}
	format := &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeFormat, Format: t.Format}}
	replace(t, pipe(convert, format))
}

// interpolate lets convert make the text of each interpolated value.
func interpolate(s *gojq.String, convert *gojq.Query) {
	for i, q := range s.Queries {
		if q.Term != nil && q.Term.Str != nil && q.Term.Type == gojq.TermTypeString && q.Term.Str.Queries == nil {
			continue // a piece of the text between interpolations
		}
		s.Queries[i] = &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeQuery, Query: pipe(q, convert)}}
	}
}

// text makes texts of what is interpolated.
func (r *rewriter) text(s *gojq.String) { interpolate(s, callQuery("__tostring")) }

// suffixes rebuilds t with what must happen between its suffixes: [] becomes a
// call of __each, which knows the order of keys; a slice or a numeric index is
// announced first (slicing a text counts its characters, and jq does not index
// texts). What stands in front moves into parentheses, because an index may hold
// a query whose input is that of the whole term.
func (r *rewriter) suffixes(t *gojq.Term) {
	rest := t.SuffixList
	front := *t
	front.SuffixList = nil
	if t.Type == gojq.TermTypeIndex && (t.Index.Start != nil || t.Index.IsSlice) {
		rest = slices.Insert(slices.Clone(rest), 0, &gojq.Suffix{Index: t.Index})
		front = gojq.Term{Type: gojq.TermTypeIdentity}
	}
	for i := 0; i < len(rest); i++ {
		s := rest[i]
		optional := i+1 < len(rest) && rest[i+1].Optional
		var step *gojq.Term
		switch {
		case s.Iter:
			step = &gojq.Term{Type: gojq.TermTypeFunc, Func: &gojq.Func{Name: "__each"}}
		case s.Index != nil && isNumeric(s.Index):
			index := &gojq.Term{Type: gojq.TermTypeIdentity, SuffixList: []*gojq.Suffix{s}}
			step = &gojq.Term{Type: gojq.TermTypeQuery, Query: pipe(callQuery("__indexing"), &gojq.Query{Term: index})}
		case s.Index != nil && (s.Index.IsSlice || s.Index.Start != nil):
			front = *parenthesize(pipe(termQuery(front), callQuery("__slicing")))
			if !s.Index.IsSlice {
				s = &gojq.Suffix{Index: &gojq.Index{Start: pipe(s.Index.Start, callQuery("__key"))}}
			}
			front.SuffixList = []*gojq.Suffix{s}
			continue
		case s.Optional:
			front = gojq.Term{Type: gojq.TermTypeTry, Try: guardedTry(&gojq.Try{Body: termQuery(front)})}
			continue
		default:
			front.SuffixList = append(front.SuffixList, s)
			continue
		}
		if optional {
			step = &gojq.Term{Type: gojq.TermTypeTry, Try: guardedTry(&gojq.Try{Body: termQuery(*step)})}
			i++
		}
		front = *parenthesize(pipe(termQuery(front), &gojq.Query{Term: step}))
	}
	*t = front
}

// isNumeric reports whether i is a number in brackets.
func isNumeric(i *gojq.Index) bool {
	if i.IsSlice || i.Start == nil || i.Start.Term == nil || len(i.Start.Term.SuffixList) > 0 {
		return false
	}
	kind := i.Start.Term.Type
	return kind == gojq.TermTypeNumber || kind == gojq.TermTypeUnary
}
