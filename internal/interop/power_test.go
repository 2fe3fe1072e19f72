//go:build linux && (amd64 || arm64)

package interop_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// event is something that a command of a series did to the disk or told the world.
type event struct {
	call
	step int
}

func (e event) syncs() bool { return strings.HasSuffix(e.name, "sync") }

// series is commands of both builds, one after the other, of which everything is
// known that they wrote, synced, and answered.
type series struct {
	*site
	first  int // the build that begins
	disk   *disk
	steps  []*crash
	events []event
	images int
}

// powerSeries are the commands between which, and in the middle of which, the
// power fails.
func powerSeries() []crashCase {
	simple := view{[]string{"q"}, [][2]string{{"s", "w"}, {"o", "w"}}}
	all := []crashCase{
		{args: []string{"publish", "q", "1"}, usual: true},
		{args: []string{"subscribe", "s", "--as", "w", "--queue", "q"}, usual: true},
		{args: []string{"subscribe", "o", "--as", "w", "--queue", "q", "--share", "one", "--consume", "on-ack"}, usual: true},
		{args: []string{"publish", "q", `{"two":2}`, "--key", "k"}, usual: true},
		{args: []string{"pull", "s", "--as", "w"}, pull: true, usual: true},
		{args: []string{"pull", "o", "--as", "w"}, pull: true, usual: true},
		{args: []string{"ack", "1", "--as", "w", "--subscription", "o"}, usual: true},
		{args: []string{"publish", "q", "--lines"}, stages: []string{numbered(500)}, stdin: numbered(600)},
		{args: []string{"pull", "s", "--as", "w"}, pull: true},
		{args: []string{"subscribe", "s", "--as", "w", "--queue", "q", "--consume", "on-ack", "--filter", ".payload != 7"}},
		{args: []string{"publish", "q", asJSON(strings.Repeat("x", 100_000))}, usual: true}, // folds the log
		{args: []string{"publish", "q", asJSON(strings.Repeat("y", 20_000))}},
		{args: []string{"pull", "s", "--as", "w"}, pull: true, usual: true},
		{args: []string{"publish", "q", "--lines"}, stdin: strings.Repeat(asJSON(strings.Repeat("z", 60_000))+"\n", 5)}, // folds the log again
		{args: []string{"unsubscribe", "o", "--as", "w"}},
		{args: []string{"publish", "q", `"last"`}, usual: true},
	}
	for i := range all {
		all[i].view = simple
	}
	return all
}

// takeOverSeries begins with a database of the old program.
func takeOverSeries() []crashCase {
	rich := view{[]string{"ci", "jobs"}, [][2]string{{"read", "ann"}, {"work", "w1"}}}
	return []crashCase{
		{name: "take-over", args: []string{"status"}, view: rich},
		{name: "take-over before", args: []string{"publish", "ci", `"new"`}, view: rich, usual: true},
	}
}

// TestPUB2_PowerCuts plays what a power cut leaves. It records what commands write
// and sync, and makes disks from it that hold all that was synced at some moment,
// and of what was not, nothing, or some of it in any order and in torn pieces. On
// each of them a database must be found that is whole, in which everything is that
// was answered before (PUB-2), and of which nothing is marked that was not printed
// (PULL-12). What was taken over from the old program is not lost either (STO-6).
func TestPUB2_PowerCuts(t *testing.T) {
	needTracer(t)
	for i, b := range binaries {
		if i > 0 && !long() {
			break // both builds take part in each series
		}
		t.Run(b.name+"_begins", func(t *testing.T) {
			t.Parallel()
			r := &series{site: swiftSite(t), first: i}
			r.record(powerSeries())
			if !slices.ContainsFunc(r.events, func(e event) bool { return e.step > 2 && e.what(r.db) == "pwrite64 of the database" }) {
				t.Error("no command folded the log into the database")
			}
			r.cutAll()
		})
		t.Run(b.name+"_takes_over", func(t *testing.T) {
			if !long() {
				t.Skip("only in the long run")
			}
			t.Parallel()
			r := &series{site: swiftSite(t), first: i}
			old("rich.db")(r.site, b)
			r.record(takeOverSeries())
			r.cutAll()
		})
	}
}

