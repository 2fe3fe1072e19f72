//go:build unix

package hosts_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// gaff is the hook runner of that name inside Claude Code.
type gaff struct{ claude }

func (gaff) name() string { return "gaff" }

func (gaff) version(t *testing.T) string {
	found, err := filepath.Glob(filepath.Join(installed(t), "gaff/lib/python3*/site-packages/gaffr-*.dist-info"))
	if err != nil || len(found) != 1 {
		t.Fatalf("gaff is not installed: %v, %v", found, err)
	}
	version := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(found[0]), "gaffr-"), ".dist-info")
	return version + " in " + claude{}.version(t)
}

func (gaff) events() []event {
	return []event{
		{name: "session_start", when: atPrompt},
		{name: "prompt", when: atPrompt},
		{name: "tool_batch", when: atTool},
		{name: "stop", when: atStop},
	}
}

// only leaves one event to the handler that has it.
func (gaff) only(r *run, e event) {
	path := filepath.Join(r.home, ".config", "gaff", "handlers.yml")
	text := r.read(path)
	list := regexp.MustCompile(`(?m)^( *events: ).*\b` + e.name + `\b.*$`)
	if !list.MatchString(text) {
		r.t.Fatalf("%s is not in %s:\n%s", e.name, path, text)
	}
	r.write(path, list.ReplaceAllString(text, "${1}["+e.name+"]"))
}

// command has what a person does once in a project done first.
func (g gaff) command(r *run, e event) process {
	p := g.claude.command(r, e)
	gaff := need(r.t, "gaff/bin/gaff")
	path := "PATH=" + filepath.Dir(gaff) + ":" + r.path()
	p.env = append(p.env, path)
	r.command(append(r.env, path), gaff, "trust")
	r.command(append(r.env, path), gaff, "init")
	return p
}
