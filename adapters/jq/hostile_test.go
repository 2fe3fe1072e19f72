package jq

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// hostile is an expression that tries to hang or to exhaust whoever evaluates it,
// and what becomes of it: as a template and as a filter, ! is an error, = a text
// or a match, - no match.
type hostile struct {
	payload          byte
	template, filter byte
	text             string
}

// hostiles reads testdata/hostile.txt. A line is the letter of a payload, the two
// outcomes, and the expression.
func hostiles(t *testing.T) []hostile {
	t.Helper()
	var all []hostile
	for line := range corpusLines(t, "testdata/hostile.txt") {
		if len(line) < 5 {
			t.Fatalf("not a hostile expression: %q", line)
		}
		all = append(all, hostile{line[0], line[1], line[2], line[4:]})
	}
	return all
}

// hostilePayloads returns the payloads by letter.
func hostilePayloads(t *testing.T) map[byte]string {
	t.Helper()
	object := map[string]int{}
	rising, mixed := make([]int, 200_000), make([]int, 150_000)
	for i := range 100_000 {
		object[fmt.Sprint("k", i)] = i
	}
	for i := range rising {
		rising[i] = i
	}
	for i := range mixed {
		mixed[i] = i * 7919 % 1_000_003
	}
	payloads := map[byte]string{
		's': `{"a":1}`,
		'n': "[" + strings.Repeat("7", 1000) + "]",
		'f': "[" + strings.Repeat("7", 500) + "." + strings.Repeat("3", 500) + "]",
		'd': strings.Repeat("[", 1000) + strings.Repeat("]", 1000),
		'D': strings.Repeat("[", 9000) + strings.Repeat("]", 9000), // a publish would refuse it
	}
	for letter, v := range map[byte]any{
		'm': strings.Repeat("ab c", 1<<18), 'x': strings.Repeat("a", 1<<20), 'c': strings.Repeat("\x01", 1<<20),
		'q': strings.Repeat("'", 1_000_000), 'o': object, 'a': rising, 'r': mixed,
	} {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		payloads[letter] = string(text)
	}
	return payloads
}

// PULL-15: no expression hangs, and its outcome is the same on every machine,
// because only steps and work are counted. All of them run with TUNDISH_LONG=1.
func TestPULL15_HostileOutcomes(t *testing.T) {
	payloads := hostilePayloads(t)
	for i, h := range hostiles(t) {
		if os.Getenv("TUNDISH_LONG") == "" && i%16 != 0 {
			continue
		}
		renderer, err := New().Template(h.text)
		if err != nil {
			t.Errorf("%s: %v", h.text, err)
			continue
		}
		_, err = renderer.Render(context.Background(), doc(payloads[h.payload]))
		if got := outcome(true, err); got != h.template {
			t.Errorf("%s as a template: %c, want %c (%v)", h.text, got, h.template, err)
		}
		matcher, err := New().Filter(h.text)
		if err != nil {
			t.Fatal(err)
		}
		matched, err := matcher.Match(context.Background(), doc(payloads[h.payload]))
		if got := outcome(matched, err); got != h.filter {
			t.Errorf("%s as a filter: %c, want %c (%v)", h.text, got, h.filter, err)
		}
	}
}

func outcome(matched bool, err error) byte {
	switch {
	case err != nil:
		return '!'
	case matched:
		return '='
	}
	return '-'
}

// PULL-15: the engine's own functions, which no guard knows, have no names here;
// one that the expression defines is its own.
func TestPULL15_EnginesOwnFunctionsAreUnknown(t *testing.T) {
	for _, text := range []string{`_multiply("x"; 1e9)`, "_equal(.; .)", "_tohtml", `_match("a"; null; false)`, "_sort_by(.)", "[_range(0; 1; 1)]"} {
		if _, err := New().Template(text); err == nil || !strings.Contains(err.Error(), "unknown function _") {
			t.Errorf("%s: %v", text, err)
		}
	}
	renders(t, "1", map[string]string{"def _twice(f): f | f; .id | _twice(. + 1)": "9"})
}

// The engine keeps what stands around a function in fields that have these names.
func TestPULL15_DeepFunctionsAreSeen(t *testing.T) {
	p, err := compile("def id(h): h; def f: if . > 1000 then . else . + 1 | id(f) end; 0 | f")
	if err != nil {
		t.Fatal(err)
	}
	r := p.start(context.Background(), 0)
	deepest := 0
	err = r.outputs(map[string]any{}, func(any) (bool, error) {
		deepest = chain(r.engine)
		return false, nil
	})
	if err != nil || r.steps < chainEvery {
		t.Fatalf("%d steps, %v", r.steps, err)
	}
	if r.work < chainWork*100 {
		t.Errorf("work is %d: the functions around the running one were not counted (%d at the end)", r.work, deepest)
	}
}
