package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/tundish-go/tundish/app"
)

// MCP-3: what the command notes on standard error is in the answer of the tool, in words
// for one that writes no flags and runs no commands.
func TestMCP3_Notes(t *testing.T) {
	h := newHouse(t, "w").connect()
	for i, test := range []struct {
		arguments args
		notes     []string
	}{
		{args{"filter": ".payload.ok = true"}, []string{"filter: a single = assigns, and what it gives always matches; == compares"}},
		{args{"filter": ".payload.ok == true"}, nil},
		{args{"filter": ".ok | not", "template": `"\(.title)"`}, []string{
			`filter reads "ok" of the item, which has none; what was published is under .payload`,
			`template reads "title" of the item, which has none; what was published is under .payload`,
		}},
	} {
		test.arguments["name"], test.arguments["queue"] = fmt.Sprintf("s%d", i), "q"
		if got := h.notesOf("subscribe", test.arguments); !slices.Equal(got, test.notes) {
			t.Errorf("%v gives %q", test.arguments, got)
		}
	}
	h.good("subscribe", args{"name": "jobs", "queue": "jobs", "share": "one", "consume": "on-ack"})
	h.good("publish", args{"queue": "jobs", "payload": 1})
	h.good("pull", args{"subscription": "jobs"})
	_, err := h.inbox.Subscribe(t.Context(), app.Subscribe{Name: "jobs", Subscriber: "v"})
	h.must(err)
	want := []string{
		"the rules of jobs now changed for v too",
		"leased items that nobody gets again under share all: 1; read them with the tool show",
	}
	if got := h.notesOf("subscribe", args{"name": "jobs", "queue": "jobs"}); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	past := args{"queue": "q", "payload": 1, "at": "@1", "dedupe": "d"}
	want = []string{"the time of at has passed: it becomes an item with the next publish to q, or the next pull from it"}
	if got := h.notesOf("publish", past); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for _, arguments := range []args{past, {"queue": "q", "payload": 1, "at": "@9000000000"}, {"queue": "q", "payload": 1}} {
		if got := h.notesOf("publish", arguments); got != nil {
			t.Errorf("%v gives %q", arguments, got)
		}
	}
}

// notesOf calls a tool, and answers the notes of its result.
func (h *house) notesOf(name string, arguments args) []string {
	h.Helper()
	var result struct{ Notes []string }
	h.must(json.Unmarshal([]byte(h.good(name, arguments)), &result))
	return result.Notes
}
