package cli

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tundish-go/tundish/app/outbox"
	"github.com/tundish-go/tundish/cmd/tundish/internal/config"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	rules "github.com/tundish-go/tundish/domain/outbox"
)

// OUT-16: the configuration in the guide holds every key with its default.
func TestDocs_OutboxDefaults(t *testing.T) {
	_, after, _ := strings.Cut(guide{topic: "outbox"}.text(), "```yaml\n")
	text, _, ok := strings.Cut(after, "```")
	path := filepath.Join(t.TempDir(), "config.yml")
	if err := os.WriteFile(path, []byte(text), 0o600); !ok || err != nil {
		t.Fatal(ok, err)
	}
	settings, err := config.Load(config.Source{Path: path, Duration: inbox.ParseDuration, Fine: fineDuration})
	if err != nil {
		t.Fatal(err)
	}
	got, err := outboxConfig(settings.Outbox)
	if diff := cmp.Diff(outbox.DefaultConfig(), got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if settings.Outbox.Drain != outbox.DefaultDrain {
		t.Errorf("the drain is %v", settings.Outbox.Drain)
	}
	if err := checkOutbox(settings.Outbox); err != nil {
		t.Error(err)
	}
}

// OUT-15, OUT-16: the guide's entry is one as receivers get it, its fields are
// explained, and so is how long a receiver that is away is waited for.
func TestDocs_OutboxEntry(t *testing.T) {
	page := guide{topic: "outbox"}.text()
	_, after, _ := strings.Cut(page, "```json\n")
	line, _, _ := strings.Cut(after, "\n")
	var e outbox.Entry
	if err := json.Unmarshal([]byte(line), &e); err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(e)
	if diff := cmp.Diff(line, string(got)); err != nil || diff != "" {
		t.Error(err, diff)
	}
	var fields map[string]any
	if err := json.Unmarshal(got, &fields); err != nil {
		t.Fatal(err)
	}
	for name := range fields {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("the guide does not explain %s", name)
		}
	}
	c, wait := outbox.DefaultConfig(), time.Duration(0)
	for failures := 1; failures < c.MaxTransientFailures; failures++ {
		wait += rules.Backoff(c.RetryBackoff, c.MaxBackoff, failures)
	}
	if wait != 32*time.Minute+30*time.Second || !strings.Contains(page, "32 minutes and a half") {
		t.Errorf("a receiver that is away is waited for %v", wait)
	}
}

// OUT-16: an error about any field of the Config names its key.
func TestOUT16_KeyOf(t *testing.T) {
	_, keys, _ := strings.Cut(guide{topic: "outbox"}.text(), "```yaml\n")
	fields := reflect.TypeFor[outbox.Config]()
	for i := range fields.NumField() {
		var c outbox.Config
		reflect.ValueOf(&c).Elem().Field(i).SetInt(-1)
		_, err := c.Complete()
		if key := keyOf(err); key == "" || !strings.Contains(keys, "\n  "+key+": ") {
			t.Errorf("%s: %v is about %q", fields.Field(i).Name, err, key)
		}
	}
}

func TestOUT16_Spec(t *testing.T) {
	for text, want := range map[string]spec{
		"exec:a b": {FormExec, "a b"}, "http://h/": {FormHTTP, "http://h/"}, "https://h": {FormHTTP, "https://h"},
		"opencode:http://h": {FormOpencode, "http://h"}, "inbox:q": {FormInbox, "q"},
	} {
		if got, err := parseSpec("receiver", text, delivererForms()...); err != nil || got != want {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "exec", "exec: ", "inbox:", "http:h", "HTTP://h", "ftp://ann:secret@h", "exe:x", strings.Repeat("x", 99)} {
		_, err := parseSpec("receiver", text, delivererForms()...)
		if domain.CodeOf(err) != domain.Invalid || !strings.Contains(err.Error(), "use exec:PROGRAM, http://… or https://…, opencode:URL, inbox:QUEUE") {
			t.Errorf("%q gives %v", text, err)
		} else if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "ann") || len(err.Error()) > 200 {
			t.Errorf("%q shows too much: %v", text, err)
		}
	}
	for text, want := range map[string][2]string{
		"exec:a=b": {"", "exec:a=b"}, "web-*=exec:a=inbox:b": {"web-*", "exec:a=inbox:b"}, "a=b=https://h/?x=y": {"a=b", "https://h/?x=y"},
		"web=smtp:x": {"web", "smtp:x"}, "smtp:x=y": {"", "smtp:x=y"}, "=exec:a": {"", "exec:a"},
	} {
		if glob, rest := splitDeliver(text); glob != want[0] || rest != want[1] {
			t.Errorf("%q is split into %q and %q", text, glob, rest)
		}
	}
}

