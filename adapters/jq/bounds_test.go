package jq

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// shared is a small value that looks like 2^34 nodes to whoever walks it.
const shared = `reduce range(34) as $i (1; [., .])`

// PULL-15: nothing can hang. Each of these ends by itself, with an error that no
// try catches; a bound that does not hold ends the test by its time.
func TestPULL15_EveryEvaluationEnds(t *testing.T) {
	long := `"` + strings.Repeat("ab c", 1<<18) + `"`
	for _, text := range []string{
		"last(repeat(.))", "until(false; .)", "def f: f; f", "def f: 1 + f; f", "def f: [f]; f",
		"last(range(1e12))", "[recurse(.)] | length", "[range(1e9)]", "[limit(1e9; repeat(1))]",
		"[limit(100000; repeat(1))] | combinations(20)", "repeat(.id)",
		"reduce range(1000) as $i ([1]; . + .)", `reduce range(1000) as $i ("x"; . + .)`,
		`reduce range(1000) as $i ("x"; "\(.)\(.)")`, `"x" * 1e9`, `"x" * 1e18`,
		"null | .[100000000] = 1", "null | .[2000000] |= 1", "null | setpath([5000000]; 1)",
		`[range(100000)] - [range(100000)]`, `[range(100000)] | contains([range(100000)])`,
		`reduce range(1e6) as $i ({}; .["k\($i)"] = $i)`, `reduce range(1e6) as $i ([]; . + [$i])`,
		`reduce range(1e6) as $i ([]; .[$i] = $i)`,
		shared + " | tojson", shared + " | tostring", shared + ` | "\(.)"`, shared + " | @json",
		shared + " | flatten", shared + " | . == .", shared + " | . < .", shared + " | IN([1])",
		shared + " | sort", shared + " | unique", shared + " | sort_by(.)", shared + " | group_by(.)",
		shared + " | min", shared + " | max_by(.)", shared + " | bsearch(.)", shared + " | contains([1])",
		shared + " | inside([1])", shared + " | index([1])", shared + " | . - .", shared + " | [paths]",
		shared + " | [tostream]", shared + " | walk(.)", shared + " | @csv", shared + " | @html",
		shared + " | delpaths([.])", shared + " | error", shared + " | del(..)", shared + " | [..]",
		"reduce range(34) as $i ({}; {a: ., b: .}) | . * .",
		`.payload | [match("a|(?:.*z)?"; "g")]`, `.payload | [match(""; "g")]`, `.payload | split("")`,
		`.payload / ""`, `.payload | [range(100000) as $i | .[$i:]]`, `.payload | [range(1000) | ascii_upcase]`,
		`[.payload | range(100000) as $i | .]| @csv`, `.payload as $p | [range(10000) | $p] | join("")`,
		`.payload as $p | [range(10000) | $p] | add`, `.payload | repeat(test("(a|b|c| )*$"))`,
		`try ("x" * 1e9) catch "caught"`, `try repeat(1) catch "caught"`, `("x" * 1e9)? // 1`,
	} {
		renderer, err := New().Template(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got, err := renderer.Render(context.Background(), doc(long)); err == nil {
			t.Errorf("%s gave %.40q", text, got)
		}
	}
}

// PULL-15: what people write stays far within the bounds.
func TestPULL15_OrdinaryWorkFits(t *testing.T) {
	var items []string
	for range 2000 {
		items = append(items, `{"name":"build","state":"failed","labels":["a","b"]}`)
	}
	payload := "[" + strings.Join(items, ",") + "]"
	renders(t, payload, map[string]string{
		`.payload | map(select(.state == "failed")) | length`:             "2000",
		`[.payload[] | "\(.name): \(.state)"] | unique | join(", ")`:      "build: failed",
		`.payload | group_by(.state) | map({(.[0].state): length}) | add`: `{"failed":2000}`,
		`.payload | map(.labels | length) | add`:                          "4000",
		`.payload | tojson | length`:                                      "106001",
		`.payload | map_values(.state |= ascii_upcase) | .[0].state`:      "FAILED",
		`.payload | [.[] | .name | gsub("i"; "I")] | .[1999]`:             "buIld",
	})
}

// PULL-8: a result over 1 MiB is an error, one of that size is not.
func TestPULL8_ResultIsBounded(t *testing.T) {
	if got, err := render(t, `"x" * 1048576`, "1"); err != nil || len(got) != 1<<20 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	for _, text := range []string{`"x" * 1048577`, `("x" * 1048575), "yy"`, `["x" * 1048576]`, `range(1e5) | "0123456789abc"`} {
		if got, err := render(t, text, "1"); err == nil {
			t.Errorf("%s gave %d bytes", text, len(got))
		}
	}
}

// PULL-11, PULL-15: the caller's context ends an evaluation with its cause.
func TestPULL11_ContextEndsTheEvaluation(t *testing.T) {
	cause := errors.New("the scan time is over")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	m, err := New().Filter("true")
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := m.Match(ctx, doc("1")); ok || !errors.Is(err, cause) {
		t.Errorf("got %v, %v; want the cause", ok, err)
	}
	m, err = New().Filter("repeat(false)")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Match(&endsAt{Context: context.Background(), after: 50, cause: cause}, doc("1")); !errors.Is(err, cause) {
		t.Errorf("got %v, want the cause", err)
	}
}

// endsAt is a context that ends when it was asked so many times: a deadline that
// passes during the evaluation, without a clock.
type endsAt struct {
	context.Context
	after int
	cause error
}

func (e *endsAt) Err() error {
	if e.after--; e.after < 0 {
		return e.cause
	}
	return nil
}
