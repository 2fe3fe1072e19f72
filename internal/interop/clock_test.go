//go:build unix

package interop_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const (
	day  = 86400
	year = 365 * day
)

// hands is a site whose clock is set by hand. Every process is of another build
// than the one before it.
type hands struct {
	*site
	now   int64 // Unix seconds
	calls int
}

func (h *hands) call(args ...string) string {
	h.t.Helper()
	h.calls++
	return h.ok(mixed(h.calls), append([]string{"--now", fmt.Sprint(h.now)}, args...)...)
}

// got are the items of a pull, by subscription.
func (h *hands) got(args ...string) map[string][]int64 {
	h.t.Helper()
	items := map[string][]int64{}
	for _, b := range parsePull(h.t, h.call(args...)) {
		for _, name := range strings.Fields(b.status) {
			if name, found := strings.CutPrefix(name, "subscription="); found {
				for _, item := range b.items {
					items[name] = append(items[name], item.id)
				}
			}
		}
		if lost := b.counts["dropped"] + b.counts["parked"] + b.counts["errors"]; lost != 0 {
			h.t.Errorf("something was lost: %s", b.status)
		}
	}
	return items
}

func (h *hands) want(what string, got []int64, want ...int64) {
	h.t.Helper()
	if !slices.Equal(got, want) {
		h.t.Errorf("%s got %v, want %v", what, got, want)
	}
}

// scene is a sequence of calls between two of which the clock steps.
type scene struct {
	*hands
	gap  int   // the clock steps before this call, counted from 0
	step int64 // seconds
}

// at takes the scene to its i-th call.
func (s *scene) at(i int) {
	if i == s.gap {
		s.now += s.step
	}
}

// since tells whether the clock has stepped after call a and not after call b.
func (s *scene) since(a, b int) bool { return a < s.gap && s.gap <= b }

// ifStepped is what a pull gets besides, when the clock has stepped.
func ifStepped(stepped bool, ids ...int64) []int64 {
	if stepped {
		return ids
	}
	return nil
}

// play makes the calls. A lease that is taken before the step has ended after
// it, whichever way the clock went; one that is taken after it holds. The next
// due time of a subscription that was pulled before the step has come.
func (s *scene) play() {
	for i, args := range [][]string{
		{"subscribe", "all", "--as", "w", "--queue", "q", "--every", "1h"},
		{"subscribe", "one", "--as", "w", "--queue", "q", "--share", "one", "--consume", "on-ack", "--lease", "10m", "--max-attempts", "3"},
		{"subscribe", "one", "--as", "v"},
		{"publish", "q", "1"},
		{"publish", "q", "2"},
	} {
		s.at(i)
		s.call(args...)
	}
	s.at(5)
	s.want("all", s.got("pull", "all", "--as", "w")["all"], 1, 2)
	s.at(6)
	s.want("one", s.got("pull", "one", "--as", "w")["one"], 1, 2)
	s.at(7)
	holder := "w"
	if s.since(6, 7) {
		holder = "v"
	}
	s.want("the other of one", s.got("pull", "one", "--as", "v")["one"], ifStepped(s.since(6, 7), 1, 2)...)
	s.at(8)
	if out := s.call("ack", "1", "--as", holder, "--subscription", "one"); out != "acked 1\n" {
		s.t.Errorf("ack printed %q", out)
	}
	s.at(9)
	s.call("publish", "q", "3")
	s.at(10)
	due := s.got("pull", "--due", "--as", "w")
	s.want("all when due", due["all"], ifStepped(s.since(5, 10), 3)...)
	s.want("one when due", due["one"], append(ifStepped(s.since(7, 10), 2), 3)...)
	s.at(11)
	s.status()
}

// status wants what no step changes: positions and counts.
func (s *scene) status() {
	s.t.Helper()
	all, one := "cursor=2\tunread=1", "cursor=3\tunread=0"
	if s.since(5, 10) {
		all = "cursor=3\tunread=0"
	}
	if s.since(10, 11) {
		one = "cursor=3\tunread=2" // both leases have ended
	}
	out := s.call("status")
	lines := strings.Split(out, "\n")
	if len(lines) != 4 || !strings.Contains(lines[0], all) || !strings.Contains(lines[1], one) || !strings.Contains(lines[2], one) {
		s.t.Errorf("with all at %q and one at %q the status is\n%s", all, one, out)
	}
	if strings.Count(out, "dropped=0\terrors=0\tparked=0") != 3 {
		s.t.Errorf("something was lost:\n%s", out)
	}
}

// settle goes on for an hour: what was not delivered or not acked comes, once,
// and then nothing comes any more.
func (s *scene) settle() {
	s.now += 3661
	due := s.got("pull", "--due", "--as", "w")
	s.want("all in the end", due["all"], ifStepped(!s.since(5, 10), 3)...)
	s.want("one in the end", due["one"], 2, 3)
	for _, id := range []string{"2", "3"} {
		if out := s.call("ack", id, "--as", "w", "--subscription", "one"); out != "acked "+id+"\n" {
			s.t.Errorf("ack printed %q", out)
		}
	}
	s.now += day
	for _, args := range [][]string{{"pull", "--due", "--as", "w"}, {"pull", "one", "--as", "v"}} {
		if out := s.call(args...); out != "" {
			s.t.Errorf("%v repeats\n%s", args, out)
		}
	}
}

// TestSTO7_TheClockStepsBetweenTwoCalls sets the clock back and ahead, by a day
// and by ten years, in every gap between calls: nothing is lost or skipped,
// no lease is immortal or dead at once, and no due subscription sleeps for ever.
func TestSTO7_TheClockStepsBetweenTwoCalls(t *testing.T) {
	const calls = 12
	for gap := 1; gap < calls; gap++ {
		steps := [][]int64{{day, -10 * year}, {-day, 10 * year}}
		for _, step := range scale(steps[gap%2], slices.Concat(steps...)) {
			t.Run(fmt.Sprintf("%+d before call %d", step, gap), func(t *testing.T) {
				t.Parallel()
				s := &scene{&hands{site: newSite(t), now: 1_800_000_000}, gap, step}
				s.play()
				s.settle()
			})
		}
	}
}