// OUT-16: what is no good is shown as far as it can hold no secret.
func TestOUT16_Bare(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "exe:cat": "exe:cat", "smtp:ann": "smtp:ann", "opencode:x": "opencode:x", "htp://host:80": "htp://host:80",
		"htp://ann:secret@host/": "htp:…", "ann:secret@host": "ann:…", "secret@host:80": "…", "exec": "exec",
		"htps://host/hook/secret": "htps://host…", "htps://host?key=secret": "htps://host…", "exce:curl -H secret": "exce:curl…",
		"x?secret": "x…", "key=secret": "key…", "opencode:host/?auth=secret": "opencode:host/…",
		"opencode:http:/ann:secret@host": "opencode:…",
	} {
		if got := bare(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

// OUT-9, OUT-16: an entry is one line, whatever its names and errors are.
func TestOUT16_EntryLine(t *testing.T) {
	now := time.Unix(1000, 0)
	base := outbox.Entry{ID: "ob_1", WorkspaceID: "w", SessionID: "s", Text: "secret", Status: outbox.StatusPending, AcceptedAt: now}
	const begin = "ob_1\tw\ts\t"
	for name, test := range map[string]struct {
		change func(*outbox.Entry)
		want   string
	}{
		"due":   {func(*outbox.Entry) {}, begin + "pending\tattempts=0\tdue=now\tunknown=0\treason=\tblocked=\tprior_since=\tlast_error="},
		"waits": {func(e *outbox.Entry) { e.NextAttemptAt, e.Attempts = now.Add(8100*time.Millisecond), 2 }, begin + "pending\tattempts=2\tdue=9s\tunknown=0\treason=\tblocked=\tprior_since=\tlast_error="},
		"error": {func(e *outbox.Entry) {
			e.Status, e.Reason, e.Unknown, e.LastError = outbox.StatusError, "a\tb", true, "\u202e"
		}, begin + "error\tattempts=0\tdue=-\tunknown=1\treason=\"a\\tb\"\tblocked=\tprior_since=\tlast_error=\"\\u202e\""},
		"sends":  {func(e *outbox.Entry) { e.Status, e.SendToken = outbox.StatusDelivering, "t" }, begin + "delivering\tattempts=0\tdue=-\tunknown=0\treason=\tblocked=\tprior_since=\tlast_error="},
		"prior":  {func(e *outbox.Entry) { e.Status, e.PriorSince = outbox.StatusDelivering, now }, begin + "delivering\tattempts=0\tdue=now\tunknown=0\treason=\tblocked=\tprior_since=1970-01-01T00:16:40Z\tlast_error="},
		"flight": {func(e *outbox.Entry) { e.BlockedByInFlight, e.InFlightFor = true, 3900*time.Millisecond }, begin + "pending\tattempts=0\tdue=now\tunknown=0\treason=\tblocked=in-flight for 3s\tprior_since=\tlast_error="},
		"stale": {func(e *outbox.Entry) {
			e.BlockedByInFlight, e.StaleLease, e.InFlightFor, e.BlockedBy = true, true, time.Minute, "ob_0"
		}, begin + "pending\tattempts=0\tdue=now\tunknown=0\treason=\tblocked=by ob_0, in-flight for 1m0s (stale)\tprior_since=\tlast_error="},
		"odd": {func(e *outbox.Entry) { e.WorkspaceID, e.Status = "a\nb", "\x1b" }, "ob_1\ta\\u000ab\ts\t\\u001b\tattempts=0\tdue=-\tunknown=0\treason=\tblocked=\tprior_since=\tlast_error="},
	} {
		e := base
		test.change(&e)
		if got := entryLine(e, now); got != test.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, test.want)
		}
	}
}

