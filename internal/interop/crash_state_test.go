//go:build linux && (amd64 || arm64)

package interop_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// frozen is when every command of these tests runs, so that states can be compared.
const frozen = "1170"

// swiftSite is a site in memory where the machine has such a place: what survives
// the death of a process does not depend on the disk, which would take most of the
// time.
func swiftSite(t *testing.T) *site {
	t.Helper()
	s := newSite(t)
	dir, err := os.MkdirTemp("/dev/shm", "tundish-") //nolint:usetesting // TempDir is on the disk
	if err != nil {
		return s
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s.dir, s.db, s.config = dir, filepath.Join(dir, "state", "tundish", "t.db"), filepath.Join(dir, "config.yml")
	s.configure("format: 1\n")
	return s
}

// now runs a command at the frozen time.
func (s *site) now(b binary, args ...string) result {
	s.t.Helper()
	return s.run(b, append([]string{"--now", frozen}, args...)...)
}

// must is now for a command that has to succeed.
func (s *site) must(b binary, stdin string, args ...string) string {
	s.t.Helper()
	cmd := s.command(b, append([]string{"--now", frozen}, args...)...)
	cmd.Stdin = strings.NewReader(stdin)
	return s.expect(cmd)
}

// clone copies the database with what stands beside it to a folder of its own, as
// a dead process left it: without the shared memory, which no living process has
// open. The copy goes with discard.
func (s *site) clone() *site { return s.cloneIn(s.dir) }

func (s *site) cloneIn(parent string) *site {
	s.t.Helper()
	dir, err := os.MkdirTemp(parent, "clone")
	if err != nil {
		s.t.Fatal(err)
	}
	other := *s
	other.dir, other.db = dir, filepath.Join(dir, "state", "tundish", "t.db")
	entries, err := os.ReadDir(filepath.Dir(s.db))
	if err != nil {
		return &other // nothing is there yet
	}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), "-shm") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(filepath.Dir(s.db), entry.Name()))
		if err != nil {
			s.t.Fatal(err)
		}
		write(s.t, filepath.Join(filepath.Dir(other.db), entry.Name()), string(text))
	}
	return &other
}

func (s *site) discard() { _ = os.RemoveAll(s.dir) }

// view is how a database is looked at: everything that can be seen of its queues
// and of its readers, their unread items last.
type view struct {
	queues  []string
	readers [][2]string // subscription and subscriber
}

// of is all that the view shows, as text. It uses the database up: every reader
// pulls until nothing is left, and something is published. Both builds take part.
func (v view) of(s *site, turn int) string {
	s.t.Helper()
	var seen strings.Builder
	look := func(args ...string) string {
		r := s.now(mixed(turn), args...)
		turn++
		fmt.Fprintf(&seen, "$ %s\n%sexit=%d\n", strings.Join(args, " "), r.stdout, r.code)
		return r.stdout
	}
	for range binaries {
		if r := s.now(mixed(turn), "check"); r.code != 0 || r.stdout != "ok\n" {
			s.t.Errorf("check by the %s build: %+v", mixed(turn).name, r)
		}
		turn++
	}
	look("list")
	look("status")
	for _, queue := range v.queues {
		look("list", queue, "--limit", "-1")
	}
	for _, reader := range v.readers {
		for n := 0; look("pull", reader[0], "--as", reader[1], "--max-bytes", "20000") != ""; n++ {
			if n > 100 {
				s.t.Fatalf("pulling %s does not end", reader[0])
			}
		}
		look("list", v.queues[0], "--unacked", "--subscription", reader[0], "--limit", "-1")
		look("subscribe", reader[0], "--as", reader[1])
	}
	look("publish", v.queues[0], `"next"`)
	look("status")
	return seen.String()
}

// sameOneOf checks that what is seen is one of the states that may be seen.
func sameOneOf(t *testing.T, where, seen string, states []string) {
	t.Helper()
	if nth(states, seen) >= 0 {
		return
	}
	var text bytes.Buffer
	for i, state := range states {
		fmt.Fprintf(&text, "\nis not state %d; the first difference:\n%s", i, firstDifference(state, seen))
	}
	t.Errorf("%s: what is left%s", where, text.String())
}

func nth(states []string, seen string) int {
	for i, state := range states {
		if state == seen {
			return i
		}
	}
	return -1
}

// firstDifference shows the lines around the first one that is not the same.
func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	excerpt := func(lines []string) string {
		return "\t" + strings.Join(lines[max(0, n-2):min(len(lines), n+4)], "\n\t")
	}
	return fmt.Sprintf("want\n%s\ngot\n%s\n", excerpt(a), excerpt(b))
}
