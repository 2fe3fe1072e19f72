package config

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tundish-go/tundish/domain/inbox"
)

// noHome fails the test that asks for the home folder without need (CFG-1).
func noHome(t *testing.T) func() (string, error) {
	return func() (string, error) {
		t.Error("the home folder was asked for")
		return "", errors.New("no home")
	}
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// fine stands for the rule of durations that is handed in.
func fine(text string) (time.Duration, error) {
	length, err := time.ParseDuration(text)
	if err == nil && length <= 0 {
		err = errors.New("not above zero")
	}
	return length, err
}

func load(t *testing.T, text string) (Config, error) {
	t.Helper()
	return Load(Source{Path: write(t, text), Home: noHome(t), Duration: inbox.ParseDuration, Fine: fine})
}

func TestCFG2_Accepted(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want Config
	}{
		"format alone":    {"format: 1\n", Config{}},
		"byte order mark": {"\ufeffformat: 1\n", Config{}},
		"flow style":      {"{format: 1, queues: {a: {max_items: 7}}}", Config{Queues: map[string]Limits{"a": {MaxItems: 7}}}},
		"every key": {
			"format: 1\ndatabase: /srv/t.db\nqueues:\n  slack: {max_items: 5, max_age: 7d}\n  'team chat': {}\n",
			Config{Database: "/srv/t.db", Queues: map[string]Limits{"slack": {MaxItems: 5, MaxAge: 7 * 86400}, "team chat": {}}},
		},
		"a bare number is seconds": {"format: 1\nqueues: {a: {max_age: 90}}", Config{Queues: map[string]Limits{"a": {MaxAge: 90}}}},
		"a number as a name":       {"format: 1\nqueues: {12: {max_items: 1}}", Config{Queues: map[string]Limits{"12": {MaxItems: 1}}}},
		"nothing written is not set": {
			"format: 1\ndatabase:\nqueues: {a: , b: {max_items: , max_age: ~}}", Config{Queues: map[string]Limits{"a": {}, "b": {}}},
		},
		"no queues yet": {"format: 1\nqueues:\n", Config{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := load(t, test.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// CFG-2: an error names file, line and key, and the value that is wrong.
func TestCFG2_Refused(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		line int
		key  string
		says string
	}{
		"empty file":           {"", 0, "format", "missing"},
		"comments only":        {"# nothing\n", 0, "format", "missing"},
		"an empty document":    {"---\n", 0, "format", "missing"},
		"no format":            {"queues: {}\n", 0, "format", "missing"},
		"format 2":             {"\nformat: 2\n", 2, "format", "2"},
		"format as text":       {"format: \"1\"\n", 1, "format", `"1"`},
		"format as a fraction": {"format: 1.0\n", 1, "format", "1.0"},
		"format as a list":     {"format: [1]\n", 1, "format", "a list"},
		"format not given":     {"format:\n", 1, "format", "nothing"},
		"unknown key":          {"format: 1\nretention: {}\n", 2, "retention", "not known"},
		"unknown queue key":    {"format: 1\nqueues:\n  ci:\n    max_item: 5\n", 4, "queues.ci.max_item", "not known"},
		"key twice":            {"format: 1\nformat: 1\n", 2, "format", "line 1"},
		"queue twice":          {"format: 1\nqueues:\n  a: {}\n  a: {}\n", 4, "queues.a", "line 3"},
		"queue without name":   {"format: 1\nqueues: {'': {}}\n", 2, "queues", "empty"},
		"null as a name":       {"format: 1\nqueues: {~: {}}\n", 2, "queues", "a name must"},
		"list as a name":       {"format: 1\nqueues: {[a]: {}}\n", 2, "queues", "a list"},
		"queues as a list":     {"format: 1\nqueues: [ci]\n", 2, "queues", "a list"},
		"queue as text":        {"format: 1\nqueues: {ci: 5d}\n", 2, "queues.ci", `"5d"`},
		"text as a file":       {"hello\n", 1, "", `"hello"`},
		"a list as a file":     {"- format: 1\n", 1, "", "a list"},
		"max_items zero":       {"format: 1\nqueues: {ci: {max_items: 0}}\n", 2, "queues.ci.max_items", "0"},
		"max_items negative":   {"format: 1\nqueues: {ci: {max_items: -3}}\n", 2, "queues.ci.max_items", "-3"},
		"max_items as text":    {"format: 1\nqueues: {ci: {max_items: '7'}}\n", 2, "queues.ci.max_items", `"7"`},
		"max_items fraction":   {"format: 1\nqueues: {ci: {max_items: 1.5}}\n", 2, "queues.ci.max_items", "1.5"},
		"max_items too large":  {"format: 1\nqueues: {ci: {max_items: 99999999999999999999}}\n", 2, "queues.ci.max_items", "99999999999999999999"},
		"max_items in octal":   {"format: 1\nqueues: {ci: {max_items: 0o17}}\n", 2, "queues.ci.max_items", "0o17"},
		"max_items as a list":  {"format: 1\nqueues: {ci: {max_items: [1]}}\n", 2, "queues.ci.max_items", "a list"},
		"max_age words":        {"format: 1\nqueues: {ci: {max_age: 7 days}}\n", 2, "queues.ci.max_age", "7 days"},
		"max_age zero":         {"format: 1\nqueues: {ci: {max_age: 0h}}\n", 2, "queues.ci.max_age", "0h"},
		"max_age as a mapping": {"format: 1\nqueues: {ci: {max_age: {}}}\n", 2, "queues.ci.max_age", "a mapping"},
		"not YAML":             {"format: 1\nqueues: [ci\n", 0, "", "not YAML"},
		"a tab":                {"format: 1\nqueues:\n\tci: {}\n", 3, "", "not YAML"},
		"two documents":        {"format: 1\n---\nformat: 1\n", 2, "", "second document"},
		"a broken second one":  {"format: 1\n---\n[\n", 0, "", "not YAML"},
		"an alias":             {"format: 1\nqueues:\n  a: &x {max_items: 1}\n  b: *x\n", 4, "queues.b", "*x"},
		"a merge key":          {"format: 1\nqueues:\n  a: &x {max_items: 1}\n  b: {<<: *x}\n", 4, "queues.b", "a name must"},
		"an own tag":           {"format: 1\nqueues: !mine {a: {}}\n", 2, "queues", "mapping"},
		"not UTF-8":            {"format: 1\n# caf\xe9\n", 2, "", "UTF-8"},
		"UTF-16":               {"\xff\xfef\x00o\x00", 1, "", "UTF-8"},
		"database empty":       {"format: 1\ndatabase: ''\n", 2, "database", "empty"},
		"database in memory":   {"format: 1\ndatabase: ':memory:'\n", 2, "database", ":memory:"},
		"database as a list":   {"format: 1\ndatabase: [a]\n", 2, "database", "a list"},
		"database with NUL":    {"format: 1\ndatabase: \"a\\0b\"\n", 2, "database", "NUL"},
		"database is home":     {"format: 1\ndatabase: '~'\n", 2, "database", "folder"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, test.text)
			var fault *FileError
			if !errors.As(err, &fault) {
				t.Fatalf("error is %v, not a FileError", err)
			}
			if fault.Key != test.key || !strings.Contains(fault.Reason, test.says) {
				t.Errorf("key %q, reason %q; want key %q and %q", fault.Key, fault.Reason, test.key, test.says)
			}
			if test.line != 0 && fault.Line != test.line {
				t.Errorf("line %d, want %d", fault.Line, test.line)
			}
			if !strings.HasPrefix(err.Error(), fault.Path) {
				t.Errorf("%q does not begin with the file", err)
			}
		})
	}
}

func TestCFG2_MissingFiles(t *testing.T) {
	home := t.TempDir()
	source := Source{Home: func() (string, error) { return home, nil }, Duration: inbox.ParseDuration}
	if got, err := Load(source); err != nil || got.Database != "" || got.Queues != nil {
		t.Errorf("a missing default file gives %+v, %v", got, err)
	}
	if err := os.WriteFile(filepath.Join(home, ".config"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(source); err != nil {
		t.Errorf("a default file below a file gives %v", err)
	}
	source.Path = filepath.Join(home, "gone.yml")
	source.Home = noHome(t)
	var missing *MissingError
	if _, err := Load(source); !errors.As(err, &missing) || missing.Path != source.Path {
		t.Errorf("a missing file that was asked for gives %v", err)
	}
	source.Path = home
	if _, err := Load(source); err == nil || errors.As(err, &missing) || !strings.Contains(err.Error(), "folder") {
		t.Errorf("a folder gives %v", err)
	}
	source.Path = write(t, strings.Repeat("# a long comment\n", maxFileBytes/16))
	var fault *FileError
	if _, err := Load(source); !errors.As(err, &fault) || !strings.Contains(fault.Reason, strconv.Itoa(maxFileBytes)) {
		t.Errorf("a huge file gives %v", err)
	}
}

func TestCFG1_DefaultFile(t *testing.T) {
	home := t.TempDir()
	folder := filepath.Join(home, ".config", "tundish")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "config.yml"), []byte("format: 1\ndatabase: mail.db\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Load(Source{Home: func() (string, error) { return home, nil }, Duration: inbox.ParseDuration})
	if err != nil || got.Database != filepath.Join(folder, "mail.db") {
		t.Errorf("database %q, error %v", got.Database, err)
	}
	none := errors.New("no home")
	if _, err := Load(Source{Home: func() (string, error) { return "", none }}); !errors.Is(err, none) {
		t.Errorf("without a home the error is %v", err)
	}
	if got, want := DefaultDatabase("/home/ann"), "/home/ann/.local/state/tundish/tundish.db"; got != want {
		t.Errorf("default database %q, want %q", got, want)
	}
}

func TestCFG3_DatabasePath(t *testing.T) {
	asked := 0
	home := func() (string, error) { asked++; return "/home/ann", nil }
	for _, test := range []struct {
		text, file, want string
		asks             int
	}{
		{"/srv/t.db", "/etc/c.yml", "/srv/t.db", 0},
		{"t.db", "/etc/tundish/c.yml", "/etc/tundish/t.db", 0},
		{"../t.db", "/etc/tundish/c.yml", "/etc/t.db", 0},
		{"t.db", "c.yml", "t.db", 0},
		{"~/mail/t.db", "/etc/c.yml", "/home/ann/mail/t.db", 1},
		{"~ann/t.db", "/etc/c.yml", "/etc/~ann/t.db", 0},
	} {
		asked = 0
		got, err := databasePath(test.text, test.file, home)
		if err != nil || got != test.want || asked != test.asks {
			t.Errorf("databasePath(%q, %q) = %q, %v after %d questions; want %q after %d", test.text, test.file, got, err, asked, test.want, test.asks)
		}
	}
	none := errors.New("no home")
	if _, err := databasePath("~/t.db", "c.yml", func() (string, error) { return "", none }); !errors.Is(err, none) {
		t.Errorf("without a home the error is %v", err)
	}
}

func FuzzConfig(f *testing.F) {
	for _, text := range []string{
		"format: 1\n", "format: 1\ndatabase: ~/x\nqueues: {a: {max_items: 1, max_age: 7d}}\n",
		"---\n", "format: 1\n---\n", "a: &a [*a]\n", "\ufeff", "? [x]\n: y\n", "format: !!int 1", "{", "\"\\0\"", "%YAML 1.2\n---\nformat: 1",
		"format: 1\noutbox: {cap: 1, tick: 5s, routes: [{workspace: a*, deliver: exec:x, idempotent: true, order: due}]}\n",
		"format: 1\noutbox: {routes: [&a {deliver: x}, *a, ~, [], {<<: *a}]}\n",
	} {
		f.Add([]byte(text))
	}
	source := Source{Home: func() (string, error) { return "/home/ann", nil }, Duration: inbox.ParseDuration, Fine: fine}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := parse("/etc/c.yml", text, source)
		if err != nil {
			var fault *FileError
			if !errors.As(err, &fault) {
				t.Errorf("the error %v names no file", err)
			}
			return
		}
		if got.Database != "" && !filepath.IsAbs(got.Database) {
			t.Errorf("database %q", got.Database)
		}
		for name, limits := range got.Queues {
			if name == "" || limits.MaxItems < 0 || limits.MaxAge < 0 || limits.MaxAge > inbox.MaxDuration {
				t.Errorf("queue %q has %+v", name, limits)
			}
		}
		if o := got.Outbox; o != nil {
			for _, r := range o.Routes {
				if r.Deliver == "" || r.Order != "" && r.Order != "due" && r.Order != "strict" {
					t.Errorf("there is the route %+v", r)
				}
			}
			if o.Cap < 0 || o.Tick < 0 {
				t.Errorf("the outbox has %+v", o)
			}
		}
	})
}
