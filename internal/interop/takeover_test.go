//go:build unix

package interop_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// oldSite is a site with a copy of a database that the old program wrote.
func oldSite(t *testing.T, name string) *site {
	t.Helper()
	s := newSite(t)
	for from, to := range map[string]string{"config.yml": s.config, name: s.db} {
		text, err := os.ReadFile(filepath.Join("testdata/old", from))
		if err != nil {
			t.Fatal(err)
		}
		write(t, to, string(text))
	}
	return s
}

// exchange is one command of a recording and what the old program answered.
type exchange struct {
	args []string
	want string // standard output, and a line with the exit code
}

func recording(t *testing.T) []exchange {
	t.Helper()
	text, err := os.ReadFile("testdata/old/rich.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []exchange
	for line := range strings.Lines(string(text)) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			all = append(all, exchange{args: append([]string{"--now"}, strings.Fields(command)...)})
		} else {
			all[len(all)-1].want += line
		}
	}
	if len(all) < 50 {
		t.Fatalf("only %d commands were recorded", len(all))
	}
	return all
}

// sameWords takes the wording of errors in expressions out, which is ours.
func sameWords(text string) string {
	text = regexp.MustCompile(`last_error="[^m].*"\n`).ReplaceAllString(text, "last_error=…\n")
	return regexp.MustCompile(`\(template error: .*\)\n`).ReplaceAllString(text, "(template error: …)\n")
}

// copyOfOld is where the old database is kept.
func copyOfOld(s *site) string { return strings.TrimSuffix(s.db, ".db") + ".old-0.1.2.db" }

// STO-6: after the take-over, every command answers what the old program would
// have answered, on each build, and with the builds in turn.
func TestSTO6_AnswersOfTheOldProgram(t *testing.T) {
	replay := func(t *testing.T, pick func(int) binary) {
		s := oldSite(t, "rich.db")
		for i, e := range recording(t) {
			r := s.run(pick(i), e.args...)
			if got := fmt.Sprintf("%sexit=%d\n", r.stdout, r.code); sameWords(got) != sameWords(e.want) {
				t.Errorf("%s printed\n%s(and %q) instead of\n%s", strings.Join(e.args, " "), got, r.stderr, e.want)
			}
			if notice := strings.Contains(r.stderr, copyOfOld(s)); notice != (i == 0) {
				t.Errorf("command %d said %q", i, r.stderr)
			}
		}
		if out := s.ok(pick(0), "check"); out != "ok\n" {
			t.Errorf("check printed %q", out)
		}
	}
	onEach(t, func(t *testing.T, b binary) { replay(t, func(int) binary { return b }) })
	t.Run("in turn", func(t *testing.T) { replay(t, mixed) })
}

// STO-6, STO-2: the copy of the old database is whole and private.
func TestSTO6_CopyOfTheOldDatabase(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		s := oldSite(t, "rich.db")
		r := s.run(b, "publish", "ci", "1")
		if r.code != 0 || !strings.Contains(r.stderr, copyOfOld(s)) || !strings.Contains(r.stderr, s.db) {
			t.Fatalf("the first command: %+v", r)
		}
		if got := modes(t, copyOfOld(s), s.db); got[0] != 0o600 || got[1] != 0o600 {
			t.Errorf("the modes are %04o", got)
		}
		if left, err := filepath.Glob(filepath.Dir(s.db) + "/*.part*"); err != nil || len(left) > 0 {
			t.Errorf("left over: %v, %v", left, err)
		}
		again := s.at(copyOfOld(s))
		for _, e := range recording(t)[:20] {
			r := again.run(b, e.args...)
			if got := fmt.Sprintf("%sexit=%d\n", r.stdout, r.code); sameWords(got) != sameWords(e.want) {
				t.Errorf("from the copy, %s printed\n%sinstead of\n%s", strings.Join(e.args, " "), got, e.want)
			}
		}
	})
}

