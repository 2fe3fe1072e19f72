//go:build unix

package hosts_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// fixtures is where recorded inputs of hooks are kept, which fast tests read.
const fixtures = "../../cmd/tundish/internal/host/testdata"

// recorder stands in the program's place while TUNDISH_HOSTS_RECORD is set: it
// keeps what a hook is told, and passes it on.
const recorder = `#!/bin/sh
case " $* " in
*" --hook "*)
	told=$(mktemp -d '%[1]s/XXXXXX')
	env | grep '^GAFF_' | sort >"$told/env"
	tee "$told/stdin" | '%[2]s' "$@"
	;;
*) exec '%[2]s' "$@" ;;
esac
`

func (r *run) told() string { return filepath.Join(r.root, "told") }

// record begins to record, behind the back of a hook that is in place.
func (r *run) record() {
	if os.Getenv("TUNDISH_HOSTS_RECORD") == "" {
		return
	}
	program := filepath.Join(r.bin, "tundish")
	beside := filepath.Join(r.bin, "recorded-tundish")
	err := os.Rename(program, beside)
	if err == nil {
		err = os.Mkdir(r.told(), 0o700)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	r.write(program, fmt.Sprintf(recorder, r.told(), beside))
	if err := os.Chmod(program, 0o700); err != nil {
		r.t.Fatal(err)
	}
}

// recorded writes what hooks were told at an event of a host. Of several inputs of
// a kind it takes the longest.
func (r *run) recorded(h agent, e event) {
	r.t.Helper()
	found, err := filepath.Glob(filepath.Join(r.told(), "*"))
	if err != nil {
		r.t.Fatal(err)
	}
	best := map[string]string{}
	acks := strings.Join(r.line("ack"), " ") // told, too, and no better than others
	for _, dir := range found {
		text, env := r.read(filepath.Join(dir, "stdin")), r.read(filepath.Join(dir, "env"))
		at, kind := filed(text, env)
		if wanted := e.when != always && (kind == "subagent.json") == (e.when == inChild) && (e.when == inChild || at == e.name); !wanted || strings.Contains(text, acks) {
			continue
		}
		if kind == "main.env" {
			text = env
		}
		path := filepath.Join(fixtures, h.name(), at, kind)
		if text = r.anonymous(text); len(text) > len(best[path]) || len(text) == len(best[path]) && text < best[path] {
			best[path] = text
		}
	}
	for path, text := range best {
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
}

// filed says under which event and name an input is kept.
func filed(text, env string) (event, name string) {
	for line := range strings.Lines(env) {
		if event, ok := strings.CutPrefix(strings.TrimSpace(line), "GAFF_EVENT="); ok {
			return event, "main.env"
		}
	}
	var told struct {
		Event     string `json:"hook_event_name"`
		Agent     string `json:"agent_id"`
		Continued bool   `json:"stop_hook_active"`
	}
	_ = json.Unmarshal([]byte(text), &told) // empty: filed nowhere
	switch {
	case told.Agent != "":
		return told.Event, "subagent.json"
	case told.Continued:
		return told.Event, "continued.json"
	}
	return told.Event, "main.json"
}

// anonymous takes out of an input what is of this run alone: folders, ids, times.
func (r *run) anonymous(text string) string {
	dashed := regexp.MustCompile(`[^A-Za-z0-9]`).ReplaceAllString(r.work, "-")
	text = strings.NewReplacer(r.work, "/home/dev/project", dashed, "-home-dev-project", r.home, "/home/dev",
		r.temp, "/tmp", r.root, "/home/dev/run").Replace(text)
	for _, id := range []struct{ pattern, name string }{
		{`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`, "00000000-0000-4000-8000-%012d"},
		{`ses_[0-9A-Za-z]{10,}`, "ses_%d"},
		{`\ba[0-9a-f]{16}\b`, "a%016d"},
	} {
		text = renamed(text, id.pattern, id.name)
	}
	for pattern, put := range map[string]string{
		`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`:         "2026-01-01T00:00:00.000Z",
		`\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d`:                  "2026-01-01T00-00-00",
		`\d{4}-\d\d-\d\dT\d\d-\d\d-[0-9a-f]{8}`:           "2026-01-01T00-00-00000000",
		`/sessions/\d{4}/\d\d/\d\d/`:                      "/sessions/2026/01/01/",
		`"duration_ms": ?\d+`:                             `"duration_ms":100`,
		`(?i)(process group pgid:|background pids:) ?\d+`: "$1 1000",
	} {
		text = regexp.MustCompile(pattern).ReplaceAllString(text, put)
	}
	return text
}

// renamed numbers the ids in a text in the order in which they come.
func renamed(text, pattern, name string) string {
	var ids [][]byte
	return string(regexp.MustCompile(pattern).ReplaceAllFunc([]byte(text), func(id []byte) []byte {
		i := slices.IndexFunc(ids, func(known []byte) bool { return bytes.Equal(known, id) })
		if i < 0 {
			i, ids = len(ids), append(ids, bytes.Clone(id))
		}
		return fmt.Appendf(nil, name, i+1)
	}))
}
