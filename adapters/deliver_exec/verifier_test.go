package deliverexec

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
)

// OUT-15: one known word and exit code 0 are a verdict, all else proves nothing
// and says why.
func TestOUT15_Verdicts(t *testing.T) {
	const unsure = outbox.VerdictInconclusive
	for _, tt := range []struct {
		line string
		want outbox.Verdict
		why  string
	}{
		{"echo delivered", outbox.VerdictDelivered, ""},
		{"printf absent", outbox.VerdictAbsent, ""},
		{"printf '\n  delivered \n\n'; echo noise >&2", outbox.VerdictDelivered, ""},
		{"echo inconclusive; echo asleep >&2", unsure, "asleep"},
		{"echo inconclusive", unsure, "no proof"},
		{"true", unsure, `""`},
		{"echo DELIVERED", unsure, "DELIVERED"},
		{"echo delivered absent", unsure, "no verdict"},
		{"echo delivered; exit 1", unsure, "exit status 1"},
		{"echo absent; kill -9 $$", unsure, "killed"},
		{"printf '%0300d' 0", unsure, "more than 256 bytes"},
		{"echo gone >&2; exit 75", unsure, "gone"},
		{
			`case "$TUNDISH_WORKSPACE/$TUNDISH_SESSION/$TUNDISH_ENTRY/$TUNDISH_ATTEMPT/$TUNDISH_USER" in work?space/ses'$HOME'/ob_1/3/ann) echo delivered;; esac`,
			outbox.VerdictDelivered, "",
		},
		{`read -r line; case "$line" in '{"id":"ob_1",'*'}') echo absent;; esac`, outbox.VerdictAbsent, ""},
	} {
		v, err := NewVerifier("exec", shell(tt.line))
		if err != nil {
			t.Fatal(err)
		}
		got, err := v.Verify(t.Context(), sample())
		if got != tt.want || (err == nil) != (tt.why == "") || err != nil && !strings.Contains(err.Error(), tt.why) {
			t.Errorf("%s: %v, %v", tt.line, got, err)
		}
	}
	v, err := NewVerifier("http", "/no/such/program")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := v.Verify(t.Context(), sample()); got != unsure || err == nil || v.Kind() != "http" {
		t.Errorf("%v, %v, kind %q", got, err, v.Kind())
	}
}

// OUT-15: a verifier that hangs is ended, and what holds its pipes afterwards is
// not waited for.
func TestOUT15_AVerifierThatDoesNotEnd(t *testing.T) {
	b := newBoard(t)
	verifier := func(args ...string) *Verifier {
		v, err := NewVerifier("", strings.Join(append([]string{os.Args[0], "child"}, args...), " "))
		if err != nil {
			t.Fatal(err)
		}
		v.limits.linger = 100 * time.Millisecond
		return v
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { b.next(); cancel() }()
	got, err := verifier("hang", b.address()).Verify(ctx, sample())
	if got != outbox.VerdictInconclusive || err == nil || !strings.Contains(err.Error(), "time was up") {
		t.Errorf("%v, %v", got, err)
	}
	got, err = verifier("leave", "hang", b.address(), "0").Verify(t.Context(), sample())
	if got != outbox.VerdictDelivered || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	b.next().exit(0)
}

// OUT-15: a ledger's answer is one word, with or without the prefix; nothing is
// no row, and another exit than 0 no answer.
func TestOUT15_LedgerAnswers(t *testing.T) {
	const ids = `[ "$TUNDISH_WORKSPACE/$TUNDISH_SESSION/$TUNDISH_ENTRY/$TUNDISH_ATTEMPT" = ws/ses/ob_2/7 ] && `
	for _, tt := range []struct {
		line, want string
		fails      bool
	}{
		{ids + "echo ADMITTED", outbox.LedgerStateAdmitted, false},
		{"echo LEDGER_STATE_FAILED", outbox.LedgerStateFailed, false},
		{"echo TURN_ENDED", outbox.LedgerStateTurnEnded, false},
		{"echo whatever", "LEDGER_STATE_whatever", false},
		{"true", "", false},
		{"echo", "", false},
		{"exit 1", "", true},
		{"echo ADMITTED; exit 75", "", true},
		{"echo ADMITTED PROMOTED", "", true},
		{"kill -9 $$", "", true},
		{fmt.Sprintf("printf '%%0%dd' 0", maxAnswer+1), "", true},
	} {
		ledger, err := NewLedger(shell(tt.line))
		if err != nil {
			t.Fatal(err)
		}
		got, err := ledger(t.Context(), "ws", "ses", "ob_2", 7)
		if got != tt.want || (err != nil) != tt.fails {
			t.Errorf("%s: %q, %v", tt.line, got, err)
		}
	}
}
