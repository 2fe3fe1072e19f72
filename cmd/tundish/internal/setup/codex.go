package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// codex is Codex CLI: hooks.json, beside the config.toml in which it keeps what
// the user trusts.
func codex() Host {
	h := hooks{
		host: "codex", events: []string{"SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"},
		groups: true, typed: true, command: []string{"command"}, timeout: "timeout", limit: 5, longest: 60,
	}
	return Host{
		Name: h.host, Title: "Codex CLI", Proven: true, Events: h.events, Limit: "5 s", Start: "codex", editor: h,
		path: func(p Place) string {
			if p.Project {
				return filepath.Join(p.Folder, ".codex", "hooks.json")
			}
			return filepath.Join(codexHome(p), "hooks.json")
		},
		watch: watchCodex,
		after: func(p Place) []string {
			left := []string{
				"Codex skips a hook that you have not trusted, without a word: start codex and type /hooks to trust it." +
					" Any later edit of the hook ends the trust",
				"for one run without that: codex exec --dangerously-bypass-hook-trust",
			}
			if p.Project {
				left = append(left, fmt.Sprintf("a project's hooks also need [projects.%s] trust_level = \"trusted\" in %s",
					quote(p.Folder), filepath.Join(codexHome(p), "config.toml")))
			}
			return left
		},
	}
}

func codexHome(p Place) string { return p.under("CODEX_HOME", ".codex") }

// watchCodex finds out whether Codex would run the hooks: it skips those that are
// not trusted as they are now (SETUP-6).
func watchCodex(p Place, path string, found []hook) []Finding {
	file := filepath.Join(codexHome(p), "config.toml")
	f, err := readFile(file)
	var config tomlTable
	if err == nil {
		config, err = parseTOML(f.text)
	}
	if err != nil {
		return []Finding{unknown("whether the hooks are trusted: "+file+" cannot be read: "+err.Error(), "mend it")}
	}
	if on, is := config.table("features")["hooks"].(bool); is && !on {
		return []Finding{bad("features.hooks in "+file+" is false, so that no hook runs", "set it to true")}
	}
	findings := codexProject(p, config, file)
	if codexTrusts(path, config, found, &findings) {
		findings = append(findings, good("Codex trusts the hooks as they are, says "+file))
	}
	return findings
}

// codexProject looks at the trust in the folder, which a project's hooks need.
func codexProject(p Place, config tomlTable, file string) []Finding {
	if !p.Project {
		return nil
	}
	for _, folder := range spellings(p.Folder) {
		if config.table("projects").table(folder).text("trust_level") == "trusted" {
			return []Finding{good("Codex trusts the project, says " + file)}
		}
	}
	return []Finding{bad("Codex does not trust "+p.Folder+", so that no hook of it runs",
		fmt.Sprintf("write [projects.%s] trust_level = \"trusted\" into %s", quote(p.Folder), file))}
}

// codexTrusts adds what is wrong with each hook.
func codexTrusts(path string, config tomlTable, found []hook, findings *[]Finding) bool {
	doc, err := readJSON(path)
	if err != nil {
		return false
	}
	var off, untrusted, edited []string // events
	for _, h := range found {
		trusted, enabled := "", true
		for _, spelled := range spellings(path) {
			state := config.table("hooks").table("state").table(fmt.Sprintf("%s:%s:%d:%d", spelled, snake(h.event), h.i, h.j))
			if hash := state.text("trusted_hash"); hash != "" {
				trusted = hash
			}
			if on, is := state["enabled"].(bool); is && !on {
				enabled = false
			}
		}
		switch {
		case !enabled:
			off = append(off, h.event)
		case trusted == "":
			untrusted = append(untrusted, h.event)
		case trusted != codexHash(doc, h):
			edited = append(edited, h.event)
		}
	}
	tell := func(events []string, before, after string) {
		if len(events) > 0 {
			what := before + strings.Join(slices.Compact(events), ", ") + after
			*findings = append(*findings, bad(what, "start codex and type /hooks"))
		}
	}
	tell(off, "switched off in Codex are the hooks at ", "")
	tell(untrusted, "Codex does not trust the hooks at ", " and skips them without a word")
	tell(edited, "Codex skips the hooks at ", ", which were edited since it was told to trust them")
	return len(found) > 0 && len(off)+len(untrusted)+len(edited) == 0
}

// spellings are a path as it is, and without symbolic links.
func spellings(path string) []string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil && resolved != path {
		return []string{path, resolved}
	}
	return []string{path}
}

// snake is an event as Codex has it in the keys of its state.
func snake(event string) string {
	var b strings.Builder
	for i, r := range event {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// codexHash is what Codex compares with what was trusted: the SHA-256 of the
// event, the matcher and the one hook as JSON with sorted names, in which what is
// left out has its default.
func codexHash(doc jsonText, h hook) string {
	handler := map[string]any{
		"type": "command", "command": doc.stringAt(h.text), "async": false, "timeout": int64(600),
	}
	if n, err := strconv.ParseInt(h.timeout, 10, 64); err == nil {
		handler["timeout"] = max(1, n)
	}
	if async := h.handler.member("async"); async != nil {
		handler["async"] = string(doc.text[async.start:async.end]) == "true"
	}
	if message := h.handler.member("statusMessage"); message != nil && message.kind == '"' {
		handler["statusMessage"] = doc.stringAt(message)
	}
	silent := strings.HasSuffix(h.event, "Stop") // takes no context, so no limit of it
	if most := h.handler.member("additionalContextLimit"); most != nil && most.kind == 'v' && !silent {
		if n, err := strconv.ParseInt(string(doc.text[most.start:most.end]), 10, 64); err == nil {
			handler["additionalContextLimit"] = n
		}
	}
	identity := map[string]any{"event_name": snake(h.event), "hooks": []any{handler}}
	matched := h.event != "UserPromptSubmit" && h.event != "Stop"
	if matcher := h.group.member("matcher"); matcher != nil && matcher.kind == '"' && matched {
		identity["matcher"] = doc.stringAt(matcher)
	}
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(identity); err != nil {
		panic(err) // texts and numbers always encode
	}
	sum := sha256.Sum256([]byte(strings.TrimSuffix(text.String(), "\n")))
	return "sha256:" + hex.EncodeToString(sum[:])
}
