//go:build unix

package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestGuides runs what the guides show, page by page, in the order of the page:
// every block of sh has to succeed, and to print what a block of text right behind
// it says; a console has to print what it shows. Times and ids that are made up do
// not count. Programs in Python and Go have to run too. What needs a host or a
// server, and pieces of programs, stand in blocks of other kinds.
func TestGuides(t *testing.T) {
	pages, err := filepath.Glob("internal/cli/docs/*.md")
	if err != nil || len(pages) < 5 {
		t.Fatalf("%d guides (%v)", len(pages), err)
	}
	eachDriver(t, func(t *testing.T, b build) {
		for _, page := range pages {
			t.Run(strings.TrimSuffix(filepath.Base(page), ".md"), func(t *testing.T) {
				t.Parallel()
				g := newGuide(t, b)
				text, err := os.ReadFile(page)
				if err != nil {
					t.Fatal(err)
				}
				for _, block := range fences(string(text)) {
					g.run(t, block)
				}
			})
		}
	})
}

// TestReferenceIsMade compares the committed reference with the commands' help.
func TestReferenceIsMade(t *testing.T) {
	want, err := os.ReadFile("../../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	made := filepath.Join(t.TempDir(), "reference.md")
	if out, err := exec.CommandContext(t.Context(), builds[0].path, "gen-reference", made).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/reference.md is not what the commands say: run make docs")
	}
}

// fence is a block of a page. Output is the text that stands behind a block of
// commands, if there is one.
type fence struct{ kind, body, output string }

func fences(page string) []fence {
	var found []fence
	shows := false
	for i, part := range strings.Split("\n"+page, "\n```") {
		if i%2 == 0 {
			shows = strings.TrimSpace(part) == ""
			continue
		}
		kind, body, _ := strings.Cut(part, "\n")
		if kind == "text" && shows && len(found) > 0 {
			found[len(found)-1].output = body + "\n"
			continue
		}
		found = append(found, fence{kind: kind, body: body + "\n"})
	}
	return found
}

// guide is the place in which a page is tried.
type guide struct {
	folder string
	env    []string
}

func newGuide(t *testing.T, b build) guide {
	g := guide{folder: t.TempDir()}
	home, bin := filepath.Join(g.folder, "home"), filepath.Join(g.folder, "bin")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := link(bin, b.path); err != nil {
		t.Fatal(err)
	}
	// In front of it stands a wrapper, for the home of the database is not HOME's.
	wrapper := filepath.Join(g.folder, "wrapper")
	script := "#!/bin/sh\nexec '" + bin + "/tundish' --config '" + g.folder + "/c.yml' \"$@\"\n"
	for path, text := range map[string]string{
		filepath.Join(wrapper, "tundish"): script, filepath.Join(g.folder, "c.yml"): "format: 1\ndatabase: t.db\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	before, err := filepath.Abs("testdata/guides/before.sh")
	if err != nil {
		t.Fatal(err)
	}
	g.env = append(os.Environ(),
		"HOME="+home, "PATH="+wrapper+":"+bin+":"+os.Getenv("PATH"), "BEFORE="+before, "PYTHONDONTWRITEBYTECODE=1")
	g.must(t, "sh", "-c", `. "$BEFORE"; prepare`)
	return g
}

func (g guide) run(t *testing.T, block fence) {
	switch block.kind {
	case "sh":
		out := g.must(t, "sh", "-euc", ". \"$BEFORE\"\n"+block.body)
		if got, want := timeless(out), timeless(block.output); block.output != "" && got != want {
			t.Errorf("%s\nprints\n%s\nand not\n%s", block.body, got, want)
		}
	case "console":
		for _, part := range strings.Split("\n"+block.body, "\n$ ")[1:] {
			command, want, _ := strings.Cut(part, "\n")
			out := g.must(t, "sh", "-uc", ". \"$BEFORE\"\n"+command+"\ncode=$?; [ $code -eq 0 ] || echo \"(exit $code)\"")
			if strings.TrimRight(timeless(out), "\n") != strings.TrimRight(timeless(want), "\n") {
				t.Errorf("$ %s\nprints\n%s\nand not\n%s", command, out, want)
			}
		}
	case "python":
		g.must(t, "python3", "-c", block.body)
	case "go":
		if strings.Contains(block.body, "package main") {
			g.program(t, block.body)
		}
	}
}

// program builds a Go program inside the module, and runs it in the guide's place.
func (g guide) program(t *testing.T, source string) {
	t.Helper()
	path := filepath.Join(g.folder, "program.go")
	if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(g.folder, "program")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", binary, path)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s\n%v\n%s", source, err, out)
	}
	g.must(t, binary)
}

func (g guide) must(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = g.folder, g.env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s\n%v\n%s%s", strings.Join(slices.Concat([]string{name}, args), " "), err, &stdout, &stderr)
	}
	return stdout.String()
}

// timeless replaces points in time, and the ids of entries.
func timeless(text string) string {
	text = regexp.MustCompile(`\bob_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`).ReplaceAllString(text, "ENTRY")
	return regexp.MustCompile(`\b1[0-9]{9}\b`).ReplaceAllString(text, "TIME")
}
