//go:build unix

package interop_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// poison are expressions that take all the steps or all the work they may.
func poison() []string {
	return []string{
		"last(range(1e12))",
		"reduce range(34) as $i (1; [., .]) | . == .",
		"until(false; .)",
		"def f: 1 + f; f",
	}
}

// poisoned is a site on which w has poisonous subscriptions of queue q, with names
// in front of all others, and items nobody has asked for.
func poisoned(t *testing.T, b binary, items int) *site {
	t.Helper()
	s := newSite(t)
	for i, text := range poison() {
		s.ok(b, "subscribe", fmt.Sprint("a", i), "--as", "w", "--queue", "q", "--filter", text)
	}
	s.feed(b, items)
	return s
}

// feed publishes n items to q.
func (s *site) feed(b binary, n int) {
	s.t.Helper()
	cmd := s.command(b, "publish", "q", "--lines")
	cmd.Stdin = strings.NewReader(strings.Repeat("{\"a\":1}\n", n))
	s.expect(cmd)
}

// PULL-15: no expression runs while the write lock is held. Publishes begin and
// end while another process is still at it with a poisonous filter.
func TestPULL15_PublishesDuringAnEvaluation(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		s := poisoned(t, b, scale(30, 1000))
		delay := func(during func() bool) (n int, slowest time.Duration) {
			for during() {
				start := time.Now()
				s.ok(b, "publish", "other", "1")
				n, slowest = n+1, max(slowest, time.Since(start))
			}
			return n, slowest
		}
		rounds := 0
		_, before := delay(func() bool { rounds++; return rounds <= scale(3, 40) })
		for _, args := range scale([][]string{{"pull", "a0", "--as", "w"}},
			[][]string{{"pull", "a0", "--as", "w"}, {"pull", "--due", "--as", "w"}}) {
			cmd := s.command(b, args...)
			done := make(chan result)
			go func() { done <- s.finish(cmd) }()
			var pulled *result
			n, slowest := delay(func() bool {
				select {
				case r := <-done:
					pulled = &r
					return false
				default:
					return true
				}
			})
			if pulled.code != 0 {
				t.Errorf("pull: exit %d, %q", pulled.code, pulled.stderr)
			}
			if peak := resident(cmd); peak > maxResident {
				t.Errorf("pull took %d MB", peak>>20)
			}
			if n < 2 { // the last one may have waited for the end
				t.Errorf("%d publishes during a pull with a poisonous filter", n)
			}
			t.Logf("%v: %d publishes, the slowest in %v; alone the slowest took %v", args, n, slowest, before)
		}
	})
}

// PULL-11, PULL-15: a due pull exits in its time, and in a few pulls everything
// arrives, although poisonous subscriptions stand in front.
func TestPULL15_PoisonStopsNoOther(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		s := poisoned(t, b, 0)
		want := map[string]bool{}
		for i := range 4 {
			name := fmt.Sprint("b", i)
			want[name] = true
			s.ok(b, "subscribe", name, "--as", "w", "--queue", "q", "--filter", ".payload.a == 1")
		}
		s.feed(b, 3)
		limited := s.with("GAFF_TIMEOUT_MS=" + scale("2000", "300"))
		var slowest time.Duration
		pulls := 0
		for ; len(want) > 0 && pulls < 20; pulls++ {
			r, took := limited.measured(limited.command(b, "pull", "--due", "--as", "w"))
			slowest = max(slowest, took)
			if r.code != 0 {
				t.Fatalf("exit %d: %s", r.code, r.stderr)
			}
			for _, got := range parsePull(t, r.stdout) {
				for name := range want {
					if strings.Contains(got.status, "subscription="+name+" ") && len(got.items) == 3 {
						delete(want, name)
					}
				}
			}
		}
		if len(want) > 0 {
			t.Errorf("after %d pulls nothing of %v", pulls, want)
		}
		t.Logf("%d pulls, the slowest took %v", pulls, slowest)
	})
}

// RET-4, PULL-15: a publish that asks the poisonous filters of others ends, within
// its memory, and its item is there.
func TestPULL15_PublishAsksPoisonousFilters(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		s := poisoned(t, b, 5)
		s.configure("format: 1\nqueues: {q: {max_items: 5}}\n")
		var slowest time.Duration
		for i := range scale(3, 20) {
			cmd := s.command(b, "publish", "q", "2")
			r, took := s.measured(cmd)
			slowest = max(slowest, took)
			if r.code != 0 || id(t, r.stdout) != int64(6+i) {
				t.Fatalf("exit %d: %q, %q", r.code, r.stdout, r.stderr)
			}
		}
		t.Logf("the slowest publish took %v", slowest)
	})
}

// A payload of 16 MiB is published and pulled in little memory, by the default
// form and by a template that copies.
func TestPULL15_LargePayloadInLittleMemory(t *testing.T) {
	if !long() {
		t.Skip("TUNDISH_LONG=1 runs it")
	}
	onEach(t, func(t *testing.T, b binary) {
		s := newSite(t)
		s.ok(b, "subscribe", "plain", "--as", "w", "--queue", "q")
		s.ok(b, "subscribe", "copy", "--as", "w", "--queue", "q", "--template", ".payload.kind")
		s.ok(b, "subscribe", "key", "--as", "w", "--queue", "q", "--filter", `.key == "k"`)
		s.ok(b, "subscribe", "engine", "--as", "w", "--queue", "q", "--filter", `.payload.kind == "big"`)
		cmd := s.command(b, "publish", "q", "--key", "k")
		row := `{"name":"build","state":"failed","n":1.5},`
		cmd.Stdin = strings.NewReader(`{"kind":"big","rows":[` + strings.Repeat(row, (16<<20-100)/len(row)) + "0]}")
		r := s.finish(cmd)
		t.Logf("publish: exit %d %s, %d MB", r.code, r.stderr, resident(cmd)>>20)
		for _, name := range []string{"plain", "copy", "key", "engine"} {
			cmd := s.command(b, "pull", name, "--as", "w")
			r := s.finish(cmd)
			t.Logf("pull %s: exit %d, %d MB, %d bytes %.120q", name, r.code, resident(cmd)>>20, len(r.stdout), r.stdout)
			if peak := resident(cmd); peak > maxResident {
				t.Errorf("pull %s took %d MB", name, peak>>20)
			}
		}
	})
}
