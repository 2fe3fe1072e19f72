package payload

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/tundish-go/tundish/ports"
)

const depth = 1000

func TestPUB1_Spelling(t *testing.T) {
	for raw, want := range map[string]string{
		"9223372036854775809":                "9223372036854775809",
		"1e400":                              "1e400",
		"1.0":                                "1.0",
		"0.10":                               "0.10",
		"-0":                                 "-0",
		" 1E2\n":                             "1E2",
		`{ "b" : 1 , "a" : [ 1 , 2 ] }`:      `{"b":1,"a":[1,2]}`,
		`"caf\u00e9 \ud83d\ude80 a\/b"`:      `"café 🚀 a/b"`,
		`{"html":"<b>5 > 3 && 2 < 4</b>"}`:   `{"html":"<b>5 > 3 && 2 < 4</b>"}`,
		`"\u003c\u2028\u0008\u001f\u007f\n"`: "\"<\u2028\\b\\u001f\x7f\\n\"",
		`"\"\\"`:                             `"\"\\"`,
		`{"a":1,"b":2,"a":3}`:                `{"a":3,"b":2}`,
		`{"a":{"x":1},"b":2,"a":{"y":2}}`:    `{"a":{"y":2},"b":2}`,
		`{"\u0061":1,"a":[{"k":1,"k":{"z":1,"z":2}}]}`:              `{"a":[{"k":{"z":2}}]}`,
		`[{"a":1,"a":2},{"b":1},{"c":1,"c":[{"d":0,"d":1}],"e":2}]`: `[{"a":2},{"b":1},{"c":[{"d":1}],"e":2}]`,
		`{"a":{"b":1,"b":2},"c":{"d":1,"d":2},"a":0}`:               `{"a":0,"c":{"d":2}}`,
		`{"":1,"":{"":2,"":3}}`:                                     `{"":{"":3}}`,
		`[1e2, -0.0, true, false, null, ""]`:                        `[1e2,-0.0,true,false,null,""]`,
	} {
		got, err := New().Canonical([]byte(raw), depth)
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v; want %s", raw, got, err, want)
		}
	}
}

func TestPUB1_Refusals(t *testing.T) {
	for _, c := range []struct {
		raw    string
		offset int64
		reason string // a part of the reason
	}{
		{"", -1, "empty"},
		{" \n\t", -1, "empty"},
		{`{'run':7}`, 1, "double quotes"},
		{`'x'`, 0, "double quotes"},
		{"passed", 0, `double quotes: "passed"`},
		{"not json", 0, `double quotes: "not"`},
		{`{"run":NaN}`, 7, "NaN is not a JSON value"},
		{`{"run":7`, 8, "not closed with }"},
		{`[1`, 2, "not closed with ]"},
		{`"abc`, 4, "closing quote"},
		{`{"run":7} {"run":8}`, 10, "text follows the end of the value"},
		{`1 2`, 2, "text follows"},
		{`[1,2,]`, 5, "a value must follow the comma"},
		{`{"a":1,}`, 7, "a name must follow the comma"},
		{`[1 2]`, 3, "a comma or ] must follow"},
		{`{"a":1 "b":2}`, 7, "a comma or } must follow"},
		{`{"a" 1}`, 5, "a colon must follow"},
		{`{"a":["x" "y"]}`, 10, "a comma or ] must follow"},
		{`{1:2}`, 1, "a name in double quotes"},
		{`{run:2}`, 1, "a name in double quotes"},
		{`{"a":}`, 5, "a value must stand here"},
		{`"\ud83d"`, 1, "surrogate"},
		{`"x\udc00y"`, 2, "surrogate"},
		{"\"\xff\"", 1, "UTF-8"},
		{"[\xe2\x82]", 1, "UTF-8"},
		{"\"a\nb\"", 2, `\u000a`},
		{`"a\qb"`, 2, "escape"},
		{`"a\u12"`, 2, "escape"},
		{"\ufeff{}", 0, "byte order mark"},
		{".5", 0, "a number starts"},
		{"+1", 0, "a number starts"},
		{"01", 1, "no leading zeros"},
		{"[-007]", 3, "no leading zeros"},
		{"-a", 1, "continue a JSON number"},
		{"[nul]", 1, "nul is not a JSON value"},
		{"nul", 0, "nul is not a JSON value"},
		{"[truex]", 1, "truex is not"},
		{"1.", 1, "continue a JSON number"},
		{"[1.x]", 3, "continue a JSON number"},
		{"// x", 0, "comments"},
		{"]", 0, "a value must stand here"},
		{strings.Repeat("[", 1001), 1000, "deeper than 1000"},
		{strings.Repeat(`{"a":`, 1001), 5000, "deeper than 1000"},
		{"x" + strings.Repeat("[", 1001), 0, "double quotes"},
	} {
		_, err := New().Canonical([]byte(c.raw), depth)
		fault, ok := errors.AsType[*ports.PayloadError](err)
		if !ok || fault.Offset != c.offset || !strings.Contains(fault.Reason, c.reason) {
			t.Errorf("%.40q: got %v (%+v), want offset %d and %q", c.raw, err, fault, c.offset, c.reason)
		}
	}
}

