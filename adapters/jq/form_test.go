package jq

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/tundish-go/tundish/ports"
)

// TestPULL14_FormsAreRecognised lists what is answered from the stored text.
func TestPULL14_FormsAreRecognised(t *testing.T) {
	for text, want := range map[string]bool{
		`.payload.action == "closed"`:                              true,
		`"closed" != .payload.action`:                              true,
		`.payload["a"]."b".c == null`:                              true,
		`.["payload"].a == -1`:                                     true,
		`(.queue == "q") and ((.id >= 3) or .payload.draft) | not`: true,
		`.payload.draft | not`:                                     true,
		`.payload | .action == "closed" and (.merged | not)`:       true,
		`.payload.action | . == "closed"`:                          true,
		`. | .payload`:                                             true,
		`select(.payload.n < 10)`:                                  true,
		`.created_at > 5 and .key == "k"`:                          true,
		`.payload.a and (.payload.b | not) or false == .payload`:   true,
		`.`:                               false,
		`not`:                             false,
		`true`:                            false,
		`1 == 1`:                          false,
		`.other`:                          false,
		`.key.x`:                          false,
		`.payload.a?`:                     false,
		`.payload[0]`:                     false,
		`.payload.a[]`:                    false,
		`.payload.a == 1.5`:               false,
		`.payload.a == 01`:                false,
		`.payload.a == 1234567890123456`:  false,
		`.payload.a == .payload.b`:        false,
		`.payload.a == [1]`:               false,
		`.payload["a\(1)"]`:               false,
		`.payload as $x | .payload.a`:     false,
		`def not: true; .payload.a | not`: false,
		`.payload | select(.a == null)`:   false,
		`.payload.a // false`:             false,
		`.payload.a, .payload.b`:          false,
		`.payload.a == "x" or (.payload.tags | index("y"))`:             false,
		strings.Repeat(".payload.a or ", maxTests) + ".payload.a":       false,
		".payload" + strings.Repeat(".a", maxPlaces-1):                  true,
		".payload" + strings.Repeat(".a", maxPlaces):                    false,
		"(" + strings.Repeat(".payload.a|not|", 5) + "not) == null":     false,
		`.payload.a | if . then true else false end`:                    false,
		`.payload.a == "x" and env.HOME`:                                false,
		`.payload.a |= 1`:                                               false,
		`.payload.a | not | not`:                                        false,
		`.payload.a | debug | not`:                                      false,
		`[.payload.a] | not`:                                            false,
		`.payload.a != "\u0041\n"`:                                      true,
		`.payload.a == @text "x"`:                                       false,
		`try .payload.a catch 1`:                                        false,
		`.payload.a > true and .payload.b <= "m" and .payload.c < null`: true,
	} {
		p, err := compile(text)
		if got := err == nil && p.form != nil; got != want {
			t.Errorf("%s: %v, %v; want %v", text, got, err, want)
		}
	}
}

