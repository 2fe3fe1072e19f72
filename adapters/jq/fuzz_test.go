package jq

import (
	"context"
	"errors"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tundish-go/tundish/ports"
)

// FuzzCompileAndRun looks for texts that crash, never end, break the shape of an
// error, make the three uses of an expression disagree, or are answered from the
// stored text otherwise than by the engine.
func FuzzCompileAndRun(f *testing.F) {
	for _, seed := range [][2]string{
		{".payload.a", `{"a":1.50}`},
		{`"[\(.queue)#\(.id)] \(.payload)"`, `["é",null]`},
		{`select(.key == "k1") | .payload[]?`, `{"b":2,"a":[1]}`},
		{`def f(g): g | .; .payload | f(.[]) |= tojson`, `[1,{"x":2}]`},
		{`.payload | gsub("(?<l>[a-z])"; "<\(.l)>"; "i")`, `"Hello"`},
		{`reduce range(34) as $i (1; [.,.]) | tojson`, `0`},
		{`. as [$a] ?// {id: $a} | $a | @base64`, `{}`},
		{`[limit(3; repeat(.))] | del(.[0]) | .[5] = $__loc__`, `1e400`},
		{`.payload.a == "x" and (.payload["b"] | not) or .key < null`, `{"a":"x","b":[1,{"a":-1.5e3}]}`},
		{`try error({a:1}) catch .a, .payload.x += 1`, `{"x":9007199254740993}`},
	} {
		f.Add(seed[0], []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, text string, payload []byte) {
		if len(text) > 1000 || len(payload) > 1000 {
			return // long texts are slow and show nothing new
		}
		e := New()
		renderer, err := e.Template(text)
		if err != nil {
			fault, ok := errors.AsType[*ports.CompileError](err)
			if !ok || fault.Reason == "" || fault.Offset < -1 || fault.Offset > len(text) {
				t.Fatalf("%q: unusable error %#v", text, err)
			}
			return
		}
		payload, err = jsontext.AppendFormat(nil, payload)
		if err != nil {
			return
		}
		item := doc(string(payload))
		first, firstErr := renderer.Render(context.Background(), item)
		if len(first) > maxResult || !utf8.ValidString(first) {
			t.Fatalf("%q: a result of %d bytes, valid UTF-8: %v", text, len(first), utf8.ValidString(first))
		}
		again, againErr := renderer.Render(context.Background(), item)
		if first != again || (firstErr == nil) != (againErr == nil) {
			t.Fatalf("%q on %s: %q, %v and then %q, %v", text, payload, first, firstErr, again, againErr)
		}
		matcher, err := e.Filter(text)
		if err != nil {
			t.Fatal(err)
		}
		matched, err := matcher.Match(context.Background(), item)
		if key, ok := matcher.Key(); ok && key != *item.Key && matched {
			t.Fatalf("%q matches key %q and claims %q", text, *item.Key, key)
		}
		if slow := matcher.(filter); slow.form != nil {
			if want, wantErr := slow.evaluate(context.Background(), item); matched != want || (err == nil) != (wantErr == nil) {
				t.Fatalf("%q on %s: %v, %v, the engine says %v, %v", text, payload, matched, err, want, wantErr)
			}
		}
		if firstErr == nil && err != nil {
			t.Fatalf("%q on %s: renders, but does not match: %v", text, payload, err)
		}
	})
}
