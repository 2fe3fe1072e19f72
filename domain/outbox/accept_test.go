package outbox

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tundish-go/tundish/domain"
)

func acceptance(changes ...func(*Acceptance)) Acceptance {
	a := Acceptance{ID: "ob_9", Lane: Lane{"w", "s"}, UserID: "u", ClientMessageID: "c", Text: "hi", Model: []byte(`{"a": 1}`)}
	for _, c := range changes {
		c(&a)
	}
	return a
}

// OUT-1: what can be accepted.
func TestOUT1_CheckAccepts(t *testing.T) {
	for name, change := range map[string]func(*Acceptance){
		"all":             func(*Acceptance) {},
		"one byte":        func(a *Acceptance) { a.Text = "x" },
		"100 KiB":         func(a *Acceptance) { a.Text = strings.Repeat("x", 100<<10) },
		"any characters":  func(a *Acceptance) { a.Text = "\x00\x1b\n\u202e" },
		"16 KiB of model": func(a *Acceptance) { a.Model = []byte(`"` + strings.Repeat("m", 16<<10-2) + `"`) },
		"no model":        func(a *Acceptance) { a.Model = nil },
		"empty model":     func(a *Acceptance) { a.Model = []byte{} },
		"null":            func(a *Acceptance) { a.Model = []byte("null") },
		"nobody":          func(a *Acceptance) { a.UserID, a.ClientMessageID = "", "" },
		"long names": func(a *Acceptance) {
			n := strings.Repeat("n", 255)
			a.Lane, a.UserID, a.ClientMessageID = Lane{n, n}, n, n
		},
		"brackets": func(a *Acceptance) { a.Lane = Lane{"a]/b", "c d"} },
	} {
		if err := acceptance(change).Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// OUT-1: what cannot, and that the error names it.
func TestOUT1_CheckRefuses(t *testing.T) {
	long := strings.Repeat("n", 256)
	for want, changes := range map[string][]func(*Acceptance){
		"the workspace": {
			func(a *Acceptance) { a.Lane.Workspace = "" }, func(a *Acceptance) { a.Lane.Workspace = long },
			func(a *Acceptance) { a.Lane.Workspace = "a\nb" },
		},
		"the session": {
			func(a *Acceptance) { a.Lane.Session = "" }, func(a *Acceptance) { a.Lane.Session = long }, func(a *Acceptance) { a.Lane.Session = "\xff" },
		},
		"the user":              {func(a *Acceptance) { a.UserID = long }, func(a *Acceptance) { a.UserID = "a\u202e" }},
		"the client message id": {func(a *Acceptance) { a.ClientMessageID = long }, func(a *Acceptance) { a.ClientMessageID = "\t" }},
		"the text is empty":     {func(a *Acceptance) { a.Text = "" }},
		"the text is 102401 bytes long; shorten it to 102400 bytes": {func(a *Acceptance) { a.Text = strings.Repeat("x", 100<<10+1) }},
		"the text is not valid UTF-8":                               {func(a *Acceptance) { a.Text = "a\xff" }, func(a *Acceptance) { a.Text = "\xed\xa0\x80" }},
		"the model is 16385 bytes long":                             {func(a *Acceptance) { a.Model = []byte(`"` + strings.Repeat("m", 16<<10-1) + `"`) }},
		"is not JSON": {
			func(a *Acceptance) { a.Model = []byte("{") }, func(a *Acceptance) { a.Model = []byte(" ") },
			func(a *Acceptance) { a.Model = []byte("{}{}") }, func(a *Acceptance) { a.Model = []byte("\"\xff\"") },
		},
	} {
		for i, change := range changes {
			err := acceptance(change).Check()
			if domain.CodeOf(err) != domain.Invalid || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %d: %v", want, i, err)
			}
		}
	}
}

// OUT-1: equal bodies have equal digests, and others others.
func TestOUT1_Digest(t *testing.T) {
	same := []Acceptance{
		acceptance(), acceptance(func(a *Acceptance) { a.Model = []byte("{ \"a\"\n: 1 }") }),
		acceptance(func(a *Acceptance) { a.ID, a.Lane, a.UserID, a.ClientMessageID = "x", Lane{"y", "z"}, "", "d" }),
	}
	for i, a := range same {
		if a.Digest() != same[0].Digest() {
			t.Errorf("%d differs", i)
		}
	}
	seen := map[string]int{}
	for i, a := range []Acceptance{
		acceptance(), acceptance(func(a *Acceptance) { a.Text = "ho" }), acceptance(func(a *Acceptance) { a.Model = []byte(`{"a":2}`) }),
		acceptance(func(a *Acceptance) { a.Model = nil }), {Text: `hi{"a":1}`}, {Text: "h", Model: []byte("1")}, {Text: "h1"},
	} {
		if before, ok := seen[a.Digest()]; ok {
			t.Errorf("%d is %d", i, before)
		}
		seen[a.Digest()] = i
	}
	// The digest is stored: it must not change from version to version.
	if got, want := acceptance().Digest(), "6e67dc316fa93d6da3e3686d3543e901183de916ec6006163649560443d06865"; got != want {
		t.Errorf("the digest is %s", got)
	}
}

// OUT-1, OUT-13: what becomes of an acceptance.
func TestOUT1_Admit(t *testing.T) {
	c := DefaultConfig()
	a := acceptance()
	living := &Dedupe{Lane: a.Lane, ClientMessageID: "c", EntryID: "ob_1", Digest: a.Digest(), AcceptedAt: at().Add(-time.Hour)}
	edit := func(change func(*Dedupe)) *Dedupe { d := *living; change(&d); return &d }
	old := at().Add(-24 * time.Hour)
	admitted := Entry{
		ID: "ob_9", WorkspaceID: "w", SessionID: "s", ClientMessageID: "c", UserID: "u", Text: "hi", Model: []byte(`{"a":1}`),
		AcceptedAt: at(), Status: StatusPending,
	}
	held := admitted
	held.Status, held.ParkedFrom, held.Reason = StatusParked, StatusPending, "flip"
	anonymous := admitted
	anonymous.ClientMessageID = ""
	nameless := acceptance(func(a *Acceptance) { a.ClientMessageID = "" })
	tests := []struct {
		name  string
		a     Acceptance
		facts Facts
		want  Entry
		err   error
	}{
		{"first", a, Facts{}, admitted, nil},
		{"room for one", a, Facts{Held: 24}, admitted, nil},
		{"full", a, Facts{Held: 25}, Entry{}, ErrCapped},
		{"overfull", a, Facts{Held: 26}, Entry{}, ErrCapped},
		{"held", a, Facts{Hold: &Hold{Reason: "flip", Since: old}}, held, nil},
		{"held and full", a, Facts{Held: 25, Hold: &Hold{}}, Entry{}, ErrCapped},
		{"duplicate", a, Facts{Dedupe: living, Status: StatusPending, Held: 1}, Entry{}, &Duplicate{"ob_1", StatusPending, false}},
		{"duplicate, held", a, Facts{Dedupe: living, Status: StatusParked, Hold: &Hold{}}, Entry{}, &Duplicate{"ob_1", StatusParked, false}},
		{"duplicate, full", a, Facts{Dedupe: living, Status: StatusError, Held: 25}, Entry{}, &Duplicate{"ob_1", StatusError, false}},
		{"duplicate, another body", a, Facts{Dedupe: edit(func(d *Dedupe) { d.Digest = "x" }), Status: StatusVerifying}, Entry{}, &Duplicate{"ob_1", StatusVerifying, true}},
		{"duplicate, delivered", a, Facts{Dedupe: edit(func(d *Dedupe) { d.Final = StatusDelivered })}, Entry{}, &Duplicate{"ob_1", StatusDelivered, false}},
		{"duplicate, dismissed", a, Facts{Dedupe: edit(func(d *Dedupe) { d.Final, d.Digest = StatusDismissed, "" })}, Entry{}, &Duplicate{"ob_1", StatusDismissed, true}},
		{"the last moment", a, Facts{Dedupe: edit(func(d *Dedupe) { d.Final, d.AcceptedAt = StatusDelivered, old.Add(1) })}, Entry{}, &Duplicate{"ob_1", StatusDelivered, false}},
		{"expired", a, Facts{Dedupe: edit(func(d *Dedupe) { d.Final, d.AcceptedAt = StatusDelivered, old })}, admitted, nil},
		{"expired and full", a, Facts{Dedupe: edit(func(d *Dedupe) { d.Final, d.AcceptedAt = StatusDelivered, old }), Held: 25}, Entry{}, ErrCapped},
		{"past the time, but alive", a, Facts{Dedupe: edit(func(d *Dedupe) { d.AcceptedAt = old.Add(-240 * time.Hour) }), Status: StatusPending, Held: 25}, Entry{}, &Duplicate{"ob_1", StatusPending, false}},
		{"without an id", nameless, Facts{Dedupe: living, Status: StatusPending}, anonymous, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := c.Admit(tt.a, tt.facts, at())
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var duplicate *Duplicate
			if errors.As(tt.err, &duplicate) {
				if diff := cmp.Diff(tt.err, err); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			} else if !errors.Is(err, tt.err) {
				t.Errorf("answered %v", err)
			}
		})
	}
}

// OUT-1: what a duplicate says.
func TestOUT1_DuplicateText(t *testing.T) {
	if got := (&Duplicate{"ob_1", StatusPending, false}).Error(); got != "duplicate of ob_1, which is pending" {
		t.Error(got)
	}
	if got := (&Duplicate{"ob_1", StatusDelivered, true}).Error(); got != "duplicate of ob_1, which is delivered and has another body" {
		t.Error(got)
	}
}
