//go:build unix

package main_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The scripts in testdata/reference were recorded from the program that this one
// replaces. They are copies and stay as they are.
func TestReference(t *testing.T) {
	each(t, func(t *testing.T, b build) { runScripts(t, b, "reference", 66) })
}

// The scripts in testdata/script cover every command, exit code and kind of bad
// input beyond the recorded ones.
func TestScript(t *testing.T) {
	eachDriver(t, func(t *testing.T, b build) { runScripts(t, b, "script", 0) })
}

func runScripts(t *testing.T, b build, folder string, want int) {
	dir := filepath.Join("testdata", folder)
	scripts, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(scripts) == 0 || want > 0 && len(scripts) != want {
		t.Fatalf("%d scripts in %s, want %d (%v)", len(scripts), dir, want, err)
	}
	lingers := filepath.Join(t.TempDir(), "linger")
	if err := os.WriteFile(lingers, []byte(linger), 0o700); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Setup: func(env *testscript.Env) error {
			bin := filepath.Join(env.WorkDir, ".bin")
			if err := errors.Join(link(bin, b.path), os.Symlink(lingers, filepath.Join(bin, "linger"))); err != nil {
				return err
			}
			env.Setenv("PATH", bin+string(filepath.ListSeparator)+env.Getenv("PATH"))
			env.Setenv("DRIVER", b.driver)
			env.Setenv("TURNS_FILE", filepath.Join(bin, "turns"))
			env.Vars = append(env.Vars, b.env...)
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if driver, ok := strings.CutPrefix(cond, "driver:"); ok {
				return driver == b.driver, nil
			}
			return false, fmt.Errorf("unknown condition %s", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits is a script command: `exits 2 tundish …` wants that exit code.
func exits(ts *testscript.TestScript, not bool, args []string) {
	if not || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARGUMENT...]")
	}
	got := 0
	var failed *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &failed) {
		got = failed.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if want := args[0]; strconv.Itoa(got) != want {
		ts.Fatalf("exit code %d, want %s", got, want)
	}
}

// linger is a program for scripts with a terminal: it runs a command, and stays for a
// moment. testscript closes the terminal when the program ends, and what nobody has
// read of it by then is gone.
const linger = "#!/bin/sh\n\"$@\"; code=$?; sleep 0.3; exit $code\n"

// link makes dir with the program in it, and under a second name that scripts
// look for when they may take minutes.
func link(dir, program string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if os.Getenv("TUNDISH_SLOW") != "" {
		if err := os.Symlink(program, filepath.Join(dir, "tundish-slow")); err != nil {
			return err
		}
	}
	for _, suffix := range []string{"-outbox", "-mcp"} {
		if err := os.Symlink(program+suffix, filepath.Join(dir, "tundish"+suffix)); err != nil {
			return err
		}
	}
	return os.Symlink(program, filepath.Join(dir, "tundish"))
}
