package metamorphic

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tundish-go/tundish/adapters/memory"
	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/ports/storage"
)

// The clock of a program begins in 2023, and keeps to these years: what a clock
// can be set to, from before 1970 on.
const (
	begin    = 1_700_000_000
	earliest = -30 * year
	latest   = 300 * year
)

// shrinking is time that is kept for the report of a failure.
const shrinking = 2 * time.Minute

// run is the state of a whole test.
type run struct {
	crews  []*crew // after a failure only the one that failed, so that shrinking goes fast
	dir    string
	counts counts
	failed bool
	until  time.Time
}

// TestSTO7_STO9_ProgramsOnAllStores runs random programs under clocks that step
// in both directions on memory, which is the reference, on each driver, and on
// both in turn on one file, and wants one transcript of all. With TUNDISH_LONG
// set it does so for ten minutes, if go test -timeout allows. A program that
// fails is made smaller and then printed, with how to run it again.
func TestSTO7_STO9_ProgramsOnAllStores(t *testing.T) {
	r := &run{dir: folder(t), counts: counts{}}
	r.crews = crews(t)
	span := 20 * time.Second
	if os.Getenv("TUNDISH_LONG") != "" {
		span = 10 * time.Minute
	}
	r.until = time.Now().Add(span)
	if deadline, ok := t.Deadline(); ok && deadline.Add(-shrinking).Before(r.until) {
		r.until = deadline.Add(-shrinking)
	}
	if given("rapid.seed") || given("rapid.failfile") {
		r.until = time.Now().Add(time.Hour) // a failure is to be seen again
		rapid.Check(t, r.check)
		return
	}
	for time.Now().Before(r.until) {
		rapid.Check(t, r.check)
	}
	r.counts.report(t)
}

// folder is one for databases: in memory where the system has such a place, since
// this test does not ask what survives a power cut.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "tundish-metamorphic-") //nolint:usetesting // a place of its own
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// given tells whether a flag was set.
func given(name string) bool {
	f := flag.Lookup(name)
	return f != nil && f.Value.String() != f.DefValue
}

// check is the property. When the time is over it holds, except for a program
// that is being shrunk.
func (r *run) check(t *rapid.T) {
	if !r.failed && time.Now().After(r.until) {
		return
	}
	steps := anySteps(t)
	program, want, got, errs := r.play(t, steps)
	for range 4 {
		if !late(want) && !slices.ContainsFunc(got, late) {
			break
		}
		r.counts["programs run again, since real time ran out"]++
		program, want, got, errs = r.play(t, steps)
	}
	if late(want) || slices.ContainsFunc(got, late) {
		r.counts["programs left out, since real time ran out"]++
		return
	}
	if !r.sound(t, "memory", program, want) {
		r.fail(t, nil)
	}
	for i, c := range r.crews {
		if !r.sound(t, c.name, program, got[i]) || !same(t, c.name, program, want, got[i], errs[i]) {
			r.fail(t, []*crew{c})
		}
	}
	r.counts.add(program, want)
}

// fail ends a program that shows a difference, always with the same words: so rapid
// knows it for the same failure.
func (r *run) fail(t *rapid.T, by []*crew) {
	r.failed, r.crews = true, by
	t.Fatal("the stores disagree")
}

// play runs steps everywhere.
func (r *run) play(t *rapid.T, steps []step) (program []step, want []Answer, got [][]Answer, errs []error) {
	program, want = reference(t, slices.Clone(steps))
	got, errs = r.onCrews(t, program)
	return program, want, got, errs
}

// onCrews runs a program on all crews at the same time, each on a new file.
func (r *run) onCrews(t *rapid.T, program []step) ([][]Answer, []error) {
	dir, err := os.MkdirTemp(r.dir, "")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	answers, errs := make([][]Answer, len(r.crews)), make([]error, len(r.crews))
	var group sync.WaitGroup
	for i, c := range r.crews {
		group.Go(func() { answers[i], errs[i] = c.run(dir, program) })
	}
	group.Wait()
	return answers, errs
}

