//go:build unix

package interop_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// snapshot reads everything below a folder: names, modes, contents.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		text := ""
		if d.Type().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = string(content)
		}
		info, err := d.Info()
		all[path] = info.Mode().String() + text
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// unchanged names what differs from before in the folder of a site.
func unchanged(t *testing.T, s *site, before map[string]string) {
	t.Helper()
	after := snapshot(t, s.dir)
	for path, what := range before {
		if now, there := after[path]; !there {
			t.Errorf("%s is gone", path)
		} else if now != what {
			t.Errorf("%s was changed", path)
		}
	}
	for path, what := range after {
		if _, there := before[path]; !there && !besides(path, what) {
			t.Errorf("%s was created", path)
		}
	}
}

// besides tells whether a file is one of those that SQLite needs to read a
// database with a log, and the log is empty.
func besides(path, what string) bool {
	return strings.HasSuffix(path, ".db-shm") || strings.HasSuffix(path, ".db-wal") && len(what) == len(fs.FileMode(0).String())
}

// folded makes a database of ours whose log is folded into the file: a big
// publish makes its process close the file.
func folded(t *testing.T, s *site, b binary) {
	t.Helper()
	s.ok(b, "publish", "q", `"small"`)
	cmd := s.command(b, "publish", "q")
	cmd.Stdin = strings.NewReader(`"` + strings.Repeat("x", 300_000) + `"`)
	s.expect(cmd)
}

// patch changes a number in the head of a database file.
func patch(t *testing.T, path string, offset int64, value [4]byte) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt(value[:], offset); err != nil {
		t.Fatal(err)
	}
}

// Places in the head of an SQLite file.
const (
	userVersionAt   = 60
	applicationIDAt = 68
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// badPlace is something at the path of the database that is no database of ours.
type badPlace struct {
	name string
	make func(t *testing.T, s *site, b binary)
	says []string // besides the path
}

func badPlaces() []badPlace {
	return []badPlace{
		{"folder", func(t *testing.T, s *site, _ binary) {
			if err := os.MkdirAll(filepath.Join(s.db, "inner"), 0o700); err != nil {
				t.Fatal(err)
			}
		}, []string{"folder", "name another file"}},
		{"text file", func(t *testing.T, s *site, _ binary) {
			write(t, s.db, strings.Repeat("these are the notes of somebody\n", 100))
		}, []string{"no SQLite database", "name another file"}},
		{"short text file", func(t *testing.T, s *site, _ binary) { write(t, s.db, "x") }, []string{"no SQLite database", "name another file"}},
		{"foreign database", func(t *testing.T, s *site, _ binary) {
			foreign, err := os.ReadFile("testdata/foreign.db")
			if err != nil {
				t.Fatal(err)
			}
			write(t, s.db, string(foreign))
		}, []string{"another application", "name another file"}},
		{"another application", func(t *testing.T, s *site, b binary) {
			folded(t, s, b)
			patch(t, s.db, applicationIDAt, [4]byte{'G', 'P', 'K', 'G'})
		}, []string{"another application", "name another file"}},
		{"newer schema", func(t *testing.T, s *site, b binary) {
			folded(t, s, b)
			patch(t, s.db, userVersionAt, [4]byte{3: 99})
		}, []string{"schema 99", "newer tundish"}},
		{"fifo", func(t *testing.T, s *site, _ binary) {
			if err := os.MkdirAll(filepath.Dir(s.db), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(s.db, 0o600); err != nil {
				t.Fatal(err)
			}
		}, []string{"no regular file", "name another file"}},
		{"below a file", func(t *testing.T, s *site, _ binary) { write(t, filepath.Dir(s.db), "x") }, []string{}},
	}
}

// anyCommand is one of every kind of command that opens the database.
func anyCommand() [][]string {
	return [][]string{
		{"publish", "q", "1"}, {"status"}, {"check"}, {"list"}, {"show", "1"}, {"ack", "1", "--as", "w"},
		{"subscribe", "s", "--as", "w", "--queue", "q"}, {"unsubscribe", "s", "--as", "w"},
		{"pull", "s", "--as", "w"}, {"pull", "--due", "--as", "w"},
	}
}

// STO-5, CMD-4: what is no database of ours gets its own clear error with the
// remedy, and not a byte of it is changed.
func TestSTO5_PlacesThatHoldNoDatabase(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		for _, place := range badPlaces() {
			t.Run(place.name, func(t *testing.T) {
				s := newSite(t)
				place.make(t, s, b)
				before := snapshot(t, s.dir)
				for _, args := range anyCommand() {
					s.fails(b, 1, append([]string{s.db}, place.says...), args...)
				}
				unchanged(t, s, before)
			})
		}
	})
}

// STO-5, CFG-3, CMD-4: paths that can never be databases are wrong use.
func TestSTO5_PathsThatAreNoFiles(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		s := newSite(t)
		before := snapshot(t, s.dir)
		for _, path := range []string{"", ":memory:"} {
			for _, args := range anyCommand() {
				s.at(path).fails(b, 2, []string{"--db"}, args...)
			}
		}
		unchanged(t, s, before)
		for _, path := range []string{`""`, `":memory:"`} {
			s.configure("format: 1\ndatabase: " + path + "\n")
			cmd := s.command(b, "status")
			cmd.Args = append(cmd.Args[:1], cmd.Args[3:]...) // no --db
			s.refused(s.finish(cmd), 2, s.config, "database")
		}
	})
}