// same answers a form both ways where that is possible, and requires one answer.
func same(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string, item ports.Document) (quick bool) {
	t.Helper()
	p, err := compile(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if p.form == nil {
		t.Fatalf("%s is no form", text)
	}
	got, sure, err := p.form.match(context.Background(), &item, p.light)
	if err != nil {
		t.Fatalf("%s on %s: %v", text, item.Payload, err)
	}
	if want, err := (filter{p}).evaluate(context.Background(), item); sure && (err != nil || got != want) {
		t.Fatalf("%s on %s: %v, the engine says %v, %v", text, item.Payload, got, want, err)
	}
	return sure
}

// PULL-14: a form is answered as the engine would, or not at all.
func TestPULL14_FormsThatTheEngineMustDecide(t *testing.T) {
	const paths = `.payload.a.b == "x" or .payload.c`
	for payload, quick := range map[string]bool{
		`{"a":{"b":"x"}}`: true, `{"a":{"b":"x","c":[1,{"a":{}}]},"c":0}`: true, `null`: true, `{}`: true, `{"a":null}`: true,
		`{"a":{"b":null}}`: true, `{"a":{"b":"\u0078\n"}}`: true, `{"a":{"b":1.5e3}}`: true, `{"é":"日","c":false}`: true,
		`{"x":[],"y":{},"z":[[],{}],"c":-0.5}`: true, `{"x":"\\\"\/\b\f\n\r\t\u00e9","c":1}`: true,
		`{"a":1}`: false, `{"a":"b"}`: false, `{"a":[]}`: false, `[]`: false, `1`: false, `"a"`: false, `true`: false,
		`{"a":{},"a":{"b":"x"}}`: false, `{"c":1,"c":null}`: false, `{"\u0061":{"b":"x"}}`: false, `{"x":1,"x":2}`: true,
		`{"a":{"b":"x"}} `: false, `{"a": {}}`: false, `{"c":1}2`: false, ``: false, `{`: false, `{"c"`: false, `{"c":`: false,
		`{"c":1,}`: false, `{,}`: false, `[1,]`: false, `{"c":01}`: false, `{"c":1.}`: false, `{"c":.5}`: false, `{"c":1e}`: false,
		`{"c":-}`: false, `{"c":+1}`: false, `{"c":nul}`: false, `{"c":truex}`: false, `{"c":"\x"}`: false, `{"c":"\ud83d\ude00"}`: false,
		`{"c":"\u12"}`: false, `{"c":"\u12g4"}`: false, "{\"c\":\"\x01\"}": false, "{\"c\":\"\xff\"}": false, `{"c":"a`: false,
		`{c:1}`: false, `{"c":1]`: false, `[1}`: false, `{"c" 1}`: false, `{"c":1 "d":2}`: false,
		`{"c":` + strings.Repeat("1", maxNumber) + `}`:                            true,
		`{"c":` + strings.Repeat("1", maxNumber+1) + `}`:                          false,
		`{"c":` + strings.Repeat("[", 150) + strings.Repeat("]", 150) + `}`:       true,
		`{"c":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`:       false,
		`{"a":{"b":"` + strings.Repeat("x", maxCompared) + `"}}`:                  false,
		`{"c":"` + strings.Repeat("x", maxCompared) + `"}`:                        true,
		`{"c":[` + strings.TrimSuffix(strings.Repeat("{},", 250_000), ",") + `]}`: false, // too many values for an evaluation
	} {
		if got := same(t, paths, doc(payload)); got != quick {
			t.Errorf("%.60s: quick is %v, want %v", payload, got, quick)
		}
	}
	long := doc(`{}`)
	long.Queue = strings.Repeat("q", maxCompared+1)
	if same(t, `.queue == "q"`, long) {
		t.Error("a long name was compared")
	}
}

// PULL-14: a form that reads no payload does not look at it.
func TestPULL14_LightFormsReadNoPayload(t *testing.T) {
	for _, text := range []string{`.key == "k1"`, `.key`, `(.id < 3 | not) and .queue != "x"`, `.created_at`} {
		if !same(t, text, doc("{broken")) {
			t.Errorf("%s was not answered", text)
		}
	}
	keyless := ports.Document{ID: 1, Queue: "q", Payload: []byte("1")}
	for _, text := range []string{`.key`, `.key == null`, `.key < "a"`, `.key == "null"`, `.key | not`} {
		if !same(t, text, keyless) {
			t.Errorf("%s was not answered", text)
		}
	}
}

// PULL-11: a form ends with its context as well.
func TestPULL11_ContextEndsAForm(t *testing.T) {
	cause := errors.New("out of time")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	m, err := New().Filter(".payload.a")
	if err != nil {
		t.Fatal(err)
	}
	if matched, err := m.Match(ctx, doc(`{"a":1}`)); matched || !errors.Is(err, cause) {
		t.Errorf("got %v, %v", matched, err)
	}
}

// PULL-15: what is a form stays far from the bounds of an evaluation, so that the
// engine has no reason to fail where the form answers.
func TestPULL15_FormsStayWithinBounds(t *testing.T) {
	object := "{" + strings.TrimSuffix(strings.Repeat(`"":1,`, maxCompared/5), ",") + "}"
	text := strings.Repeat(`.payload.a == "`+strings.Repeat("x", 900)+`" or `, maxTests/2-1) + ".payload.a"
	if !same(t, text, doc(`{"a":`+object+`}`)) || !same(t, text, doc(`{"a":"`+strings.Repeat("x", maxCompared-2)+`"}`)) {
		t.Error("not answered")
	}
}

// form texts and payloads that fit together.
func formText(depth int) *rapid.Generator[string] {
	path := rapid.Custom(func(t *rapid.T) string {
		text := rapid.SampledFrom([]string{".payload", ".payload", ".payload", ".payload", ".key", ".id", ".queue", ".created_at"}).Draw(t, "field")
		if text == ".payload" {
			text += strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{".a", ".b", `["b"]`, `."c d"`, `["é"]`}), 0, 3).Draw(t, "steps"), "")
		}
		return text
	})
	literal := rapid.SampledFrom([]string{"null", "true", "false", "0", "-0", "1", "-7", "7", "1000", "123456789012345", `""`, `"a"`, `"k1"`, `"q"`, `"é\n"`, `"\u007f"`, `"b\\"`})
	operator := rapid.SampledFrom([]string{"==", "==", "!=", "<", "<=", ">", ">="})
	leaf := rapid.OneOf(path, rapid.Custom(func(t *rapid.T) string {
		left, right := path.Draw(t, "path"), literal.Draw(t, "literal")
		if rapid.Bool().Draw(t, "exchanged") {
			left, right = right, left
		}
		return left + " " + operator.Draw(t, "operator") + " " + right
	}))
	if depth == 0 {
		return leaf
	}
	inner := formText(depth - 1)
	return rapid.OneOf(leaf, rapid.Custom(func(t *rapid.T) string { return "(" + inner.Draw(t, "turned") + " | not)" }),
		rapid.Custom(func(t *rapid.T) string {
			return "(" + inner.Draw(t, "left") + ")" + rapid.SampledFrom([]string{" and ", " or "}).Draw(t, "join") + "(" + inner.Draw(t, "right") + ")"
		}),
		rapid.Custom(func(t *rapid.T) string {
			return "(.payload | .a " + operator.Draw(t, "operator") + " " + literal.Draw(t, "literal") + " or (.b | not))"
		}))
}

