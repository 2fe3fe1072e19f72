//go:build unix

// Package demo holds what `make demo` runs, and the tests that keep the demo and
// the README true.
package demo

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// program builds tundish and its worker as `make build-wasm` does.
func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tundish")
	goCommand(t, "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", path, "./cmd/tundish")
	goCommand(t, "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", path+"-outbox", "./cmd/tundish-outbox")
	return path
}

// goCommand runs the go command without cgo at the root of the module.
func goCommand(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// TestDemo relies on the demo's own demands on exit codes, and on there being
// something to see.
func TestDemo(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "sh", "run.sh", program(t)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		"\n1\n2\n3\n4\n5\n6\n7\n8\n",
		"\n[github#4] Octocoders-linter failed: https://github.com/",
		"\ngithub:Codertocat/Hello-World pull request 2: Update the README with new information.\n",
		"\nacked 4\n",
		"\nalready acked by fixer at ",
		"\n(exit 3)\n",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the demo does not print %q:\n%s", want, out)
		}
	}
}

// TestReadmeTour runs the commands of the README in turn and compares what they
// print, apart from times and ids that are made up.
func TestReadmeTour(t *testing.T) {
	binary, folder := program(t), t.TempDir()
	steps := tour(blocks(t, "```\n"))
	if len(steps) < 5 {
		t.Fatalf("found %d commands in the README", len(steps))
	}
	script := `tundish() { "$BINARY" --config none.yml --db tour.db "$@"; }` + "\n"
	if err := os.WriteFile(filepath.Join(folder, "none.yml"), []byte("format: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, s := range steps {
		run := script + s.command + "\ncode=$?; [ $code -eq 0 ] || echo \"(exit $code)\"\n"
		cmd := exec.CommandContext(t.Context(), "sh", "-c", run)
		cmd.Dir, cmd.Env = folder, append(os.Environ(), "BINARY="+binary)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatal(err)
		}
		if got, want := timeless(string(out)), timeless(s.output); got != want {
			t.Errorf("$ %s\nprints\n%s\nand not\n%s", s.command, got, want)
		}
	}
}

// TestReadmeProgram compiles the Go program of the README and runs it.
func TestReadmeProgram(t *testing.T) {
	folder := t.TempDir()
	source, binary := filepath.Join(folder, "main.go"), filepath.Join(folder, "program")
	if err := os.WriteFile(source, []byte(strings.Join(blocks(t, "```go\n"), "")), 0o600); err != nil {
		t.Fatal(err)
	}
	goCommand(t, "build", "-trimpath", "-o", binary, source)
	out, err := exec.CommandContext(t.Context(), binary, filepath.Join(folder, "t.db")).CombinedOutput()
	if err != nil || string(out) != "stored as 1\n" {
		t.Errorf("%v\n%s", err, out)
	}
	out, err = exec.CommandContext(t.Context(), binary).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "usage: ") {
		t.Errorf("without an argument: %v\n%s", err, out)
	}
}

// TestReadmeRequire follows the README's way for a module to require this one.
func TestReadmeRequire(t *testing.T) {
	here, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.Symlink(here, filepath.Join(folder, "tundish")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "mail"), 0o700); err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	edit := regexp.MustCompile(`(?m)^    (go mod edit .*)$`).FindSubmatch(readme)
	if edit == nil {
		t.Fatal("the README does not say how to require the module")
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "go mod init example.com/mail && "+string(edit[1])+" && go list -m -f '{{.Replace}}' github.com/tundish-go/tundish")
	cmd.Dir, cmd.Env = filepath.Join(folder, "mail"), append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.HasSuffix(string(out), "../tundish\n") {
		t.Errorf("%v\n%s", err, out)
	}
}

// step is a command of the README with what it prints.
type step struct{ command, output string }

func tour(blocks []string) []step {
	var steps []step
	for _, block := range blocks {
		for _, part := range strings.Split("\n"+block, "\n$ ")[1:] {
			command, output, _ := strings.Cut(part, "\n")
			if output != "" && !strings.HasSuffix(output, "\n") {
				output += "\n"
			}
			steps = append(steps, step{command, output})
		}
	}
	return steps
}

// blocks are the texts between fences of one kind in the README.
func blocks(t *testing.T, fence string) []string {
	t.Helper()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for i, part := range strings.Split(string(text), "```") {
		if kind, body, _ := strings.Cut(part, "\n"); i%2 == 1 && "```"+kind+"\n" == fence {
			found = append(found, body)
		}
	}
	return found
}

// timeless replaces points in time, and the ids of entries.
func timeless(text string) string {
	text = regexp.MustCompile(`\bob_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`).ReplaceAllString(text, "ENTRY")
	return regexp.MustCompile(`\b1[0-9]{9}\b`).ReplaceAllString(text, "TIME")
}
