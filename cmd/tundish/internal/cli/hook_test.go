package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/tundish-go/tundish/adapters/jq"
	"github.com/tundish-go/tundish/adapters/memory"
	"github.com/tundish-go/tundish/adapters/payload"
	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/cmd/tundish/internal/host"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports"
)

// desk is the program in this process, on a store in memory.
type desk struct {
	dir   string
	place *memory.Place
	open  func() (Store, error)
}

func newDesk(t interface{ Fatal(...any) }, dir string) *desk {
	if err := os.WriteFile(filepath.Join(dir, "c.yml"), []byte("format: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := &desk{dir: dir, place: memory.New()}
	d.open = func() (Store, error) { return staying{d.place.Open()}, nil }
	return d
}

type staying struct{ *memory.Store }

func (staying) Leave() error { return nil }

type timer struct{}

func (timer) Now() time.Time         { return time.Unix(1000, 0) }
func (timer) Elapsed() time.Duration { return 0 }

// run runs one command with an input and returns what it printed.
func (d *desk) run(t interface{ Fatal(...any) }, input string, args ...string) (code int, stdout, stderr string) {
	var files [3]*os.File
	for i := range files {
		file, err := os.CreateTemp(d.dir, "")
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		files[i] = file
	}
	if _, err := files[0].WriteString(input); err != nil {
		t.Fatal(err)
	}
	if _, err := files[0].Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	code = Run(Program{
		Clock: timer{}, Getenv: func(string) string { return "" }, Stdin: files[0], Stdout: files[1], Stderr: files[2],
		Expressions: func() ports.Expressions { return jq.New() }, Payloads: func() ports.Payloads { return payload.New() },
		Driver: Driver{Open: func(context.Context, string, ports.Expressions, func(string)) (Store, error) { return d.open() }},
		Args:   append([]string{"--config", filepath.Join(d.dir, "c.yml"), "--db", filepath.Join(d.dir, "t.db")}, args...),
	})
	out, err := os.ReadFile(files[1].Name())
	told, err2 := os.ReadFile(files[2].Name())
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	return code, string(out), string(told)
}

func (d *desk) inbox(t interface{ Fatal(...any) }) *app.Inbox {
	in, err := app.New(app.Options{
		Store: d.place.Open(), Clock: timer{}, Expressions: jq.New(), Payloads: payload.New(),
		Retention: func(string) inbox.Retention { return inbox.DefaultRetention() },
	})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// HOOK-1, HOOK-4, HOOK-6: whatever was published, the output is one JSON object
// within the budget, and its text is the first line and what a pull prints.
func TestHOOK4_RandomMail(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		d := newDesk(t, dir)
		in, ctx := d.inbox(t), context.Background()
		for q := range rapid.IntRange(1, 3).Draw(t, "subscriptions") {
			queue := rapid.StringMatching(`[a-zé"\\< ]{1,40}`).Draw(t, "queue")
			rules := inbox.DefaultRules(queue)
			rules.Template = rapid.SampledFrom([]string{"", ".", `"[" + tojson`, `.payload | tostring`}).Draw(t, "template")
			for _, who := range []string{"hooked", "plain1"} {
				if _, err := in.Subscribe(ctx, app.Subscribe{Name: "s" + strconv.Itoa(q), Subscriber: who, Rules: &rules}); err != nil {
					t.Fatal(err)
				}
			}
			for range rapid.IntRange(0, 6).Draw(t, "items") {
				text, err := json.Marshal(strings.Repeat(rapid.String().Draw(t, "text"), rapid.SampledFrom([]int{1, 20, 400}).Draw(t, "times")))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := in.Publish(ctx, app.Message{Queue: queue, Payload: text}); err != nil {
					t.Fatal(err)
				}
			}
		}
		args := []string{"pull", "--due", "--as", "hooked", "--hook", "codex"}
		budget := host.Budget
		if rapid.Bool().Draw(t, "given") {
			given := rapid.IntRange(700, 20_000).Draw(t, "bytes")
			budget = min(budget, given)
			args = append(args, "--max-bytes", strconv.Itoa(given))
		}
		event := rapid.SampledFrom([]string{"SessionStart", "Stop"}).Draw(t, "event")
		code, out, told := d.run(t, `{"hook_event_name":"`+event+`"}`, args...)
		var want bytes.Buffer
		_, err := in.Pull(ctx, app.Pull{Due: true, Subscriber: "plain1", MaxBytes: budget - host.LeadBytes("hooked")}, &want)
		if code != 0 || told != "" || err != nil {
			t.Fatal(code, told, err)
		}
		checkMail(t, event, out, strings.ReplaceAll(want.String(), "subscriber=plain1 ", "subscriber=hooked "), budget)
	})
}

func checkMail(t *rapid.T, event, out, want string, budget int) {
	if out == "" && want == "" {
		return
	}
	var all struct {
		Specific struct {
			HookEventName, AdditionalContext string
		} `json:"hookSpecificOutput"`
		Decision, Reason string
	}
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		t.Fatalf("%q: %v", out, err)
	}
	text := all.Specific.AdditionalContext
	if event == "Stop" {
		text = all.Reason
	}
	lead, rest, _ := strings.Cut(text, "\n")
	if !strings.HasPrefix(lead, "Mail from the tundish inbox of hooked") || rest != want {
		t.Fatalf("printed %q, want the text\n%s", out, want)
	}
	if len(text) > budget || utf8.RuneCountInString(text) > budget {
		t.Fatalf("%d bytes are printed, more than %d", len(text), budget)
	}
}

