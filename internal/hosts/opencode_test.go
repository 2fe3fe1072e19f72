//go:build unix

package hosts_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

// opencode is run as `opencode run`; where mail must come after a turn, attached to
// `opencode serve`, since a lone run leaves with the end of the turn.
type opencode struct{}

func (opencode) name() string { return "opencode" }

func (opencode) version(t *testing.T) string {
	return packageVersion(t, "opencode/node_modules/opencode-ai")
}

func (opencode) events() []event {
	return []event{
		{name: "chat.message", when: atPrompt},
		{name: "tool.execute.after", when: atTool},
		{name: "session.idle", when: atStop},
		{name: "subagent", when: inChild},
	}
}

func (opencode) shell(command string) call {
	return call{name: "bash", args: object{"command": command, "description": "Run a command"}}
}

func (opencode) errand() call {
	return call{name: "task", args: object{"description": "An errand", "prompt": errand + ": run pwd", "subagent_type": "general"}}
}

func (opencode) prepare(r *run, _ event) {
	config := filepath.Join(r.home, ".config", "opencode")
	r.writeJSON(filepath.Join(config, "opencode.json"), object{
		"model": "stub/stub-model", "small_model": "stub/stub-model", "autoupdate": false, "share": "disabled",
		"provider": object{"stub": object{
			"npm": "@ai-sdk/openai-compatible", "name": "stub",
			"options": object{"baseURL": r.model.url + "/v1", "apiKey": "invented-for-the-model"},
			"models":  object{"stub-model": object{"name": "stub-model"}},
		}},
	})
	// It would have npm fetch its plugin package into this folder.
	for _, name := range []string{"package.json", "package-lock.json", "node_modules"} {
		if err := os.Symlink(need(r.t, "opencode-plugin/"+name), filepath.Join(config, name)); err != nil {
			r.t.Fatal(err)
		}
	}
}

// only has nothing to do: at the time of each event nothing but it is left that
// could deliver.
func (opencode) only(*run, event) {}

func (opencode) command(r *run, e event) process {
	binary := need(r.t, "opencode/node_modules/opencode-*/bin/opencode")
	p := process{argv: []string{binary, "run", prompt}, env: []string{
		"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
	}}
	if e.when == atStop || e.when == always {
		port := freePort(r.t)
		p.server = []string{binary, "serve", "--hostname", "127.0.0.1", "--port", port}
		p.listens = "listening on http://127.0.0.1:" + port
		p.argv = []string{binary, "run", "--attach", "http://127.0.0.1:" + port, prompt}
	}
	return p
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// completions is OpenAI's older API.
func completions() dialect {
	return dialect{route: "/chat/completions", read: readCompletions, answer: answerCompletions}
}

func readCompletions(body []byte) (q question, err error) {
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

func answerCompletions(w http.ResponseWriter, q question, calls []call) {
	message, stop := object{"role": "assistant", "content": reply}, "stop"
	if len(calls) > 0 {
		tools := []object{}
		for i, c := range calls {
			function := object{"name": c.name, "arguments": compact(c.args)}
			tools = append(tools, object{"index": i, "id": c.id, "type": "function", "function": function})
		}
		message, stop = object{"role": "assistant", "tool_calls": tools}, "tool_calls"
	}
	usage := object{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
	part := func(kind, key string, value any, finish any) object {
		o := object{"id": "chatcmpl-1", "object": kind, "created": 1, "model": q.Model}
		o["choices"] = []object{{"index": 0, key: value, "finish_reason": finish}}
		return o
	}
	if !q.Stream {
		whole := part("chat.completion", "message", message, stop)
		whole["usage"] = usage
		say(w, false, whole)
		return
	}
	last := part("chat.completion.chunk", "delta", object{}, stop)
	last["usage"] = usage
	say(w, true, part("chat.completion.chunk", "delta", message, nil), last)
	fmt.Fprint(w, "data: [DONE]\n\n")
}
