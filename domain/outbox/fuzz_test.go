package outbox

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tundish-go/tundish/domain"
)

// OUT-1: whatever comes in, what is accepted keeps the bounds, and the digest tells
// bodies apart.
func FuzzAcceptance(f *testing.F) {
	f.Fuzz(func(t *testing.T, workspace, session, user, cmid, text string, model []byte) {
		a := Acceptance{ID: "ob_1", Lane: Lane{workspace, session}, UserID: user, ClientMessageID: cmid, Text: text, Model: model}
		err := a.Check()
		label := func(s string) bool { return utf8.ValidString(s) && len(s) <= 255 && domain.Escape(s) == s }
		want := label(workspace) && workspace != "" && label(session) && session != "" && label(user) && label(cmid) &&
			text != "" && len(text) <= 102400 && utf8.ValidString(text) &&
			(len(model) == 0 || len(model) <= 16384 && json.Valid(model) && utf8.Valid(model))
		if (err == nil) != want {
			t.Fatalf("Check: %v, want accepted=%t", err, want)
		}
		if err != nil {
			if domain.CodeOf(err) != domain.Invalid || len(err.Error()) > 1024 || strings.ContainsAny(err.Error(), "\n\x00\x1b") {
				t.Fatalf("refused with %q", err)
			}
			return
		}
		checkDigest(t, a)
		e, err := DefaultConfig().Admit(a, Facts{}, at())
		if err != nil || e.Text != text || e.Check() != nil {
			t.Fatalf("admitted %+v, %v", e, err)
		}
		line, err := json.Marshal(e)
		var back Entry
		if err != nil || json.Unmarshal(line, &back) != nil || back.Text != text || back.UserID != user || back.WorkspaceID != workspace {
			t.Fatalf("%s, %v", line, err)
		}
		var first, last any
		if len(model) > 0 && (json.Unmarshal(model, &first) != nil || json.Unmarshal(e.Model, &last) != nil || len(e.Model) > len(model)) {
			t.Fatalf("the model %q became %q", model, e.Model)
		}
	})
}

// checkDigest changes a body in every way that must show, and in those that must not.
func checkDigest(t *testing.T, a Acceptance) {
	t.Helper()
	digest := a.Digest()
	other := func(change func(*Acceptance)) string { b := a; change(&b); return b.Digest() }
	same := func(b *Acceptance) {
		if len(b.Model) > 0 {
			b.Model = bytes.Join([][]byte{nil, b.Model, nil}, []byte(" \n\t"))
		}
		b.ID, b.UserID, b.ClientMessageID, b.Lane = "", "", "", Lane{}
	}
	if other(same) != digest || len(digest) != 64 {
		t.Fatal("the digest depends on more than the body")
	}
	for name, change := range map[string]func(*Acceptance){
		"longer text": func(b *Acceptance) { b.Text += " " },
		"cut text":    func(b *Acceptance) { b.Text = b.Text[1:] },
		"shifted":     func(b *Acceptance) { b.Text, b.Model = b.Text+string(compact(b.Model))+"1", nil },
		"wrapped":     func(b *Acceptance) { b.Model = append(append([]byte("["), b.Model...), ']') },
	} {
		if other(change) == digest {
			t.Fatalf("%s: the digest is the same", name)
		}
	}
}
