package metamorphic

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// builds are the paths of the workers that this machine can make, by the driver
// in them. TestMain sets it once.
var builds = map[string]string{}

func TestMain(m *testing.M) {
	code, err := buildAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "metamorphic:", err)
		code = 1
	}
	os.Exit(code)
}

func buildAndRun(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "tundish-metamorphic-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if err := build(dir, "wasm", "CGO_ENABLED=0"); err != nil {
		return 0, err
	}
	if !compiles() {
		fmt.Fprintln(os.Stderr, "metamorphic: NO C COMPILER: the cgo half is left out")
	} else if err := build(dir, "cgo", "CGO_ENABLED=1", "-tags", "netgo,osusergo,sqlite_omit_load_extension"); err != nil {
		return 0, err
	}
	// Longer programs meet more, and take longer to shrink. The command line is
	// parsed later, and has the last word.
	if err := errors.Join(flag.Set("rapid.steps", "50"), flag.Set("rapid.shrinktime", "60s")); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// build compiles the worker as the Makefile does the program, so that both share
// a cache.
func build(dir, driver, env string, flags ...string) error {
	path := filepath.Join(dir, "worker-"+driver)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-o", path}, flags...)
	cmd := exec.Command("go", append(args, "./worker")...)
	cmd.Env = append(os.Environ(), env)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("the %s build: %w\n%s", driver, err, out)
	}
	builds[driver] = path
	return nil
}

// compiles tells whether cgo is on and the C compiler works.
func compiles() bool {
	out, err := exec.Command("go", "env", "CGO_ENABLED", "CC").Output()
	words := strings.Fields(string(out))
	if err != nil || len(words) < 2 || words[0] != "1" {
		return false
	}
	cmd := exec.Command(words[1], append(words[2:], "-x", "c", "-o", os.DevNull, "-")...)
	cmd.Stdin = strings.NewReader("#include <stdlib.h>\nint main(void) { return 0; }\n")
	return cmd.Run() == nil
}