// CMD-5: commands that only read create nothing on a missing path.
func TestCMD5_ReadingCreatesNothing(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		s := newSite(t)
		before := snapshot(t, s.dir)
		for _, args := range [][]string{{"status"}, {"list"}, {"list", "q"}, {"outbox", "list"}} {
			want := result{stderr: "tundish: there is no database at " + s.db + " yet\n"}
			if r := s.run(b, args...); r != want {
				t.Errorf("%v: %+v", args, r)
			}
		}
		if r := s.run(b, "check"); r.code != 0 || r.stdout != "ok\n" || !strings.Contains(r.stderr, s.db) {
			t.Errorf("check: %+v", r)
		}
		s.fails(b, 2, []string{"1"}, "show", "1")
		s.fails(b, 2, []string{`s`}, "pull", "s", "--as", "w")
		s.fails(b, 2, []string{"w"}, "pull", "--due", "--as", "w")
		unchanged(t, s, before)
	})
}

// STO-5: a file of length zero is a new database; odd names of files, links, and
// paths relative to the current folder lead where they say.
func TestSTO5_PathsThatBecomeDatabases(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		s := newSite(t)
		write(t, s.db, "")
		names := []string{s.db, "relative.db", "sub/relative.db", "./a b.db", "50%20#1?mode=memory&x=1.db", "file:odd.db?mode=ro", "ünï\u202e.db", "'quoted\".db"}
		for _, name := range names {
			if got := id(t, s.at(name).ok(b, "publish", "q", "1")); got != 1 {
				t.Errorf("%s: the first id is %d", name, got)
			}
			path := name
			if !filepath.IsAbs(path) {
				path = filepath.Join(s.dir, path)
			}
			if info, err := os.Stat(path); err != nil || info.Size() == 0 {
				t.Errorf("%s: %v", name, err)
			}
		}
		for link, target := range map[string]string{"link.db": s.db, "chain.db": "link.db", "dangling.db": "sub/made.db"} {
			if err := os.Symlink(target, filepath.Join(s.dir, link)); err != nil {
				t.Fatal(err)
			}
		}
		if got := id(t, s.at("chain.db").ok(b, "publish", "q", "2")); got != 2 {
			t.Errorf("through links the id is %d", got)
		}
		s.at("dangling.db").ok(b, "publish", "q", "1")
		if _, err := os.Stat(filepath.Join(s.dir, "sub/made.db")); err != nil {
			t.Error(err)
		}
	})
}

// STO-5: a place that must not be written to.
func TestSTO5_ReadOnlyPlace(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("permissions do not bind root: run as another user")
	}
	onEach(t, func(t *testing.T, b binary) {
		s := newSite(t)
		s.ok(b, "publish", "q", "1")
		folder := filepath.Dir(s.db)
		before := snapshot(t, s.dir)
		for _, path := range []string{folder, s.db, s.db + "-wal", s.db + "-shm"} {
			if err := os.Chmod(path, 0o500); err != nil {
				t.Fatal(err)
			}
		}
		s.fails(b, 1, []string{s.db}, "publish", "q", "2")
		s.at(filepath.Join(folder, "new", "n.db")).fails(b, 1, []string{folder}, "publish", "q", "2")
		for path, what := range before {
			mode := fs.FileMode(0o600)
			if strings.HasPrefix(what, "d") {
				mode = 0o700
			}
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
		if items := s.list(b, "q"); len(items) != 1 {
			t.Errorf("the queue holds %d items", len(items))
		}
	})
}

// STO-5: damage in the file is found by check.
func TestSTO5_DamageIsFound(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		s := newSite(t)
		folded(t, s, b)
		file, err := os.OpenFile(s.db, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		for page := int64(2); page < 20; page++ {
			if _, err := file.WriteAt([]byte(strings.Repeat("garbage!", 100)), page*4096); err != nil {
				t.Fatal(err)
			}
		}
		r := s.run(b, "check")
		if r.code != 1 || r.stdout != "" || r.stderr == "" {
			t.Errorf("check: exit %d, stdout %q, stderr %q", r.code, r.stdout, r.stderr)
		}
	})
}

// STO-5: a disk without room, played by a limit on the size of files. Nothing
// that was there is lost, and reading goes on.
func TestSTO5_FullDisk(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		s := newSite(t)
		s.ok(b, "subscribe", "s", "--as", "w", "--queue", "q")
		for n := range 5 {
			s.ok(b, "publish", "q", fmt.Sprint(n))
		}
		// 512 bytes to a block, or 1024 in some shells: between 200 and 400 KiB.
		const limited = `ulimit -f 400; exec "$@"`
		cmd := s.shell(b, limited, "publish", "q")
		cmd.Stdin = strings.NewReader(`"` + strings.Repeat("y", 1_000_000) + `"`)
		s.refused(s.finish(cmd), 1, s.db)
		want := "tundish: subscription=s subscriber=w delivered=5 more=0 unacked=0 parked=0 errors=0 dropped=0 lease=0\n" +
			"[q#1] 0\n[q#2] 1\n[q#3] 2\n[q#4] 3\n[q#5] 4\n"
		if out := s.expect(s.shell(b, limited, "pull", "s", "--as", "w")); out != want {
			t.Errorf("the pull printed %q", out)
		}
		if n := id(t, s.ok(b, "publish", "q", `"room again"`)); n != 6 {
			t.Errorf("the next id is %d", n)
		}
		if out := s.ok(b, "check"); out != "ok\n" {
			t.Errorf("check printed %q", out)
		}
	})
}
