package setup

import (
	_ "embed" // for the plugin
	"encoding/json"
	"path/filepath"
	"strings"
)

// opencode is opencode, which has no hooks but plugins: one file of ours.
func opencode() Host {
	return Host{
		Name: "opencode", Title: "opencode", Proven: true, Limit: "5000 ms", Start: "opencode", editor: plugin{},
		Events: pluginEvents(),
		path: func(p Place) string {
			if p.Project {
				return filepath.Join(p.Folder, ".opencode", "plugins", "tundish.js")
			}
			return filepath.Join(p.under("XDG_CONFIG_HOME", ".config"), "opencode", "plugins", "tundish.js")
		},
		after: func(Place) []string {
			return []string{"with a plugin there, opencode installs @opencode-ai/plugin beside it when it starts first, which needs the network"}
		},
	}
}

func pluginEvents() []string {
	return []string{"chat.message", "tool.execute.after", "session.idle"}
}

//go:embed opencode_plugin.js
var pluginText string

// plugin writes the whole file.
type plugin struct{}

const commandMark = "const command = "

// write is the plugin for a command.
func (plugin) write(words []string) []byte {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quote(word)
	}
	line := commandMark + "[" + strings.Join(quoted, ", ") + "]"
	return []byte(strings.Replace(pluginText, commandMark+`["tundish"]`, line, 1))
}

func (plugin) find(text []byte) ([]hook, error) {
	for i, line := range lines(text) {
		list, ok := strings.CutPrefix(strings.TrimSpace(line), commandMark)
		var words []string
		if !ok || json.Unmarshal([]byte(strings.TrimSuffix(list, ";")), &words) != nil || !ours(words, "opencode") {
			continue
		}
		var found []hook
		for _, event := range pluginEvents() {
			found = append(found, hook{event: event, words: words, line: i + 1})
		}
		return found, nil
	}
	return nil, nil
}

func (p plugin) set(text []byte, words []string) ([]byte, error) {
	if len(text) > 0 {
		if found, err := p.find(text); err != nil || len(found) == 0 {
			return nil, &PlaceError{Line: 1, Text: "there is a plugin that tundish did not write"}
		}
	}
	return p.write(words), nil
}

func (plugin) unset([]byte, []byte) ([]byte, error) { return nil, nil }
