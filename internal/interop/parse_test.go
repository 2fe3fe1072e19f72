//go:build unix

package interop_test

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// batch is what a pull printed for one subscription.
type batch struct {
	status string
	counts map[string]int64
	items  []printed
}

// printed is one item in the output of a pull: its tag and what follows, with
// further lines.
type printed struct {
	id    int64
	queue string
	text  string
}

// parsePull reads the output of pulls as an agent would: a line that starts like
// a status line is one, and a line that starts like a tag begins an item.
func parsePull(t *testing.T, out string) []batch {
	t.Helper()
	if out == "" {
		return nil
	}
	if !strings.HasSuffix(out, "\n") {
		t.Errorf("the output does not end with a newline: %q", out)
	}
	tag := regexp.MustCompile(`^\s*\[(.*?)#([0-9]+)\](.*)$`)
	var batches []batch
	for _, line := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "tundish: subscription=") {
			batches = append(batches, batch{status: line, counts: parseCounts(line)})
			continue
		}
		if len(batches) == 0 {
			t.Fatalf("the output does not begin with a status line: %q", out)
		}
		b := &batches[len(batches)-1]
		if m := tag.FindStringSubmatch(line); m != nil {
			id, err := strconv.ParseInt(m[2], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			b.items = append(b.items, printed{id: id, queue: m[1], text: strings.TrimPrefix(m[3], " ")})
		} else if n := len(b.items); n > 0 {
			b.items[n-1].text += "\n" + line
		} else {
			t.Errorf("text before the first item: %q", line)
		}
	}
	return batches
}

func parseCounts(status string) map[string]int64 {
	counts := map[string]int64{}
	for _, field := range strings.Fields(status) {
		name, value, _ := strings.Cut(field, "=")
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			counts[name] = n
		}
	}
	return counts
}

// ids are the items of a pull of one subscription; it must print as many as its
// status line says.
func ids(t *testing.T, out string) []int64 {
	t.Helper()
	var all []int64
	for _, b := range parsePull(t, out) {
		if int64(len(b.items)) != b.counts["delivered"] {
			t.Errorf("%d items under %q", len(b.items), b.status)
		}
		for _, item := range b.items {
			all = append(all, item.id)
		}
	}
	return all
}

// stored is one line of list.
type stored struct {
	ID      int64           `json:"id"`
	Queue   string          `json:"queue"`
	Key     *string         `json:"key"`
	Payload json.RawMessage `json:"payload"`
	Created int64           `json:"created_at"`
}

// list reads a whole queue, oldest first.
func (s *site) list(b binary, queue string, more ...string) []stored {
	s.t.Helper()
	var all []stored
	for line := range strings.Lines(s.ok(b, append([]string{"list", queue, "--limit", "-1"}, more...)...)) {
		var item stored
		if err := json.Unmarshal([]byte(line), &item); err != nil {
			s.t.Fatalf("list printed %q: %v", line, err)
		}
		all = append(all, item)
	}
	return all
}

// id reads what publish printed.
func id(t *testing.T, out string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(strings.TrimSuffix(out, "\n"), 10, 64)
	if err != nil || n < 1 {
		t.Errorf("publish printed %q", out)
	}
	return n
}

func asJSON(text string) string {
	out, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(out)
}
