package jq

import (
	"context"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/tundish-go/tundish/ports"
)

// twice renders by copying and by the engine. Where the engine gives a text,
// both must give it.
func twice(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string, item ports.Document) (copies bool) {
	t.Helper()
	p, err := compile(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if p.pieces == nil {
		t.Fatalf("%s is not made of paths", text)
	}
	want, wantErr := template{p}.evaluate(context.Background(), item)
	got, ok, err := copied(context.Background(), p.pieces, item)
	if ok && wantErr == nil && (got != want || err != nil) {
		t.Fatalf("%s on %s:\n copied  %q, %v\n engine  %q", text, item.Payload, got, err, want)
	}
	whole, wholeErr := template{p}.Render(context.Background(), item)
	if wantErr == nil && (whole != want || wholeErr != nil) {
		t.Fatalf("%s on %s: rendered %q, %v, want %q", text, item.Payload, whole, wholeErr, want)
	}
	if wantErr != nil && ok && err == nil {
		t.Fatalf("%s on %s: copied %q, the engine says %v", text, item.Payload, got, wantErr)
	}
	return ok
}

// PULL-15: a template of paths is copied, and reads as the engine would print it.
func TestPULL15_PathsAreCopied(t *testing.T) {
	item := doc(`{"a":{"b":1.50,"a":[1e400,-0,"x\n\"é\\"],"n":null,"t":true},"s":"tab\tend","z":{},"":1}`)
	for text, copies := range map[string]bool{
		".payload": true, ".payload.a": true, ".payload.a.b": true, ".payload.a.a": true, ".payload.s": true,
		".payload.missing": true, ".payload.missing.deeper": true, ".payload.a.n.x": true, ".payload.z": true,
		".id": true, ".key": true, ".queue": true, ".created_at": true, ".other": true, ".other.x": true,
		`"\(.payload.s)/\(.payload.a.t)/\(.payload.z)/\(.payload.a)/\(.payload.missing)"`: true,
		`("[\(.queue)#\(.id)] \(.key): \((.payload.a))")`:                                 true,
		".payload.s.x": false, ".payload.a.a.x": false, ".payload.a.b.c": false, ".id.x": false, ".key.x": false,
	} {
		if got := twice(t, text, item); got != copies {
			t.Errorf("%s: copied is %v, want %v", text, got, copies)
		}
	}
	for text, payload := range map[string]string{
		".payload":     `{"a":1,"a":2}`,    // the last one counts
		".payload.a":   `{"a":"\ud800"}`,   // no text
		".payload.a.b": `{"a":{"b":[1 ]}}`, // not as we store it
		".payload.b":   `{"b":["\u0041"]}`, // another spelling
		".payload.c":   `{"c":1} 2`,        // more than JSON
	} {
		if twice(t, text, doc(payload)) {
			t.Errorf("%s was copied from %s", text, payload)
		}
	}
	noKey := item
	noKey.Key = nil
	twice(t, `"\(.key)\(.key.x)"`, noKey)
	for _, text := range []string{".payload?", `."payload"`, ".payload[0]", ".payload | .a", ".", `@json "\(.payload)"`, `"x"`, ".payload // 1", "[.payload]"} {
		if p, err := compile(text); err != nil || p.pieces != nil {
			t.Errorf("%s: %v, %v", text, p, err)
		}
	}
}

// PULL-8: what is copied has the same bound.
func TestPULL8_CopiesAreBounded(t *testing.T) {
	for _, text := range []string{".payload.a", `"\(.payload.a)\(.payload.b)"`, ".payload"} {
		r, err := New().Template(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.Render(context.Background(), doc(`{"a":"`+strings.Repeat("x", 1<<20)+`","b":"y"}`)); (err == nil) != (text == ".payload.a") {
			t.Errorf("%s: %d bytes, %v", text, len(got), err)
		}
	}
}

// TestPULL15_CopiesEqualTheEngine compares over random payloads, canonical as they
// are stored.
func TestPULL15_CopiesEqualTheEngine(t *testing.T) {
	name := rapid.SampledFrom([]string{"a", "b", "payload", "x_1"})
	scalar := rapid.SampledFrom([]string{"null", "true", "0", "-0", "1.50", "1E400", "12345678901234567890123", `"a"`, `""`,
		`"\u0000\u001f\u007f\b\f\n\r\t\"\\\/"`, `"é\ud83d\ude00\u2028<>&"`, "\"\x7f\"", `"\\u0041"`, "[]", "{}"})
	var value func(depth int) *rapid.Generator[string]
	value = func(depth int) *rapid.Generator[string] {
		if depth == 0 {
			return scalar
		}
		return rapid.OneOf(scalar, rapid.Custom(func(t *rapid.T) string {
			return "[" + strings.Join(rapid.SliceOfN(value(depth-1), 0, 3).Draw(t, "elements"), ", ") + "]"
		}), rapid.Custom(func(t *rapid.T) string {
			var fields []string
			for _, k := range rapid.SliceOfNDistinct(name, 0, 4, rapid.ID).Draw(t, "names") {
				fields = append(fields, `"`+k+`": `+value(depth-1).Draw(t, k))
			}
			return "{" + strings.Join(fields, ",") + "}"
		}))
	}
	path := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{".payload", ".payload", ".payload", ".key", ".id", ".nope"}).Draw(t, "field") +
			strings.Join(rapid.SliceOfN(rapid.Map(name, func(s string) string { return "." + s }), 0, 3).Draw(t, "steps"), "")
	})
	rapid.Check(t, func(t *rapid.T) {
		stored, err := jsontext.AppendFormat(nil, []byte(value(3).Draw(t, "payload")))
		if err != nil {
			t.Fatal(err)
		}
		text := path.Draw(t, "path")
		if rapid.Bool().Draw(t, "interpolate") {
			text = `"<\(` + text + `)> \(` + path.Draw(t, "second") + `)"`
		}
		twice(t, text, doc(string(stored)))
	})
}

// BenchmarkPaths renders a path of a payload of 100 KB in both ways.
func BenchmarkPaths(b *testing.B) {
	item := doc(`{"items":[` + strings.TrimSuffix(strings.Repeat(`{"name":"build","state":"failed","n":1.5},`, 2400), ",") + `],"text":"done"}`)
	for _, text := range []string{".payload.text", `"\(.queue): \(.payload.text)"`, ".payload.items"} {
		p, err := compile(text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("copied/"+text, func(b *testing.B) {
			b.SetBytes(int64(len(item.Payload)))
			for b.Loop() {
				if _, err := (template{p}).Render(context.Background(), item); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("engine/"+text, func(b *testing.B) {
			b.SetBytes(int64(len(item.Payload)))
			for b.Loop() {
				if _, err := (template{p}).evaluate(context.Background(), item); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
