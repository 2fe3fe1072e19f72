package jq

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/tundish-go/tundish/ports"
)

// doc returns an item with that payload.
func doc(payload string) ports.Document {
	key := "k1"
	return ports.Document{ID: 7, Queue: "q", Key: &key, Payload: []byte(payload), CreatedAt: 1000, Now: 1700000000}
}

// render compiles and renders.
func render(t *testing.T, text, payload string) (string, error) {
	t.Helper()
	renderer, err := New().Template(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return renderer.Render(context.Background(), doc(payload))
}

// renders checks what templates give for one payload.
func renders(t *testing.T, payload string, want map[string]string) {
	t.Helper()
	for text, want := range want {
		if got, err := render(t, text, payload); err != nil || got != want {
			t.Errorf("%s:\n got  %s, %v\n want %s", text, got, err, want)
		}
	}
}

func TestPULL1_FirstTrueOutputEndsTheEvaluation(t *testing.T) {
	for text, want := range map[string]bool{
		".payload.v":                          false, // null
		".payload.n == 1":                     true,
		"false, null":                         false,
		"empty":                               false,
		"false, 0":                            true,
		`""`:                                  true,
		"[]":                                  true,
		"{}":                                  true,
		"(true, repeat(true))":                true,
		"true, error":                         true,
		`.payload.tags[] == "b"`:              true,
		`select(.payload.tags | length == 0)`: false,
		`.key == "k1" and .payload.n == 1`:    true,
		`.key == "k2" and error`:              false,
	} {
		m, err := New().Filter(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got, err := m.Match(context.Background(), doc(`{"n":1,"tags":["a","b"]}`))
		if err != nil || got != want {
			t.Errorf("%s: got %v, %v; want %v", text, got, err, want)
		}
	}
}

func TestPULL1_ErrorIsTheExpressions(t *testing.T) {
	for text, want := range map[string]string{
		`false, error("no such host")`: "no such host",
		`error({a:1})`:                 `{"a":1}`,
		`.payload.x | tonumber`:        "cannot be parsed as a number",
		`.payload | .[0]`:              "object",
		`1 / 0`:                        "the divisor is zero",
	} {
		m, err := New().Filter(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if ok, err := m.Match(context.Background(), doc(`{}`)); ok || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, %v; want an error with %q", text, ok, err, want)
		}
	}
}

func TestPULL8_OutputsAreJoined(t *testing.T) {
	renders(t, `{"user":"mira","tags":["ci","main"],"n":1.50}`, map[string]string{
		`"\(.payload.user): \(.payload.n)"`: "mira: 1.50",
		`.payload.tags`:                     `["ci","main"]`,
		`.payload.tags[]`:                   "ci\nmain",
		`.id, .key, (.payload.tags | length > 0), {user: .payload.user}`: "7\nk1\ntrue\n{\"user\":\"mira\"}",
		`empty`:             "",
		`"", "", ""`:        "\n\n",
		`null`:              "null",
		`.`:                 `{"id":7,"queue":"q","key":"k1","payload":{"user":"mira","tags":["ci","main"],"n":1.50},"created_at":1000}`,
		`"/w==" | @base64d`: "\ufffd",
	})
}

func TestPULL8_NoKeyIsNull(t *testing.T) {
	renderer, err := New().Template(".key, has(\"key\")")
	if err != nil {
		t.Fatal(err)
	}
	got, err := renderer.Render(context.Background(), ports.Document{ID: 1, Queue: "q", Payload: []byte("1")})
	if err != nil || got != "null\ntrue" {
		t.Errorf("got %q, %v", got, err)
	}
}

// PULL-15: the item is all there is.
func TestPULL15_Sealed(t *testing.T) {
	for text, want := range map[string]struct {
		offset int
		reason string
	}{
		"env.HOME != null":               {0, "env is not allowed"},
		". | $ENV.PATH":                  {4, "$ENV is not allowed"},
		"input":                          {0, "input is not allowed"},
		"[inputs]":                       {1, "inputs is not allowed"},
		`"input" | halt`:                 {10, "halt is not allowed"},
		`"x" | halt_error`:               {6, "halt_error is not allowed"},
		`"x" | halt_error(1)`:            {6, "halt_error is not allowed"},
		"input_filename":                 {0, "input_filename is not allowed"},
		"input_line_number":              {0, "input_line_number is not allowed"},
		"get_search_list":                {0, "get_search_list is not allowed"},
		`"m" | modulemeta`:               {6, "modulemeta is not allowed"},
		"$__prog_args":                   {0, "$__prog_args is not allowed"},
		`import "m" as m; .`:             {0, "modules"},
		`include "m"; .`:                 {0, "modules"},
		`"\(1 + env)"`:                   {7, "env is not allowed"},
		"{a: $ENV}":                      {4, "$ENV is not allowed"},
		"$__run":                         {0, "reserved"},
		". as $__run | 1":                {5, "reserved"},
		"def __set(a): 1; 2":             {4, "reserved"},
		"__owner(1)":                     {0, "reserved"},
		`@foo "x"`:                       {0, "unknown format @foo"},
		`.payload | @yaml`:               {11, "unknown format @yaml"},
		`.payload | test("(")`:           {11, "no regular expression"},
		`.x | test("(?<!a)b")`:           {5, "no regular expression"},
		`.x | gsub("a"; "b"; "q")`:       {5, "not a valid flag"},
		"# env\n.a | no_such_function":   {11, "unknown function no_such_function/0"},
		".id | foo(1; 2)":                {6, "unknown function foo/2"},
		".id + $x":                       {6, "unknown variable $x"},
		"break $x":                       {6, "$x"},
		".a ==":                          {5, "too early"},
		".a = = 1":                       {5, `unexpected token "="`},
		"'x'":                            {0, "single quotes"},
		`"abc`:                           {4, "not closed"},
		"":                               {-1, "empty"},
		strings.Repeat("(", 3000):        {2000, "too deeply"},
		strings.Repeat(" ", 70000) + ".": {-1, "longer than 64 KiB"},
	} {
		for _, compile := range []func(string) error{
			func(s string) error { _, err := New().Filter(s); return err },
			func(s string) error { _, err := New().Template(s); return err },
			func(s string) error { _, err := New().KeySelector(s); return err },
		} {
			err := compile(text)
			fault, ok := errors.AsType[*ports.CompileError](err)
			if !ok || fault.Offset != want.offset || !strings.Contains(fault.Reason, want.reason) {
				t.Errorf("%.60q: got %v (%#v), want offset %d and %q", text, err, fault, want.offset, want.reason)
			}
		}
	}
}

// PULL-15: names that the expression defines itself are its own; what prints is
// silent; time is the item's.
func TestPULL15_Allowed(t *testing.T) {
	renders(t, `{"a":1}`, map[string]string{
		"def env: 5; env": "5",
		"def input: 1; def f(halt): halt; f(input)":  "1",
		". as $ENV | $ENV.id":                        "7",
		"def tojson: 9; .id | tojson":                "9",
		".payload | debug | stderr | .a":             "1",
		".payload | debug(\"x\") | .a":               "1",
		"now":                                        "1700000000",
		"now | todate":                               "2023-11-14T22:13:20Z",
		"$__loc__":                                   `{"file":"<top-level>","line":1}`,
		".id |\n$__loc__.line":                       "2",
		"have_literal_numbers":                       "true",
		`"A b" | test("a B"; "i"), test("ab"; "xi")`: "true\nfalse",
	})
}

func TestCMD3_MessageShowsExpressionAndPlace(t *testing.T) {
	_, err := New().Filter(".payload | nope")
	want := "unknown function nope/0 at byte 12 in `.payload | nope`"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestPULL14_Key(t *testing.T) {
	for text, want := range map[string]string{
		`.key == "a"`:                          "a",
		`"a" == .key`:                          "a",
		`(.key == "a")`:                        "a",
		`.key == "a" and .payload.x`:           "a",
		`.key == "a" and .id > 3 and .payload`: "a",
		`.key == "a" or .payload.x`:            "",
		`.payload.x and .key == "a"`:           "",
		`.key != "a"`:                          "",
		`.key == "\(.queue)"`:                  "",
		`.key == null`:                         "",
		`.payload.key == "a"`:                  "",
		`def f: 1; .key == "a"`:                "",
		`.key == "a" | not`:                    "",
		`.key == "a", true`:                    "",
	} {
		m, err := New().Filter(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if key, ok := m.Key(); key != want || ok != (want != "") {
			t.Errorf("%s: got %q, %v; want %q", text, key, ok, want)
		}
	}
}

// A filter that asks for other fields only gives its answer without reading the
// payload: even one that could not be read does not matter.
func TestPULL1_PayloadIsReadWhenAskedFor(t *testing.T) {
	for text, light := range map[string]bool{
		`.key == "k1"`:                            true,
		`.id > 3 and .queue == "q"`:               true,
		`select(.key == "k1")`:                    true,
		`select(.key == "k1") | select(.id == 7)`: true,
		`.key | startswith("k")`:                  true,
		`(.key // "") | test("^k")`:               true,
		`.payload`:                                false,
		`.`:                                       false,
		`select(.key == "k1") | .payload`:         false,
		`(select(.id == 7), .key) | .payload?`:    false,
		`. as $x | .key | $x.payload`:             false,
		`.key == .payload.key`:                    false,
		`def f: .payload; .key | f?`:              false,
		`.[.key]`:                                 false,
		`"\(.)"`:                                  false,
	} {
		m, err := New().Filter(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := m.(filter).light; got != light {
			t.Errorf("%s: light is %v, want %v", text, got, light)
		}
		if _, err := m.Match(context.Background(), doc("{broken")); (err == nil) != light {
			t.Errorf("%s: on a broken payload: %v", text, err)
		}
	}
}

func TestPUB3_KeySelector(t *testing.T) {
	for _, c := range []struct{ text, payload, want, failure string }{
		{".user.id", `{"user":{"id":"u1"}}`, "u1", ""},
		{`"\(.a)/\(.b)"`, `{"a":1,"b":2.50}`, "1/2.50", ""},
		{".missing", `{}`, "<none>", ""},
		{".n", `{"n":5}`, "", "a number (5)"},
		{".", `[1]`, "", "an array ([1])"},
		{".[]", `["a","b"]`, "", "more than one"},
		{"empty", `1`, "", "nothing"},
		{"error(\"x\")", `1`, "", "x"},
		{"repeat(1)", `1`, "", "more than one"},
	} {
		s, err := New().KeySelector(c.text)
		if err != nil {
			t.Fatal(err)
		}
		key, err := s.Select(context.Background(), ports.Document{Payload: []byte(c.payload)})
		got := "<none>"
		if key != nil {
			got = *key
		}
		if c.failure != "" {
			if err == nil || !strings.Contains(err.Error(), c.failure) {
				t.Errorf("%s: got %q, %v; want an error with %q", c.text, got, err, c.failure)
			}
		} else if err != nil || got != c.want {
			t.Errorf("%s: got %q, %v; want %q", c.text, got, err, c.want)
		}
	}
}

// Compiling again is a look-up, and the memory is bounded.
func TestCompiledTextsAreRemembered(t *testing.T) {
	e := New()
	for i := range 2 * cacheSize {
		if _, err := e.Filter(fmt.Sprintf(".id == %d", i)); err != nil {
			t.Fatal(err)
		}
	}
	if len(e.programs) != cacheSize || len(e.order) != cacheSize {
		t.Errorf("%d texts and %d places are remembered, want %d", len(e.programs), len(e.order), cacheSize)
	}
	first, _ := e.Filter(".id == 511")
	again, _ := e.Filter(".id == 511")
	if first != again {
		t.Error("the same text was compiled twice")
	}
}

// What an engine returns may be used by many goroutines at once.
func TestConcurrentUse(t *testing.T) {
	e := New()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				r, err := e.Template(`{a:{c:2,b:1},d:[1,[2]]} | del(.a.c) | .a.z = 1, (.d |= map(.)) | tojson`)
				if err != nil {
					t.Error(err)
					return
				}
				got, err := r.Render(context.Background(), doc(`{"x":1}`))
				if err != nil || got != "{\"a\":{\"b\":1,\"z\":1},\"d\":[1,[2]]}\n{\"a\":{\"b\":1},\"d\":[1,[2]]}" {
					t.Errorf("got %s, %v", got, err)
				}
			}
		})
	}
	group.Wait()
}
