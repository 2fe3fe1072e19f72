package setup

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// desk is a home folder with the file of a host in it.
type desk struct {
	host  Host
	place Place
	path  string
}

func newDesk(t testing.TB, host string) desk {
	t.Helper()
	h, ok := Find(host)
	if !ok {
		t.Fatalf("there is no host %s", host)
	}
	home := t.TempDir()
	p := Place{Home: home, Folder: filepath.Join(home, "project"), Getenv: func(string) string { return "" }}
	path := h.Path(p)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	return desk{h, p, path}
}

// words is the command for a subscriber.
func (d desk) words(who string) []string { return d.host.Command("/opt/my tools/tundish", who) }

func (d desk) init(t testing.TB, who string) *Change {
	t.Helper()
	return applied(t, func() (*Change, error) { return Plan(d.host, d.place, d.words(who)) })
}

func (d desk) remove(t testing.TB) *Change {
	t.Helper()
	return applied(t, func() (*Change, error) { return Undo(d.host, d.place) })
}

func applied(t testing.TB, plan func() (*Change, error)) *Change {
	t.Helper()
	c, err := plan()
	if err == nil {
		err = c.Apply()
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (d desk) read(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte{}, text...)
}

func (d desk) write(t testing.TB, text []byte) {
	t.Helper()
	if err := os.WriteFile(d.path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// samples are real-looking files of a host's kind, and no file at all.
func samples(t testing.TB, host string) map[string][]byte {
	t.Helper()
	folder := map[string]string{"gaff": "yaml", "opencode": ""}[host]
	if host != "gaff" && host != "opencode" {
		folder = "json"
	}
	found := map[string][]byte{"no file": nil}
	paths, err := filepath.Glob(filepath.Join("testdata", folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if folder == "" {
			break
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.Base(path)] = append([]byte{}, text...)
	}
	return found
}

func eachSample(t *testing.T, run func(t *testing.T, d desk, before []byte)) {
	for _, host := range Names() {
		for name, before := range samples(t, host) {
			t.Run(host+"/"+name, func(t *testing.T) {
				d := newDesk(t, host)
				if before != nil {
					d.write(t, before)
				}
				run(t, d, before)
			})
		}
	}
}

// same fails unless the file is as it was, and nothing lies beside it.
func (d desk) same(t testing.TB, before []byte) {
	t.Helper()
	if now := d.read(t); !bytes.Equal(now, before) || (now == nil) != (before == nil) {
		t.Fatalf("the file is not as it was:\n%s", cmp.Diff(string(before), string(now)))
	}
	d.alone(t)
}

func (d desk) alone(t testing.TB) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(d.path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != filepath.Base(d.path) {
			t.Errorf("%s was left behind", e.Name())
		}
	}
}

// inPlace fails unless there is one hook of ours at each event, for who.
func (d desk) inPlace(t testing.TB, who string) {
	t.Helper()
	found, err := d.host.editor.find(d.read(t))
	if err != nil {
		t.Fatal(err)
	}
	var events []string
	for _, h := range found {
		events = append(events, h.event)
		if got := d.host.general(h.words); !slices.Equal(got, d.words(who)) {
			t.Errorf("%s runs %q, want %q", h.event, got, d.words(who))
		}
	}
	slices.Sort(events)
	want := slices.Clone(d.host.Events)
	slices.Sort(want)
	if !slices.Equal(events, want) {
		t.Errorf("there are hooks at %q, want %q", events, want)
	}
}
