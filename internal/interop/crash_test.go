//go:build linux && (amd64 || arm64)

package interop_test

import (
	"bytes"
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// reference is one way in which a command may end: what it has printed by then
// and what the database shows.
type reference struct{ output, state string }

// crash kills the commands of one case.
type crash struct {
	crashCase
	*site        // how the database was before
	build binary // of the command that is killed
	old   string // what the database showed before all commands
	refs  []reference
	calls []call // of a run that is not killed
}

// TestSTO4_KilledAtNamedPlaces kills commands of every kind at the entry of each
// of their system calls that changes something; in the short run, some of them, by
// one build each. What is left is either the database before the command or after it
// (STO-4, STO-6), whatever was answered is there (PUB-2), and nothing was marked
// that had not been printed (PULL-12). The look at it is the other build's too
// (STO-9).
func TestSTO4_KilledAtNamedPlaces(t *testing.T) {
	needTracer(t)
	hits := &coverage{names: map[string]int{}}
	t.Run("case", func(t *testing.T) {
		turn := 0
		for _, c := range crashCases() {
			if c.usual {
				turn++
			}
			for i, b := range binaries {
				if !long() && (!c.usual || b != mixed(turn)) {
					continue
				}
				t.Run(strings.ReplaceAll(c.name, " ", "_")+"/"+b.name, func(t *testing.T) {
					t.Parallel()
					k := &crash{crashCase: c, site: swiftSite(t), build: b}
					k.learn(i)
					k.sweep(t, i, hits)
				})
			}
		}
	})
	hits.complete(t)
}

// learn makes the database, and looks at all states that a command may leave.
func (k *crash) learn(turn int) {
	k.t.Helper()
	if k.settings != "" {
		k.configure(k.settings)
	}
	if k.prepare != nil {
		k.prepare(k.site, k.build)
	}
	k.old = k.look(k.clone(), turn)
	k.refs = []reference{{"", k.old}}
	for _, input := range append(k.stages, k.stdin) {
		k.calls = nil
		s := k.clone()
		output, _ := k.run(s, input, tracer{enter: func(c call) bool {
			c.path = strings.Replace(c.path, s.dir, k.dir, 1)
			k.calls = append(k.calls, c)
			return false
		}})
		k.refs = append(k.refs, reference{output, k.look(s, turn)})
	}
	if len(k.calls) == 0 || k.refs[1].output == "" {
		k.t.Fatalf("the command itself did nothing, or printed nothing")
	}
}

func (k *crash) time() string { return cmp.Or(k.when, frozen) }

// look tells what there is to see in a clone, and throws it away.
func (k *crash) look(s *site, turn int) string {
	k.t.Helper()
	defer s.discard()
	return k.view.of(s, turn)
}

// run runs the command under t on s, and returns what it printed.
func (k *crash) run(s *site, input string, t tracer) (string, int) {
	k.t.Helper()
	t.root = s.dir
	t.locks = long() && !t.data
	cmd := s.command(k.build, append([]string{"--now", k.time()}, k.args...)...)
	cmd.Stdin = strings.NewReader(input)
	var piped bytes.Buffer
	cmd.Stdout = &piped
	if k.file {
		file, err := os.Create(filepath.Join(s.dir, "output"))
		if err != nil {
			k.t.Fatal(err)
		}
		defer file.Close()
		cmd.Stdout = file
	}
	code, err := t.run(cmd)
	if err != nil {
		k.t.Fatalf("tracing %s: %v", strings.Join(cmd.Args, " "), err)
	}
	if k.file {
		text, err := os.ReadFile(filepath.Join(s.dir, "output"))
		if err != nil {
			k.t.Fatal(err)
		}
		return string(text), code
	}
	return piped.String(), code
}

// sweep kills the command at one place after the other.
func (k *crash) sweep(t *testing.T, turn int, hits *coverage) {
	all := places(k.calls, k.db, k.own)
	if !long() && !k.whole {
		all = someOf(all)
	}
	for _, p := range all {
		s := k.clone()
		n, hit := -1, ""
		output, code := k.run(s, k.stdin, tracer{enter: func(c call) bool {
			if n++; n == p.n {
				hit = c.what(s.db)
			}
			return n == p.n
		}})
		if code != -1 || !strings.HasSuffix(p.name, ": "+hit) {
			t.Errorf("%s: the process met %q there and ended with %d", p.name, hit, code)
		}
		hits.add(p.name)
		turn++
		k.verify(p.name, s, output, turn)
		s.discard()
	}
	t.Logf("killed at %d of %d places", len(all), len(k.calls))
}

// verify checks what a command has left that ended in the middle, having printed
// output.
func (k *crash) verify(where string, s *site, output string, turn int) {
	k.t.Helper()
	states := k.allowed(output)
	if len(states) == 0 {
		k.t.Errorf("%s: it printed %q", where, output)
	}
	sameOneOf(k.t, where, k.view.of(s, turn), states)
	if strings.HasPrefix(k.name, "take-over") {
		k.verifyCopies(where, s)
	}
}

// allowed are the states that may be met after output. A command that has answered
// has done what it says, and a pull has done nothing unless all is printed, and
// may be met before its commit. None if there can be no such output.
func (k *crash) allowed(output string) []string {
	var states []string
	for i, ref := range k.refs {
		if !k.pull && strings.HasPrefix(ref.output, output) || k.pull && (i == 0 || output == ref.output) {
			states = append(states, ref.state)
		}
	}
	if k.pull && output != "" && len(states) == 1 {
		return nil
	}
	return states
}

func copiesOfOld(s *site) []string {
	copies, _ := filepath.Glob(filepath.Dir(s.db) + "/*.old-0.1.2*")
	return copies
}

// verifyCopies: the old database is kept in at least one whole file, nothing
// half-made stays, and a kill leaves at most one copy too many (STO-6).
func (k *crash) verifyCopies(where string, s *site) {
	k.t.Helper()
	copies := copiesOfOld(s)
	if len(copies) < 1 || len(copies) > 2 {
		k.t.Errorf("%s: copies of the old database: %v", where, copies)
	}
	for i, path := range copies {
		if !regexp.MustCompile(`old-0\.1\.2(-2)?\.db$`).MatchString(path) {
			k.t.Errorf("%s: %s was left", where, path)
			continue
		}
		r := s.at(path).now(mixed(i), "status")
		if r.code != 0 || r.stdout == "" || !strings.Contains(k.old, r.stdout) {
			k.t.Errorf("%s: status of the copy %s: %+v", where, path, r)
		}
	}
}

// coverage is where processes were killed.
type coverage struct {
	mu    sync.Mutex
	names map[string]int
}

func (c *coverage) add(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.names[name]++
}

// complete checks that every place was met that has to be.
func (c *coverage) complete(t *testing.T) {
	t.Helper()
	total := 0
	for _, n := range c.names {
		total += n
	}
	for _, must := range needed() {
		found := false
		for name := range c.names {
			found = found || regexp.MustCompile("^"+must+"$").MatchString(name)
		}
		if !found {
			t.Errorf("nobody was killed %s", must)
		}
	}
	t.Logf("%d processes killed at places with %d names", total, len(c.names))
	if long() {
		for _, name := range slices.Sorted(maps.Keys(c.names)) {
			t.Logf("%5d %s", c.names[name], name)
		}
	}
}
