package setup

import (
	"path/filepath"
	"runtime"
)

// copilot is GitHub Copilot CLI, from its documentation. Its hooks do not learn
// their event under these names, so each command says it. userPromptSubmitted is
// left out: what a command prints there is dropped.
func copilot() Host {
	shells := []string{"bash", "powershell", "command"}
	if runtime.GOOS == "windows" {
		shells = []string{"powershell", "bash", "command"}
	}
	h := hooks{
		host: "copilot", events: []string{"sessionStart", "postToolUse", "agentStop"},
		version: true, typed: true, event: true, command: shells, timeout: "timeoutSec", limit: 5, longest: 60,
	}
	return Host{
		Name: h.host, Title: "GitHub Copilot CLI", Events: h.events, Limit: "5 s", Start: "copilot", editor: h,
		path: func(p Place) string {
			if p.Project {
				return filepath.Join(p.Folder, ".github", "hooks", "tundish.json")
			}
			return filepath.Join(p.under("COPILOT_HOME", ".copilot"), "hooks", "tundish.json")
		},
		watch: func(_ Place, path string, _ []hook) []Finding { return disabled(path, "disableAllHooks") },
	}
}
