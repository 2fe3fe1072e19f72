package setup

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tundish-go/tundish/domain"
)

// SETUP-2: what looks like ours and is not stays, in any event.
func TestSETUP2_OursIsTheCommand(t *testing.T) {
	for line, want := range map[string]bool{
		"/usr/bin/tundish pull --due --as a --hook codex":            true,
		"tundish pull x --as a --hook=codex --max-bytes 900":         true,
		`"/opt/my tools/tundish" pull --as a --hook codex`:           true,
		"env A=b /x/tundish --db /y pull --due --as a --hook codex":  true,
		"/usr/bin/tundish pull --due --as a --hook gemini":           false,
		"/usr/bin/tundish pull --due --as a":                         false,
		"/usr/bin/tundish publish --hook codex":                      false,
		"/usr/bin/tundish-old pull --hook codex":                     false,
		"echo 'tundish pull --hook codex'":                           false,
		"/usr/bin/tundish.exe pull --due --as a --hook codex --db x": true,
	} {
		if got := ours(split(line), "codex"); got != want {
			t.Errorf("%s: ours is %t, want %t", line, got, want)
		}
	}
}

// SETUP-2: a line of several commands is its author's.
func TestSETUP2_SeveralCommandsStay(t *testing.T) {
	for _, line := range []string{
		"/opt/notify done; tundish pull --due --as me --hook claude-code",
		"cd /x && tundish pull --due --as me --hook claude-code",
		"tundish pull --due --as me --hook claude-code | tee -a /tmp/log", "tundish pull --due --as me --hook claude-code &",
		"(tundish pull --due --as me --hook claude-code)", `tundish pull --as "$(id -un)" --due --hook claude-code`,
		"tundish pull --as `id -un` --due --hook claude-code", "date\ntundish pull --due --as me --hook claude-code",
	} {
		d := newDesk(t, "claude-code")
		before := []byte(`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": ` + quote(line) + `}]}]}}` + "\n")
		d.write(t, before)
		if c := d.init(t, "ann"); c.Was != "" || c.Backup == "" || !bytes.Contains(d.read(t), []byte(quote(line))) {
			t.Errorf("%q: the change is\n%s", line, c.Diff())
		}
		d.inPlace(t, "ann")
		d.remove(t)
		d.same(t, before)
	}
	for _, line := range []string{
		"tundish pull --due --as me --hook claude-code 2>&1", `'/opt/a;b (c)&/tundish' pull --due --as me --hook claude-code`,
		`"/opt/a|b/tundish" pull --as a\;b --hook claude-code`, "tundish pull --due --as '$(x)`' --hook claude-code 2>/dev/null",
	} {
		if compound(line) {
			t.Errorf("%q counts as several commands", line)
		}
	}
}

func TestSETUP2_WordsComeBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		words := rapid.SliceOfN(rapid.StringN(0, 12, -1), 1, 6).Draw(r, "words")
		if got := split(join(words)); !slices.Equal(got, words) {
			r.Fatalf("%q becomes %q", words, got)
		}
	})
}

// SETUP-7: a file that cannot be understood stays as it is, and the error says
// where.
func TestSETUP7_BrokenFilesStay(t *testing.T) {
	paths, err := filepath.Glob("testdata/broken/*")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, host := range Names() {
			if host == "opencode" || (filepath.Ext(path) == ".yml") != (host == "gaff") {
				continue
			}
			t.Run(filepath.Base(path)+"/"+host, func(t *testing.T) {
				d := newDesk(t, host)
				d.write(t, text)
				_, err := Plan(d.host, d.place, d.words("ann"))
				var place *PlaceError
				if !errors.As(err, &place) || place.Line < 1 || place.Path != d.path || domain.CodeOf(err) != domain.Invalid {
					t.Errorf("the error is %v", err)
				}
				if _, err := Undo(d.host, d.place); !errors.As(err, &place) {
					t.Errorf("the error of removing is %v", err)
				}
				if r := Check(d.host, d.place, ""); r.InPlace || r.Delivers || len(r.Findings) != 1 {
					t.Errorf("the report is %+v", r)
				}
				d.same(t, text)
			})
		}
	}
}

// SETUP-7: a plugin of the same name that is somebody else's stays.
func TestSETUP7_AnothersPluginStays(t *testing.T) {
	d := newDesk(t, "opencode")
	text := []byte("export const Mine = async () => ({})\n")
	d.write(t, text)
	if _, err := Plan(d.host, d.place, d.words("ann")); err == nil || !strings.Contains(err.Error(), d.path) {
		t.Errorf("the error is %v", err)
	}
	d.same(t, text)
}

