package jq

import "github.com/itchyny/gojq"

// visitor is called for the nodes of a syntax tree, children first, and may
// replace their contents. A nil function is not called.
type visitor struct {
	query   func(*gojq.Query)
	term    func(*gojq.Term)
	fn      func(*gojq.Func)
	def     func(*gojq.FuncDef)
	pattern func(*gojq.Pattern)
	str     func(*gojq.String) // keys and names; the text of a term belongs to the term
}

// walk visits q and everything below it.
func (v *visitor) walk(q *gojq.Query) {
	if q == nil {
		return
	}
	for _, d := range q.FuncDefs {
		v.walk(d.Body)
		if v.def != nil {
			v.def(d)
		}
	}
	v.walk(q.Left)
	v.walk(q.Right)
	v.patterns(q.Patterns)
	v.walkTerm(q.Term)
	if v.query != nil {
		v.query(q)
	}
}

func (v *visitor) walkTerm(t *gojq.Term) {
	if t == nil {
		return
	}
	v.index(t.Index)
	if t.Func != nil {
		v.walkAll(t.Func.Args)
		if v.fn != nil {
			v.fn(t.Func)
		}
	}
	if t.Object != nil {
		for _, kv := range t.Object.KeyVals {
			v.string(kv.KeyString)
			v.walkAll([]*gojq.Query{kv.KeyQuery, kv.Val})
			if v.fn != nil && kv.Val == nil && len(kv.Key) > 0 && kv.Key[0] == '$' {
				v.fn(&gojq.Func{Name: kv.Key}) // {$x} reads the variable
			}
		}
	}
	if t.Array != nil {
		v.walk(t.Array.Query)
	}
	if t.Unary != nil {
		v.walkTerm(t.Unary.Term)
	}
	if t.Str != nil {
		v.walkAll(t.Str.Queries)
	}
	v.control(t)
	v.walk(t.Query)
	for _, s := range t.SuffixList {
		v.index(s.Index)
	}
	if v.term != nil {
		v.term(t)
	}
}

// control visits what belongs to a keyword.
func (v *visitor) control(t *gojq.Term) {
	if t.If != nil {
		v.walkAll([]*gojq.Query{t.If.Cond, t.If.Then, t.If.Else})
		for _, e := range t.If.Elif {
			v.walkAll([]*gojq.Query{e.Cond, e.Then})
		}
	}
	if t.Try != nil {
		v.walkAll([]*gojq.Query{t.Try.Body, t.Try.Catch})
	}
	if t.Reduce != nil {
		v.patterns(t.Reduce.Patterns)
		v.walkAll([]*gojq.Query{t.Reduce.Query, t.Reduce.Start, t.Reduce.Update})
	}
	if t.Foreach != nil {
		v.patterns(t.Foreach.Patterns)
		v.walkAll([]*gojq.Query{t.Foreach.Query, t.Foreach.Start, t.Foreach.Update, t.Foreach.Extract})
	}
	if t.Label != nil {
		v.walk(t.Label.Body)
	}
}

func (v *visitor) walkAll(queries []*gojq.Query) {
	for _, q := range queries {
		v.walk(q)
	}
}

func (v *visitor) index(i *gojq.Index) {
	if i != nil {
		v.string(i.Str)
		v.walkAll([]*gojq.Query{i.Start, i.End})
	}
}

func (v *visitor) string(s *gojq.String) {
	if s == nil {
		return
	}
	v.walkAll(s.Queries)
	if v.str != nil {
		v.str(s)
	}
}

func (v *visitor) patterns(patterns []*gojq.Pattern) {
	for _, p := range patterns {
		v.patterns(p.Array)
		for _, o := range p.Object {
			v.string(o.KeyString)
			v.walk(o.KeyQuery)
			if o.Val != nil {
				v.patterns([]*gojq.Pattern{o.Val})
			}
			if v.pattern != nil && len(o.Key) > 0 && o.Key[0] == '$' {
				v.pattern(&gojq.Pattern{Name: o.Key}) // {$x} binds the variable
			}
		}
		if v.pattern != nil {
			v.pattern(p)
		}
	}
}
