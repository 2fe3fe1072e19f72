//go:build unix

package hosts_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// trust does to the hooks what a person does with /hooks, and sees to it that
// `tundish init --check` knows the difference (SETUP-6).
func (c codex) trust(r *run) {
	r.t.Helper()
	program := append([]string{filepath.Join(r.bin, "tundish")}, r.line("init", "codex", "--check")[1:]...)
	if out, err := r.try(r.env, program...); err == nil {
		r.t.Errorf("hooks that Codex was not told to trust are found to be in order: %s", out)
	}
	config := filepath.Join(r.home, ".codex", "config.toml")
	text := r.read(config)
	for _, hook := range c.listed(r) {
		text += fmt.Sprintf("\n[hooks.state.%q]\ntrusted_hash = %q\n", hook.Key, hook.CurrentHash)
	}
	r.write(config, text)
	r.command(r.env, program...)
}

// known is a hook as Codex sees it.
type known struct{ Key, CurrentHash string }

// listed asks Codex for its hooks, which it tells to the programs that embed it.
func (c codex) listed(r *run) []known {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.binary(r), "app-server")
	cmd.Dir, cmd.Env = r.work, r.env
	in, err := cmd.StdinPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	defer func() { cancel(); _ = cmd.Wait() }()
	fmt.Fprintln(in, `{"id":1,"method":"initialize","params":{"clientInfo":{"name":"test","version":"1"}}}`)
	answers := bufio.NewScanner(out)
	answers.Buffer(nil, 1<<20)
	for answers.Scan() {
		var answer struct {
			ID     int
			Result struct{ Data []struct{ Hooks []known } }
		}
		if err := json.Unmarshal(answers.Bytes(), &answer); err != nil {
			r.t.Fatal(err)
		}
		switch {
		case answer.ID == 1:
			fmt.Fprintf(in, "%s\n%s\n", `{"method":"initialized"}`, compact(object{
				"id": 2, "method": "hooks/list", "params": object{"cwds": []string{r.work}},
			}))
		case answer.ID == 2 && len(answer.Result.Data) == 1 && len(answer.Result.Data[0].Hooks) > 0:
			return answer.Result.Data[0].Hooks
		case answer.ID == 2:
			r.t.Fatalf("Codex knows of no hooks: %s", strings.TrimSpace(answers.Text()))
		}
	}
	r.t.Fatalf("Codex did not list its hooks: %v", answers.Err())
	return nil
}
