//go:build unix

package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// build is one build of the real program.
type build struct {
	driver string // cgo, wasm, or turns: every command by another of the two
	path   string
	env    []string // what the program needs in its environment
}

// builds are made once for all tests of the package.
var builds []build

func TestMain(m *testing.M) {
	code := 1
	func() {
		dir, err := os.MkdirTemp("", "tundish-builds-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return
		}
		defer os.RemoveAll(dir)
		if builds, err = makeBuilds(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return
		}
		code = m.Run()
	}()
	os.Exit(code)
}

func makeBuilds(dir string) ([]build, error) {
	lazy := filepath.Join(dir, "lazytables")
	if out, err := exec.Command("go", "run", "-trimpath", "../../internal/lazytables", lazy).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("lazytables: %w\n%s", err, out)
	}
	modfile := "-modfile=" + filepath.Join(lazy, "go.mod")
	wasm := build{driver: "wasm", path: filepath.Join(dir, "wasm", "tundish")}
	if err := compileAll(wasm.path, "0", modfile); err != nil {
		return nil, err
	}
	if compiler, ok := compiler(); !ok {
		fmt.Fprintf(os.Stderr, "NOTE: no C compiler (%s): the cgo half of the command tests does not run\n", compiler)
		return []build{wasm}, nil
	}
	cgo := build{driver: "cgo", path: filepath.Join(dir, "cgo", "tundish")}
	if err := compileAll(cgo.path, "1", modfile, "-tags", "netgo,osusergo,sqlite_omit_load_extension"); err != nil {
		return nil, err
	}
	turns := build{driver: "turns", path: filepath.Join(dir, "turns", "tundish")}
	turns.env = []string{"TURNS_BUILDS=" + strings.Join([]string{cgo.path, wasm.path}, string(filepath.ListSeparator))}
	if err := compile(turns.path, "./testdata/turns", "0"); err != nil {
		return nil, err
	}
	return []build{cgo, wasm, turns}, nil
}

// compileAll builds tundish, and its worker and its server beside it.
func compileAll(path, cgo string, flags ...string) error {
	if err := compile(path, ".", cgo, flags...); err != nil {
		return err
	}
	if err := compile(path+"-outbox", "../tundish-outbox", cgo, flags...); err != nil {
		return err
	}
	return compile(path+"-mcp", "../tundish-mcp", cgo, flags...)
}

// compile builds pkg as the Makefile does, so that both use the same cache.
func compile(path, pkg, cgo string, flags ...string) error {
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", path}, flags...)
	cmd := exec.Command("go", append(args, pkg)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED="+cgo)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s with CGO_ENABLED=%s: %w\n%s", pkg, cgo, err, out)
	}
	return nil
}

// compiler finds the C compiler that the go command would run.
func compiler() (name string, found bool) {
	out, err := exec.Command("go", "env", "CC").Output()
	words := strings.Fields(string(out))
	if err != nil || len(words) == 0 {
		return "unknown", false
	}
	_, err = exec.LookPath(words[0])
	return words[0], err == nil
}

// each runs a test with every build, the mixed one too.
func each(t *testing.T, run func(t *testing.T, b build)) {
	for _, b := range builds {
		t.Run(b.driver, func(t *testing.T) { run(t, b) })
	}
}

// eachDriver runs a test with every build that is one program.
func eachDriver(t *testing.T, run func(t *testing.T, b build)) {
	each(t, func(t *testing.T, b build) {
		if b.driver != "turns" {
			run(t, b)
		}
	})
}
