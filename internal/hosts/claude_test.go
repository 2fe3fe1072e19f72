//go:build unix

package hosts_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"testing"
)

// claude is Claude Code, run as `claude -p`.
type claude struct{}

func (claude) name() string { return "claude-code" }

func (claude) version(t *testing.T) string {
	return packageVersion(t, "claude-code/node_modules/@anthropic-ai/claude-code")
}

func (claude) events() []event {
	return []event{
		{name: "SessionStart", when: atPrompt, like: "SessionStart"},
		{name: "UserPromptSubmit", when: atPrompt, like: "UserPromptSubmit"},
		{name: "PreToolUse", when: atTool, like: "PostToolBatch"},
		{name: "PostToolUse", when: atTool, like: "PostToolBatch"},
		{name: "PostToolBatch", when: atTool, like: "PostToolBatch"},
		{name: "Stop", when: atStop, like: "Stop"},
		{name: "SubagentStart", when: inChild, like: "PostToolBatch", everywhere: []string{
			"PreToolUse", "PostToolUse", "PostToolBatch", "SubagentStop",
		}},
		{name: "mcp", when: byTool},
	}
}

func (claude) shell(command string) call {
	return call{name: "Bash", args: object{"command": command, "description": "Run a command"}}
}

func (c claude) connect(r *run, server []string) {
	argv := []string{c.binary(r), "mcp", "add", "--scope", "user", "tundish", "--"}
	r.command(append(r.env, c.env(r)...), append(argv, server...)...)
}

func (claude) tool(name string, args object) call {
	return call{name: "mcp__tundish__" + name, args: args}
}

func (claude) settings(r *run) string { return filepath.Join(r.home, ".claude", "settings.json") }

func (claude) errand() call {
	return call{name: "Agent", args: object{"description": "An errand", "prompt": errand + ": run pwd", "subagent_type": "general-purpose"}}
}

func (c claude) prepare(r *run, _ event) {
	r.writeJSON(c.settings(r), object{"permissions": object{"allow": []string{"Bash", "Agent", "Task", "mcp__tundish"}}})
	r.writeJSON(filepath.Join(r.home, ".claude.json"), object{"hasCompletedOnboarding": true})
}

func (c claude) only(r *run, e event) { r.onlyHook(c.settings(r), e) }

func (claude) binary(r *run) string {
	return need(r.t, "claude-code/node_modules/@anthropic-ai/claude-code-*/claude")
}

func (claude) env(r *run) []string {
	return []string{
		"ANTHROPIC_BASE_URL=" + r.model.url, "ANTHROPIC_API_KEY=invented-for-the-model",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_TMPDIR=" + r.temp,
	}
}

func (c claude) command(r *run, _ event) process {
	return process{argv: []string{c.binary(r), "-p", prompt, "--debug-file", filepath.Join(r.root, "debug.log")}, env: c.env(r)}
}

// messages is Anthropic's API.
func messages() dialect {
	return dialect{route: "/v1/messages", read: readMessages, answer: answerMessages}
}

func readMessages(body []byte) (q question, err error) {
	var asked struct {
		Model    string
		Stream   bool
		Tools    []json.RawMessage
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	err = json.Unmarshal(body, &asked)
	q = question{Model: asked.Model, Stream: asked.Stream, Tools: len(asked.Tools) > 0}
	for _, m := range asked.Messages {
		if m.Role == "user" {
			q.User = string(m.Content)
			break
		}
	}
	return q, err
}

func answerMessages(w http.ResponseWriter, q question, calls []call) {
	blocks, stop := []object{{"type": "text", "text": reply}}, "end_turn"
	if len(calls) > 0 {
		blocks, stop = nil, "tool_use"
	}
	for _, c := range calls {
		blocks = append(blocks, object{"type": "tool_use", "id": "toolu_" + c.id, "name": c.name, "input": c.args})
	}
	usage := object{"input_tokens": 10, "output_tokens": 5}
	message := object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": q.Model, "content": blocks,
		"stop_reason": stop, "stop_sequence": nil, "usage": usage,
	}
	if !q.Stream {
		say(w, false, message)
		return
	}
	message["content"], message["stop_reason"] = []object{}, nil
	events := []any{object{"type": "message_start", "message": message}}
	for i, block := range blocks {
		start, delta := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": block["text"]}
		if input, ok := block["input"]; ok {
			start = object{"type": "tool_use", "id": block["id"], "name": block["name"], "input": object{}}
			delta = object{"type": "input_json_delta", "partial_json": compact(input)}
		}
		events = append(events,
			object{"type": "content_block_start", "index": i, "content_block": start},
			object{"type": "content_block_delta", "index": i, "delta": delta},
			object{"type": "content_block_stop", "index": i})
	}
	say(w, true, append(events,
		object{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": usage},
		object{"type": "message_stop"})...)
}
