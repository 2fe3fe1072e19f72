package jq

import (
	"slices"

	"github.com/itchyny/gojq"
)

// Stray implements ports.Expressions (CMD-3). It follows an expression as far as its
// input plainly is the item still, and no further: what it does not understand is
// no reason for a word.
func (e *Engine) Stray(text string) string {
	q, err := gojq.Parse(text)
	if err != nil {
		return ""
	}
	return strayOf(q)
}

// strayOf returns the stray member of a query whose input is the item.
func strayOf(q *gojq.Query) string {
	switch {
	case q == nil || len(q.FuncDefs) > 0:
		return ""
	case q.Term != nil:
		return strayTerm(q.Term)
	case q.Op >= gojq.OpAssign: // it may make the member
		return ""
	}
	if name := strayOf(q.Left); name != "" {
		return name
	}
	if q.Op == gojq.OpPipe && len(q.Patterns) == 0 && !passesOn(unwrap(q.Left)) {
		return ""
	}
	return strayOf(q.Right)
}

// passesOn tells whether a query gives the item itself, if anything.
func passesOn(q *gojq.Query) bool {
	path, ok := pathOf(q, nil)
	return ok && len(path) == 0 || isCall(q, "select", 1)
}

func strayTerm(t *gojq.Term) string {
	switch t.Type {
	case gojq.TermTypeIdentity:
		if len(t.SuffixList) > 0 {
			return strayIndex(t.SuffixList[0].Index)
		}
	case gojq.TermTypeIndex:
		return strayIndex(t.Index)
	case gojq.TermTypeFunc:
		if t.Func.Name == "select" {
			return strayAmong(t.Func.Args...)
		}
	case gojq.TermTypeObject:
		return strayObject(t.Object)
	case gojq.TermTypeArray:
		return strayOf(t.Array.Query)
	case gojq.TermTypeUnary:
		return strayTerm(t.Unary.Term)
	case gojq.TermTypeString, gojq.TermTypeFormat:
		if t.Str != nil {
			return strayAmong(t.Str.Queries...)
		}
	case gojq.TermTypeIf:
		if name := strayAmong(t.If.Cond, t.If.Then, t.If.Else); name != "" {
			return name
		}
		for _, also := range t.If.Elif {
			if name := strayAmong(also.Cond, also.Then); name != "" {
				return name
			}
		}
	case gojq.TermTypeTry:
		return strayOf(t.Try.Body)
	case gojq.TermTypeQuery:
		return strayOf(t.Query)
	}
	return ""
}

func strayAmong(all ...*gojq.Query) string {
	for _, q := range all {
		if name := strayOf(q); name != "" {
			return name
		}
	}
	return ""
}

// strayObject looks at the values; {name} reads the member of that name.
func strayObject(o *gojq.Object) string {
	for _, kv := range o.KeyVals {
		name := strayOf(kv.Val)
		if kv.Val == nil && kv.Key != "" && kv.Key[0] != '$' {
			name = strayIndex(&gojq.Index{Name: kv.Key})
		}
		if name != "" {
			return name
		}
	}
	return ""
}

// strayIndex returns the name that an index reads of the item, unless items have it.
func strayIndex(i *gojq.Index) string {
	name, ok := nameOf(i)
	if !ok || slices.Contains([]string{"id", "queue", "key", "payload", "created_at"}, name) {
		return ""
	}
	return name
}
