package mcp

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// MCP-5: a line that is too long is left out whole, and the next one counts.
func TestMCP5_Lines(t *testing.T) {
	long := strings.Repeat("x", 200000)
	lines := newLineReader(strings.NewReader(long+"\nshort\n\n"+long[:150000]+"\nlast"), 160000)
	for _, want := range []struct {
		size  int
		whole bool
	}{{160000, false}, {6, true}, {1, true}, {150001, true}, {4, true}} {
		line, whole, err := lines.next()
		if err != nil || len(line) != want.size || whole != want.whole {
			t.Fatalf("%d bytes, %t, %v; want %+v", len(line), whole, err, want)
		}
	}
	if _, _, err := lines.next(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}
