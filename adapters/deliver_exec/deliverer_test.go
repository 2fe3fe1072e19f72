package deliverexec

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/outbox"
)

// OUT-15: the command is split at spaces and no shell sees it; the entry is one
// line of JSON, and its ids are in the environment.
func TestOUT15_TheProgramGetsTheEntry(t *testing.T) {
	t.Setenv("TUNDISH_USER", "somebody else")
	t.Setenv("TUNDISH_DEADLINE_MS", "-5")
	t.Setenv("INHERITED", "yes")
	entry := sample()
	line, err := json.Marshal(entry)
	if err != nil {
		t.Fatal(err)
	}
	run := func(ctx context.Context, e outbox.Entry) seen {
		t.Helper()
		file := filepath.Join(t.TempDir(), "seen")
		if err := self(t, "record", file, "", "$HOME", "*", `"a`, `b"`, "x;y").Deliver(ctx, mine(e)); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var got seen
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	got := run(ctx, entry)
	if want := []string{"$HOME", "*", `"a`, `b"`, "x;y"}; !slices.Equal(got.Args, want) {
		t.Errorf("arguments %q, want %q", got.Args, want)
	}
	if got.Stdin != string(line)+"\n" || strings.Count(got.Stdin, "\n") != 1 {
		t.Errorf("standard input %q, want %s and a newline", got.Stdin, line)
	}
	for _, want := range []string{
		"TUNDISH_WORKSPACE=work space", "TUNDISH_SESSION=ses$HOME", "TUNDISH_ENTRY=ob_1", "TUNDISH_ATTEMPT=3",
		"TUNDISH_USER=ann", "INHERITED=yes",
	} {
		if !slices.Contains(got.Env, want) {
			t.Errorf("no %s in the environment", want)
		}
	}
	left, err := strconv.Atoi(value(got.Env, "TUNDISH_DEADLINE_MS"))
	if err != nil || left < 1 || left > 60_000 {
		t.Errorf("%d ms left, %v", left, err)
	}
	entry.UserID = ""
	got = run(context.Background(), entry)
	for _, name := range []string{"TUNDISH_USER", "TUNDISH_DEADLINE_MS"} {
		if v := value(got.Env, name); v != "" {
			t.Errorf("%s=%s is inherited", name, v)
		}
	}
}

func value(env []string, name string) string {
	for _, setting := range env {
		if v, ok := strings.CutPrefix(setting, name+"="); ok {
			return v
		}
	}
	return ""
}

// OUT-15: what each exit code means.
func TestOUT15_ExitCodes(t *testing.T) {
	special := map[int]outbox.Outcome{
		0: outbox.Delivered, 75: outbox.TransientOutcome, 76: outbox.UnknownOutcome, 79: outbox.PriorPending,
	}
	for code := range 256 {
		want, ok := special[code]
		if !ok {
			want = outbox.Definitive
		}
		d, err := New(shell(fmt.Sprintf("read -r entry; exit %d", code)))
		if err != nil {
			t.Fatal(err)
		}
		err = d.Deliver(t.Context(), mine(sample()))
		if got, _ := outbox.OutcomeOf(err); got != want {
			t.Errorf("exit code %d: outcome %d, want %d: %v", code, got, want, err)
		}
	}
}

// OUT-15: a program that cannot be started got nothing.
func TestOUT15_NotStartable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(file, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"/no/such/program", "no-such-program-in-the-path", file, filepath.Dir(file)} {
		d, err := New(command)
		if err != nil {
			t.Fatal(err)
		}
		send := mine(sample())
		send.Note = func(context.Context, string) error { t.Error("noted"); return nil }
		wantOutcome(t, d.Deliver(t.Context(), send), outbox.TransientOutcome)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	wantOutcome(t, self(t, "hang", "127.0.0.1:1").Deliver(over, mine(sample())), outbox.TransientOutcome)
}

// OUT-15: nobody knows what a program did that a signal ended.
func TestOUT15_EndedByASignal(t *testing.T) {
	for _, name := range []string{"KILL", "TERM", "SEGV"} {
		d, err := New(shell("kill -" + name + " $$"))
		if err != nil {
			t.Fatal(err)
		}
		wantOutcome(t, d.Deliver(t.Context(), mine(sample())), outbox.UnknownOutcome)
	}
}

// OUT-15: a program may end without reading, however long the entry is.
func TestOUT15_ADeafProgram(t *testing.T) {
	entry := sample()
	entry.Text = strings.Repeat("<", outbox.MaxTextBytes)
	for code, want := range map[int]outbox.Outcome{0: outbox.Delivered, 9: outbox.Definitive} {
		d, err := New(shell(fmt.Sprintf("exit %d", code)))
		if err != nil {
			t.Fatal(err)
		}
		wantOutcome(t, d.Deliver(t.Context(), mine(entry)), want)
	}
}

// OUT-15, OUT-4: the process is noted and the lease asked for before the entry is
// written; when either fails, nothing is, and nothing goes on.
func TestOUT15_NothingIsWrittenWithoutTheLease(t *testing.T) {
	fault := errors.New("no answer")
	for _, tt := range []struct {
		name       string
		note, held error
	}{
		{"note: lost", outbox.ErrLeaseLost, nil},
		{"note: fault", fault, nil},
		{"held: lost", nil, outbox.ErrLeaseLost},
		{"held: fault", nil, fault},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBoard(t)
			d := self(t, "relay", b.address())
			entry := sample()
			var program caller
			send := mine(entry)
			send.Note = func(_ context.Context, peerID string) error {
				program = b.next()
				entry.PeerID = peerID
				if !d.Running(entry) {
					t.Errorf("process %q does not run", peerID)
				}
				return tt.note
			}
			send.Held = func(context.Context) error {
				if entry.PeerID == "" {
					t.Error("asked before the process was noted")
				}
				return tt.held
			}
			err := d.Deliver(t.Context(), send)
			if !errors.Is(err, cmp.Or(tt.note, tt.held)) {
				t.Errorf("the error is %v", err)
			}
			wantOutcome(t, err, outbox.TransientOutcome)
			if got := program.last(); got != "" {
				t.Errorf("the program read %q", got)
			}
			if d.Running(entry) {
				t.Error("the program still runs")
			}
		})
	}
}

// OUT-15: a command has to name a program.
func TestOUT15_BadCommands(t *testing.T) {
	for _, command := range []string{"", "   ", "a\x00b"} {
		_, err := New(command)
		_, verr := NewVerifier("", command)
		_, lerr := NewLedger(command)
		for _, err := range []error{err, verr, lerr} {
			if domain.CodeOf(err) != domain.Invalid {
				t.Errorf("%q: %v", command, err)
			}
		}
	}
}
