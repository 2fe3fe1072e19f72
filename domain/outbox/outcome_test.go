package outbox

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// OUT-13: what a deliverer's error means, however it is wrapped.
func TestOUT13_OutcomeOf(t *testing.T) {
	wait := func(err error, after time.Duration) error { return &RetryAfterError{err, after} }
	tests := []struct {
		name  string
		err   error
		want  Outcome
		after time.Duration
	}{
		{"nil", nil, Delivered, 0},
		{"plain", io.EOF, Definitive, 0},
		{"lease lost", ErrLeaseLost, Definitive, 0},
		{"ambiguous", Ambiguous(io.EOF), UnknownOutcome, 0},
		{"transient", Transient(io.EOF), TransientOutcome, 0},
		{"prior", PriorAttemptPending(io.EOF), PriorPending, 0},
		{"pointless", Pointless(io.EOF), PointlessOutcome, 0},
		{"without a cause", Ambiguous(nil), UnknownOutcome, 0},
		{"wrapped", fmt.Errorf("send: %w", fmt.Errorf("post: %w", Transient(io.EOF))), TransientOutcome, 0},
		{"joined", errors.Join(io.EOF, Pointless(io.EOF)), PointlessOutcome, 0},
		{"ambiguous before prior", errors.Join(PriorAttemptPending(io.EOF), Ambiguous(io.EOF)), UnknownOutcome, 0},
		{"prior before transient", errors.Join(Transient(io.EOF), PriorAttemptPending(io.EOF)), PriorPending, 0},
		{"transient before pointless", Pointless(Transient(io.EOF)), TransientOutcome, 0},
		{"asks for time", wait(io.EOF, time.Minute), Definitive, time.Minute},
		{"transient, asks for time", Transient(wait(io.EOF, time.Minute)), TransientOutcome, time.Minute},
		{"asks for time, transient", wait(Transient(io.EOF), time.Minute), TransientOutcome, time.Minute},
		{"ambiguous, asks for time", Ambiguous(wait(io.EOF, time.Minute)), UnknownOutcome, time.Minute},
		{"prior, asks for time", PriorAttemptPending(wait(io.EOF, time.Minute)), PriorPending, time.Minute},
		{"pointless, asks for time", Pointless(wait(io.EOF, time.Minute)), PointlessOutcome, time.Minute},
		{"asks for an hour", wait(io.EOF, time.Hour), Definitive, time.Hour},
		{"asks for more", wait(io.EOF, time.Hour+1), Definitive, time.Hour},
		{"asks for less than nothing", wait(io.EOF, -1), Definitive, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, after := OutcomeOf(tt.err); got != tt.want || after != tt.after {
				t.Errorf("%d and %v, want %d and %v", got, after, tt.want, tt.after)
			}
		})
	}
}

// OUT-13: a mark keeps its cause and its text, and has one of its own without.
func TestOUT13_MarksKeepTheirCause(t *testing.T) {
	for name, mark := range map[string]func(error) error{
		"ambiguous": Ambiguous, "transient": Transient, "prior": PriorAttemptPending, "pointless": Pointless,
		"after": func(err error) error { return &RetryAfterError{Err: err} },
	} {
		if err := mark(io.EOF); !errors.Is(err, io.EOF) || err.Error() != "EOF" {
			t.Errorf("%s: %v", name, err)
		}
		if err := mark(nil); err.Error() == "" || errors.Unwrap(err) != nil {
			t.Errorf("%s: %q", name, err)
		}
	}
	var a *AmbiguousError
	var tr *TransientDeliveryError
	var p *PriorAttemptPendingError
	if !errors.As(Ambiguous(io.EOF), &a) || !errors.As(Transient(io.EOF), &tr) || !errors.As(PriorAttemptPending(io.EOF), &p) ||
		!errors.Is(a.Err, io.EOF) || !errors.Is(tr.Err, io.EOF) || !errors.Is(p.Err, io.EOF) {
		t.Error("a mark has no Err")
	}
}

// OUT-8, OUT-13: each refusal has a text of its own.
func TestOUT8_Refusals(t *testing.T) {
	seen := map[string]bool{}
	for r := range Refusal(6) {
		text := r.Error()
		if (text == "refused") != (r == 0 || r > Unasked) || text != "refused" && seen[text] {
			t.Errorf("%d: %q", r, text)
		}
		seen[text] = true
	}
}

// lastError is what is kept of an error's text.
func lastError(t interface{ Fatal(...any) }, text string) string {
	e, _, err := policy().Next(sending(), Settled{Token: token, AttemptNo: 2, Outcome: Definitive, Err: text}, at())
	if err != nil {
		t.Fatal(err)
	}
	return e.LastError
}

// OUT-13: an error's text is kept as one line of at most 1 KiB.
func TestOUT13_LastErrorIsClipped(t *testing.T) {
	x, e := strings.Repeat("x", 1023), strings.Repeat("é", 600)
	tests := []struct{ text, want string }{
		{"", ""},
		{"plain", "plain"},
		{"a\nb\t\x1b[31m\u202e", `a\u000ab\u0009\u001b[31m\u202e`},
		{"a\xffb", "a\uFFFDb"},
		{x + "y", x + "y"},
		{x + "yz", x + "y"},
		{x + "é", x},
		{x + "\n", x},
		{x[:1018] + "\nz", x[:1018] + `\u000a`},
		{x[:1019] + "\nz", x[:1019]},
		{x[:1012] + "\U000E0041z", x[:1012] + `\udb40\udc41`},
		{x[:1013] + "\U000E0041z", x[:1013]},
		{x[:1021] + "🔥z", x[:1021]},
		{e, e[:1024]},
		{"x" + e, "x" + e[:1022]},
		{strings.Repeat("\x00", 2000), strings.Repeat(`\u0000`, 170)},
	}
	for _, tt := range tests {
		if got := lastError(t, tt.text); got != tt.want {
			t.Errorf("%.30q… of %d bytes became %q", tt.text, len(tt.text), got)
		}
	}
}

// OUT-13: whatever the text.
func TestOUT13_LastErrorHoldsForAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"a", "0123456789", "\n", "\x00", "é", "日", "🔥", "\U000E0041", "\xff", "\xf0\x9f", "\u202e"})
		text := strings.Join(rapid.SliceOfN(piece, 0, 700).Draw(t, "text"), "")
		got := lastError(t, text)
		if len(got) > 1024 || !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return r < ' ' || r == 0x202E || r >= 0xE0000 }) {
			t.Fatalf("%q", got)
		}
		if len(text) <= 1024/12 && utf8.ValidString(text) && strings.Count(got, "a") < strings.Count(text, "a") {
			t.Fatalf("%q became %q", text, got)
		}
	})
}
