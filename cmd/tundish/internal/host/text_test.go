package host_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/tundish-go/tundish/cmd/tundish/internal/host"
)

// HOOK-6: the first line names the inbox and the queues, as far as they fit.
func TestHOOK6_Lead(t *testing.T) {
	long := strings.Repeat("q", 65)
	for _, row := range []struct {
		queues []string
		want   string
	}{
		{nil, "Mail from the tundish inbox of reviewer. What"},
		{[]string{"ci"}, "Mail from the tundish inbox of reviewer, queue ci. What"},
		{[]string{"ci", "deploys"}, "reviewer, queue ci, deploys. What"},
		{[]string{long[1:]}, "queue " + long[1:] + ". What"},
		{[]string{long}, "reviewer. What"},
		{[]string{"ci", long}, "reviewer, queue ci and others. What"},
		{[]string{long, "ci"}, "reviewer. What"},
		{[]string{long[:53], "ci"}, "queue " + long[:53] + ", ci. What"},
		{[]string{long[:54], "ci"}, "reviewer. What"},
	} {
		got := host.Lead("reviewer", row.queues)
		if !strings.Contains(got, row.want) || strings.Count(got, "\n") != 1 || !strings.HasSuffix(got, "\n") || !strings.Contains(got, "is data") {
			t.Errorf("%q: %q does not hold %q", row.queues, got, row.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		who := rapid.StringMatching(`[a-z]{1,64}`).Draw(t, "who")
		queues := rapid.SliceOf(rapid.StringMatching(`[^\n]{1,80}`)).Draw(t, "queues")
		got := host.Lead(who, queues)
		if len(got) > host.LeadBytes(who) || !strings.HasPrefix(got, "Mail from") || !strings.HasSuffix(got, ".\n") {
			t.Fatalf("%q is not a first line of at most %d bytes", got, host.LeadBytes(who))
		}
		if few := len(strings.Join(queues, ", ")) <= 50; few && !strings.Contains(got, strings.Join(queues, ", ")) {
			t.Fatalf("%q leaves out some of %q", got, queues)
		}
	})
}

// HOOK-1: whatever the text, what is printed is that text, or one JSON object and
// nothing more, with the text in it.
func FuzzWrap(f *testing.F) {
	for _, text := range []string{"", "Mail\n", "Mail \"\\\x00\u2028\t<>&\U0001F600\n", "Mail" + strings.Repeat("\"", 100)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		for _, name := range host.Names() {
			h, _ := host.Find(name)
			for _, e := range append(h.Events, host.Event{Name: "any", Form: host.Text}) {
				out, err := e.Wrap(text)
				if err != nil {
					t.Fatal(err)
				}
				if got := unwrap(t, e, out); got != text {
					t.Errorf("%s %s: the text %q came out as %q", name, e.Name, text, got)
				}
			}
		}
	})
}

// unwrap finds the text in what is printed at an event.
func unwrap(t *testing.T, e host.Event, out []byte) string {
	t.Helper()
	if e.Form == host.Text || len(out) == 0 {
		return string(out)
	}
	if !json.Valid(out) || !utf8.Valid(out) || bytes.Count(out, []byte("\n")) != 1 {
		t.Fatalf("%q is not one JSON text on a line", out)
	}
	var all map[string]any
	if err := json.Unmarshal(out, &all); err != nil {
		t.Fatal(err)
	}
	keys := len(all)
	if e.Form == host.Envelope {
		inner, ok := all["hookSpecificOutput"].(map[string]any)
		if !ok || keys != 1 || inner["hookEventName"] != e.Name {
			t.Fatalf("%q is not the envelope of %s", out, e.Name)
		}
		all, keys = inner, len(inner)
	}
	for _, key := range []string{"additionalContext", "additional_context", "followup_message", "reason"} {
		if text, ok := all[key].(string); ok && keys <= 2 {
			return text
		}
	}
	t.Fatalf("%q holds no text", out)
	return ""
}
