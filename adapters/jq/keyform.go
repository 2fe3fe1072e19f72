package jq

import "github.com/itchyny/gojq"

// keyOf returns the text of a filter of the form .key == "text" or "text" ==
// .key, alone or as the first part of an and (PULL-14).
func keyOf(q *gojq.Query) (string, bool) {
	q = unwrap(q)
	if q == nil || len(q.FuncDefs) > 0 {
		return "", false
	}
	switch q.Op {
	case gojq.OpAnd:
		return keyOf(q.Left)
	case gojq.OpEq:
		left, right := unwrap(q.Left), unwrap(q.Right)
		if left == nil || right == nil {
			return "", false
		}
		if text, ok := literalString(right); ok && isField(left, "key") {
			return text, true
		}
		if text, ok := literalString(left); ok && isField(right, "key") {
			return text, true
		}
	}
	return "", false
}

// unwrap removes parentheses.
func unwrap(q *gojq.Query) *gojq.Query {
	for q != nil && q.Term != nil && q.Term.Type == gojq.TermTypeQuery && len(q.Term.SuffixList) == 0 && len(q.FuncDefs) == 0 {
		q = q.Term.Query
	}
	return q
}

// isField reports whether q is the bare field of that name.
func isField(q *gojq.Query, name string) bool {
	t := q.Term
	return t != nil && len(q.FuncDefs) == 0 && t.Type == gojq.TermTypeIndex && len(t.SuffixList) == 0 && t.Index.Name == name
}

// isLight reports whether the filter q matches the same items when their payload
// is left out: it asks for other fields only, or selects by them. It may say no
// where yes would be right.
func isLight(q *gojq.Query) bool {
	if q == nil || len(q.FuncDefs) > 0 {
		return false
	}
	switch {
	case isSelect(q):
		return true
	case q.Term != nil && q.Term.Type == gojq.TermTypeQuery && len(q.Term.SuffixList) == 0:
		return isLight(q.Term.Query)
	case q.Op == gojq.OpPipe && isSelect(q.Left):
		return isLight(q.Right)
	case q.Op == gojq.OpComma:
		return isLight(q.Left) && isLight(q.Right)
	}
	return isShallow(q)
}

// isSelect reports whether q is select(f), which passes the item on, and f looks
// at no payload.
func isSelect(q *gojq.Query) bool {
	t := q.Term
	return t != nil && len(q.FuncDefs) == 0 && t.Type == gojq.TermTypeFunc && len(t.SuffixList) == 0 &&
		t.Func.Name == "select" && len(t.Func.Args) == 1 && isShallow(t.Func.Args[0])
}

// isShallow reports whether q reads no payload and yields neither the item nor a
// part of the payload. What stands behind a pipe sees only what comes through.
func isShallow(q *gojq.Query) bool {
	if q == nil || len(q.FuncDefs) > 0 {
		return false
	}
	if q.Term != nil {
		return isShallowTerm(q.Term)
	}
	switch q.Op {
	case gojq.OpPipe:
		return len(q.Patterns) == 0 && isShallow(q.Left)
	case gojq.OpEq, gojq.OpNe, gojq.OpLt, gojq.OpLe, gojq.OpGt, gojq.OpGe,
		gojq.OpAnd, gojq.OpOr, gojq.OpAlt, gojq.OpComma, gojq.OpAdd, gojq.OpSub:
		return isShallow(q.Left) && isShallow(q.Right)
	}
	return false
}

func isShallowTerm(t *gojq.Term) bool {
	if len(t.SuffixList) > 0 {
		return false
	}
	switch t.Type {
	case gojq.TermTypeIndex:
		return isField(&gojq.Query{Term: t}, "id") || isField(&gojq.Query{Term: t}, "queue") ||
			isField(&gojq.Query{Term: t}, "key") || isField(&gojq.Query{Term: t}, "created_at")
	case gojq.TermTypeNull, gojq.TermTypeTrue, gojq.TermTypeFalse, gojq.TermTypeNumber:
		return true
	case gojq.TermTypeString:
		return t.Str.Queries == nil
	case gojq.TermTypeQuery:
		return isShallow(t.Query)
	}
	return false
}
