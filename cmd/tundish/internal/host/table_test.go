package host_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tundish-go/tundish/cmd/tundish/internal/host"
)

const (
	envelope = `{"hookSpecificOutput":{"hookEventName":"EVENT","additionalContext":"Mail \"x\" <b>\n"}}` + "\n"
	block    = `{"decision":"block","reason":"Mail \"x\" <b>\n"}` + "\n"
	deny     = `{"decision":"deny","reason":"Mail \"x\" <b>\n"}` + "\n"
	plain    = "Mail \"x\" <b>\n"
)

// HOOK-1: what each host takes at each event, to the byte. The events at which a
// turn goes on are those that end one.
func TestHOOK1_Forms(t *testing.T) {
	for _, row := range []struct{ host, events, continues, want string }{
		{"claude-code", "SessionStart UserPromptSubmit PreToolUse PostToolUse PostToolBatch SubagentStart", "", envelope},
		{"claude-code", "SubagentStop Stop", "yes", envelope},
		{"codex", "SessionStart UserPromptSubmit PreToolUse PostToolUse SubagentStart", "", envelope},
		{"codex", "SubagentStop Stop", "yes", block},
		{"gemini", "SessionStart BeforeAgent AfterTool", "", envelope},
		{"gemini", "AfterAgent", "yes", deny},
		{"opencode", "chat.message tool.execute.after", "", plain},
		{"opencode", "session.idle", "yes", plain},
		{"gaff", "session_start prompt tool_batch", "", plain},
		{"gaff", "stop", "yes", plain},
		{"cursor", "sessionStart postToolUse", "", `{"additional_context":"Mail \"x\" <b>\n"}` + "\n"},
		{"cursor", "stop", "yes", `{"followup_message":"Mail \"x\" <b>\n"}` + "\n"},
		{"copilot", "sessionStart postToolUse", "", `{"additionalContext":"Mail \"x\" <b>\n"}` + "\n"},
		{"copilot", "agentStop", "yes", block},
		{"text", "anything", "", plain},
	} {
		h, ok := host.Find(row.host)
		if !ok || h.Name != row.host {
			t.Fatalf("there is no host %s", row.host)
		}
		for event := range strings.FieldsSeq(row.events) {
			e, ok := h.Event(event)
			got, err := e.Wrap(plain)
			if want := strings.ReplaceAll(row.want, "EVENT", event); !ok || err != nil || string(got) != want {
				t.Errorf("%s %s prints %s, want %s (%v)", row.host, event, got, want, err)
			}
			if e.Continues != (row.continues != "") || e.Child != strings.HasPrefix(event, "Subagent") {
				t.Errorf("%s %s is %+v", row.host, event, e)
			}
			if empty, err := e.Wrap(""); len(empty) > 0 || err != nil {
				t.Errorf("%s %s prints %s of nothing (%v)", row.host, event, empty, err)
			}
		}
	}
}

// The table of forms above holds every event of every host.
func TestHOOK1_NoOtherEvents(t *testing.T) {
	counts := map[string]int{"claude-code": 8, "codex": 7, "gemini": 4, "opencode": 3, "gaff": 4, "cursor": 3, "copilot": 3, "text": 0}
	for _, name := range host.Names() {
		h, ok := host.Find(name)
		want, listed := counts[name]
		if !ok || !listed || len(h.EventNames()) != want {
			t.Errorf("%s has the events %v", name, h.EventNames())
		}
		if proven := name != "cursor" && name != "copilot"; h.Proven != proven {
			t.Errorf("%s is proven: %v", name, h.Proven)
		}
		if tells := slices.Contains([]string{"claude-code", "codex", "opencode"}, name); h.Tells != tells {
			t.Errorf("%s tells of subagents: %v", name, h.Tells)
		}
		if json := name != "gaff" && name != "text"; h.Stdin != json || (h.MaxBytes == host.Budget) != json || (h.Variable != "") != (name == "gaff") {
			t.Errorf("%s is %+v", name, h)
		}
	}
	if len(counts) != len(host.Names()) {
		t.Errorf("there are the hosts %v", host.Names())
	}
	for _, name := range []string{"", "claude", "Codex", "text "} {
		if _, ok := host.Find(name); ok {
			t.Errorf("%q is a host", name)
		}
	}
}

// HOOK-1, HOOK-3: what decides whether a hook pulls.
func TestHOOK3_Occasion(t *testing.T) {
	for _, row := range []struct {
		host, given string
		in          host.Input
		subagents   bool
		want        string // the event; empty: none, and nothing to tell
		why         string // or that is told
	}{
		{host: "claude-code", in: host.Input{Event: "Stop"}, want: "Stop"},
		{host: "claude-code", in: host.Input{Event: "Stop"}, given: "SessionStart", want: "Stop"},
		{host: "claude-code", given: "SessionStart", want: "SessionStart"},
		{host: "claude-code", why: "neither hook_event_name on standard input nor --event"},
		{host: "claude-code", in: host.Input{Event: "PreCompact"}, why: "takes no text at the event PreCompact, but at SessionStart"},
		{host: "claude-code", in: host.Input{Event: "PreCompact"}, given: "Stop", why: "PreCompact"},
		{host: "claude-code", in: host.Input{Event: "stop"}, why: "stop"},
		{host: "claude-code", in: host.Input{Event: "PostToolUse", Subagent: true}},
		{host: "claude-code", in: host.Input{Event: "PostToolUse", Subagent: true}, subagents: true, want: "PostToolUse"},
		{host: "claude-code", in: host.Input{Event: "SubagentStart"}},
		{host: "claude-code", in: host.Input{Event: "SubagentStop"}, subagents: true, want: "SubagentStop"},
		{host: "claude-code", in: host.Input{Event: "PostToolUse", Partial: true}, why: "a subagent could not be told"},
		{host: "claude-code", in: host.Input{Event: "PostToolUse", Partial: true}, subagents: true, want: "PostToolUse"},
		{host: "claude-code", in: host.Input{Partial: true}, given: "Stop", why: "a subagent could not be told"},
		{host: "claude-code", in: host.Input{Partial: true}, why: "not one whole JSON object with a hook_event_name"},
		{host: "codex", in: host.Input{Event: "UserPromptSubmit", Subagent: true}},
		{host: "codex", in: host.Input{Event: "PostToolBatch"}, why: "PostToolBatch"},
		{host: "gemini", in: host.Input{Event: "AfterTool", Partial: true}, want: "AfterTool"},
		{host: "opencode", in: host.Input{Event: "chat.message", Subagent: true}},
		{host: "gaff", in: host.Input{Event: "prompt"}, given: "stop", want: "prompt"},
		{host: "gaff", given: "stop", want: "stop"},
		{host: "gaff", why: "neither GAFF_EVENT nor --event"},
		{host: "cursor", in: host.Input{Event: "stop", Ending: true}},
		{host: "cursor", in: host.Input{Event: "postToolUse", Ending: true}, want: "postToolUse"},
		{host: "copilot", in: host.Input{Subagent: true}, given: "postToolUse"},
		{host: "text", want: "-"},
		{host: "text", given: "whatever", want: "whatever"},
	} {
		h, _ := host.Find(row.host)
		e, why, ok := h.Occasion(row.in, row.given, row.subagents)
		got := ""
		if ok {
			got = e.Name
			if got == "" {
				got = "-"
			}
		}
		if got != row.want || (row.why == "") != (why == "") || !strings.Contains(why, row.why) {
			t.Errorf("%s %+v: event %q, told %q", row.host, row, got, why)
		}
	}
}
