package jq

import (
	"context"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

const ordered = `{"z":1,"b":{"y":[1,2,3,{"q":1,"p":2}],"x":"añb"},"arr":[3,1,2,{"k":"v"}],"n":null,"s":"hello world","num":12.5}`

// expressions.md, section 2: objects print in the order in which their keys were
// published or written, whatever happens to them on the way.
func TestKeyOrder(t *testing.T) {
	renders(t, ordered, map[string]string{
		".payload":                                         ordered,
		".payload | tojson":                                ordered,
		".payload | tostring":                              ordered,
		".payload | @json":                                 ordered,
		`"\(.payload)"`:                                    ordered,
		`.payload | @text`:                                 ordered,
		`@json "v=\(.payload.b)"`:                          `v={"y":[1,2,3,{"q":1,"p":2}],"x":"añb"}`,
		".payload | tojson | fromjson":                     ordered,
		".payload | to_entries | from_entries":             ordered,
		".payload | with_entries(.)":                       ordered,
		".payload | .. |= .":                               ordered,
		".payload | walk(.)":                               ordered,
		".payload | fromstream(tostream)":                  ordered,
		".payload | keys_unsorted":                         `["z","b","arr","n","s","num"]`,
		".payload | keys":                                  `["arr","b","n","num","s","z"]`,
		".payload | [.[] | type]":                          `["number","object","array","null","string","number"]`,
		".payload | map(type)":                             `["number","object","array","null","string","number"]`,
		".payload | map_values(type)":                      `{"z":"number","b":"object","arr":"array","n":"null","s":"string","num":"number"}`,
		".payload | [paths(type == \"number\")] | .[:2]":   `[["z"],["b","y",0]]`,
		".payload | [leaf_paths] | .[-2:]":                 `[["s"],["num"]]`,
		".payload | [..] | .[1:3]":                         `[1,{"y":[1,2,3,{"q":1,"p":2}],"x":"añb"}]`,
		".payload | del(.b, .arr)":                         `{"z":1,"n":null,"s":"hello world","num":12.5}`,
		".payload.b | .new = 1 | .y = 0":                   `{"y":0,"x":"añb","new":1}`,
		".payload.b | .y |= length":                        `{"y":4,"x":"añb"}`,
		".payload.b * {x: 1, c: {d: 1}}":                   `{"y":[1,2,3,{"q":1,"p":2}],"x":1,"c":{"d":1}}`,
		".payload.b + {x: 1, a: 2}":                        `{"y":[1,2,3,{"q":1,"p":2}],"x":1,"a":2}`,
		".payload.b += {a: 1, x: 2} | .payload.b":          `{"y":[1,2,3,{"q":1,"p":2}],"x":2,"a":1}`,
		"{b: 1} + {a: 2}":                                  `{"b":1,"a":2}`,
		"[{b: 1}, {a: 2, b: 3}] | add":                     `{"b":3,"a":2}`,
		"{z: 1, a: 2}":                                     `{"z":1,"a":2}`,
		"{a: 1, b: 2, a: 3}":                               `{"a":3,"b":2}`,
		"{id, key, x: {y: 1, q: 2}}":                       `{"id":7,"key":"k1","x":{"y":1,"q":2}}`,
		".id as $i | {$i, a: 1}":                           `{"i":7,"a":1}`,
		"{(.key): 1, a: 2}":                                `{"k1":1,"a":2}`,
		"{z: 1, (\"a\", \"b\"): 2}":                        "{\"z\":1,\"a\":2}\n{\"z\":1,\"b\":2}",
		`{"x\(.id)": 1, a: 2}`:                             `{"x7":1,"a":2}`,
		".payload | path(.b.y[1:2])":                       `["b","y",{"start":1,"end":2}]`,
		`.payload.s | capture("(?<second>h)(?<first>e)")`:  `{"second":"h","first":"e"}`,
		`.payload.s | match("(?<a>o)")`:                    `{"offset":4,"length":1,"string":"o","captures":[{"offset":4,"length":1,"string":"o","name":"a"}]}`,
		"reduce (3, 1, 2) as $x ({}; .[\"k\\($x)\"] = $x)": `{"k3":3,"k1":1,"k2":2}`,
		".payload | pick(.s, .z)":                          `{"s":"hello world","z":1}`,
		"INDEX(3, 1; .)":                                   `{"3":3,"1":1}`,
		"try error({b: 1, a: 2}) catch .":                  `{"b":1,"a":2}`,
	})
}

// Numbers keep the text that they were published with, and those of the
// expression their digits; integers of any size are exact.
func TestNumbers(t *testing.T) {
	const payload = `{"a":1.50,"b":1E2,"c":123456789012345678901234567890,"d":-0,"e":1e400,"f":0.10,"g":9223372036854775809}`
	renders(t, payload, map[string]string{
		".payload":                        payload,
		".payload | map(.)":               `[1.50,1E2,123456789012345678901234567890,-0,1e400,0.10,9223372036854775809]`,
		`"\(.payload.a)"`:                 "1.50",
		".payload | [.[]] | @csv":         `1.50,1E2,123456789012345678901234567890,-0,1e400,0.10,9223372036854775809`,
		"[.payload.c, .payload.b] | sort": `[1E2,123456789012345678901234567890]`,
		".payload.a == 1.5":               "true",
		".payload.b == 100":               "true",
		".payload.c + 1":                  "123456789012345678901234567891",
		".payload.g - 1":                  "9223372036854775808",
		"9223372036854775807 + 1":         "9223372036854775808",
		"3037000500 * 3037000500":         "9223372037000250000",
		".payload.e + 0":                  "1.7976931348623157e+308",
		"1.0, 0.10, 1e3, 100":             "1.0\n0.10\n1E+3\n100",
		"1.0 + 0, 1e17 + 0, 0.00001 + 0":  "1\n1e+17\n1e-05",
		"7 / 2, 6 / 2, -7 % 3, 5 - 8":     "3.5\n3\n-1\n-3",
		"[nan, infinite, -infinite]":      "[null,1.7976931348623157e+308,-1.7976931348623157e+308]",
		`"12", "1e2", "1.50" | tonumber`:  "12\n1E+2\n1.50",
	})
}

// Assignments change exactly what their paths name, and nothing that shares
// memory with it.
func TestUpdates(t *testing.T) {
	renders(t, ordered, map[string]string{
		".payload.arr | .[1:3] = [\"x\"]":                               `[3,"x",{"k":"v"}]`,
		".payload.arr | .[-1] = 0":                                      "[3,1,2,0]",
		".payload.arr | del(.[0, 2])":                                   `[1,{"k":"v"}]`,
		".payload.arr | del(.[1:3])":                                    `[3,{"k":"v"}]`,
		".payload.arr | del(.[])":                                       "[]",
		".payload.arr | .[] |= empty":                                   "[]",
		".payload.arr | (.[] | numbers) |= . * 2":                       `[6,2,4,{"k":"v"}]`,
		"null | .a[1].b = 1":                                            `{"a":[null,{"b":1}]}`,
		"{a: null} | .a //= 3":                                          `{"a":3}`,
		"[1, 2] | .[5] |= 3":                                            "[1,2,null,null,null,3]",
		". as $old | (.payload.z = 9) | [.payload.z, $old.payload.z]":   "[9,1]",
		"{a: {x: 1}} | (.a.y, .b, .a.z) |= [., .]":                      `{"a":{"x":1,"y":[null,null],"z":[null,null]},"b":[null,null]}`,
		"null | (.a.y, .a, .a[0].z) |= [., .]":                          `{"a":[{"y":[null,null],"z":[null,null]},{"y":[null,null]}]}`,
		"{a: 1} | (.a, .b) = (2, 3) | tojson":                           "{\"a\":2,\"b\":2}\n{\"a\":3,\"b\":3}",
		".payload.z as $x | [1, 2] | map(. += $x)":                      "[2,3]",
		"{} | .a += 1 | .b = 6 | .b -= 1 | .b *= 2 | .b /= 4 | .b %= 2": `{"a":1,"b":0}`,
	})
}

// Whatever JSON is published, an expression that passes it on changes nothing.
func TestAnyJSONPassesUnchanged(t *testing.T) {
	e := New()
	rapid.Check(t, func(t *rapid.T) {
		payload := drawJSON(t, 4)
		for _, text := range []string{".payload", ".payload | tojson", ".payload | walk(.)", ".payload | .. |= .",
			".payload | tojson | fromjson", ".payload | fromstream(tostream)", `"\(.payload | tojson)"`} {
			r, err := e.Template(text)
			if err != nil {
				t.Fatal(err)
			}
			got, err := r.Render(context.Background(), doc(payload))
			want := payload
			if s := ""; text == ".payload" && json.Unmarshal([]byte(payload), &s) == nil && payload[0] == '"' ||
				text != ".payload" && payload[0] == '"' && json.Unmarshal([]byte(payload), &s) == nil && !printsJSON(text) {
				want = s
			}
			if err != nil || got != want {
				t.Fatalf("%s of %s gave %s, %v", text, payload, got, err)
			}
		}
	})
}

// printsJSON reports whether a text is given as JSON and not as it is.
func printsJSON(text string) bool {
	return text == ".payload | tojson" || text == `"\(.payload | tojson)"`
}

// drawJSON draws a value in canonical spelling.
func drawJSON(t *rapid.T, depth int) string {
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	if depth == 0 {
		kind %= 4
	}
	switch kind {
	case 0:
		return rapid.SampledFrom([]string{"null", "true", "false"}).Draw(t, "literal")
	case 1:
		return rapid.StringMatching(`-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,5})?([eE][+-]?[0-9]{1,3})?`).Draw(t, "number")
	case 2, 3:
		return string(appendString(nil, rapid.String().Draw(t, "text")))
	case 4:
		text := "["
		for i := range rapid.IntRange(0, 4).Draw(t, "length") {
			if i > 0 {
				text += ","
			}
			text += drawJSON(t, depth-1)
		}
		return text + "]"
	}
	text := "{"
	for i, key := range rapid.SliceOfNDistinct(rapid.String(), 0, 4, rapid.ID[string]).Draw(t, "keys") {
		if i > 0 {
			text += ","
		}
		text += string(appendString(nil, key)) + ":" + drawJSON(t, depth-1)
	}
	return text + "}"
}