// OUT-16, VIEW-3: the JSON of an entry is what receivers get, but its duration is in
// whole seconds, and there also when that is none.
func TestOUT16_EntryJSON(t *testing.T) {
	e := outbox.Entry{ID: "ob_1", Text: "a}", Status: outbox.StatusPending, AcceptedAt: time.Unix(1000, 0)}
	plain := jsonText(e)
	if got := entryJSON(e); got != plain {
		t.Errorf("%s, not %s", got, plain)
	}
	for flight, want := range map[time.Duration]int64{0: 0, 900 * time.Millisecond: 0, 3900 * time.Millisecond: 3, time.Hour: 3600} {
		e.BlockedByInFlight, e.InFlightFor = true, flight
		var got struct {
			ID          string
			InFlightFor *int64
		}
		if err := json.Unmarshal([]byte(entryJSON(e)), &got); err != nil || got.ID != e.ID || got.InFlightFor == nil || *got.InFlightFor != want {
			t.Errorf("%s gives %s, %v", flight, entryJSON(e), err)
		}
	}
}

// OUT-16, VIEW-3: the JSON of a status has whole seconds, and a 0 for what was not
// counted; what only some databases have is counted too.
func TestOUT16_StatusJSON(t *testing.T) {
	status := outbox.Status{
		Entries: map[string]int64{outbox.StatusError: 2, "unreadable": 1}, Sweeps: map[string]int64{"rearmed": 3},
		Leases:     []outbox.Holding{{WorkspaceID: "w", SessionID: "s", EntryID: "ob_1", Owner: "o", For: 1999 * time.Millisecond, Stale: true}},
		Holds:      []outbox.Aside{{WorkspaceID: "w", For: 999 * time.Millisecond}},
		LastLoopAt: time.Unix(1000, 0),
	}
	const want = `{"entries":{"delivering":0,"error":2,"parked":0,"pending":0,"unreadable":1,"verifying":0},` +
		`"sweeps":{"completed":0,"indeterminate":0,"rearmed":3,"unchanged":0},` +
		`"leases":[{"workspaceID":"w","sessionID":"s","entryID":"ob_1","owner":"o","for":1,"stale":true}],` +
		`"holds":[{"workspaceID":"w","for":0}],"lastLoopAt":"1970-01-01T00:16:40.000Z"}`
	if got := jsonText(outboxStatusOf(status)); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// OUT-16: the exit codes of what only the outbox has.
func TestOUT16_ExitCodes(t *testing.T) {
	if got := exitCode(&domain.Error{Err: outbox.ErrCapped}); got != 4 {
		t.Errorf("a full lane exits %d", got)
	}
	if got := exitCode(toldError{exitedError(3)}); got != 3 {
		t.Errorf("a worker's 3 exits %d", got)
	}
}

// OUT-16: what delivers is handed over with all arguments, and its exit code counts.
func TestOUT16_HandOver(t *testing.T) {
	s := newSession("outbox", "sweep", "web")
	if err := s.execute(); err == nil || exitCode(err) != 1 {
		t.Errorf("without a worker: %v", err)
	}
	missing := errors.New("missing")
	for _, test := range []struct {
		code int
		err  error
		want int
	}{{0, nil, 0}, {2, nil, 2}, {0, missing, 1}} {
		s = newSession("outbox", "sweep", "web")
		var got []string
		s.Become = func(suffix string, args []string) (int, error) {
			got = append(slices.Clone(args), suffix)
			return test.code, test.err
		}
		err := s.execute()
		if exitCode(err) != test.want || strings.Join(got, " ") != "outbox sweep web outbox" || test.err != nil && !errors.Is(err, test.err) {
			t.Errorf("%+v: %q gives %v", test, got, err)
		}
	}
}