// record runs the commands and notes everything.
func (r *series) record(commands []crashCase) {
	r.disk = newDisk(r.t, r.dir)
	var before, old string
	for _, c := range commands {
		if !long() && !c.usual {
			continue
		}
		n := len(r.steps)
		k := &crash{crashCase: c, site: r.site, build: mixed(r.first + n)}
		if n == 0 {
			before = k.look(r.clone(), n)
			old = before
		}
		k.old = old
		k.refs = []reference{{"", before}}
		for _, input := range c.stages {
			s := r.clone()
			output, _ := k.run(s, input, tracer{})
			k.refs = append(k.refs, reference{output, k.look(s, n)})
		}
		note := func(c call) { r.events = append(r.events, event{c, n}) }
		output, code := k.run(r.site, c.stdin, tracer{data: true, leave: note, enter: func(c call) bool {
			if c.name == "exit" {
				note(c)
			}
			return false
		}})
		if code != 0 || output == "" {
			r.t.Fatalf("%v: exit %d, output %q", c.args, code, output)
		}
		before = k.look(r.clone(), n)
		k.refs = append(k.refs, reference{output, before})
		r.steps = append(r.steps, k)
	}
}

// cutAll cuts the power at every moment that matters, and at random ones.
func (r *series) cutAll() {
	luck := rand.New(rand.NewPCG(uint64(r.first), 1))
	for n, e := range r.events {
		answer := e.fd == 1 || e.name == "exit"
		if !answer {
			if err := r.disk.apply(e.call); err != nil {
				r.t.Fatalf("event %d: %v", n, err)
			}
		}
		beforeSync := n+1 < len(r.events) && r.events[n+1].syncs()
		if answer || long() && beforeSync {
			r.cut(n+1, 0)
		}
		images := 0
		switch {
		case long() && answer:
			images = 6
		case long() && (beforeSync || e.syncs()):
			images = 3
		case luck.IntN(len(r.events)) < scale(12, 500):
			images = 1
		}
		for range images {
			r.cut(n+1, luck.Uint64()|1)
		}
	}
	r.t.Logf("%d power cuts in %d commands with %d calls", r.images, len(r.steps), len(r.events))
}

// cut makes the disk that a power cut leaves after the first events, and looks at
// it. With seed 0 nothing survives that was not synced.
func (r *series) cut(events int, seed uint64) {
	r.t.Helper()
	r.images++
	var luck *rand.Rand
	if seed != 0 {
		luck = rand.New(rand.NewPCG(seed, 0))
	}
	last := r.events[events-1]
	k := *r.steps[last.step]
	output := ""
	for _, e := range r.events[:events] {
		if e.step == last.step && e.fd == 1 {
			output += string(e.data)
		}
	}
	if last.name == "exit" { // what was done is done
		k.refs = k.refs[len(k.refs)-1:]
		k.pull = false
	}
	dir, err := os.MkdirTemp(r.dir, "image")
	if err != nil {
		r.t.Fatal(err)
	}
	image := *r.site
	image.dir, image.db = dir, filepath.Join(dir, "state", "tundish", "t.db")
	defer image.discard()
	if err := r.disk.top.write(dir, luck); err != nil {
		r.t.Fatal(err)
	}
	where := fmt.Sprintf("the power fails after event %d, %s, of %.60q (seed %d)", events, last.what(r.db), k.args, seed)
	k.verify(where, &image, output, r.images)
}

// The instrument itself: a disk that forgets to sync the log loses what was
// answered, and that is seen.
func TestPUB2_ALostSyncIsNoticed(t *testing.T) {
	needTracer(t)
	onEach(t, func(t *testing.T, b binary) {
		r := &series{site: swiftSite(t)}
		r.must(b, "", "publish", "q", "1")
		r.record([]crashCase{{args: []string{"publish", "q", "2"}, usual: true, view: view{queues: []string{"q"}}}})
		for _, e := range r.events {
			if e.fd != 1 && e.name != "exit" && !(e.syncs() && e.path == r.db+"-wal") {
				if err := r.disk.apply(e.call); err != nil {
					t.Fatal(err)
				}
			}
		}
		image := *r.site
		image.dir = filepath.Join(r.dir, "image")
		image.db = filepath.Join(image.dir, "state", "tundish", "t.db")
		if err := r.disk.top.write(image.dir, nil); err != nil {
			t.Fatal(err)
		}
		k := r.steps[0]
		if seen := k.view.of(&image, 0); seen != k.refs[0].state || seen == k.refs[1].state {
			t.Errorf("without its sync the publish left\n%s", seen)
		}
	})
}
