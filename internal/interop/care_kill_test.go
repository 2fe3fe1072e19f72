//go:build unix

package interop_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// tended is a database that is about to be looked after, and killed meanwhile.
type tended struct {
	*site
	b      binary
	copied string
	span   time.Duration // how long a command takes, about
}

const tendedItems = 1500

func newTended(t *testing.T, b binary) *tended {
	t.Helper()
	s := &tended{site: newSite(t), b: b}
	s.private()
	s.copied = filepath.Join(s.dir, "copy.db")
	var lines strings.Builder
	for i := range tendedItems {
		fmt.Fprintf(&lines, "%q\n", fmt.Sprintf("%d %s", i, strings.Repeat("x", 300)))
	}
	cmd := s.command(b, "publish", "q", "--lines")
	cmd.Stdin = strings.NewReader(lines.String())
	s.expect(cmd)
	s.ok(b, "subscribe", "s", "--as", "w", "--queue", "q")
	s.ok(b, "backup", s.copied)
	return s
}

// private makes the folder of the site one that a database may be in.
func (s *site) private() {
	s.t.Helper()
	if err := os.Chmod(s.dir, 0o700); err != nil {
		s.t.Fatal(err)
	}
}

// killed runs a command and kills it at a random moment of its life. It tells
// whether that came too late.
func (s *tended) killed(args ...string) (ended bool) {
	s.t.Helper()
	cmd := s.command(s.b, args...)
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	axe := time.AfterFunc(rand.N(s.span), func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	axe.Stop()
	if cmd.ProcessState.ExitCode() == -1 {
		return false
	}
	if err != nil {
		s.t.Errorf("%q: %v", args, err)
	}
	return true
}

// items counts what the database holds, which must be sound.
func (s *tended) items(db string) int64 {
	s.t.Helper()
	at := s.at(db)
	if out := at.ok(s.b, "check"); out != "ok\n" {
		s.t.Errorf("check of %s: %q", db, out)
	}
	out := at.ok(s.b, "list", "--jq", ".count")
	if out == "" {
		return 0
	}
	return id(s.t, out)
}

// TestCARE3_KilledAtAnyTime kills what looks after a database. It is sound
// afterwards, and as before or as it should become: CARE-2, CARE-3, CARE-4, CARE-6.
func TestCARE3_KilledAtAnyTime(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		for _, c := range []struct {
			name string
			args []string
			left func(s *tended, n int64) bool
		}{
			{"vacuum", []string{"vacuum"}, func(_ *tended, n int64) bool { return n == tendedItems }},
			{"purge", []string{"purge", "q", "--yes"}, func(_ *tended, n int64) bool { return n == tendedItems || n == tendedItems-1000 || n == 0 }},
			{"restore", []string{"restore", "small.db"}, func(_ *tended, n int64) bool { return n == tendedItems || n == 1 }},
			{"backup", []string{"backup", "new.db"}, func(s *tended, n int64) bool {
				if _, err := os.Stat(filepath.Join(s.dir, "new.db")); err == nil {
					return n == tendedItems && s.items(filepath.Join(s.dir, "new.db")) == tendedItems
				}
				return n == tendedItems
			}},
		} {
			t.Run(c.name, func(t *testing.T) { killAgain(t, newTended(t, b), c.args, c.left) })
		}
	})
}

func killAgain(t *testing.T, s *tended, args []string, left func(*tended, int64) bool) {
	t.Helper()
	small := s.at(filepath.Join(s.dir, "other.db"))
	small.ok(s.b, "publish", "q", "1")
	small.ok(s.b, "backup", filepath.Join(s.dir, "small.db"))
	s.span = time.Second
	for round := range scale(3, 60) {
		if round > 0 {
			s.finish(s.command(s.b, "restore", s.copied))
			os.Remove(filepath.Join(s.dir, "new.db"))
		}
		begun := time.Now()
		if s.killed(args...) {
			s.span = min(s.span, time.Since(begun)) // the next axe falls in time
		}
		if n := s.items(s.db); !left(s, n) {
			t.Fatalf("round %d: %d items are left", round, n)
		}
	}
}
