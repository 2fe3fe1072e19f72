package setup

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// SETUP-1, SETUP-3, SETUP-5: in place at every event, the same again changes
// nothing, somebody else takes the place, and removal gives the bytes back.
func TestSETUP5_InitAndRemoveLeaveTheBytes(t *testing.T) {
	eachSample(t, func(t *testing.T, d desk, before []byte) {
		t.Parallel()
		c := d.init(t, "ann")
		d.inPlace(t, "ann")
		if c.Diff() == "" || c.Nothing() {
			t.Error("no change was shown")
		}
		once := d.read(t)
		if c := d.init(t, "ann"); !c.Nothing() || c.Diff() != "" || !bytes.Equal(d.read(t), once) {
			t.Errorf("the same again is a change:\n%s", c.Diff())
		}
		if c := d.init(t, "bob"); c.Was != "ann" || c.Diff() == "" {
			t.Errorf("somebody else comes after %q, with\n%s", c.Was, c.Diff())
		}
		d.inPlace(t, "bob")
		d.remove(t)
		d.same(t, before)
		if c := d.remove(t); !c.Nothing() {
			t.Error("removing again is a change")
		}
	})
}

// SETUP-5: without the copy, and so by taking out what is ours alone, the bytes
// come back too. Where the file's object held nothing, what it says comes back.
func TestSETUP5_RemovalByStructure(t *testing.T) {
	eachSample(t, func(t *testing.T, d desk, before []byte) {
		after, err := d.host.editor.set(before, d.words("ann"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.host.editor.unset(after, before)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, before) {
			t.Errorf("the file is not as it was:\n%s", cmp.Diff(string(before), string(got)))
		}
	})
}

// SETUP-5: ten rounds of init and removal on files of each host, two on each file
// and with other things edited in between, leave exactly those edits. The long
// test takes all files, and many times as many rounds.
func TestSETUP5_RoundsWithEdits(t *testing.T) {
	files := 5
	if os.Getenv("TUNDISH_LONG") != "" {
		files = 100
	}
	for i, host := range Names() {
		all := samples(t, host)
		names := slices.Sorted(maps.Keys(all))
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			seed := rand.Uint64()
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			for range files {
				name := names[random.IntN(len(names))]
				if !rounds(t, newDesk(t, host), all[name], random) {
					t.Fatalf("with the seed %d, in %s", seed, name)
				}
			}
		})
	}
}

// rounds runs two rounds and tells whether all was left as it should.
func rounds(t *testing.T, d desk, before []byte, random *rand.Rand) bool {
	want := bytes.Clone(before)
	if want != nil {
		d.write(t, want)
	}
	for round := range 2 {
		changes := []*Change{d.init(t, "ann")}
		who := "ann"
		if random.IntN(2) == 0 {
			who = "carol"
			changes = append(changes, d.init(t, who))
		}
		if len(want) > 0 && random.IntN(2) == 0 {
			edit := edits(d.host.editor, round)
			d.write(t, edit(t, d.read(t)))
			want = edit(t, want)
		}
		d.inPlace(t, who)
		for _, c := range append(changes, d.remove(t)) {
			if c.Edited != "" {
				t.Errorf("in round %d, %s would hold what nobody edited", round, c.Edited)
				return false
			}
		}
		if got := d.read(t); !bytes.Equal(got, want) || (got == nil) != (want == nil) {
			t.Errorf("in round %d:\n%s", round, cmp.Diff(string(want), string(got)))
			return false
		}
	}
	return true
}

// SETUP-5: the same of every file and with every edit, without a disk.
func TestSETUP5_EditsStay(t *testing.T) {
	eachSample(t, func(t *testing.T, d desk, before []byte) {
		if len(before) == 0 {
			return
		}
		after, err := d.host.editor.set(before, d.words("ann"))
		if err != nil {
			t.Fatal(err)
		}
		if d.host.Name == "opencode" {
			return
		}
		edit := edits(d.host.editor, 7)
		got, err := d.host.editor.unset(edit(t, after), before)
		if err != nil {
			t.Fatal(err)
		}
		if want := edit(t, before); !bytes.Equal(got, want) {
			t.Errorf("what is left is not the edit:\n%s", cmp.Diff(string(want), string(got)))
		}
	})
}

// edits is an edit by somebody else that does not depend on what is ours: behind
// the end and, where the object has members, in front of the first one.
func edits(e editor, round int) func(testing.TB, []byte) []byte {
	return func(t testing.TB, text []byte) []byte {
		nl := newline(text)
		if _, yaml := e.(handlers); yaml {
			return append([]byte(fmt.Sprintf("# round %d%s", round, nl)), text...)
		}
		doc, err := parseJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.Clone(text)
		if doc.root == nil || len(doc.root.items) == 0 || doc.root.items[0].key == "hooks" || doc.root.items[0].key == "version" {
			return append(text, nl+nl...)
		}
		at := doc.root.items[0].start
		return apply(text, cut{at, at, fmt.Sprintf("\"round%d\": [%d, \"tundish\"],%s  ", round, round, nl)})
	}
}
