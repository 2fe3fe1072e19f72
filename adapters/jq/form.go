package jq

import "github.com/itchyny/gojq"

// Bounds of a form. Within them the engine never runs into the bounds of an
// evaluation either.
const (
	maxTests    = 64
	maxPlaces   = 32
	maxCompared = 8 << 10 // bytes of one value
)

// form is a filter that is answered from the stored text, without the engine: it
// compares fields of the item with literals, and joins that by and, or and not
// (PULL-14).
type form struct {
	test    *test
	payload *field // what is read of the payload
	tests   int
	places  int
}

// test is a part of a form: two tests, one that is turned round, the comparison of
// a value, or the question whether a value is neither false nor null.
type test struct {
	op          gojq.Operator // and, or, pipe for a not, a comparison, 0 for none
	left, right *test         // of two tests; one that is turned round is both
	item        string        // the field of the item; "" for one in the payload
	place       int           // among what is found in the payload
	want        literal
}

// formOf returns the form of a filter, nil for any other.
func formOf(q *gojq.Query) *form {
	f := &form{payload: &field{}, places: 1}
	q = unwrap(q)
	if isCall(q, "select", 1) { // it passes the item on, which is never null
		q = q.Term.Func.Args[0]
	}
	if f.test = f.parse(q, nil); f.test == nil {
		return nil
	}
	return f
}

// parse returns the test that q is for an input that stands at the path; nil where
// it is none.
func (f *form) parse(q *gojq.Query, path []string) *test {
	q = unwrap(q)
	if f.tests++; f.tests > maxTests || q == nil || len(q.FuncDefs) > 0 || len(q.Patterns) > 0 {
		return nil
	}
	switch q.Op {
	case gojq.OpPipe:
		if isCall(q.Right, "not", 0) {
			left := f.parse(q.Left, path)
			return join(q.Op, left, left)
		}
		if inner, ok := pathOf(unwrap(q.Left), path); ok {
			return f.parse(q.Right, inner)
		}
		return nil
	case gojq.OpAnd, gojq.OpOr:
		return join(q.Op, f.parse(q.Left, path), f.parse(q.Right, path))
	case gojq.OpEq, gojq.OpNe, gojq.OpLt, gojq.OpLe, gojq.OpGt, gojq.OpGe:
		if want, ok := literalOf(unwrap(q.Right)); ok {
			return f.compare(unwrap(q.Left), path, q.Op, want)
		}
		if want, ok := literalOf(unwrap(q.Left)); ok {
			return f.compare(unwrap(q.Right), path, mirrored(q.Op), want)
		}
		return nil
	}
	return f.compare(q, path, 0, literal{})
}

func join(op gojq.Operator, left, right *test) *test {
	if left == nil || right == nil {
		return nil
	}
	return &test{op: op, left: left, right: right}
}

// mirrored returns the operator for exchanged sides.
func mirrored(op gojq.Operator) gojq.Operator {
	switch op {
	case gojq.OpLt:
		return gojq.OpGt
	case gojq.OpLe:
		return gojq.OpGe
	case gojq.OpGt:
		return gojq.OpLt
	case gojq.OpGe:
		return gojq.OpLe
	}
	return op
}

// compare returns the test of the value that q, which must be a path, leads to.
func (f *form) compare(q *gojq.Query, path []string, op gojq.Operator, want literal) *test {
	path, ok := pathOf(q, path)
	if !ok || len(path) == 0 {
		return nil
	}
	switch path[0] {
	case "id", "queue", "key", "created_at":
		if len(path) == 1 {
			return &test{op: op, item: path[0], want: want}
		}
	case "payload":
		at := f.payload
		for _, name := range path[1:] {
			at = f.enter(at, name)
		}
		if f.places <= maxPlaces {
			return &test{op: op, place: at.place, want: want}
		}
	}
	return nil
}

// enter returns the field of that name in a field, made if need be.
func (f *form) enter(in *field, name string) *field {
	for _, known := range in.inner {
		if known.name == name {
			return known
		}
	}
	made := &field{name: name, place: f.places}
	f.places++
	in.inner = append(in.inner, made)
	return made
}

// pathOf returns the names of a query like .a["b"], behind those of its input.
func pathOf(q *gojq.Query, input []string) ([]string, bool) {
	if q == nil || q.Term == nil || len(q.FuncDefs) > 0 {
		return nil, false
	}
	path := input[:len(input):len(input)]
	var indexes []*gojq.Index
	switch q.Term.Type {
	case gojq.TermTypeIdentity:
	case gojq.TermTypeIndex:
		indexes = append(indexes, q.Term.Index)
	default:
		return nil, false
	}
	for _, s := range q.Term.SuffixList {
		indexes = append(indexes, s.Index)
	}
	for _, i := range indexes {
		name, ok := nameOf(i)
		if !ok {
			return nil, false
		}
		path = append(path, name)
	}
	return path, true
}

// nameOf returns the name that an index is.
func nameOf(i *gojq.Index) (string, bool) {
	switch {
	case i == nil || i.IsSlice:
		return "", false
	case i.Name != "":
		return i.Name, true
	case i.Str != nil:
		return i.Str.Str, i.Str.Queries == nil
	case i.Start == nil:
		return "", false
	}
	return literalString(i.Start)
}

// isCall reports whether q calls that function and does nothing else.
func isCall(q *gojq.Query, name string, args int) bool {
	if q == nil || q.Term == nil || len(q.FuncDefs) > 0 {
		return false
	}
	t := q.Term
	return t.Type == gojq.TermTypeFunc && len(t.SuffixList) == 0 && t.Func.Name == name && len(t.Func.Args) == args
}

// literalOf returns the literal that q is: null, false, true, a text, or a number
// of few digits.
func literalOf(q *gojq.Query) (literal, bool) {
	if q == nil || q.Term == nil || len(q.FuncDefs) > 0 || len(q.Term.SuffixList) > 0 {
		return literal{}, false
	}
	switch t := q.Term; t.Type {
	case gojq.TermTypeNull:
		return literal{rank: rankNull}, true
	case gojq.TermTypeFalse:
		return literal{rank: rankFalse}, true
	case gojq.TermTypeTrue:
		return literal{rank: rankTrue}, true
	case gojq.TermTypeNumber:
		n, ok := shortInteger([]byte(t.Number))
		return literal{rank: rankNumber, number: n}, ok
	case gojq.TermTypeUnary:
		n, ok := literalOf(termQuery(*t.Unary.Term))
		n.number = -n.number
		return n, ok && n.rank == rankNumber && t.Unary.Op == gojq.OpSub
	}
	text, ok := literalString(q)
	return literal{rank: rankText, text: text}, ok
}
