//go:build linux && (amd64 || arm64)

package interop_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// saysFull checks the one line of a command that had no room.
func saysFull(t *testing.T, where string, r result, db string) {
	t.Helper()
	if r.code != 1 || !strings.HasPrefix(r.stderr, "tundish: ") || strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("%s: exit %d, and not one line of tundish: %q", where, r.code, r.stderr)
	}
	for _, word := range []string{db, "full|no space", "free space"} {
		if !regexp.MustCompile(word).MatchString(r.stderr) {
			t.Errorf("%s: it does not say %q: %q", where, word, r.stderr)
		}
	}
	if strings.Contains(r.stderr, "sqlite3:") || strings.Contains(r.stderr, "I/O error") {
		t.Errorf("%s: an error of SQLite, as it came: %q", where, r.stderr)
	}
}

// TestSTO5_DiskFullWhileWorking publishes until the disk is full. What was
// acknowledged stays and can be read, nothing is marked that cannot be recorded,
// and with room again the work goes on.
func TestSTO5_DiskFullWhileWorking(t *testing.T) {
	disk := newSmallDisk(t)
	if disk == nil {
		return
	}
	onEach(t, func(t *testing.T, b binary) {
		s := newSite(t).at(disk.dir + "/" + b.name + "/t.db")
		s.ok(b, "subscribe", "s", "--as", "w", "--queue", "q")
		s.ok(b, "subscribe", "o", "--as", "w", "--queue", "q", "--share", "one", "--consume", "on-ack")
		disk.fill(700_000)
		payload := asJSON(strings.Repeat("x", 20_000))
		var stored []int64
		for len(stored) < 1000 {
			r := s.run(b, "publish", "q", payload)
			if r.code != 0 {
				saysFull(t, "the publish", r, s.db)
				break
			}
			stored = append(stored, id(t, r.stdout))
		}
		if len(stored) < 5 {
			t.Fatalf("only %d items were stored", len(stored))
		}
		whileFull(t, s, b, stored)
		disk.empty()
		n := id(t, s.ok(b, "publish", "q", `"room again"`))
		if n <= stored[len(stored)-1] {
			t.Fatalf("with room again the id is %d", n)
		}
		stored = append(stored, n)
		for _, name := range []string{"s", "o"} {
			var got []int64
			for rest := []int64{0}; len(rest) > 0 && len(got) < 1000; got = append(got, rest...) {
				rest = ids(t, s.ok(b, "pull", name, "--as", "w", "--max-bytes", "100000"))
			}
			if !slices.Equal(got, stored) {
				t.Errorf("%s got %v of %v", name, got, stored)
			}
		}
		if err := os.RemoveAll(filepath.Dir(s.db)); err != nil {
			t.Error(err)
		}
	})
}

// whileFull checks what commands do when there is no room at all.
func whileFull(t *testing.T, s *site, b binary, stored []int64) {
	t.Helper()
	before := s.ok(b, "status")
	for turn := range binaries {
		one := mixed(turn)
		if items := s.list(one, "q"); len(items) != len(stored) {
			t.Errorf("%d items are left of %d", len(items), len(stored))
		}
		for _, args := range [][]string{{"status"}, {"check"}, {"list"}, {"show", fmt.Sprint(stored[0])}} {
			if s.ok(one, args...) == "" {
				t.Errorf("%v printed nothing", args)
			}
		}
		for _, args := range [][]string{
			{"publish", "q", "1"}, {"ack", fmt.Sprint(stored[0]), "--as", "w", "--subscription", "o"},
			{"subscribe", "n", "--as", "w", "--queue", "q"}, {"subscribe", "s", "--as", "w", "--queue", "q", "--limit", "3"},
			{"unsubscribe", "s", "--as", "w"},
		} {
			r := s.run(one, args...)
			saysFull(t, args[0], r, s.db)
			if r.stdout != "" {
				t.Errorf("%v answered %q", args, r.stdout)
			}
		}
		for _, args := range [][]string{{"pull", "s", "--as", "w"}, {"pull", "o", "--as", "w"}, {"pull", "--due", "--as", "w"}} {
			saysFull(t, "the pull", s.run(one, args...), s.db)
		}
	}
	if after := s.ok(b, "status"); after != before {
		t.Errorf("the status changed from\n%sto\n%s", before, after)
	}
}

// TestSTO5_DiskFullAtEveryPage runs commands of every kind on a disk with no room,
// then with room for one page, for two, and so on until they pass; in the short
// run, two commands and some numbers of pages. Each of them has done all that it
// does, or has said that the disk is full and done nothing.
func TestSTO5_DiskFullAtEveryPage(t *testing.T) {
	needTracer(t)
	disk := newSmallDisk(t)
	if disk == nil {
		return
	}
	eachCase(t, func(c crashCase) bool { return c.whole || long() && !c.file }, func(k *crash) { k.squeeze(disk) })
}

