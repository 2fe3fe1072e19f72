package jq

import (
	"errors"
	"strings"
	"testing"

	"github.com/tundish-go/tundish/ports"
)

// CMD-3: the common mistakes get a hint; what may be something else gets none.
func TestCMD3_Hints(t *testing.T) {
	const quotes = `'"Build failed"'`
	for text, want := range map[string]string{
		"Build failed":                      quotes,
		"Build failed: {payload}":           quotes,
		`Build \(.id)`:                      quotes,
		`\(.payload.x) failed`:              quotes,
		"Deploy: .payload.x":                quotes,
		"build":                             quotes,
		".key == x":                         quotes,
		".payload.text | contains(failure)": quotes,
		"'x'":                               "put text in double quotes",
		"payload.ok":                        "did you mean .payload?",
		`key == "x"`:                        "did you mean .key?",
		`.payload.a and id`:                 "did you mean .id?",
		`"\(queue) is full"`:                "did you mean .queue?",
		"created_at > 5":                    "did you mean .created_at?",
		".a && .b":                          "write and",
		".a || .b":                          "write or",
		"!.a":                               "write … | not",
		".a not":                            "write | not",
		".a = = 1":                          "compare with ==",

		".payload | flattn":  "",
		"flattn | .":         "",
		"nosuch(1)":          "",
		"payload(1)":         "",
		".payload[":          "",
		".a | | .b":          "",
		"if .a then":         "",
		"if true else":       "",
		".a &":               "",
		"[.payload.a .b":     "",
		".a == not(x":        "",
		"def f: .a; f g":     "",
		"reduce x of .a (1)": "",
	} {
		_, err := New().Filter(text)
		fault, ok := errors.AsType[*ports.CompileError](err)
		if !ok {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if !strings.Contains(fault.Hint, want) || want == "" && fault.Hint != "" {
			t.Errorf("%s: the hint of %q is %q, want %q", text, fault.Reason, fault.Hint, want)
		}
	}
}
