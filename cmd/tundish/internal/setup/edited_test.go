package setup

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// kept fails unless a copy of text, with the file's mode, is what the change named.
func (d desk) kept(t *testing.T, c *Change, suffix string, text []byte) {
	t.Helper()
	if want := d.path + ".before-tundish" + suffix; c.Edited != want {
		t.Fatalf("the copy is %q, want %q", c.Edited, want)
	}
	got, err := os.ReadFile(c.Edited)
	if err != nil || !bytes.Equal(got, text) {
		t.Fatalf("the copy is\n%s(%v), want\n%s", got, err, text)
	}
	if info, err := os.Stat(c.Edited); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy: %v, %v", info, err)
	}
}

// planned fails unless a change that is only planned leaves the folder as it is.
func (d desk) planned(t *testing.T, plan func() (*Change, error), edited string) {
	t.Helper()
	before := d.files(t)
	if c, err := plan(); err != nil || c.Edited != edited {
		t.Errorf("planned is a copy at %q (%v), want %q", c.Edited, err, edited)
	}
	if after := d.files(t); after != before {
		t.Errorf("a plan made %s of %s", after, before)
	}
}

func (d desk) files(t *testing.T) string {
	t.Helper()
	var names strings.Builder
	err := fs.WalkDir(os.DirFS(filepath.Dir(d.path)), ".", func(path string, _ fs.DirEntry, err error) error {
		names.WriteString(path + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names.String()
}

func replaced(old, with string) func([]byte) []byte {
	return func(text []byte) []byte { return bytes.Replace(text, []byte(old), []byte(with), 1) }
}

// SETUP-4, SETUP-6: a plugin that somebody edited is told of, and kept when init
// writes it anew or takes it out: each text under a number of its own, and once.
func TestSETUP4_EditedPluginIsKept(t *testing.T) {
	for name, edit := range map[string]func([]byte) []byte{
		"a line more":         func(text []byte) []byte { return append(bytes.Clone(text), "// mine\n"...) },
		"another time":        replaced("patience = 5000", "patience = 9000"),
		"no last newline":     func(text []byte) []byte { return bytes.TrimSuffix(text, []byte("\n")) },
		"other newlines":      func(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")) },
		"a flag more":         replaced(`"opencode"]`, `"opencode", "--max-bytes", "700"]`),
		"a program in front":  replaced(`= ["/opt`, `= ["env", "A=b", "/opt`),
		"a semicolon":         replaced(`"opencode"]`, `"opencode"];`),
		"another indentation": replaced(commandMark, "  "+commandMark),
		"a second command":    replaced("\n"+commandMark, "\n"+pluginCommand+"\n"+commandMark),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, "opencode")
			again := func() (*Change, error) { return Plan(d.host, d.place, d.words("bob")) }
			d.init(t, "ann")
			fresh := d.read(t)
			first := edit(fresh)
			if bytes.Equal(first, fresh) {
				t.Fatal("nothing was edited")
			}
			d.write(t, first)
			if r := Check(d.host, d.place, ""); !r.InPlace || strings.Count(says(r, Note), "changed by hand") != 1 || !strings.Contains(says(r, Note), "run tundish init opencode --as ann") {
				t.Errorf("edited, and yet %+v", r)
			}
			d.planned(t, again, d.path+".before-tundish-1")
			d.kept(t, d.init(t, "bob"), "-1", first)
			d.inPlace(t, "bob")
			if r := Check(d.host, d.place, ""); says(r, Note) != "" {
				t.Errorf("written anew, and yet %+v", r)
			}

			second := append(edit(d.read(t)), "// and mine\n"...)
			d.write(t, second)
			d.kept(t, d.init(t, "ann"), "-2", second)
			d.write(t, first)
			d.kept(t, d.init(t, "ann"), "-1", first)

			third := append(edit(d.read(t)), "// at last\n"...)
			d.write(t, third)
			d.planned(t, func() (*Change, error) { return Undo(d.host, d.place) }, d.path+".before-tundish-3")
			c := d.remove(t)
			d.kept(t, c, "-3", third)
			if text := d.read(t); text != nil || !c.Removes {
				t.Errorf("the plugin is still there:\n%s", text)
			}
		})
	}
}

// SETUP-4: without an edit there is no copy: neither for another subscriber, nor of
// what an earlier version wrote.
func TestSETUP4_WrittenPluginGoes(t *testing.T) {
	paths, err := filepath.Glob("testdata/opencode/*.js")
	if err != nil || len(paths) != len(pluginSums())-1 {
		t.Fatalf("there are %d texts of earlier versions (%v)", len(paths), err)
	}
	if sums := pluginSums(); sums[len(sums)-1] != pluginSum(pluginText) {
		t.Errorf("%s is missing in pluginSums, and the text of before in testdata/opencode", pluginSum(pluginText))
	}
	texts := map[string]string{"this version": pluginText}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[path] = string(text)
	}
	for name, text := range texts {
		for _, words := range [][]string{opencode().Command("/opt/my tools/tundish", "ann"), opencode().Command("tundish", "eve", "--db", "/a b", "--config", "c")} {
			t.Run(name, func(t *testing.T) {
				d := newDesk(t, "opencode")
				old := plugin{}.write(text, words)
				d.write(t, old)
				if r := Check(d.host, d.place, ""); says(r, Note) != "" {
					t.Errorf("not edited, and yet %+v", r)
				}
				if c := d.init(t, "bob"); c.Edited != "" || c.Diff() == "" {
					t.Errorf("the change is %+v", c)
				}
				d.inPlace(t, "bob")
				d.alone(t)
				d.write(t, old)
				if c := d.remove(t); c.Edited != "" {
					t.Errorf("the change is %+v", c)
				}
				d.same(t, nil)
			})
		}
	}
}