// HOOK-2: a fault of ours ends a hook with 1 and prints nothing; elsewhere it is
// the runtime's.
func TestHOOK2_Fault(t *testing.T) {
	d := newDesk(t, t.TempDir())
	d.open = func() (Store, error) { panic("a fault") }
	code, out, told := d.run(t, `{"hook_event_name":"Stop"}`, "pull", "--due", "--as", "a", "--hook", "codex")
	if code != 1 || out != "" || !strings.Contains(told, "a fault") || !strings.Contains(told, "goroutine") {
		t.Errorf("exit code %d, printed %q, told %q", code, out, told)
	}
	defer func() {
		if recover() == nil {
			t.Error("a pull without --hook hides a fault")
		}
	}()
	d.run(t, "", "pull", "--due", "--as", "a")
}

// HOOK-2: the codes 2, 3 and 4 are 1 in a hook, however little of the call can be
// understood.
func TestHOOK2_Hooked(t *testing.T) {
	for words, want := range map[string]bool{
		"pull --due --as a --hook codex": true, "pull --hook=codex": true, "pul --hook": true, "--bogus pull --hook x": true,
		"": false, "pull --due --as a": false, "pull hook": false, "pull --hooks x": false,
	} {
		if got := hooked(strings.Fields(words)); got != want {
			t.Errorf("%q is a hook: %v", words, got)
		}
	}
	for code, want := range map[int]int{0: 0, 1: 1, 2: 1, 3: 1, 4: 1} {
		newSession().endHook(&code)
		if code != want {
			t.Errorf("the code is %d, want %d", code, want)
		}
	}
}

// HOOK-4: the budget is the host's, or what was given where that is less.
func TestHOOK4_Budget(t *testing.T) {
	codex, _ := host.Find("codex")
	gaff, _ := host.Find("gaff")
	for _, row := range []struct {
		h     host.Host
		given int
		set   bool
		want  int
	}{
		{codex, 1024, false, 9000}, {codex, 1024, true, 1024}, {codex, 9001, true, 9000}, {codex, 1 << 30, true, 9000},
		{gaff, 1024, false, 1024}, {gaff, 3000, true, 3000}, {gaff, 100_000, true, 100_000},
	} {
		if got := hookBudget(row.h, row.given, row.set); got != row.want {
			t.Errorf("%s with %d: %d, want %d", row.h.Name, row.given, got, row.want)
		}
	}
	// the smallest budget that a user needs to know of is below every default
	if longest := strings.Repeat("w", inbox.MaxNameBytes); inbox.MinMaxBytes+host.LeadBytes(longest) > inbox.DefaultMaxBytes {
		t.Error("the default of gaff is too small for a subscriber with a long name")
	}
}
