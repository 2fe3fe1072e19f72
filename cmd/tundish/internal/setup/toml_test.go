package setup

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// SETUP-6: what Codex writes into its configuration is read in every spelling.
func TestSETUP6_TOML(t *testing.T) {
	got, err := parseTOML([]byte("\ufeff# mine\r\nmodel = \"gpt\" # the one\n" + `
approval_policy = 'never'
numbers = [ 1, 2.5, # three
  [true], {a = 1979-05-27 07:32:00Z}, ]
long = """
a \"quoted\" # no comment
[not.a.table]
"""
raw = '''C:\'''
site."a.b".c = "\u00e9\U0001F600\t\\"
[features]
hooks = true
[hooks.state."/home/ann/.codex/hooks.json:stop:0:0"]
trusted_hash = "sha256:1"
enabled = false
[hooks.state]
"/x" = { trusted_hash = "sha256:2", enabled = true }
"/y".trusted_hash = "sha256:3"
[ projects . "/home/ann/a b" ]
trust_level="trusted"
[[hooks.Stop]]
[[hooks.Stop.hooks]]
command = "x"
[[hooks.Stop]]
z = 1`))
	if err != nil {
		t.Fatal(err)
	}
	want := tomlTable{
		"model": "gpt", "approval_policy": "never", "numbers": nil, "long": "\na \"quoted\" # no comment\n[not.a.table]\n", "raw": `C:\`,
		"site":     tomlTable{"a.b": tomlTable{"c": "\u00e9\U0001F600\t\\"}},
		"features": tomlTable{"hooks": true},
		"hooks": tomlTable{
			"state": tomlTable{
				"/home/ann/.codex/hooks.json:stop:0:0": tomlTable{"trusted_hash": "sha256:1", "enabled": false},
				"/x":                                   tomlTable{"trusted_hash": "sha256:2", "enabled": true},
				"/y":                                   tomlTable{"trusted_hash": "sha256:3"},
			},
			"Stop": tomlTable{"z": nil},
		},
		"projects": tomlTable{"/home/ann/a b": tomlTable{"trust_level": "trusted"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{"a", "a =", "a = [", "a = \"", "[a", "= 1", "a = \"x\" y", "a = {b}", "[]", "a = \"x\ny\"", "\""} {
		if got, err := parseTOML([]byte(text)); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

func FuzzSETUP6_TOML(f *testing.F) {
	f.Add([]byte("[a.\"b\"]\nc = {d = [\"e\", '''f''']}\n"))
	f.Fuzz(func(_ *testing.T, text []byte) {
		_, _ = parseTOML(text) // it ends
	})
}

func FuzzSETUP7_JSON(f *testing.F) {
	f.Add([]byte("{\"hooks\": {\"Stop\": [ /* a */ {\"hooks\": [{\"command\": \"x\"}]}, ]}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		editor := claudeCode().editor
		after, err := editor.set(text, []string{"/tundish", "pull", "--as", "a", "--hook", "claude-code"})
		if err != nil {
			return
		}
		back, err := editor.unset(after, append([]byte{}, text...))
		if err == nil && len(text) > 0 {
			if _, err := parseJSON(back); err != nil {
				t.Errorf("%q becomes %q", text, back)
			}
		}
	})
}
