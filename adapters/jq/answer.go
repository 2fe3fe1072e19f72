package jq

import (
	"bytes"
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/itchyny/gojq"

	"github.com/tundish-go/tundish/ports"
)

// rank is the place of a kind of value in the order of jq.
type rank int

const (
	rankNull rank = iota
	rankFalse
	rankTrue
	rankNumber
	rankText
	rankArray
	rankObject
)

// rankOf returns the rank of JSON text, which is null where nothing was found.
func rankOf(value []byte) rank {
	if len(value) == 0 {
		return rankNull
	}
	switch value[0] {
	case 'n':
		return rankNull
	case 'f':
		return rankFalse
	case 't':
		return rankTrue
	case '"':
		return rankText
	case '[':
		return rankArray
	case '{':
		return rankObject
	}
	return rankNumber
}

// literal is what a value is compared with.
type literal struct {
	rank   rank
	number int64
	text   string
}

// match answers the filter for doc as the engine would. sure is false where it
// cannot tell what the engine would do.
func (f *form) match(ctx context.Context, doc *ports.Document, light bool) (matched, sure bool, err error) {
	if ctx.Err() != nil {
		return false, true, context.Cause(ctx)
	}
	var s scanner
	if !light && !s.scan(doc.Payload, f.payload) {
		return false, false, nil
	}
	matched, sure = f.test.holds(doc, &s)
	return matched, sure, nil
}

func (t *test) holds(doc *ports.Document, s *scanner) (holds, sure bool) {
	switch t.op {
	case gojq.OpAnd, gojq.OpOr:
		holds, sure = t.left.holds(doc, s)
		if !sure || holds == (t.op == gojq.OpOr) {
			return holds, sure
		}
		return t.right.holds(doc, s)
	case gojq.OpPipe:
		holds, sure = t.left.holds(doc, s)
		return !holds, sure
	case 0:
		return t.truth(doc, s), true
	}
	order, sure := t.order(doc, s)
	switch t.op {
	case gojq.OpEq:
		holds = order == 0
	case gojq.OpNe:
		holds = order != 0
	case gojq.OpLt:
		holds = order < 0
	case gojq.OpLe:
		holds = order <= 0
	case gojq.OpGt:
		holds = order > 0
	case gojq.OpGe:
		holds = order >= 0
	}
	return holds, sure
}

// truth tells whether the value is neither false nor null.
func (t *test) truth(doc *ports.Document, s *scanner) bool {
	switch t.item {
	case "":
		r := rankOf(s.found[t.place])
		return r != rankNull && r != rankFalse
	case "key":
		return doc.Key != nil
	}
	return true
}

// order compares the value with the literal, as jq orders values.
func (t *test) order(doc *ports.Document, s *scanner) (order int, sure bool) {
	switch t.item {
	case "":
		return t.want.order(s.found[t.place])
	case "id":
		return t.want.orderNumber(doc.ID), true
	case "created_at":
		return t.want.orderNumber(doc.CreatedAt), true
	case "queue":
		return t.want.orderText(doc.Queue)
	}
	if doc.Key == nil {
		return int(rankNull - t.want.rank), true
	}
	return t.want.orderText(*doc.Key)
}

func (l *literal) orderText(text string) (order int, sure bool) {
	if l.rank != rankText {
		return int(rankText - l.rank), true
	}
	return strings.Compare(text, l.text), len(text) <= maxCompared
}

func (l *literal) orderNumber(n int64) int {
	if l.rank != rankNumber {
		return int(rankNumber - l.rank)
	}
	return cmp.Compare(n, l.number)
}

// order compares JSON text, as it was found, with the literal.
func (l *literal) order(value []byte) (order int, sure bool) {
	if len(value) > maxCompared {
		return 0, false
	}
	r := rankOf(value)
	switch {
	case r != l.rank:
		return int(r - l.rank), true
	case r == rankNumber:
		n, ok := shortInteger(value)
		return cmp.Compare(n, l.number), ok
	case r == rankText:
		text := value[1 : len(value)-1]
		if bytes.IndexByte(text, '\\') >= 0 {
			var err error
			if text, err = jsontext.AppendUnquote(nil, value); err != nil {
				return 0, false
			}
		}
		return compareText(text, l.text), true
	}
	return 0, true
}

// compareText compares without a copy of a.
func compareText(a []byte, b string) int {
	switch {
	case string(a) == b:
		return 0
	case string(a) < b:
		return -1
	}
	return 1
}

// shortInteger returns the value of an integer that is spelled in the one usual way
// and that every kind of number holds.
func shortInteger(text []byte) (int64, bool) {
	digits := text
	if len(text) > 0 && text[0] == '-' {
		digits = text[1:]
	}
	if len(digits) == 0 || len(digits) > 15 || digits[0] == '0' && len(text) > 1 {
		return 0, false
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	return n, err == nil
}
