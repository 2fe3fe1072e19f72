package setup

import "path/filepath"

// gemini is Gemini CLI: settings.json, with comments.
func gemini() Host {
	h := hooks{
		host: "gemini", events: []string{"SessionStart", "BeforeAgent", "AfterTool", "AfterAgent"},
		groups: true, typed: true, named: true, command: []string{"command"}, timeout: "timeout", limit: 5000, longest: 60000,
	}
	return Host{
		Name: h.host, Title: "Gemini CLI", Proven: true, Events: h.events, Limit: "5000 ms", Start: "gemini", editor: h,
		path: func(p Place) string {
			if p.Project {
				return filepath.Join(p.Folder, ".gemini", "settings.json")
			}
			return filepath.Join(p.under("GEMINI_CLI_HOME"), ".gemini", "settings.json")
		},
		watch: watchGemini,
	}
}

// watchGemini looks at the switches that Gemini CLI has for hooks.
func watchGemini(_ Place, path string, _ []hook) []Finding {
	doc, err := readJSON(path)
	if err != nil {
		return nil // the check of the file itself has said so
	}
	config := doc.root.member("hooksConfig")
	if on := config.member("enabled"); on != nil && string(doc.text[on.start:on.end]) == "false" {
		return []Finding{bad("hooksConfig.enabled in "+path+" is false, so that no hook runs", "set it to true")}
	}
	if off := config.member("disabled"); off != nil {
		for _, it := range off.items {
			if doc.stringAt(it.value) == "tundish" {
				return []Finding{bad("hooksConfig.disabled in "+path+" names tundish", "take it out of the list")}
			}
		}
	}
	return nil
}
