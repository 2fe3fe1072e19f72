//go:build unix

package interop_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// patience bounds every process: one that hangs fails its test.
const patience = time.Minute

// site is a folder with a configuration and the place of a database, for one
// test. Its methods may be called by several goroutines.
type site struct {
	t      *testing.T
	dir    string
	db     string
	config string
	env    []string
}

// newSite makes a site with a configuration of all defaults. The database and
// the two folders around it are missing.
func newSite(t *testing.T) *site {
	t.Helper()
	dir := t.TempDir()
	s := &site{
		t: t, dir: dir,
		db:     filepath.Join(dir, "state", "tundish", "t.db"),
		config: filepath.Join(dir, "config.yml"),
		env:    []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + dir},
	}
	s.configure("format: 1\n")
	return s
}

func (s *site) configure(text string) {
	s.t.Helper()
	if err := os.WriteFile(s.config, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// with gives the same site with additions to the environment.
func (s *site) with(env ...string) *site {
	other := *s
	other.env = append(append([]string{}, s.env...), env...)
	return &other
}

// at gives the same site with another database.
func (s *site) at(db string) *site {
	other := *s
	other.db = db
	return &other
}

// result is what became of a process.
type result struct {
	stdout, stderr string
	code           int // -1: killed
}

// command prepares a process of b. It is killed when it takes too long.
func (s *site) command(b binary, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	s.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, b.path, append([]string{"--db", s.db, "--config", s.config}, args...)...)
	cmd.Env, cmd.Dir = s.env, s.dir
	return cmd
}

// shell prepares a shell that runs script with b's command as its arguments.
func (s *site) shell(b binary, script string, args ...string) *exec.Cmd {
	cmd := s.command(b, args...)
	words := append([]string{"sh", "-c", script, "sh"}, cmd.Args...)
	cmd.Path, cmd.Args = "/bin/sh", words
	return cmd
}

// finish runs cmd. What it prints is collected, except where cmd has a standard
// output already.
func (s *site) finish(cmd *exec.Cmd) result {
	s.t.Helper()
	var stdout, stderr bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &stdout
	}
	cmd.Stderr = &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Errorf("%s: %v", strings.Join(cmd.Args, " "), err)
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

func (s *site) run(b binary, args ...string) result {
	s.t.Helper()
	return s.finish(s.command(b, args...))
}

// ok runs a command that must succeed without a word on standard error, and
// returns what it printed.
func (s *site) ok(b binary, args ...string) string {
	s.t.Helper()
	return s.expect(s.command(b, args...))
}

func (s *site) expect(cmd *exec.Cmd) string {
	s.t.Helper()
	r := s.finish(cmd)
	if r.code != 0 || r.stderr != "" {
		s.t.Errorf("%s: exit %d, stderr %q", strings.Join(cmd.Args[1:], " "), r.code, r.stderr)
	}
	return r.stdout
}

// fails runs a command that must exit with code, print nothing, and say each of
// the words in one line on standard error.
func (s *site) fails(b binary, code int, words []string, args ...string) {
	s.t.Helper()
	s.refused(s.finish(s.command(b, args...)), code, words...)
}

func (s *site) refused(r result, code int, words ...string) {
	s.t.Helper()
	if r.code != code || r.stdout != "" {
		s.t.Errorf("exit %d with stdout %q and stderr %q, want exit %d and no output", r.code, r.stdout, r.stderr, code)
	}
	if !strings.HasPrefix(r.stderr, "tundish: ") || strings.Count(r.stderr, "\n") != 1 {
		s.t.Errorf("stderr is not one line of tundish: %q", r.stderr)
	}
	for _, word := range words {
		if !strings.Contains(r.stderr, word) {
			s.t.Errorf("stderr does not say %q: %q", word, r.stderr)
		}
	}
}
