package jq

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/tundish-go/tundish/ports"
)

// answer is what jq gives for one item.
type answer struct {
	Outputs      *string `json:"outputs,omitempty"`
	Error        bool    `json:"error,omitempty"`
	CompileError bool    `json:"compile_error,omitempty"`
}

func (a answer) failed() bool { return a.Error || a.CompileError }

// floorPercent is the share of jq's answers that ours must equal, byte for byte.
const floorPercent = 98.0

// TestCorpus runs the recorded expressions as templates on the recorded items
// and counts the answers that equal jq's (expressions.md, section 2).
func TestCorpus(t *testing.T) {
	docs := corpusItems(t)
	equal, total := 0, 0
	for line := range corpusLines(t, "testdata/jq.ndjson") {
		var record struct {
			Expr    string
			Results []answer
		}
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		renderer, err := New().Template("[" + record.Expr + "]")
		for i, want := range record.Results {
			var got answer
			if err != nil {
				got.CompileError = true
			} else if text, err := renderer.Render(context.Background(), docs[i]); err != nil {
				got.Error = true
			} else {
				got.Outputs = &text
			}
			total++
			if got.failed() && want.failed() || got.Outputs != nil && want.Outputs != nil && *got.Outputs == *want.Outputs {
				equal++
				continue
			}
			t.Logf("%s on item %d:\n  got  %s\n  want %s", record.Expr, i+1, show(got), show(want))
		}
	}
	percent := 100 * float64(equal) / float64(total)
	t.Logf("%d of %d answers equal jq's (%.1f %%)", equal, total, percent)
	if percent < floorPercent {
		t.Errorf("%.1f %% of the answers equal jq's, want %.1f %%", percent, floorPercent)
	}
}

func show(a answer) string {
	if a.Outputs == nil {
		return "an error"
	}
	return *a.Outputs
}

// corpusItems returns the recorded items. The payload is cut out of the text, as
// decoding would change its numbers.
func corpusItems(t testing.TB) []ports.Document {
	t.Helper()
	var docs []ports.Document
	for line := range corpusLines(t, "testdata/items.ndjson") {
		var item struct {
			ID        int64
			Queue     string
			Key       *string
			Payload   json.RawMessage
			CreatedAt int64 `json:"created_at"`
		}
		if err := json.Unmarshal([]byte(line), &item); err != nil {
			t.Fatal(err)
		}
		docs = append(docs, ports.Document{
			ID: item.ID, Queue: item.Queue, Key: item.Key, Payload: item.Payload,
			CreatedAt: item.CreatedAt, Now: item.CreatedAt,
		})
	}
	return docs
}

func corpusLines(t testing.TB, path string) func(func(string) bool) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(string) bool) {
		s := bufio.NewScanner(strings.NewReader(string(data)))
		s.Buffer(nil, 1<<20)
		for s.Scan() {
			if !yield(s.Text()) {
				return
			}
		}
	}
}
