//go:build unix

package interop_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// binary is one build of the program.
type binary struct{ name, path string }

// binaries are the builds that this machine can make. TestMain sets it once.
var binaries []binary

func TestMain(m *testing.M) {
	code, err := buildAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "interop:", err)
		code = 1
	}
	os.Exit(code)
}

func buildAndRun(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "tundish-interop-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	lazy := filepath.Join(dir, "lazytables")
	if out, err := exec.Command("go", "run", "-trimpath", "../lazytables", lazy).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("lazytables: %w\n%s", err, out)
	}
	modfile := "-modfile=" + filepath.Join(lazy, "go.mod")
	if err := build(dir, "wasm", "CGO_ENABLED=0", modfile); err != nil {
		return 0, err
	}
	if why := noCompiler(); why != "" {
		fmt.Fprintf(os.Stderr, "interop: NO C COMPILER (%s): the cgo build is left out\n", why)
	} else if err := build(dir, "cgo", "CGO_ENABLED=1", modfile, "-tags", "netgo,osusergo,sqlite_omit_load_extension"); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// build compiles the program, its worker and the tools of one build as the Makefile
// does, so that both share a cache.
func build(dir, name, env string, flags ...string) error {
	path := filepath.Join(dir, "tundish-"+name)
	for _, p := range []struct{ path, source string }{
		{path, "../../cmd/tundish"}, {path + "-outbox", "../../cmd/tundish-outbox"},
		{filepath.Join(dir, "hooked-"+name), "./hooked"}, {filepath.Join(dir, "receiver"), "./receiver"},
	} {
		args := append([]string{"build", "-trimpath", "-buildvcs=false", "-o", p.path}, flags...)
		cmd := exec.Command("go", append(args, p.source)...)
		cmd.Env = append(os.Environ(), env)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("the %s build of %s: %w\n%s", name, p.source, err, out)
		}
	}
	binaries = append(binaries, binary{name, path})
	return nil
}

// tool is the path of a program that stands beside the builds.
func tool(t *testing.T, name string) string {
	t.Helper()
	return filepath.Join(filepath.Dir(binaries[0].path), name)
}

// noCompiler says why the build with cgo cannot be made; empty when it can.
func noCompiler() string {
	out, err := exec.Command("go", "env", "CGO_ENABLED", "CC").Output()
	lines := strings.Split(string(out), "\n")
	switch {
	case err != nil || len(lines) < 2:
		return fmt.Sprintf("go env: %v", err)
	case lines[0] != "1":
		return "CGO_ENABLED=" + lines[0]
	}
	words := strings.Fields(lines[1])
	if len(words) == 0 {
		return "CC is empty"
	}
	cmd := exec.Command(words[0], append(words[1:], "-x", "c", "-o", os.DevNull, "-")...)
	cmd.Stdin = bytes.NewBufferString("#include <stdlib.h>\nint main(void) { return 0; }\n")
	if err := cmd.Run(); err != nil {
		var missing *exec.Error
		if errors.As(err, &missing) {
			return missing.Error()
		}
		return fmt.Sprintf("%s: %v", lines[1], err)
	}
	return ""
}

// mixed gives the build for the i-th of many processes, in turn.
func mixed(i int) binary { return binaries[i%len(binaries)] }

// onEach runs a test on every build.
func onEach(t *testing.T, test func(t *testing.T, b binary)) {
	t.Helper()
	for _, b := range binaries {
		t.Run(b.name, func(t *testing.T) { test(t, b) })
	}
}

// long tells whether the tests shall run as long as they usefully can.
func long() bool { return os.Getenv("TUNDISH_LONG") != "" }

// scale picks the usual or the long measure of something.
func scale[T any](usual, most T) T {
	if long() {
		return most
	}
	return usual
}
