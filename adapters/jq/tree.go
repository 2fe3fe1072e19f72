package jq

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
)

// Builders of syntax trees. Where a function takes the evaluation, it is the
// last argument.

func identity() *gojq.Query {
	return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeIdentity}}
}

func termQuery(t gojq.Term) *gojq.Query { return &gojq.Query{Term: &t} }

// funcQuery calls a function of the prelude.
func funcQuery(name string, args ...*gojq.Query) *gojq.Query {
	return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeFunc, Func: &gojq.Func{Name: name, Args: args}}}
}

// callQuery calls one of our native functions.
func callQuery(name string, args ...*gojq.Query) *gojq.Query {
	return funcQuery(name, append(args, funcQuery(runVariable))...)
}

func pipe(left, right *gojq.Query) *gojq.Query {
	return &gojq.Query{Left: left, Op: gojq.OpPipe, Right: right}
}

func parenthesize(q *gojq.Query) *gojq.Term {
	return &gojq.Term{Type: gojq.TermTypeQuery, Query: q}
}

func numberQuery(n int) *gojq.Query {
	return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeNumber, Number: strconv.Itoa(n)}}
}

func stringQuery(s string) *gojq.Query {
	return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeString, Str: &gojq.String{Str: s}}}
}

// replace makes t mean q and keeps its suffixes.
func replace(t *gojq.Term, q *gojq.Query) {
	suffixes := t.SuffixList
	*t = *parenthesize(q)
	t.SuffixList = suffixes
}

// canonicalNumber spells a number of an expression as jq prints it: its digits
// stay, and an exponent only remains where the number does not fit without.
func canonicalNumber(text string) string {
	sign := ""
	if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") {
		sign, text = strings.TrimPrefix(text[:1], "+"), text[1:]
	}
	mantissa, exponent := text, 0
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		var err error
		if exponent, err = strconv.Atoi(text[at+1:]); err != nil {
			return sign + text
		}
		mantissa = text[:at]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	exponent -= len(fraction)
	if digits == "" {
		digits = "0"
	}
	adjusted := exponent + len(digits) - 1
	switch {
	case exponent == 0:
		return sign + digits
	case exponent < 0 && adjusted >= -6:
		if missing := 1 - exponent - len(digits); missing > 0 {
			digits = strings.Repeat("0", missing) + digits
		}
		point := len(digits) + exponent
		return sign + digits[:point] + "." + digits[point:]
	}
	if len(digits) > 1 {
		digits = digits[:1] + "." + digits[1:]
	}
	mark := "E"
	if adjusted >= 0 {
		mark = "E+"
	}
	return sign + digits + mark + strconv.Itoa(adjusted)
}

// isPlain reports whether the engine's own constant prints like number.
func isPlain(number string) bool {
	if _, ok := new(big.Int).SetString(number, 10); ok {
		return true
	}
	f, err := strconv.ParseFloat(number, 64)
	return err == nil && string(appendFloat(nil, f)) == number
}

// locLines returns the line of each $__loc__ in text.
func locLines(text string) []int {
	var lines []int
	for at := 0; ; {
		i := locate(text[at:], "$__loc__")
		if i < 0 {
			return lines
		}
		lines = append(lines, 1+strings.Count(text[:at+i], "\n"))
		at += i + len("$__loc__")
	}
}
