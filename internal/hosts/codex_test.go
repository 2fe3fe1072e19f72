//go:build unix

package hosts_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// trusted is a session with hooks that Codex trusts.
const trusted = "trusted"

// codex is Codex CLI, run as `codex exec`.
type codex struct{}

func (codex) name() string { return "codex" }

func (codex) version(t *testing.T) string {
	return packageVersion(t, "codex/node_modules/@openai/codex")
}

func (codex) events() []event {
	return []event{
		{name: "SessionStart", when: atPrompt, like: "SessionStart"},
		{name: "UserPromptSubmit", when: atPrompt, like: "UserPromptSubmit"},
		{name: "PreToolUse", when: atTool, like: "PostToolUse"},
		{name: "PostToolUse", when: atTool, like: "PostToolUse"},
		{name: "Stop", when: atStop, like: "Stop"},
		{name: "SubagentStart", when: inChild, like: "PostToolUse", everywhere: []string{
			"UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStop",
		}},
		{name: trusted, when: always},
		{name: "mcp", when: byTool},
	}
}

func (codex) shell(command string) call {
	return call{name: "exec_command", args: object{"cmd": command, "yield_time_ms": 30000}}
}

func (codex) errand() call {
	return call{name: "multi_agent_v1/spawn_agent", args: object{"message": errand + ": run pwd"}}
}

func (codex) prepare(r *run, _ event) {
	r.write(filepath.Join(r.home, ".codex", "config.toml"), fmt.Sprintf(`model = "stub-model"
model_provider = "stub"
approval_policy = "never"
sandbox_mode = "danger-full-access"

[model_providers.stub]
name = "stub"
base_url = "%s/v1"
env_key = "STUB_KEY"
wire_api = "responses"
`, r.model.url))
	// Its shell is a login shell, which has a path of its own.
	r.write(filepath.Join(r.home, ".profile"), "PATH="+r.path()+"\n")
}

func (codex) only(r *run, e event) { r.onlyHook(filepath.Join(r.home, ".codex", "hooks.json"), e) }

func (codex) binary(r *run) string {
	return need(r.t, "codex/node_modules/@openai/codex-*/vendor/*/bin/codex")
}

func (c codex) connect(r *run, server []string) {
	r.command(r.env, append([]string{c.binary(r), "mcp", "add", "tundish", "--"}, server...)...)
}

func (codex) tool(name string, args object) call {
	return call{name: "mcp__tundish/" + name, args: args}
}

// command skips the step of trusting the hook, which a person takes in the host's
// own interface, but where that is what the run is about.
func (c codex) command(r *run, e event) process {
	argv := []string{c.binary(r), "exec", "--dangerously-bypass-hook-trust", prompt}
	if e.name == trusted {
		c.trust(r)
		argv = []string{c.binary(r), "exec", prompt}
	}
	return process{argv: argv, env: []string{"STUB_KEY=invented-for-the-model"}}
}

// responses is OpenAI's newer API.
func responses() dialect {
	return dialect{route: "/responses", read: readResponses, answer: answerResponses}
}

func readResponses(body []byte) (q question, err error) {
	var asked struct {
		Model string
		Tools []json.RawMessage
		Input []struct {
			Role    string
			Content json.RawMessage
		}
	}
	err = json.Unmarshal(body, &asked)
	q = question{Model: asked.Model, Stream: true, Tools: len(asked.Tools) > 0}
	for _, i := range asked.Input {
		if i.Role == "user" {
			q.User += string(i.Content)
		}
	}
	return q, err
}

func answerResponses(w http.ResponseWriter, _ question, calls []call) {
	output := []object{{
		"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
		"content": []object{{"type": "output_text", "text": reply, "annotations": []string{}}},
	}}
	if len(calls) > 0 {
		output = nil
	}
	for _, c := range calls {
		item := object{"type": "function_call", "id": "fc_" + c.id, "call_id": c.id, "name": c.name, "arguments": compact(c.args)}
		if space, name, ok := strings.Cut(c.name, "/"); ok {
			item["namespace"], item["name"] = space, name
		}
		output = append(output, item)
	}
	events := []any{object{"type": "response.created", "response": object{"id": "resp_1"}}}
	for i, item := range output {
		events = append(events,
			object{"type": "response.output_item.added", "output_index": i, "item": item},
			object{"type": "response.output_item.done", "output_index": i, "item": item})
	}
	say(w, true, append(events, object{"type": "response.completed", "response": object{
		"id": "resp_1", "status": "completed", "output": output, "usage": object{
			"input_tokens": 10, "output_tokens": 5, "total_tokens": 15,
			"input_tokens_details": object{"cached_tokens": 0}, "output_tokens_details": object{"reasoning_tokens": 0},
		},
	}})...)
}
