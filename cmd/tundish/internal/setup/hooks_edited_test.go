package setup

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// handEdit is an edit of a file by somebody, given its first hook of ours.
type handEdit struct {
	name string
	init bool // init takes it back too, not --remove alone
	make func(h hooks, d jsonText, at hook) []byte
}

// into puts other words into a command.
func into(old, with string) func(hooks, jsonText, hook) []byte {
	return func(_ hooks, d jsonText, at hook) []byte {
		return apply(d.text, cut{at.text.start, at.text.end, quote(strings.Replace(at.command, old, with, 1))})
	}
}

func handEdits() []handEdit {
	return []handEdit{
		{"a flag", true, into(" --hook ", " --max-bytes 2000 --hook ")},
		{"a flag behind", true, into("--as ann", "--as ann --timeout 3s")},
		{"a program in front", true, into("'/opt", "env A=b '/opt")},
		{"a redirection", true, into("--due", "--due 2>/dev/null")},
		{"other quotes", true, into("'/opt/my tools/tundish'", `"/opt/my tools/tundish"`)},
		{"the same flag in each", true, func(_ hooks, d jsonText, _ hook) []byte {
			return bytes.ReplaceAll(d.text, []byte(" --due "), []byte(" --due --max-bytes 2000 "))
		}},
		{"a repeat", true, func(h hooks, d jsonText, at hook) []byte { return d.insert(at.array, "", h.entry(at.command)) }},
		{"one for another", true, func(h hooks, d jsonText, at hook) []byte {
			return d.insert(at.array, "", h.entry(strings.Replace(at.command, "--as ann", "--as eve", 1)))
		}},
		{"another time", false, func(h hooks, d jsonText, at hook) []byte {
			limit := at.handler.member(h.timeout)
			return apply(d.text, cut{limit.start, limit.end, "17"})
		}},
		{"no time", false, func(_ hooks, d jsonText, at hook) []byte { return d.remove(at.handler, len(at.handler.items)-1) }},
		{"a member", false, func(_ hooks, d jsonText, at hook) []byte { return d.insert(at.handler, "statusMessage", `"mine"`) }},
		{"a comment", false, func(_ hooks, d jsonText, at hook) []byte {
			return apply(d.text, cut{at.text.end, at.text.end, " /* mine */"})
		}},
		{"a matcher", false, func(_ hooks, d jsonText, at hook) []byte {
			if at.group == nil {
				return nil
			}
			return d.insert(at.group, "matcher", `"startup"`)
		}},
		{"another event", false, func(h hooks, d jsonText, at hook) []byte {
			return d.insert(d.root.member("hooks"), "Mine", "["+h.entry(at.command)+"]")
		}},
	}
}

// edited makes an edit of a text; nil where it makes no sense.
func (e handEdit) edited(t *testing.T, h hooks, text []byte) []byte {
	t.Helper()
	d, err := parseJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	found, err := h.list(d)
	if err != nil || len(found) == 0 {
		t.Fatal(found, err)
	}
	after := e.make(h, d, found[0])
	if bytes.Equal(after, text) {
		t.Fatalf("%s: nothing was edited", e.name)
	}
	return after
}