// SETUP-4, SETUP-5: where an empty file was before, it comes back, and the edit is
// kept all the same.
func TestSETUP4_EditedPluginInAnEmptyFile(t *testing.T) {
	d := newDesk(t, "opencode")
	d.write(t, []byte{})
	d.init(t, "ann")
	edited := append(d.read(t), "// mine\n"...)
	d.write(t, edited)
	c := d.remove(t)
	d.kept(t, c, "-1", edited)
	if c.Removes || !strings.HasSuffix(c.Backup, ".before-tundish") {
		t.Errorf("the change is %+v", c)
	}
	if err := os.Remove(c.Edited); err != nil {
		t.Fatal(err)
	}
	d.same(t, []byte{})
}

// SETUP-4: what is not a file of just this text is not taken for a copy of it, nor
// written over.
func TestSETUP4_CopiesOfOthersStay(t *testing.T) {
	d := newDesk(t, "opencode")
	d.init(t, "ann")
	edited := append(d.read(t), "// mine\n"...)
	d.write(t, edited)
	base := d.path + ".before-tundish-"
	other := bytes.ToUpper(edited) // as long
	for _, err := range []error{
		os.WriteFile(base+"1", other, 0o600), os.Mkdir(base+"2", 0o700), os.Symlink("nowhere", base+"3"), os.WriteFile(base+"4", nil, 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	d.kept(t, d.remove(t), "-5", edited)
	if text, err := os.ReadFile(base + "1"); err != nil || !bytes.Equal(text, other) {
		t.Errorf("another's file became\n%s(%v)", text, err)
	}
}

// SETUP-4: handlers of gaff that somebody edited stay in their place with init, and
// are kept when they are taken out, or have to be put in anew.
func TestSETUP4_EditedHandlersAreKept(t *testing.T) {
	edits := map[string]func([]byte) []byte{
		"every":        replaced("every: {tool_calls: 1", "every: {tool_calls: 3"),
		"time":         replaced("timeout_ms: 400", "timeout_ms: 300"),
		"a member":     replaced("max_bytes: 3000", "max_bytes: 3000, x: 1"),
		"a comment":    replaced("max_bytes: 3000", "max_bytes: 3000 # mine"),
		"the name":     replaced("name: tundish-stop", "name: mail-stop"),
		"a flag":       replaced(`"2900"]`, `"2900", "--debug"]`),
		"fewer events": replaced(`"prompt", `, ""),
	}
	eachHandlers(t, func(t *testing.T, d desk, before []byte) {
		t.Parallel()
		tried := 0
		for name, edit := range edits {
			d.init(t, "ann")
			fresh := d.read(t)
			edited := edit(fresh)
			if _, err := parseHandlers(edited); err != nil || bytes.Equal(fresh, edited) {
				continue // as an edit of a file in this style it makes no sense
			}
			tried++
			d.write(t, edited)
			c := d.init(t, "bob")
			d.inPlace(t, "bob")
			if inPlace := name != "a flag" && name != "fewer events"; inPlace != (c.Edited == "") {
				t.Errorf("%s: the copy of what init changed is %q in\n%s", name, c.Edited, edited)
			}
			d.write(t, edited)
			c = d.remove(t)
			d.kept(t, c, "-1", edited)
			if err := os.Remove(c.Edited); err != nil {
				t.Fatal(err)
			}
			if c.Stays != "" {
				if err := os.Remove(c.Stays); err != nil {
					t.Fatal(err)
				}
			}
			d.same(t, before)
		}
		if tried < len(edits)-1 {
			t.Errorf("%d edits of %d could be made", tried, len(edits))
		}
	})
}
