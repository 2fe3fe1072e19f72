package setup

import "path/filepath"

// cursor is Cursor, from its documentation. beforeSubmitPrompt is left out: it
// takes no text for the model.
func cursor() Host {
	h := hooks{
		host: "cursor", events: []string{"sessionStart", "postToolUse", "stop"},
		version: true, command: []string{"command"}, timeout: "timeout", limit: 5, longest: 60,
	}
	return Host{
		Name: h.host, Title: "Cursor", Events: h.events, Limit: "5 s", Start: "cursor-agent", editor: h,
		path: func(p Place) string {
			if p.Project {
				return filepath.Join(p.Folder, ".cursor", "hooks.json")
			}
			return filepath.Join(p.Home, ".cursor", "hooks.json")
		},
	}
}