// must is what an editor made.
func must(t *testing.T) func(text []byte, err error) []byte {
	return func(text []byte, err error) []byte {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
}

// SETUP-4, SETUP-5: what somebody wrote into a hook of ours is seen when it goes, in
// any file, and only then; without it there is nothing to lose. Each file gets a third
// of the edits.
func TestSETUP4_EditedHooksAreSeen(t *testing.T) {
	eachSample(t, func(t *testing.T, d desk, before []byte) {
		h, is := d.host.editor.(hooks)
		if !is {
			return
		}
		fresh := must(t)(h.set(before, d.words("ann")))
		if h.loses(fresh, must(t)(h.set(fresh, d.words("bob")))) || h.loses(fresh, before) || h.loses(before, fresh) {
			t.Error("something is lost of what nobody edited")
		}
		for i, e := range handEdits() {
			if (i+len(before))%3 != 0 {
				continue
			}
			edited := e.edited(t, h, fresh)
			if edited == nil {
				continue
			}
			if after := must(t)(h.set(edited, d.words("bob"))); h.loses(edited, after) != e.init {
				t.Errorf("%s: that init loses it is %t in\n%s", e.name, !e.init, edited)
			}
			after := must(t)(h.unset(edited, before))
			if !h.loses(edited, after) {
				t.Errorf("%s: nothing is lost of\n%s", e.name, edited)
			}
			if !bytes.Equal(after, before) {
				t.Errorf("%s: the file is not as it was:\n%s", e.name, cmp.Diff(string(before), string(after)))
			}
		}
	})
}

// SETUP-4: hooks that somebody edited are kept when init or a removal takes that
// back, also where all of them have the same flag more.
func TestSETUP4_EditedHooksAreKept(t *testing.T) {
	eachSample(t, func(t *testing.T, d desk, before []byte) {
		h, is := d.host.editor.(hooks)
		if !is || before != nil && !strings.HasSuffix(t.Name(), "/settings.json") {
			return
		}
		t.Parallel()
		for _, e := range handEdits() {
			d.init(t, "ann")
			edited := e.edited(t, h, d.read(t))
			if edited == nil {
				continue
			}
			d.write(t, edited)
			if again := d.init(t, "bob"); e.init {
				d.kept(t, again, "-1", edited)
				d.inPlace(t, "bob")
			} else if again.Edited != "" {
				t.Errorf("%s: it stays, and yet there is a copy %s", e.name, again.Edited)
			}
			d.write(t, edited)
			d.planned(t, func() (*Change, error) { return Undo(d.host, d.place) }, d.path+".before-tundish-1")
			c := d.remove(t)
			d.kept(t, c, "-1", edited)
			for _, path := range []string{c.Edited, c.Stays} {
				if path == "" {
					continue
				}
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
			d.same(t, before)
		}
	})
}

// SETUP-4: what init wrote gets no copy, for whomever it was, with whatever flags,
// and though a host wrote its file anew; nor do the hooks of others beside it.
func TestSETUP4_WrittenHooksGo(t *testing.T) {
	for _, host := range Names() {
		d := newDesk(t, host)
		h, is := d.host.editor.(hooks)
		if !is {
			continue
		}
		for _, words := range [][]string{d.words("ann"), d.host.Command(`C:\it's "mine"\tundish`, "tundish", "--db", "/a b", "--config", "<ü>")} {
			fresh := must(t)(h.set(nil, words))
			var spaced, tight bytes.Buffer
			if err := json.Indent(&spaced, fresh, "", "\t"); err != nil {
				t.Fatal(err)
			}
			if err := json.Compact(&tight, fresh); err != nil {
				t.Fatal(err)
			}
			doc, err := parseJSON(fresh)
			if err != nil {
				t.Fatal(err)
			}
			found, err := h.list(doc)
			if err != nil {
				t.Fatal(err)
			}
			beside := doc.insert(found[0].array, "", `{"command": "mine"}`)
			if at := found[0].handlers; at != nil {
				beside = doc.insert(at, "", `{"command": "mine"}`)
			}
			for _, text := range [][]byte{fresh, spaced.Bytes(), tight.Bytes(), bytes.ReplaceAll(fresh, []byte("\n"), []byte("\r\n")), beside} {
				if after := must(t)(h.set(text, d.words("bob"))); h.loses(text, after) {
					t.Errorf("%s: init loses something of\n%s", host, text)
				}
				if after := must(t)(h.unset(text, nil)); h.loses(text, after) {
					t.Errorf("%s: the removal loses something of\n%s", host, text)
				}
			}
		}
	}
}

// SETUP-5: a comment that somebody wrote between brackets stays, though they were
// empty before, or not there.
func TestSETUP5_CommentsBetweenBracketsStay(t *testing.T) {
	h, is := claudeCode().editor.(hooks)
	if !is {
		t.Fatal("claude-code has another editor")
	}
	for _, base := range [][]byte{nil, []byte("\n"), []byte("{}\n"), []byte("{\n  \"hooks\": {\n  }\n}\n"), []byte(`{"hooks": {"Stop": []}}`)} {
		fresh := must(t)(h.set(base, claudeCode().Command("/x/tundish", "ann")))
		for _, at := range []string{"{", `"hooks": {`, `"Stop": [`} {
			edited := bytes.Replace(fresh, []byte(at), []byte(at+" /* mine */"), 1)
			if after := must(t)(h.unset(edited, base)); !bytes.Contains(after, []byte("/* mine */")) || bytes.Contains(after, []byte("tundish")) {
				t.Errorf("%q, with a comment behind %s, becomes %q", base, at, after)
			}
		}
	}
}

// SETUP-6: an edit with which mail comes all the same is not wrong.
func TestSETUP6_EditsThatDeliver(t *testing.T) {
	for _, host := range Names() {
		d := newDesk(t, host)
		h, is := d.host.editor.(hooks)
		if !is || host == "codex" { // which trusts no edit
			continue
		}
		words := d.host.Command(program(t, d), "ann")
		fresh := must(t)(h.set(nil, words))
		for _, e := range handEdits() {
			if strings.HasSuffix(e.name, "quotes") || strings.HasSuffix(e.name, "in front") {
				continue // of another program
			}
			if e.name == "another time" && host == "gemini" {
				continue // 17 ms are too short
			}
			edited := e.edited(t, h, fresh)
			if edited == nil {
				continue
			}
			d.write(t, edited)
			if r := Check(d.host, d.place, "ann"); !r.Delivers || says(r, Bad) != "" || (says(r, Note) != "") != (e.name == "no time") {
				t.Errorf("%s, %s: the report is %+v", host, e.name, r)
			}
		}
	}
}

// SETUP-6: with hooks for two subscribers at each event, either gets mail, whoever has
// one at another event; a short time limit is wrong, whatever long ones are in front.
func TestSETUP6_TwoSubscribers(t *testing.T) {
	d := newDesk(t, "cursor")
	binary := program(t, d)
	h, is := d.host.editor.(hooks)
	if !is {
		t.Fatal("cursor has another editor")
	}
	text := must(t)(h.set(nil, d.host.Command(binary, "ann")))
	text = must(t)(run(text, func(doc jsonText) []byte {
		for _, event := range slices.Backward(h.events) {
			doc.text = doc.insert(doc.root.member("hooks").member(event), "", h.entry(join(d.host.Command(binary, "eve"))))
		}
		return doc.text
	}, func(doc jsonText) []byte {
		return doc.insert(doc.root.member("hooks"), "Mine", "["+h.entry(join(d.host.Command(binary, "zoe")))+"]")
	}))
	d.write(t, text)
	for _, who := range []string{"", "ann", "eve"} {
		if r := Check(d.host, d.place, who); !r.Delivers || who != "" && r.Subscriber != who {
			t.Errorf("for %q the report is %+v", who, r)
		}
	}
	d.write(t, bytes.Replace(text, []byte("--as eve"), []byte("--as bob"), 1))
	if r := Check(d.host, d.place, "eve"); r.Delivers || strings.Count(says(r, Bad), "pulls for ann and another hook for eve") != 1 {
		t.Errorf("with an event less the report is %+v", r)
	}
	long := bytes.ReplaceAll(text, []byte(`"timeout": 5`), []byte(`"timeout": 90`))
	d.write(t, long)
	if r := Check(d.host, d.place, ""); !r.Delivers || strings.Count(says(r, Note), "time limit 90; set it to 5 s") != 1 {
		t.Errorf("with a long time the report is %+v", r)
	}
	last := bytes.LastIndex(long, []byte("90"))
	d.write(t, apply(long, cut{last, last + 2, "0"}))
	if r := Check(d.host, d.place, ""); r.Delivers || strings.Count(says(r, Bad), "time limit 0; set it to 5 s") != 1 || says(r, Note) != "" {
		t.Errorf("without time the report is %+v", r)
	}
}
