package setup

import (
	"path/filepath"
)

// claudeCode is Claude Code: settings.json, with comments it does not read.
func claudeCode() Host {
	h := hooks{
		host: "claude-code", events: []string{"SessionStart", "UserPromptSubmit", "PostToolBatch", "Stop"},
		groups: true, typed: true, command: []string{"command"}, timeout: "timeout", limit: 5, longest: 60,
	}
	return Host{
		Name: h.host, Title: "Claude Code", Proven: true, Events: h.events, Limit: "5 s", Start: "claude", editor: h,
		path: func(p Place) string {
			if p.Project {
				return filepath.Join(p.Folder, ".claude", "settings.json")
			}
			return filepath.Join(p.under("CLAUDE_CONFIG_DIR", ".claude"), "settings.json")
		},
		watch: func(_ Place, path string, _ []hook) []Finding { return disabled(path, "disableAllHooks") },
	}
}
