// Command lazytables prepares a build of tundish that starts sooner.
//
// A hook's process lives for a few milliseconds, and three dependencies use up a
// good part of them before main: gojq makes the syntax trees of all functions
// that are written in jq, yaml compiles two regular expressions, and fsnotify looks
// into the environment, which copies it. Most calls need none of that. This command
// copies the modules, as they are pinned, changes them so that the tables are made
// at first use, and writes a go.mod that names the copies:
//
//	go run ./internal/lazytables bin/lazytables
//	go build -modfile bin/lazytables/go.mod ./cmd/tundish
//
// Nothing else differs, and a plain go build works as well. Decision 0014 has
// the reasons and the figures.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// edit replaces a text that stands exactly once in a file of a module.
type edit struct{ module, file, old, new string }

// edits are all that is changed. A new version of a module that no longer has
// one of the texts fails the build, and asks for a look.
func edits() []edit {
	const gojq, yaml, fsnotify = "github.com/itchyny/gojq", "go.yaml.in/yaml/v3", "github.com/fsnotify/fsnotify"
	return []edit{
		{gojq, "builtin.go", "func init() {", "func makeDefinitions() {"},
		{gojq, "func.go", "func init() {", "func makeFunctions() {"},
		{
			gojq, "compiler.go",
			"func Compile(q *Query, options ...CompilerOption) (*Code, error) {\n",
			"func Compile(q *Query, options ...CompilerOption) (*Code, error) {\n\tmakeTables()\n",
		},
		{
			gojq, "compiler.go",
			"// Code is a compiled jq query.",
			"var makeTables = sync.OnceFunc(func() {\n\tmakeDefinitions()\n\tmakeFunctions()\n})\n\n// Code is a compiled jq query.",
		},
		{fsnotify, "fsnotify.go", "var debug = func() bool {", "const debug = false\n\nfunc wantsDebug() bool {"},
		{fsnotify, "fsnotify.go", "\n}()\n", "\n}\n"},
		{yaml, "resolve.go", "regexp.MustCompile(", "pattern("},
		{yaml, "encode.go", "regexp.MustCompile(", "pattern("},
		{yaml, "encode.go", "\t\"regexp\"\n", ""},
		{
			yaml, "resolve.go", "const longTagPrefix",
			"type pattern string\n\nfunc (p pattern) MatchString(s string) bool {\n\treturn regexp.MustCompile(string(p)).MatchString(s)\n}\n\nconst longTagPrefix",
		},
	}
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: lazytables FOLDER")
		os.Exit(2)
	}
	if err := prepare(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "lazytables:", err)
		os.Exit(1)
	}
}

// prepare fills folder with the copies and the go.mod that names them.
func prepare(folder string) error {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	root, err := goCommand("list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	copies := map[string]string{}
	for _, e := range edits() {
		if copies[e.module] != "" {
			continue
		}
		to := filepath.Join(folder, filepath.FromSlash(e.module))
		if err := copyModule(e.module, to); err != nil {
			return err
		}
		copies[e.module] = to
		mod = fmt.Appendf(mod, "\nreplace %s => %q\n", e.module, replacement(root, to))
	}
	for _, e := range edits() {
		if err := e.apply(copies[e.module]); err != nil {
			return err
		}
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "go.sum"), sum, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "go.mod"), mod, 0o644)
}

// replacement spells the place of a copy for a go.mod: from the root, if it is
// below it, so that the whole folder can be moved.
func replacement(root, to string) string {
	if below, err := filepath.Rel(root, to); err == nil && filepath.IsLocal(below) {
		to = "./" + below
	}
	return filepath.ToSlash(to)
}

// copyModule copies the sources of the package at a module's root, and of the
// internal one that it may have.
func copyModule(module, to string) error {
	// The module may not be in the cache yet.
	if _, err := goCommand("mod", "download", module); err != nil {
		return err
	}
	from, err := goCommand("list", "-m", "-f", "{{.Dir}}", module)
	if err != nil {
		return err
	}
	// Another version may have been here, with files that this one lacks.
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := copySources(from, to); err != nil {
		return err
	}
	return copySources(filepath.Join(from, "internal"), filepath.Join(to, "internal"))
}

// copySources copies the files of one package; none if there is none.
func copySources(from, to string) error {
	files, err := filepath.Glob(filepath.Join(from, "*"))
	if err != nil || len(files) == 0 {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasSuffix(name, "_test.go") || filepath.Ext(name) != ".go" && name != "go.mod" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// apply changes one file of a copy.
func (e edit) apply(folder string) error {
	path := filepath.Join(folder, e.file)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if n := strings.Count(string(text), e.old); n != 1 {
		return fmt.Errorf("%s of %s has %q %d times, not once: see whether its tables are still made before main", e.file, e.module, e.old, n)
	}
	return os.WriteFile(path, []byte(strings.Replace(string(text), e.old, e.new, 1)), 0o644)
}

// goCommand answers the output of the go command, in one line.
func goCommand(args ...string) (string, error) {
	out, err := exec.CommandContext(context.Background(), "go", args...).Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, exit.Stderr)
		}
		return "", fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