// SETUP-4: a link stays a link, its file keeps its mode, and only its folder gets
// the copy.
func TestSETUP4_LinksAndModes(t *testing.T) {
	d := newDesk(t, "claude-code")
	file := filepath.Join(d.place.Home, "dotfiles", "claude.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	before := []byte("{\n  \"a\": 1\n}\n")
	if err := os.WriteFile(file, before, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../dotfiles/claude.json", d.path); err != nil {
		t.Fatal(err)
	}
	look := func() (string, fs.FileMode) {
		to, err := os.Readlink(d.path)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		return to, info.Mode().Perm()
	}
	for range 2 {
		c := d.init(t, "ann")
		if to, mode := look(); to != "../dotfiles/claude.json" || mode != 0o640 {
			t.Errorf("the link leads to %s, the mode is %o", to, mode)
		}
		info, err := os.Stat(file + ".before-tundish")
		if err != nil || c.Backup != file+".before-tundish" || info.Mode().Perm() != 0o640 {
			t.Errorf("the copy %q: %v, %v", c.Backup, info, err)
		}
		d.remove(t)
		if to, mode := look(); to != "../dotfiles/claude.json" || mode != 0o640 {
			t.Errorf("the link leads to %s, the mode is %o", to, mode)
		}
	}
	d.same(t, before)
}

// SETUP-4: the copy is of the file without hooks of ours, whatever was tried
// before; a copy that a crash left behind does no harm.
func TestSETUP4_ACrashBehindTheCopy(t *testing.T) {
	for _, host := range []string{"claude-code", "gaff"} {
		t.Run(host, func(t *testing.T) {
			d := newDesk(t, host)
			before := samples(t, host)[map[string]string{"claude-code": "settings.json", "gaff": "one.yml"}[host]]
			d.write(t, before)
			if err := os.WriteFile(d.path+".before-tundish", before, 0o600); err != nil { // and then it died
				t.Fatal(err)
			}
			if c, err := Undo(d.host, d.place); err != nil || c.Nothing() {
				t.Fatalf("the copy is not noticed: %v", err)
			}
			d.init(t, "ann")
			d.remove(t)
			d.same(t, before)

			if err := os.WriteFile(d.path+".before-tundish", before, 0o600); err != nil {
				t.Fatal(err)
			}
			d.remove(t)
			d.same(t, before)

			if err := os.WriteFile(d.path+".before-tundish", []byte("{}\n"), 0o600); err != nil { // of long ago
				t.Fatal(err)
			}
			d.init(t, "ann")
			d.remove(t)
			d.same(t, before)
		})
	}
}

// SETUP-4: what somebody else writes between the plan and the change is kept.
func TestSETUP4_ChangedMeanwhile(t *testing.T) {
	d := newDesk(t, "gemini")
	d.write(t, []byte("{}\n"))
	c, err := Plan(d.host, d.place, d.words("ann"))
	if err != nil {
		t.Fatal(err)
	}
	d.write(t, []byte("{\"a\": 1}\n"))
	if err := c.Apply(); err == nil || !strings.Contains(err.Error(), "meanwhile") {
		t.Errorf("the error is %v", err)
	}
	d.same(t, []byte("{\"a\": 1}\n"))
}

// SETUP-1: gaff wants its file private, and gives back the mode that was.
func TestSETUP1_GaffFileIsPrivate(t *testing.T) {
	d := newDesk(t, "gaff")
	mode := func() fs.FileMode {
		info, err := os.Stat(d.path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	d.init(t, "ann")
	if mode() != 0o600 {
		t.Errorf("a new file has mode %o", mode())
	}
	d.remove(t)
	d.write(t, []byte("handlers:\n"))
	if err := os.Chmod(d.path, 0o644); err != nil {
		t.Fatal(err)
	}
	if c := d.init(t, "ann"); mode() != 0o600 {
		t.Errorf("the file has mode %o; %v", mode(), c)
	}
	if d.remove(t); mode() != 0o644 {
		t.Errorf("the file has mode %o", mode())
	}
}

// SETUP-3: two of ours at one event become one.
func TestSETUP3_RepeatsBecomeOne(t *testing.T) {
	d := newDesk(t, "cursor")
	d.write(t, []byte(`{"version": 1, "hooks": {"stop": [
  {"command": "tundish pull --due --as x --hook cursor"}, {"command": "mine"},
  {"command": "/a/tundish pull --due --as y --hook cursor", "timeout": 3}]}}`))
	if c := d.init(t, "ann"); c.Was != "x" {
		t.Errorf("it was %q", c.Was)
	}
	d.inPlace(t, "ann")
	if !bytes.Contains(d.read(t), []byte(`{"command": "mine"}`)) {
		t.Errorf("another's hook is gone:\n%s", d.read(t))
	}
	d.remove(t)
	want := `{"version": 1, "hooks": {"stop": [ {"command": "mine"}]}}`
	if got := string(d.read(t)); strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
		t.Errorf("what is left is %s", got)
	}
}
