//go:build unix

package interop_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// webhook is one event of the real input, decoded as far as the subscriptions
// of the test look into it.
type webhook struct {
	raw    []byte // the payload as it stands in the file
	Action string `json:"action"`
	Number int64  `json:"number"`
	Repo   *struct {
		FullName string `json:"full_name"`
	} `json:"repository"`
	Pull *struct {
		Title string `json:"title"`
	} `json:"pull_request"`
	CheckRun    conclusion `json:"check_run"`
	CheckSuite  conclusion `json:"check_suite"`
	WorkflowRun conclusion `json:"workflow_run"`
	WorkflowJob conclusion `json:"workflow_job"`
}

type conclusion struct {
	Conclusion string `json:"conclusion"`
}

func (w webhook) failed() bool {
	return slices.Contains([]conclusion{w.CheckRun, w.CheckSuite, w.WorkflowRun, w.WorkflowJob}, conclusion{"failure"})
}

// key is the one that the issue asks for; nil where no repository is named.
func (w webhook) key() *string {
	if w.Repo == nil || w.Repo.FullName == "" {
		return nil
	}
	key := "github:" + w.Repo.FullName
	return &key
}

func webhooks(t *testing.T) []webhook {
	t.Helper()
	text, err := os.ReadFile("testdata/github-webhooks.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	var all []webhook
	keys := 0
	for line := range bytes.Lines(text) {
		var event struct{ Payload json.RawMessage }
		if err := json.Unmarshal(line, &event); err != nil {
			t.Fatal(err)
		}
		w := webhook{raw: event.Payload}
		if err := json.Unmarshal(event.Payload, &w); err != nil {
			t.Fatal(err)
		}
		if w.key() != nil {
			keys++
		}
		all = append(all, w)
	}
	if len(all) != 329 || keys != 280 {
		t.Fatalf("the file has %d events, %d of them about a repository", len(all), keys)
	}
	return all
}

// compact spells a payload as it has to be stored (PUB-1), with another JSON
// library than the program: without spaces, keys in their order, numbers as they
// are, strings with no escape that JSON does not ask for.
func compact(t *testing.T, raw []byte) string {
	t.Helper()
	var tight bytes.Buffer
	if err := json.Compact(&tight, raw); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(raw, []byte(`\u`)) && !bytes.Contains(raw, []byte(`\/`)) {
		return tight.String()
	}
	var out strings.Builder
	rest := tight.Bytes()
	for {
		// No quotation mark stands outside of strings, so they take turns.
		before, after, found := bytes.Cut(rest, []byte{'"'})
		out.Write(before)
		if !found {
			return out.String()
		}
		end := 0
		for after[end] != '"' {
			if after[end] == '\\' {
				end++
			}
			end++
		}
		var text string
		if err := json.Unmarshal(append(append([]byte{'"'}, after[:end]...), '"'), &text); err != nil {
			t.Fatal(err)
		}
		out.WriteString(unescaped(t, text))
		rest = after[end+1:]
	}
}

func unescaped(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(strings.TrimSuffix(b.String(), "\n"))
}

// subscribeAll makes the three subscriptions of the test.
func subscribeAll(s *site, b binary) {
	s.t.Helper()
	s.ok(b, "subscribe", "opened", "--as", "reviewer", "--queue", "github", "--consume", "on-ack",
		"--filter", `.payload.action == "opened" and .payload.pull_request`,
		"--template", `"#\(.payload.number) \(.payload.pull_request.title)"`)
	s.ok(b, "subscribe", "failed", "--as", "fixer", "--queue", "github",
		"--filter", `.payload | .check_run, .check_suite, .workflow_run, .workflow_job | .conclusion? == "failure"`)
	s.ok(b, "subscribe", "digest", "--as", "lead", "--queue", "github", "--select", "latest", "--limit", "7",
		"--filter", `.key == "github:octo-org/octo-repo"`,
		"--template", `"[\(.queue)#\(.id)] \(.payload.action // "event")"`)
}

// publishOneByOne gets all events in with a process each, of the builds in turn.
func publishOneByOne(s *site, events []webhook) {
	s.t.Helper()
	for i, w := range events {
		args := []string{"publish", "github"}
		if key := w.key(); key != nil {
			args = append(args, "--key", *key)
		}
		cmd := s.command(mixed(i), args...)
		cmd.Stdin = bytes.NewReader(w.raw)
		if n := id(s.t, s.expect(cmd)); n != int64(i+1) {
			s.t.Fatalf("event %d has id %d", i+1, n)
		}
	}
}

// publishLines gets all events in with one process (PUB-3).
func publishLines(s *site, b binary, events []webhook) {
	s.t.Helper()
	var lines bytes.Buffer
	var want strings.Builder
	for i, w := range events {
		lines.Write(w.raw)
		lines.WriteByte('\n')
		fmt.Fprintln(&want, i+1)
	}
	cmd := s.command(b, "publish", "github", "--lines", "--key-jq", `.repository.full_name? | if . then "github:" + . else null end`)
	cmd.Stdin = &lines
	if out := s.expect(cmd); out != want.String() {
		s.t.Fatalf("publish --lines printed %q", out)
	}
}

// TestRealWebhooks publishes real events and pulls them through three
// subscriptions: what goes in comes out (PUB-1), each expected item exactly once
// (PULL-1, PULL-3, PULL-4), and never more than the budget (PULL-9).
func TestRealWebhooks(t *testing.T) {
	events := webhooks(t)
	onEach(t, func(t *testing.T, b binary) {
		s := newSite(t)
		subscribeAll(s, b)
		publishLines(s, b, events)
		sameAsPublished(t, s.list(b, "github"), events)
		pulledOnce(t, s, b, events)
	})
	t.Run("one by one", func(t *testing.T) {
		s := newSite(t)
		subscribeAll(s, mixed(0))
		publishOneByOne(s, events)
		for i, b := range binaries {
			sameAsPublished(t, s.list(b, "github"), events)
			if i == 0 {
				pulledOnce(t, s, b, events)
			}
		}
	})
}

func sameAsPublished(t *testing.T, items []stored, events []webhook) {
	t.Helper()
	if len(items) != len(events) {
		t.Fatalf("%d items for %d events", len(items), len(events))
	}
	for i, item := range items {
		want := events[i]
		if text := compact(t, want.raw); string(item.Payload) != text {
			t.Errorf("item %d is\n%s\nwant\n%s", item.ID, item.Payload, text)
		}
		if key := want.key(); (key == nil) != (item.Key == nil) || key != nil && *key != *item.Key {
			t.Errorf("item %d has key %v, want %v", item.ID, item.Key, key)
		}
	}
}

func pulledOnce(t *testing.T, s *site, b binary, events []webhook) {
	t.Helper()
	wantOpened, wantFailed, repo := map[int64]string{}, map[int64]string{}, []int64{}
	for i, w := range events {
		id := int64(i + 1)
		if w.Action == "opened" && w.Pull != nil {
			wantOpened[id] = fmt.Sprintf("#%d %s", w.Number, w.Pull.Title)
		}
		if w.failed() {
			wantFailed[id] = compact(t, w.raw)
		}
		if key := w.key(); key != nil && *key == "github:octo-org/octo-repo" {
			repo = append(repo, id)
		}
	}
	wantDigest := map[int64]string{}
	for _, id := range repo[len(repo)-7:] {
		if wantDigest[id] = events[id-1].Action; wantDigest[id] == "" {
			wantDigest[id] = "event"
		}
	}
	for _, want := range []struct {
		name, who string
		items     map[int64]string
	}{{"opened", "reviewer", wantOpened}, {"failed", "fixer", wantFailed}, {"digest", "lead", wantDigest}} {
		if len(want.items) < 2 {
			t.Errorf("%s has only %d items to expect", want.name, len(want.items))
		}
		checkDrain(t, s, b, want.name, want.who, want.items)
	}
}

// checkDrain pulls at 1024 bytes until nothing comes.
func checkDrain(t *testing.T, s *site, b binary, name, who string, want map[int64]string) {
	t.Helper()
	times, last := map[int64]int{}, int64(0)
	for range len(want) + 1 {
		out := s.ok(b, "pull", name, "--as", who, "--max-bytes", "1024")
		if len(out) > 1024 {
			t.Errorf("%s: a pull printed %d bytes", name, len(out))
		}
		if out == "" {
			break
		}
		for _, item := range parsePull(t, out)[0].items {
			text, cut := strings.CutSuffix(item.text, fmt.Sprintf(" … tundish show %d", item.id))
			whole, ok := want[item.id]
			if _, after, keyed := strings.Cut(text, " "); keyed && strings.HasPrefix(text, "github:") {
				text = after // the default form has the key
			}
			if !ok || cut && !strings.HasPrefix(whole, text) || !cut && whole != text {
				t.Errorf("%s: item %d is printed as %q, want %q", name, item.id, item.text, whole)
			}
			if item.id <= last {
				t.Errorf("%s: item %d after item %d", name, item.id, last)
			}
			times[item.id]++
			last = item.id
		}
	}
	if rest := s.ok(b, "pull", name, "--as", who); rest != "" {
		t.Errorf("%s: still not empty: %q", name, rest)
	}
	for id := range want {
		if times[id] != 1 {
			t.Errorf("%s: item %d came %d times", name, id, times[id])
		}
	}
}