// reference runs steps on memory, and settles meanwhile what they leave open:
// the clock, and the items of acks. Everybody looks at the state in the end.
func reference(t *rapid.T, steps []step) ([]step, []Answer) {
	ctx := context.Background()
	place := memory.New()
	site, err := Open(ctx, func(context.Context) (storage.Store, error) { return place.Open(), nil })
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	for turn, kind := range []Kind{State, State, Check, Reopen, Status, State} {
		last := step{turn: turn}
		last.Kind = kind
		steps = append(steps, last)
	}
	now := int64(begin)
	var answers []Answer
	seen := seen{}
	for i := range steps {
		s := &steps[i]
		now = min(latest, max(earliest, now+s.ahead))
		s.Now = now
		seen.settle(s)
		answer := site.Do(ctx, s.Operation)
		seen.note(*s, answer)
		answers = append(answers, answer)
	}
	return steps, answers
}

// seen remembers which items a program has met, and who got them.
type seen struct {
	ids    []int64
	leased []app.Ack // to whom, and in which subscription
	owners map[int64]step
}

func (s *seen) note(by step, answer Answer) {
	if by.Kind == Pull && by.Fate == Fine {
		s.leases(by, answer)
	}
	for _, id := range answer.IDs {
		s.ids = append(s.ids, id)
		if by.Kind == Pull {
			if s.owners == nil {
				s.owners = map[int64]step{}
			}
			s.owners[id] = by
		}
	}
}

// leases notes what a pull has leased, as its output tells.
func (s *seen) leases(by step, answer Answer) {
	var current app.Ack
	for _, line := range answer.Lines {
		if rest, ok := strings.CutPrefix(line, "| tundish: subscription="); ok {
			current = app.Ack{Subscriber: by.Pull.Subscriber}
			if !strings.HasSuffix(rest, " lease=0") {
				current.Subscription, _, _ = strings.Cut(rest, " ")
			}
		}
		for _, current.Item = range printed([]string{strings.TrimPrefix(line, "| ")}) {
			if current.Subscription != "" {
				s.leased = append(s.leased, current)
			}
		}
	}
}

func (s *seen) settle(st *step) {
	if st.Kind == Unschedule {
		return
	}
	st.Ack.Item = 1
	if st.Kind == Nack || st.Kind == Extend || st.Kind == Unpark {
		if at := len(s.leased) - 1 - st.back; at >= 0 && at < len(s.leased) && st.whose != drawn {
			st.Ack = s.leased[at] // others have no lease to change
			return
		}
	}
	if at := len(s.ids) - 1 - st.back; at >= 0 && at < len(s.ids) {
		st.Ack.Item = s.ids[at]
	} else if st.back < 0 {
		st.Ack.Item = 1 << 40 // never published
	}
	owner, ok := s.owners[st.Ack.Item]
	if ok && st.whose != drawn {
		st.Ack.Subscription = owner.Pull.Subscription
	}
	if ok && st.whose == theirs {
		st.Ack.Subscriber = owner.Pull.Subscriber
	}
}

func late(answers []Answer) bool {
	return slices.ContainsFunc(answers, func(a Answer) bool { return a.Late })
}

// sound demands that no operation met an error that it never should.
func (r *run) sound(t *rapid.T, name string, program []step, answers []Answer) bool {
	for i, a := range answers {
		if a.Fault != "" {
			show(t, program[:i+1])
			t.Logf("%s fails at the last of these steps: %s", name, strings.ReplaceAll(a.Fault, filepath.Dir(r.dir), "…"))
			return false
		}
	}
	return true
}

// same compares the transcripts.
func same(t *rapid.T, name string, program []step, want, got []Answer, err error) bool {
	for i := range program {
		switch {
		case i >= len(got):
			show(t, program[:i+1])
			t.Logf("%s: %v", name, err)
			return false
		case !slices.Equal(got[i].Lines, want[i].Lines):
			show(t, program[:i+1])
			t.Logf("at the last of these steps, memory answers\n%s\nand %s\n%s", indented(want[i]), name, indented(got[i]))
			return false
		}
	}
	return true
}

func show(t *rapid.T, program []step) {
	for i, s := range program {
		t.Logf("%d. %#v", i+1, s)
	}
}

func indented(a Answer) string {
	if len(a.Lines) == 0 {
		return "\tnothing"
	}
	return fmt.Sprintf("\t%s", strings.Join(a.Lines, "\n\t"))
}
