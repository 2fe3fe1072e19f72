package setup

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
)

// SETUP-6: what is to be run repeats whom the hook is for and where its mail is, and
// can be pasted.
func TestSETUP6_RemediesCanBePasted(t *testing.T) {
	for _, host := range Names() {
		for _, project := range []bool{false, true} {
			d := newDesk(t, host)
			if d.place.Project = project; d.host.Path(d.place) == "" {
				continue
			}
			flags := []string{"--db", "/a b/it's.db", "--config", "/etc/c.yml"}
			words := d.host.Command("/gone/tundish", "ann", flags...)
			applied(t, func() (*Change, error) { return Plan(d.host, d.place, words) })
			r := Check(d.host, d.place, "")
			want := slices.Concat([]string{"tundish"}, flags, []string{"init", host, "--as", "ann"})
			if project {
				want = append(want, "--project")
			}
			want = append(want, "--no-subscribe")
			at := slices.IndexFunc(r.Findings, func(f Finding) bool { return strings.Contains(f.What, "runs /gone/tundish") })
			if at < 0 {
				t.Fatalf("the program is not missed: %+v", r)
			}
			line, ok := strings.CutPrefix(r.Findings[at].Remedy, "run ")
			if got := split(line); !ok || !slices.Equal(got, want) {
				t.Errorf("%s says %q, want %q", host, got, want)
			}
			if !slices.Equal(r.Flags, flags) {
				t.Errorf("the flags are %q, want %q", r.Flags, flags)
			}
		}
	}
}

// SETUP-6: hooks that look into different databases are found.
func TestSETUP6_TwoDatabases(t *testing.T) {
	d := newDesk(t, "claude-code")
	words := d.host.Command(program(t, d), "ann", "--db", "/x.db")
	applied(t, func() (*Change, error) { return Plan(d.host, d.place, words) })
	if r := Check(d.host, d.place, ""); !r.Delivers {
		t.Fatalf("there is %+v", r)
	}
	d.write(t, bytes.Replace(d.read(t), []byte("--db /x.db"), []byte("--db /y.db"), 1))
	if r := Check(d.host, d.place, ""); r.Delivers || !strings.Contains(says(r, Bad), "another database than another hook") {
		t.Errorf("there is %+v", r)
	}
}

// SETUP-5: a removal says whose hooks go, where their mail is, and which copy stays.
func TestSETUP5_WhatARemovalLeaves(t *testing.T) {
	d := newDesk(t, "claude-code")
	d.write(t, []byte("{\n  \"a\": 1\n}\n"))
	words := append(d.words("ann"), "--db", "/x.db")
	applied(t, func() (*Change, error) { return Plan(d.host, d.place, words) })
	c, err := Undo(d.host, d.place)
	if err != nil || c.Stays != "" || !slices.Equal(c.Whose, []string{"ann"}) || !slices.Equal(c.Flags, []string{"--db", "/x.db"}) {
		t.Errorf("untouched (%v): %+v", err, c)
	}
	text := bytes.Replace(d.read(t), []byte(`"a": 1`), []byte(`"a": 2`), 1)
	d.write(t, bytes.Replace(text, []byte("--as ann"), []byte("--as bob"), 1))
	if c = d.remove(t); c.Stays != d.path+".before-tundish" || !slices.Equal(c.Whose, []string{"bob", "ann"}) {
		t.Errorf("edited: %+v", c)
	}
	if _, err := os.Stat(c.Stays); err != nil {
		t.Error(err)
	}
}