// TestPULL14_FormsEqualTheEngine compares over random filters and payloads, most of
// them canonical as they are stored.
func TestPULL14_FormsEqualTheEngine(t *testing.T) {
	name := rapid.SampledFrom([]string{"a", "b", "c d", "é", "z", `a\n`})
	scalar := rapid.SampledFrom([]string{"null", "null", "true", "false", "0", "-0", "1", "1.0", "7e0", "-7", "1000", "1e400", "123456789012345", "1234567890123456789012",
		`"a"`, `"k1"`, `""`, `"é\n"`, `"b\\"`, "\"\x7f\"", `"\u0001"`, "[]", "{}", `"` + strings.Repeat("long", 20) + `"`})
	var value func(depth int) *rapid.Generator[string]
	value = func(depth int) *rapid.Generator[string] {
		if depth == 0 {
			return scalar
		}
		object := rapid.Custom(func(t *rapid.T) string {
			var fields []string
			for _, k := range rapid.SliceOfN(name, 0, 4).Draw(t, "names") {
				fields = append(fields, `"`+k+`":`+value(depth-1).Draw(t, k))
			}
			return "{" + strings.Join(fields, ",") + "}"
		})
		return rapid.OneOf(scalar, object, object, rapid.Custom(func(t *rapid.T) string {
			return "[" + strings.Join(rapid.SliceOfN(value(depth-1), 0, 3).Draw(t, "elements"), ",") + "]"
		}))
	}
	quick := 0
	rapid.Check(t, func(t *rapid.T) {
		text := formText(3).Draw(t, "filter")
		if rapid.IntRange(0, 4).Draw(t, "select") == 0 {
			text = "select(" + text + ")"
		}
		payload := value(3).Draw(t, "payload")
		if stored, err := jsontext.AppendFormat(nil, []byte(payload)); err == nil {
			payload = string(stored)
		} else if rapid.IntRange(0, 9).Draw(t, "broken") == 0 {
			payload = payload[:len(payload)/2]
		}
		if same(t, text, doc(payload)) {
			quick++
		}
	})
	if quick == 0 {
		t.Error("no filter was answered")
	}
}

// PULL-14: what is answered from the text is not compiled for the engine before it
// is needed, and then it compiles.
func TestPULL14_FormsAndCopiesCompileWhenNeeded(t *testing.T) {
	for _, text := range []string{`.payload.a == 1`, `"\(.key): \(.payload.a)"`} {
		p, err := compile(text)
		if err != nil || p.code != nil {
			t.Fatalf("%s: %v, %v", text, p.code, err)
		}
		if _, err = (filter{p}).Match(context.Background(), doc(`{"a":1}`)); text[0] == '.' && (err != nil || p.code != nil) {
			t.Errorf("%s: %v, %v", text, p.code, err)
		}
		if _, err = (filter{p}).Match(context.Background(), doc(`{"a": 1}`)); err != nil || p.code == nil {
			t.Errorf("%s: %v, %v", text, p.code, err)
		}
	}
}

// PULL-14: many may find at once that the engine is needed.
func TestPULL14_FormsCompileOnce(t *testing.T) {
	p, err := compile(`.payload.a == 1`)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for payload, want := range map[string]bool{`{"a":1}`: true, `{"a":1.0}`: true, `{"a":2.5}`: false} {
				if got, err := (filter{p}).Match(context.Background(), doc(payload)); err != nil || got != want {
					t.Errorf("%s: %v, %v", payload, got, err)
				}
			}
		})
	}
	group.Wait()
}

// BenchmarkForms asks filters about an item of 200 bytes, in both ways.
func BenchmarkForms(b *testing.B) {
	item := doc(`{"action":"opened","number":1234,"repository":{"name":"tundish","private":false,"stars":12},` +
		`"sender":{"login":"mira","id":77},"labels":["bug","ci"],"text":"a short line of text that says something"}`)
	for _, text := range []string{`.payload.action == "closed"`, `.payload.sender.login == "bot" and (.payload.repository.private | not)`, `.key == "k2"`} {
		p, err := compile(text)
		if err != nil {
			b.Fatal(err)
		}
		for name, match := range map[string]func(context.Context, ports.Document) (bool, error){
			"text": filter{p}.Match, "engine": filter{p}.evaluate,
		} {
			b.Run(name+"/"+text, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := match(context.Background(), item); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkCompile compiles a form and a filter that is none.
func BenchmarkCompile(b *testing.B) {
	for _, text := range []string{`.payload.action == "closed"`, `.payload.action == ("closed" | .)`} {
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				if _, err := compile(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
