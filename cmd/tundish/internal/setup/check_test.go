package setup

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// program is something that a hook can run.
func program(t *testing.T, d desk) string {
	t.Helper()
	path := filepath.Join(d.place.Home, "bin", "tundish")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// says are the findings of a state, on a line each.
func says(r Report, state State) string {
	var b strings.Builder
	for _, f := range r.Findings {
		if f.State == state {
			fmt.Fprintf(&b, "%s; %s\n", f.What, f.Remedy)
		}
	}
	return b.String()
}

// SETUP-6: every host's hook is found in place after init, and each thing that
// would keep it from delivering is named with a remedy.
func TestSETUP6_PlantedFaults(t *testing.T) {
	for _, test := range []struct {
		host, name, says string
		plant            func(t *testing.T, d desk, text []byte) []byte
	}{
		{"claude-code", "an event is missing", "no hook of tundish at PostToolBatch", func(_ *testing.T, _ desk, text []byte) []byte {
			return bytes.Replace(text, []byte("PostToolBatch"), []byte("PostToolUse"), 1)
		}},
		{"codex", "the program is gone", "which does not exist", func(t *testing.T, d desk, text []byte) []byte {
			if err := os.Remove(filepath.Join(d.place.Home, "bin", "tundish")); err != nil {
				t.Fatal(err)
			}
			return text
		}},
		{"gemini", "the program cannot be run", "which is no program", func(t *testing.T, d desk, text []byte) []byte {
			if err := os.Chmod(filepath.Join(d.place.Home, "bin", "tundish"), 0o600); err != nil {
				t.Fatal(err)
			}
			return text
		}},
		{"cursor", "the program is not absolute", "PATH may not have", func(_ *testing.T, d desk, text []byte) []byte {
			return bytes.ReplaceAll(text, []byte(filepath.Join(d.place.Home, "bin")+"/"), nil)
		}},
		{"claude-code", "no time", "time limit 0", func(_ *testing.T, _ desk, text []byte) []byte {
			return bytes.ReplaceAll(text, []byte(`"timeout": 5`), []byte(`"timeout": 0`))
		}},
		{"gemini", "seconds for milliseconds", "time limit 5", func(_ *testing.T, _ desk, text []byte) []byte {
			return bytes.ReplaceAll(text, []byte(`"timeout": 5000`), []byte(`"timeout": 5`))
		}},
		{"copilot", "switched off", "disableAllHooks", func(_ *testing.T, _ desk, text []byte) []byte {
			return bytes.Replace(text, []byte(`"version": 1`), []byte(`"version": 1, "disableAllHooks": true`), 1)
		}},
		{"gemini", "named as disabled", "hooksConfig.disabled", func(_ *testing.T, _ desk, text []byte) []byte {
			return bytes.Replace(text, []byte(`{`), []byte(`{"hooksConfig": {"disabled": ["a", "tundish"]},`), 1)
		}},
		{"gemini", "hooks switched off", "hooksConfig.enabled", func(_ *testing.T, _ desk, text []byte) []byte {
			return bytes.Replace(text, []byte(`{`), []byte(`{"hooksConfig": {"enabled": false},`), 1)
		}},
		{"gaff", "no folder is trusted", "in no folder yet", func(_ *testing.T, _ desk, text []byte) []byte { return text }},
		{"gaff", "time of a handler", "time limit 5", func(_ *testing.T, _ desk, text []byte) []byte {
			return bytes.Replace(text, []byte("timeout_ms: 400"), []byte("timeout_ms: 5"), 1)
		}},
		{"claude-code", "two subscribers", "another hook for eve", func(_ *testing.T, _ desk, text []byte) []byte {
			return bytes.Replace(text, []byte("--as ann"), []byte("--as eve"), 1)
		}},
	} {
		t.Run(test.host+"/"+test.name, func(t *testing.T) {
			d := newDesk(t, test.host)
			if r := Check(d.host, d.place, ""); r.InPlace || r.Delivers || !strings.Contains(says(r, Bad), "tundish init "+test.host) {
				t.Errorf("before init there is %+v", r)
			}
			words := d.host.Command(program(t, d), "ann")
			applied(t, func() (*Change, error) { return Plan(d.host, d.place, words) })
			r := Check(d.host, d.place, "ann")
			if !r.InPlace || r.Subscriber != "ann" || r.Binary != words[0] || !sameSet(r.Events, d.host.Events) {
				t.Fatalf("after init there is %+v", r)
			}
			if needs := test.host == "codex" || test.host == "gaff"; r.Delivers == needs {
				t.Errorf("delivers is %t with %q", r.Delivers, says(r, Bad))
			}
			if r := Check(d.host, d.place, "bob"); r.InPlace || !strings.Contains(says(r, Bad), "not for bob") {
				t.Errorf("for another there is %+v", r)
			}
			d.write(t, test.plant(t, d, d.read(t)))
			r = Check(d.host, d.place, "")
			if r.Delivers || !strings.Contains(says(r, Bad), test.says) {
				t.Errorf("%q is not in\n%s", test.says, says(r, Bad))
			}
			for _, f := range r.Findings {
				if f.State != Good && f.Remedy == "" {
					t.Errorf("%q has no remedy", f.What)
				}
			}
		})
	}
}

func sameSet(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

// SETUP-6: the hash is the one that Codex 0.171 was seen to compute for these
// hooks.
func TestSETUP6_CodexHash(t *testing.T) {
	const command = "/usr/bin/tundish pull --due --as a --hook codex"
	group := func(matcher, more string) string {
		return fmt.Sprintf(`[{%s"hooks": [{"type": "command", "command": %q%s}]}]`, matcher, command, more)
	}
	for _, test := range []struct{ event, array, hash string }{
		{"SessionStart", group("", `, "timeout": 5`), "cfd59c7feefc5878e255b0b50ddc12ee7b2bb7aac789aaf5104a6f3d95d14560"},
		{"SessionStart", group("", `, "timeout": 5, "additionalContextLimit": 500`), "a420ae33c936f1c230bb9ac02d3d482e5810e17941de1a7f8a5cd221643d0235"},
		{"UserPromptSubmit", group("", `, "timeout": 5`), "0f440d56b63e5aa266665dd8161de33047aa670ac30e70f3e73291a0190eac75"},
		{"UserPromptSubmit", group(`"matcher": "x", `, `, "timeout": 5`), "0f440d56b63e5aa266665dd8161de33047aa670ac30e70f3e73291a0190eac75"},
		{"PostToolUse", group(`"matcher": "Bash", `, `, "timeout": 5`), "d7cbb710339acc047b56d1aefc04b6110426e0b79eba1727b787819352865aab"},
		{"Stop", group(`"matcher": "x", `, `, "timeout": 5, "statusMessage": "m", "async": false, "additionalContextLimit": 500`),
			"36ab781069591b807472996f74a63744c4f817c8ca25bb7d1f8a59a3fd7d3657"},
	} {
		doc, err := parseJSON([]byte(fmt.Sprintf(`{"hooks": {%q: %s}}`, test.event, test.array)))
		if err != nil {
			t.Fatal(err)
		}
		editor, ok := codex().editor.(hooks)
		if !ok {
			t.Fatal("codex has another editor")
		}
		found, err := editor.list(doc)
		if err != nil || len(found) != 1 {
			t.Fatal(found, err)
		}
		if got := codexHash(doc, found[0]); got != "sha256:"+test.hash {
			t.Errorf("%s %s has the hash %s", test.event, test.array, got)
		}
	}
}

// SETUP-6: a hook of Codex is trusted, edited since, switched off, or held back
// with its project.
func TestSETUP6_CodexTrust(t *testing.T) {
	d := newDesk(t, "codex")
	words := d.host.Command(program(t, d), "ann")
	config := filepath.Join(d.place.Home, ".codex", "config.toml")
	trust := func(p Place, more string) {
		path := d.host.Path(p)
		doc, err := readJSON(path)
		if err != nil {
			t.Fatal(err)
		}
		found, err := d.host.editor.find(doc.text)
		if err != nil {
			t.Fatal(err)
		}
		text := more
		for _, h := range found {
			text += fmt.Sprintf("[hooks.state.%q]\ntrusted_hash = %q\n", fmt.Sprintf("%s:%s:%d:%d", path, snake(h.event), h.i, h.j), codexHash(doc, h))
		}
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range []Place{d.place, {Home: d.place.Home, Folder: d.place.Folder, Getenv: d.place.Getenv, Project: true}} {
		applied(t, func() (*Change, error) { return Plan(d.host, p, words) })
		trust(p, fmt.Sprintf("[projects.%q]\ntrust_level = \"trusted\"\n", p.Folder))
		if r := Check(d.host, p, ""); !r.Delivers || !strings.Contains(says(r, Good), "trusts the hooks") {
			t.Errorf("trusted, and yet %+v", r)
		}
		trust(p, "[features]\nhooks = false\n")
		if r := Check(d.host, p, ""); r.Delivers || !strings.Contains(says(r, Bad), "features.hooks") {
			t.Errorf("switched off, and yet %+v", r)
		}
		trust(p, "")
		if r := Check(d.host, p, ""); r.Delivers != !p.Project {
			t.Errorf("without the project's trust, delivers is %t", r.Delivers)
		}
		applied(t, func() (*Change, error) { return Plan(d.host, p, d.host.Command(words[0], "bob")) })
		if r := Check(d.host, p, ""); r.Delivers || strings.Count(says(r, Bad), "which were edited since") != 1 ||
			!strings.Contains(says(r, Bad), "the hooks at "+strings.Join(d.host.Events, ", ")+", which") {
			t.Errorf("edited, and yet %+v", r)
		}
		if err := os.WriteFile(config, []byte("a = [\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if r := Check(d.host, p, ""); !strings.Contains(says(r, Unknown), "cannot be read") {
			t.Errorf("an unreadable configuration gives %+v", r)
		}
		if err := os.Remove(config); err != nil {
			t.Fatal(err)
		}
	}
}

// SETUP-1: where the files of a host are.
func TestSETUP1_Places(t *testing.T) {
	moved := map[string]string{
		"CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/x", "GEMINI_CLI_HOME": "/g", "XDG_CONFIG_HOME": "/cfg", "COPILOT_HOME": "relative",
	}
	for _, test := range []struct{ host, user, project, moved string }{
		{"claude-code", "/h/.claude/settings.json", "/p/.claude/settings.json", "/c/settings.json"},
		{"codex", "/h/.codex/hooks.json", "/p/.codex/hooks.json", "/x/hooks.json"},
		{"gemini", "/h/.gemini/settings.json", "/p/.gemini/settings.json", "/g/.gemini/settings.json"},
		{"opencode", "/h/.config/opencode/plugins/tundish.js", "/p/.opencode/plugins/tundish.js", "/cfg/opencode/plugins/tundish.js"},
		{"gaff", "/h/.config/gaff/handlers.yml", "", "/h/.config/gaff/handlers.yml"},
		{"cursor", "/h/.cursor/hooks.json", "/p/.cursor/hooks.json", "/h/.cursor/hooks.json"},
		{"copilot", "/h/.copilot/hooks/tundish.json", "/p/.github/hooks/tundish.json", "/h/.copilot/hooks/tundish.json"},
	} {
		h, _ := Find(test.host)
		none := func(string) string { return "" }
		for want, p := range map[string]Place{
			test.user:  {Home: "/h", Folder: "/p", Getenv: none},
			test.moved: {Home: "/h", Folder: "/p", Getenv: func(name string) string { return moved[name] }},
		} {
			if got := h.Path(p); got != want {
				t.Errorf("%s has %s, want %s", test.host, got, want)
			}
		}
		if got := h.Path(Place{Home: "/h", Folder: "/p", Project: true, Getenv: none}); got != test.project {
			t.Errorf("%s has %s in a project, want %s", test.host, got, test.project)
		}
	}
	d := newDesk(t, "gaff")
	d.place.Project = true
	if _, err := Plan(d.host, d.place, d.words("ann")); err == nil || !strings.Contains(err.Error(), "--project") {
		t.Errorf("gaff in a project: %v", err)
	}
}
