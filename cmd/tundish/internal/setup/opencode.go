package setup

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the plugin
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"slices"
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
		watch: watchPlugin,
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

// pluginCommand is the line of the plugin that gets the command.
const pluginCommand = commandMark + `["tundish"]`

// write is a plugin for a command.
func (plugin) write(text string, words []string) []byte {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quote(word)
	}
	line := commandMark + "[" + strings.Join(quoted, ", ") + "]"
	return []byte(strings.Replace(text, pluginCommand, line, 1))
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
	return p.write(pluginText, words), nil
}

func (plugin) unset([]byte, []byte) ([]byte, error) { return nil, nil }

func (p plugin) loses(before, after []byte) bool {
	return len(before) > 0 && !bytes.Equal(before, after) && !p.written(before)
}

// written tells whether a plugin is as init writes it, for whatever subscriber, or
// as an earlier version did: whether nobody edited it.
func (p plugin) written(text []byte) bool {
	found, err := p.find(text)
	if err != nil || len(found) == 0 || !opencode().usual(found[0].words) {
		return false
	}
	all := lines(text)
	all[found[0].line-1] = pluginCommand + "\n"
	blank := strings.Join(all, "")
	return slices.Contains(pluginSums(), pluginSum(blank)) && bytes.Equal(p.write(blank, found[0].words), text)
}

func pluginSum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// pluginSums are the SHA-256 sums of the texts that versions of tundish wrote, all
// with the line pluginCommand; that of today is the last one.
func pluginSums() []string {
	return []string{
		"6c9b3aec7802f13d04bd31b72b4c6b791a14f41ba3956ac83722b7296c250821",
		"65b496ef51b77e25eed45018257a6b8e2f6e5398f3071cd7e5693ca47ac701b8",
	}
}

// watchPlugin looks whether somebody edited the plugin.
func watchPlugin(p Place, path string, found []hook) []Finding {
	f, err := readFile(path)
	if err != nil || len(found) == 0 || (plugin{}).written(f.text) {
		return nil
	}
	return []Finding{{
		Note, path + " was changed by hand since init wrote it",
		"to have it written anew, and the changed one kept beside it, " + repair("opencode", p, found[0].words, ""),
	}}
}
