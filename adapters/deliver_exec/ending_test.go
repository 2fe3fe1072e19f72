package deliverexec

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
)

// OUT-15: when the time is up the whole group ends, whatever it does about
// SIGTERM, and the outcome is not known, not even after exit code 0.
func TestOUT15_TheTimeIsUp(t *testing.T) {
	for _, tt := range []struct {
		role  []string
		grace time.Duration
	}{
		{[]string{"polite"}, time.Minute},
		{[]string{"hang"}, time.Minute},
		{[]string{"parent", "stubborn"}, time.Minute},
		{[]string{"stubborn"}, time.Millisecond},
	} {
		t.Run(strings.Join(tt.role, " "), func(t *testing.T) {
			b := newBoard(t)
			d := self(t, tt.role[0], append(tt.role[1:], b.address())...)
			d.limits.grace = tt.grace
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error, 1)
			entry, send := sample(), mine(sample())
			send.Note = func(_ context.Context, peerID string) error { entry.PeerID = peerID; return nil }
			go func() { done <- d.Deliver(ctx, send) }()
			program := b.next()
			cancel()
			wantOutcome(t, <-done, outbox.UnknownOutcome)
			program.last()
			eventually(t, "end of the group", func() bool { return !d.Running(entry) })
		})
	}
}

// eventually waits for what no file and no connection tells.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	limit := time.After(30 * time.Second)
	for !holds() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("no %s within 30 s", what)
		}
	}
}

// OUT-15: time that is up before the entry is written leaves nothing behind.
func TestOUT15_TheTimeIsUpBeforeTheEntryIsWritten(t *testing.T) {
	b := newBoard(t)
	d := self(t, "relay", b.address())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var program caller
	send := mine(sample())
	send.Note = func(context.Context, string) error { program = b.next(); return nil }
	send.Held = func(context.Context) error { cancel(); return nil }
	wantOutcome(t, d.Deliver(ctx, send), outbox.TransientOutcome)
	if got := program.last(); got != "" {
		t.Errorf("the program read %q", got)
	}
}

// OUT-15: what a program leaves running is neither waited for nor ended, and
// still counts as the send that goes on.
func TestOUT15_AProgramThatLeavesAnotherBehind(t *testing.T) {
	for code, want := range map[int]outbox.Outcome{0: outbox.Delivered, 76: outbox.UnknownOutcome} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			b := newBoard(t)
			d := self(t, "leave", "hang", b.address(), fmt.Sprint(code))
			d.limits.linger = time.Millisecond
			entry, send := sample(), mine(sample())
			send.Note = func(_ context.Context, peerID string) error { entry.PeerID = peerID; return nil }
			wantOutcome(t, d.Deliver(t.Context(), send), want)
			heir := b.next()
			if !d.Running(entry) {
				t.Error("what was left behind does not count")
			}
			heir.exit(0)
			heir.last()
			eventually(t, "end of the group", func() bool { return !d.Running(entry) })
		})
	}
}

// OUT-15: the error shows the end of what the program said, in one line of at
// most 1 KiB.
func TestOUT15_TheErrorQuotesTheProgram(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"echo no such session >&2", "exit status 9: no such session"},
		{`printf 'one\ntwo\033[31m\n' >&2`, `one\u000atwo\u001b[31m`},
		{"i=0; while [ $i -lt 300 ]; do echo line $i >&2; i=$((i+1)); done", "line 298\\u000aline 299"},
		{`i=0; while [ $i -lt 900 ]; do printf '\001' >&2; i=$((i+1)); done; echo end >&2`, "end"},
		{`printf '\377\377' >&2`, "\uFFFD"},
		{"true", "sh ended with exit status 9"},
	} {
		d, err := New(shell(tt.line + "; exit 9"))
		if err != nil {
			t.Fatal(err)
		}
		text := d.Deliver(t.Context(), mine(sample())).Error()
		if !strings.HasSuffix(text, tt.want) || len(text) > outbox.MaxErrorBytes || strings.ContainsAny(text, "\n\x01\x1b") {
			t.Errorf("%s: %d bytes: %s", tt.line, len(text), text)
		}
	}
}

// OUT-15: a program that shows a secret of the environment has its words
// withheld, and arguments are never shown.
func TestOUT15_TheErrorHidesSecrets(t *testing.T) {
	const secret = "s3cret-of-the-receiver"
	t.Setenv("TUNDISH_DELIVER_TOKEN", secret)
	for _, line := range []string{
		"echo $TUNDISH_DELIVER_TOKEN >&2",
		"env >&2",
		// Only the end of the secret lies in what could be quoted.
		fmt.Sprintf("printf '%%s%%0%dd' $TUNDISH_DELIVER_TOKEN 0 >&2", maxQuote-5),
		": argument",
	} {
		d, err := New(shell(line+"; exit 9") + " argument")
		if err != nil {
			t.Fatal(err)
		}
		text := d.Deliver(t.Context(), mine(sample())).Error()
		if strings.Contains(text, secret[len(secret)-5:]) || strings.Contains(text, "argument") {
			t.Errorf("%s: %s", line, text)
		}
	}
}