// PUB-1: the deepest allowed nesting passes, brackets in strings do not count,
// and the slow path goes just as deep.
func TestPUB1_Depth(t *testing.T) {
	deepest := strings.Repeat("[", 1000) + strings.Repeat("]", 1000)
	for raw, want := range map[string]string{
		deepest:                               deepest,
		`"` + strings.Repeat("[", 2000) + `"`: `"` + strings.Repeat("[", 2000) + `"`,
		strings.Repeat(`{"a":1,"a":`, 1000) + "2" + strings.Repeat("}", 1000): strings.Repeat(`{"a":`, 1000) + "2" + strings.Repeat("}", 1000),
	} {
		if got, err := New().Canonical([]byte(raw), depth); err != nil || string(got) != want {
			t.Errorf("%.20q: %.40q, %v", raw, got, err)
		}
	}
}

// PUB-1: 16 MiB of the texts that make naive code quadratic end well within the
// test's time: deep nesting with a repeated name at every level, very many names,
// very many repeats of one name.
func TestPUB1_LargeTextsStayLinear(t *testing.T) {
	const size = 16 << 20
	deep := strings.Repeat(`{"a":0,"a":`, 999) + `"` + strings.Repeat("x", size) + `"` + strings.Repeat("}", 999)
	once := "{" + strings.Repeat(`"a":0,`, size/6) + `"a":1}`
	backslashes := `"` + strings.Repeat(`\\`, size/2) + `"`
	for name, raw := range map[string]string{"deep": deep, "once": once, "backslashes": backslashes} {
		got, err := New().Canonical([]byte(raw), depth)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name == "once" && string(got) != `{"a":1}` {
			t.Errorf("%s: %.40q", name, got)
		}
	}
}

func TestPUB1_ResultIsItsOwnMemory(t *testing.T) {
	raw := []byte(`{"a":1}`)
	got, err := New().Canonical(raw, depth)
	if err != nil {
		t.Fatal(err)
	}
	clear(raw)
	if string(got) != `{"a":1}` {
		t.Errorf("the result changed with its source: %q", got)
	}
}

func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{
		`{"a":1,"b":{"c":[1,2,{"d":null}]},"a":2}`, `"\ud83d\ude80\u00e9\/"`, `[1E2,-0,1.0,1e400]`,
		`{'run':7}`, `passed`, `[1,2,]`, "\"\xff\"", `{"":{"":1,"":2}}`, "  ", `[[[[]]]]`, "\ufeff1",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := New().Canonical(raw, 20)
		if err != nil {
			fault, ok := errors.AsType[*ports.PayloadError](err)
			if !ok || fault.Reason == "" || fault.Offset < -1 || fault.Offset > int64(len(raw)) {
				t.Fatalf("%q: unusable error %#v", raw, err)
			}
			return
		}
		again, err := New().Canonical(got, 20)
		if err != nil || !bytes.Equal(got, again) {
			t.Fatalf("%q: %q is not canonical: %q, %v", raw, got, again, err)
		}
		if !reflect.DeepEqual(meaning(t, raw), meaning(t, got)) {
			t.Fatalf("%q and %q differ in meaning", raw, got)
		}
	})
}

// meaning decodes with the standard library, which also takes the last value of
// a repeated name, merging nothing when the target is an empty interface.
func meaning(t *testing.T, raw []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
	return v
}
