//go:build unix

package hosts_test

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"path/filepath"
	"testing"
)

// gemini is Gemini CLI, run as `gemini -p`.
type gemini struct{}

func (gemini) name() string { return "gemini" }

func (gemini) version(t *testing.T) string {
	return packageVersion(t, "gemini/node_modules/@google/gemini-cli")
}

func (gemini) events() []event {
	return []event{
		{name: "SessionStart", when: atPrompt, like: "SessionStart"},
		{name: "BeforeAgent", when: atPrompt, like: "BeforeAgent"},
		{name: "AfterTool", when: atTool, like: "AfterTool"},
		{name: "AfterAgent", when: atStop, like: "AfterAgent"},
	}
}

func (gemini) shell(command string) call {
	return call{name: "run_shell_command", args: object{"command": command, "description": "Run a command"}}
}

func (gemini) settings(r *run) string { return filepath.Join(r.home, ".gemini", "settings.json") }

func (g gemini) prepare(r *run, _ event) {
	r.writeJSON(g.settings(r), object{
		"security": object{"auth": object{"selectedType": "gemini-api-key"}, "folderTrust": object{"enabled": false}},
		"tools": object{
			"core": []string{"run_shell_command"}, "allowed": []string{"run_shell_command(pwd)", "run_shell_command(echo)", "run_shell_command(tundish)"},
		},
		"general": object{"disableAutoUpdate": true}, "privacy": object{"usageStatisticsEnabled": false},
	})
}

func (g gemini) only(r *run, e event) { r.onlyHook(g.settings(r), e) }

func (gemini) command(r *run, _ event) process {
	node, err := exec.LookPath("node")
	if err != nil {
		r.t.Fatal(err)
	}
	return process{
		argv: []string{
			node, need(r.t, "gemini/node_modules/@google/gemini-cli/bundle/gemini.js"),
			"-p", prompt, "-m", "gemini-2.5-flash", "--skip-trust",
		},
		env: []string{"GEMINI_API_KEY=invented-for-the-model", "GOOGLE_GEMINI_BASE_URL=" + r.model.url},
	}
}

// generate is Google's API, which says in the path whether the answer is streamed.
func generate(stream bool) dialect {
	d := dialect{route: ":generateContent", answer: answerGenerate}
	if stream {
		d.route = ":streamGenerateContent"
	}
	d.read = func(body []byte) (question, error) {
		q, err := readGenerate(body)
		q.Stream = stream
		return q, err
	}
	return d
}

func readGenerate(body []byte) (q question, err error) {
	var asked struct {
		Tools    []json.RawMessage
		Contents []struct {
			Role  string
			Parts json.RawMessage
		}
	}
	err = json.Unmarshal(body, &asked)
	q = question{Tools: len(asked.Tools) > 0}
	for _, c := range asked.Contents[:min(2, len(asked.Contents))] {
		q.User += string(c.Parts)
	}
	return q, err
}

func answerGenerate(w http.ResponseWriter, q question, calls []call) {
	parts := []object{{"text": reply}}
	if len(calls) > 0 {
		parts = nil
	}
	for _, c := range calls {
		parts = append(parts, object{"functionCall": object{"id": c.id, "name": c.name, "args": c.args}})
	}
	say(w, q.Stream, object{
		"candidates": []object{{
			"index": 0, "content": object{"role": "model", "parts": parts}, "finishReason": "STOP",
		}},
		"usageMetadata": object{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
	})
}