// STO-6, STO-3: of twenty processes that meet an old database at once, one takes
// it over, and all do their work. odd.db is not in WAL mode, as after a VACUUM
// by hand.
func TestSTO6_TwentyProcessesTakeOver(t *testing.T) {
	for _, name := range []string{"rich.db", "odd.db"} {
		t.Run(name, func(t *testing.T) {
			for round := range scale(2, 30) {
				s := oldSite(t, name)
				raceToTakeOver(t, s, round)
				if n := len(s.list(mixed(round), "raced")); n != 7 {
					t.Errorf("round %d: %d items", round, n)
				}
				if out := s.ok(mixed(round), "check"); out != "ok\n" {
					t.Errorf("round %d: check printed %q", round, out)
				}
			}
		})
	}
}

func raceToTakeOver(t *testing.T, s *site, round int) {
	t.Helper()
	results := make([]result, 20)
	start := make(chan struct{})
	var group sync.WaitGroup
	for i := range results {
		cmd := s.command(mixed(i/3+round), [][]string{{"publish", "raced", "1"}, {"status"}, {"list"}}[i%3]...)
		group.Go(func() {
			<-start
			results[i] = s.finish(cmd)
		})
	}
	close(start)
	group.Wait()
	notices := 0
	for i, r := range results {
		if r.code != 0 || r.stdout == "" {
			t.Errorf("round %d, process %d: %+v", round, i, r)
		}
		if strings.Contains(r.stderr, copyOfOld(s)) {
			notices++
		}
	}
	if notices != 1 {
		t.Errorf("round %d: %d of twenty said that they took over", round, notices)
	}
	if copies, err := filepath.Glob(filepath.Dir(s.db) + "/*old*"); err != nil || len(copies) != 1 {
		t.Errorf("round %d: copies %v, %v", round, copies, err)
	}
}

// STO-6, PULL-16: queues and keys of the old program that ours refuses can be
// read, and come out escaped; nothing more can be published under them.
func TestSTO6_OddQueuesAndKeys(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		s := oldSite(t, "odd.db")
		if r := s.run(b, "status"); r.code != 0 || strings.Count(r.stdout, "\n") != 4 {
			t.Errorf("status: %+v", r)
		}
		for _, want := range []struct{ name, out string }{
			{"odd", "tundish: subscription=odd subscriber=ann delivered=1 more=0 unacked=0 parked=0 errors=0 dropped=0 lease=0\n" +
				`[a\u005db#1] fine "in a]b"` + "\n"},
			{"lines", "tundish: subscription=lines subscriber=ann delivered=1 more=0 unacked=0 parked=0 errors=0 dropped=0 lease=0\n" +
				`[two\u000alines#2] "in two lines"` + "\n"},
			{"esc", "tundish: subscription=esc subscriber=ann delivered=1 more=0 unacked=0 parked=0 errors=0 dropped=0 lease=0\n" +
				`[esc\u001b[2J#3] in esc` + "\n"},
			{"fine", "tundish: subscription=fine subscriber=ann delivered=2 more=0 unacked=0 parked=0 errors=0 dropped=0 lease=0\n" +
				"[fine#6]  \"empty key\"\n" + `[fine#7] k\u000a[fine#9] forged "forged key"` + "\n"},
		} {
			if out := s.ok(b, "pull", want.name, "--as", "ann"); out != want.out {
				t.Errorf("pull %s printed\n%swant\n%s", want.name, out, want.out)
			}
		}
		for n, queue := range []string{"a]b", "two\nlines", "esc\x1b[2J", "bidi\u202e", strings.Repeat("0", 300)} {
			items := s.list(b, queue)
			if len(items) != 1 || items[0].ID != int64(n+1) || items[0].Queue != queue {
				t.Errorf("list %q gave %+v", queue, items)
			}
			s.fails(b, 2, []string{"queue"}, "publish", queue, "1")
		}
		out := s.ok(b, "list")
		if strings.Count(out, "\n") != 6 || strings.ContainsAny(out, "\x1b\u202e") {
			t.Errorf("list printed %q", out)
		}
		if out := s.ok(b, "ack", "3", "--as", "ann"); out != "acked 3\n" {
			t.Errorf("ack printed %q", out)
		}
	})
}
