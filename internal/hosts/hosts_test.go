//go:build unix

package hosts_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// agent is a host of an agent, in whose hooks tundish runs.
type agent interface {
	name() string // as in pull --hook
	version(t *testing.T) string
	events() []event
	shell(command string) call       // a call of its shell tool
	prepare(r *run, e event)         // its settings, without the hook
	only(r *run, e event)            // leaves the hook at one event
	command(r *run, e event) process // a session with one prompt
}

// A parent is a host whose hooks can tell a subagent from the agent.
type parent interface {
	errand() call // a call of a subagent
}

// A client is a host that was seen to use the tools of a server.
type client interface {
	connect(r *run, server []string)
	tool(name string, args object) call
}

func agents() []agent {
	return []agent{claude{}, codex{}, gemini{}, opencode{}, gaff{}}
}

// event is a moment in a session at which a host can take mail.
type event struct {
	name string
	when moment
	like string // the event that `tundish init` writes and whose hook is put here

	everywhere []string // other events at which the hook is put; nil: none
}

// moment is when mail arrives.
type moment int

const (
	atPrompt moment = iota // before the session
	atTool                 // when the model calls tools, two at once
	atStop                 // when the model has no more to call
	always                 // at all three, with all the hooks that init writes
	inChild                // when a subagent calls tools: it is not meant for that
	byTool                 // before, and no hook brings it: the model uses the tools of `tundish mcp`
)

// letter is a mail, and the number of the request in which it has to reach the
// model; 0: any.
type letter struct {
	text    string
	request int
}

// plan is what is to happen in a session.
type plan struct {
	letters []letter
	before  []string // those that are there when the session starts
	steps   []step
	errands []step
}

func planned(h agent, e event) plan {
	text := func(n string) string { return "MAIL-" + h.name() + "-" + e.name + "-" + n }
	first, second, third := text("first"), text("second"), text("third")
	two := []call{h.shell("pwd"), h.shell(`echo '{"agent_id":"not mine"}'`)}
	switch e.when {
	case atPrompt:
		return plan{letters: []letter{{first, 1}}, before: []string{first}}
	case atTool:
		return plan{letters: []letter{{first, 2}}, steps: []step{{first, two}}}
	case atStop:
		return plan{letters: []letter{{first, 2}}, steps: []step{{first, nil}}}
	case inChild:
		done := `"$HOME/errand.done"` // a host may have its subagents run beside the agent
		return plan{
			letters: []letter{{first, 0}},
			steps:   []step{{"", []call{h.(parent).errand()}}, {"", []call{h.shell("until [ -e " + done + " ]; do sleep 0.1; done")}}},
			errands: []step{{first, two}, {"", []call{h.shell("touch " + done)}}},
		}
	case byTool:
		pull := h.(client).tool("pull", object{})
		return plan{letters: []letter{{first, 2}}, before: []string{first}, steps: []step{{"", []call{pull}}}}
	case always:
	}
	return plan{ // an ack takes one more request
		letters: []letter{{first, 1}, {second, 3}, {third, 5}}, before: []string{first},
		steps: []step{{second, two}, {third, nil}},
	}
}

// TestHosts is the table of `make hosts`: in each host and at each event the mail is
// in what the model is asked, once, and the agent acks it (HOOK-1, HOOK-3).
func TestHosts(t *testing.T) {
	installed(t)
	all := new(table)
	t.Cleanup(all.print)
	for _, h := range agents() {
		t.Run(h.name(), func(t *testing.T) {
			version := all.version(t, h)
			for _, e := range append(h.events(), event{name: "session", when: always}) {
				t.Run(e.name, func(t *testing.T) {
					row := all.add(t, h.name(), version, e.name)
					r := begin(t, h, e)
					r.live(h, e)
					row.seen, row.acked = r.outcome()
					if err := r.judge(); err != nil {
						t.Error(err)
					}
				})
			}
		})
	}
}

// TestControl sees to it that the table can fail: the text of a hook without
// --hook is plain, which Claude Code drops at this event.
func TestControl(t *testing.T) {
	installed(t)
	h, e := claude{}, event{name: "PostToolBatch", when: atTool, like: "PostToolBatch"}
	r := begin(t, h, e)
	settings := r.read(h.settings(r))
	plain := strings.ReplaceAll(settings, " --hook claude-code", "")
	if plain == settings {
		t.Fatalf("the settings have no --hook:\n%s", settings)
	}
	r.write(h.settings(r), plain)
	r.live(h, e)
	err := r.judge()
	if err == nil || !strings.Contains(err.Error(), "no request has") {
		t.Errorf("a hook that prints plain text is found to be: %v", err)
	}
}

// begin prepares a run: the host as its user has it, a subscription, the hook as
// `tundish init` puts it, and the mail that is there before.
func begin(t *testing.T, h agent, e event) *run {
	t.Helper()
	r := newRun(t, h.name()+"-"+e.name)
	r.plan = planned(h, e)
	r.model = startModel(t, len(r.plan.letters), r.plan.steps, r.plan.errands)
	r.model.deliver = r.deliver
	r.model.ack = func(item string) call { return h.shell(strings.Join(r.line("ack", item, "--as", who), " ")) }
	h.prepare(r, e)
	r.tundish("subscribe", "builds", "--as", who, "--queue", queue, "--consume", "on-ack")
	if e.when == byTool {
		c := h.(client)
		c.connect(r, r.line("mcp", "--as", who))
		r.model.ack = func(item string) call { return c.tool("ack", object{"ids": []json.Number{json.Number(item)}}) }
	} else {
		r.tundish("init", h.name(), "--as", who, "--user", "--yes")
		if e.when != always {
			h.only(r, e)
		}
	}
	for _, mail := range r.plan.before {
		r.deliver(mail)
	}
	return r
}

// live is one session.
func (r *run) live(h agent, e event) {
	r.record()
	r.execute(h.command(r, e))
	r.recorded(h, e)
}

// onlyHook leaves the hook at one event of a JSON file, or at those at which a
// subagent's life could run it.
func (r *run) onlyHook(path string, e event) {
	r.t.Helper()
	var settings map[string]any
	if err := json.Unmarshal([]byte(r.read(path)), &settings); err != nil {
		r.t.Fatal(err)
	}
	hooks, _ := settings["hooks"].(map[string]any)
	if hooks[e.like] == nil {
		r.t.Fatalf("init has put no hook at %s in %s", e.like, path)
	}
	put := object{}
	for _, name := range append([]string{e.name}, e.everywhere...) {
		put[name] = hooks[e.like]
	}
	settings["hooks"] = put
	r.writeJSON(path, settings)
}

// packageVersion is the version of a package that npm installed.
func packageVersion(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(need(t, path+"/package.json"))
	var found struct{ Version string }
	if err == nil {
		err = json.Unmarshal(text, &found)
	}
	if err != nil || found.Version == "" {
		t.Fatalf("%s has no version: %v", filepath.Base(path), err)
	}
	return found.Version
}
