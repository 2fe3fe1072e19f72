package setup

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// gaff is gaff, which runs handlers inside the hooks of other hosts. It reads the
// user's handlers.yml alone, from the home folder whatever the environment says.
func gaff() Host {
	return Host{
		Name: "gaff", Title: "gaff", Proven: true, Events: gaffEvents(), Limit: "400 ms", Start: "claude",
		editor: handlers{}, private: true,
		// Less than max_bytes, in which gaff's own line above the text has to fit.
		args: []string{"--max-bytes", "2900"},
		path: func(p Place) string {
			if p.Project {
				return ""
			}
			return filepath.Join(gaffFolder(p), "handlers.yml")
		},
		watch: watchGaff,
		after: func(Place) []string {
			return []string{
				"gaff runs handlers only in folders that you allow; in the folder where you start the agent: gaff trust",
				"and once in each project, to register gaff itself with the agent: gaff init",
			}
		},
	}
}

func gaffFolder(p Place) string { return filepath.Join(p.Home, ".config", "gaff") }

// gaffStop is the event at which the agent ends its turn.
const gaffStop = "stop"

// gaffWork are the events before that.
func gaffWork() []string { return []string{"session_start", "prompt", "tool_batch"} }

func gaffEvents() []string { return append(gaffWork(), gaffStop) }

// watchGaff looks at what gaff needs besides: a handler for stop alone, a file that
// is the user's alone, consent for the folder, and its own hooks in the agent's
// settings.
func watchGaff(p Place, path string, found []hook) []Finding {
	findings := gaffMixed(p, path, found)
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
		findings = append(findings, bad(path+" may be read or written by others, and gaff refuses it then", "chmod 600 "+ShellWord(path)))
	}
	trusted := filepath.Join(gaffFolder(p), "trusted")
	text, _ := os.ReadFile(trusted)
	folders := strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' || r == '\r' })
	allowed := false
	for _, folder := range folders {
		for _, spelled := range spellings(p.Folder) {
			allowed = allowed || folder == spelled
		}
	}
	switch {
	case allowed:
		findings = append(findings, good("gaff may run handlers in "+p.Folder))
	case len(folders) == 0:
		findings = append(findings, bad("gaff may run handlers in no folder yet, says "+trusted, "run gaff trust where you start the agent"))
	default:
		findings = append(findings, unknown("whether gaff may run handlers where you start the agent: not in "+p.Folder, "run gaff trust there"))
	}
	return append(findings, gaffHooked(p))
}

// gaffMixed looks for a handler at stop that has other events: gaff counts tool
// calls and prompts for each handler, and this one has spent them before.
func gaffMixed(p Place, path string, found []hook) []Finding {
	for _, stop := range found {
		for _, at := range found {
			if stop.event == gaffStop && at.event != gaffStop && at.i == stop.i {
				what := fmt.Sprintf("the handler at %s:%d has stop among other events, so that gaff passes it over at stop, which needs one of its own", path, stop.line)
				return []Finding{bad(what, repair("gaff", p, stop.words, ""))}
			}
		}
	}
	return nil
}

// gaffHooked looks for gaff's own hooks in the settings of Claude Code, in which
// "gaff init" writes them.
func gaffHooked(p Place) Finding {
	for _, file := range []string{
		filepath.Join(p.Folder, ".claude", "settings.local.json"), filepath.Join(p.Folder, ".claude", "settings.json"),
		filepath.Join(p.under("CLAUDE_CONFIG_DIR", ".claude"), "settings.json"),
	} {
		if text, err := os.ReadFile(file); err == nil && bytes.Contains(text, []byte("gaff hook")) {
			return good("gaff is registered in " + file)
		}
	}
	return unknown("whether gaff is registered with an agent: not in the settings of Claude Code", "run gaff init in the project")
}