// TestSTO5_FilesTooLarge does the same with a limit on the size of files, for the
// machines where no disk can be mounted. The signal that comes with it kills nobody.
func TestSTO5_FilesTooLarge(t *testing.T) {
	needTracer(t)
	eachCase(t, func(c crashCase) bool { return c.name == "first creation" || long() && !c.file }, (*crash).limit)
}

// eachCase makes the databases of cases and lets do work with them; in the short
// run, each with one build.
func eachCase(t *testing.T, wanted func(crashCase) bool, do func(*crash)) {
	t.Helper()
	turn := 0
	for _, c := range slices.DeleteFunc(crashCases(), func(c crashCase) bool { return !wanted(c) }) {
		turn++
		for i, b := range binaries {
			if long() || b == mixed(turn) {
				t.Run(strings.ReplaceAll(c.name, " ", "_")+"/"+b.name, func(t *testing.T) {
					k := &crash{crashCase: c, site: swiftSite(t), build: b}
					k.learn(i)
					do(k)
				})
			}
		}
	}
}

// squeeze runs the command with more and more room.
func (k *crash) squeeze(disk *smallDisk) {
	k.t.Helper()
	const page, most = 4096, 600
	refused := 0
	for pages, step := int64(0), int64(1); pages < most; pages, step = pages+step, step+scale(step/2+1, 0) {
		s := k.cloneIn(disk.dir)
		disk.fill(pages * page)
		r := k.once(s, `exec "$@"`)
		disk.empty()
		where := fmt.Sprintf("with room for %d pages", pages)
		if r.code == 0 {
			k.passed(where, s, r)
			k.t.Logf("refused %d times, passed %s", refused, where)
			return
		}
		refused++
		saysFull(k.t, where, r, s.db)
		k.undone(where, s, r)
	}
	k.t.Errorf("it does not pass with room for %d pages", most)
}

// limit runs the command with a higher and higher limit on the size of files.
func (k *crash) limit() {
	k.t.Helper()
	const most = 20_000 // blocks of 512 bytes, or of 1024 in some shells
	refused := 0
	for blocks := 0; blocks < most; blocks += blocks/scale(1, 8) + 1 {
		s := k.clone()
		r := k.once(s, fmt.Sprintf(`ulimit -f %d; exec "$@"`, blocks))
		where := fmt.Sprintf("with files of at most %d blocks", blocks)
		if r.code == 0 {
			k.passed(where, s, r)
			k.t.Logf("refused %d times, passed %s", refused, where)
			return
		}
		refused++
		if r.code != 1 || !strings.HasPrefix(r.stderr, "tundish: ") || strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, s.db) {
			k.t.Errorf("%s: exit %d, and not one line of tundish: %q", where, r.code, r.stderr)
		}
		k.undone(where, s, r)
	}
	k.t.Errorf("it does not pass with files of %d blocks", most)
}

// once runs the command inside a shell script. A notice that the database was taken
// over first is left out of what it said.
func (k *crash) once(s *site, script string) result {
	k.t.Helper()
	cmd := s.shell(k.build, script, append([]string{"--now", k.time()}, k.args...)...)
	cmd.Stdin = strings.NewReader(k.stdin)
	r := s.finish(cmd)
	if notice, rest, found := strings.Cut(r.stderr, "\n"); found && strings.HasPrefix(notice, "tundish: took over ") {
		r.stderr = rest
	}
	return r
}

// passed: the command has done all that it does.
func (k *crash) passed(where string, s *site, r result) {
	k.t.Helper()
	defer s.discard()
	last := k.refs[len(k.refs)-1]
	if r.stdout != last.output {
		k.t.Errorf("%s: it printed %q", where, r.stdout)
	}
	for line := range strings.Lines(r.stderr) {
		if !strings.HasPrefix(line, "tundish: ") {
			k.t.Errorf("%s: it said %q", where, line)
		}
	}
	sameOneOf(k.t, where, k.view.of(s, 0), []string{last.state})
}

// undone: whoever says that there is no room has done nothing, but for the lines
// that were answered one batch after the other.
func (k *crash) undone(where string, s *site, r result) {
	k.t.Helper()
	defer s.discard()
	var states []string
	for i, ref := range k.refs {
		if k.pull && i == 0 || !k.pull && ref.output == r.stdout {
			states = append(states, ref.state)
		}
	}
	sameOneOf(k.t, where, k.view.of(s, 0), states)
}
