package setup

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// merged is what init wrote before it knew that stop needs a handler of its own:
// one handler for all events.
func merged(t *testing.T, text []byte) []byte {
	t.Helper()
	d, err := parseHandlers(text)
	if err != nil {
		t.Fatal(err)
	}
	found := d.ours()
	if len(found) != 2 || !slices.Equal(found[0].events(), gaffWork()) || !slices.Equal(found[1].events(), []string{"stop"}) {
		t.Fatalf("there are %d handlers in\n%s", len(found), text)
	}
	if d, err = d.without(found[1]); err != nil {
		t.Fatal(err)
	}
	old := bytes.Replace(d.text, []byte(flow(gaffWork())), []byte(flow(gaffEvents())), 1)
	if bytes.Equal(old, d.text) {
		t.Fatalf("the events are not in\n%s", d.text)
	}
	return old
}

func eachHandlers(t *testing.T, run func(t *testing.T, d desk, before []byte)) {
	eachSample(t, func(t *testing.T, d desk, before []byte) {
		if d.host.Name == "gaff" {
			run(t, d, before)
		}
	})
}

// SETUP-3, SETUP-5, SETUP-6: one handler for all events is what a check warns of;
// init makes the two of it that it makes of the file without any, and removal gives
// the bytes back, with the copy or without.
func TestSETUP3_GaffOneBecomesTwo(t *testing.T) {
	eachHandlers(t, func(t *testing.T, d desk, before []byte) {
		d.init(t, "ann")
		fresh := d.read(t)
		old := merged(t, fresh)
		d.write(t, old)
		if r := Check(d.host, d.place, ""); r.Delivers || !strings.Contains(says(r, Bad), "has stop among other events") {
			t.Errorf("one handler for all events, and yet %+v", r)
		}
		got, err := d.host.editor.unset(old, before)
		if err != nil || !bytes.Equal(got, before) {
			t.Errorf("without the old one (%v):\n%s", err, cmp.Diff(string(before), string(got)))
		}
		d.init(t, "bob")
		d.inPlace(t, "bob")
		if r := Check(d.host, d.place, ""); strings.Contains(says(r, Bad), "stop") {
			t.Errorf("two handlers, and yet %+v", r)
		}
		d.init(t, "ann")
		if now := d.read(t); !bytes.Equal(now, fresh) {
			t.Errorf("it is not like a new one:\n%s", cmp.Diff(string(fresh), string(now)))
		}
		d.remove(t)
		d.same(t, before)
	})
}

// SETUP-3: the old handler stays where it is in the list, with what its owner made
// of it; an event that got lost comes back.
func TestSETUP3_GaffInPlace(t *testing.T) {
	const first = "handlers:\n  # theirs\n  - {name: tundish-stop, events: [stop], every: {prompts: 1}, command: [/bin/date]}\n"
	const last = "  # the last one\n  - name: z\n    events: [stop]\n    every: {prompts: 1}\n    command: [/bin/date]\n"
	handler := func(events, who string) string {
		return "  - name: tundish # mine\n    events: " + events + "\n    every: {tool_calls: 3}\n    command: " +
			flow([]string{"/opt/my tools/tundish", "pull", "--due", "--as", who, "--hook", "gaff", "--max-bytes", "2900"}) + "\n    timeout_ms: 300\n"
	}
	d := newDesk(t, "gaff")
	d.write(t, []byte(first+handler("[session_start, prompt, tool_batch, stop]", "eve")+last))
	if c := d.init(t, "ann"); c.Was != "eve" || c.Backup != "" || c.Edited != "" {
		t.Errorf("the change is %+v", c)
	}
	stop := d.block(t, "tundish-mail-stop")
	want := first + handler(flow(gaffWork()), "ann") + stop + last
	if got := string(d.read(t)); got != want {
		t.Error(cmp.Diff(want, got))
	}
	if c := d.init(t, "ann"); !c.Nothing() {
		t.Errorf("the same again is a change:\n%s", c.Diff())
	}

	lost := strings.Replace(want, `"prompt", `, "", 1)
	d.write(t, []byte(lost))
	if r := Check(d.host, d.place, ""); r.InPlace || !strings.Contains(says(r, Bad), "no hook of tundish at prompt") {
		t.Errorf("an event is missing, and yet %+v", r)
	}
	c := d.init(t, "ann")
	d.inPlace(t, "ann")
	d.kept(t, c, "-1", []byte(lost)) // what its owner made of it had to go
	if err := os.Remove(c.Edited); err != nil {
		t.Fatal(err)
	}
	d.remove(t)
	d.same(t, []byte(first+last))
}

// block is our handler for stop as init writes it into a file without handlers,
// under a name.
func (d desk) block(t *testing.T, name string) string {
	t.Helper()
	text, err := d.host.editor.set(nil, d.words("ann"))
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(text, []byte("  - name: tundish-stop\n"))
	if at < 0 {
		t.Fatalf("no handler for stop in\n%s", text)
	}
	return strings.Replace(string(text[at:]), "tundish-stop", name, 1)
}

// SETUP-1: the names of ours are not those of other handlers, however many they
// took.
func TestSETUP1_GaffNamesAreFree(t *testing.T) {
	d := newDesk(t, "gaff")
	var text strings.Builder
	text.WriteString("handlers:\n")
	for _, name := range []string{"tundish", "tundish-mail", "tundish-stop", "tundish-mail-stop", "tundish-mail-2"} {
		text.WriteString("  - {name: " + name + ", events: [stop], command: [/bin/date]}\n")
	}
	d.write(t, []byte(text.String()))
	d.init(t, "ann")
	doc, err := parseHandlers(d.read(t))
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, n := range doc.list.Content {
		count[yamlMember(n, "name").Value]++
	}
	if len(count) != 7 || count["tundish-mail-3"] != 1 || count["tundish-mail-stop-2"] != 1 {
		t.Errorf("the names are %v", count)
	}
	d.remove(t)
	d.same(t, []byte(text.String()))
}

// SETUP-6: gaff may run handlers in the folder, its file is private, and its own
// hooks are registered.
func TestSETUP6_GaffTrust(t *testing.T) {
	d := newDesk(t, "gaff")
	applied(t, func() (*Change, error) { return Plan(d.host, d.place, d.host.Command(program(t, d), "ann")) })
	trusted := filepath.Join(gaffFolder(d.place), "trusted")
	for _, test := range []struct {
		text  string
		state State
	}{{"/elsewhere\n", Unknown}, {"/elsewhere\n" + d.place.Folder + "\n", Good}} {
		if err := os.WriteFile(trusted, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if r := Check(d.host, d.place, ""); !r.Delivers || !strings.Contains(says(r, test.state), "may run handlers") {
			t.Errorf("with %q there is %+v", test.text, r)
		}
	}
	settings := filepath.Join(d.place.Folder, ".claude", "settings.local.json")
	if err := os.MkdirAll(filepath.Dir(settings), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(settings, []byte(`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "gaff hook"}]}]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := Check(d.host, d.place, ""); says(r, Unknown) != "" {
		t.Errorf("all is known, and yet %+v", r)
	}
	if err := os.Chmod(d.path, 0o644); err != nil {
		t.Fatal(err)
	}
	if r := Check(d.host, d.place, ""); r.Delivers || !strings.Contains(says(r, Bad), "chmod 600") {
		t.Errorf("others may read it, and yet %+v", r)
	}
}
