//go:build unix

package cli

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tundish-go/tundish/cmd/tundish/internal/host"
)

// HOOK-1: standard input is read until its object ends, its time is over, or it
// is too large; a host that keeps its end open does no harm.
func TestHOOK1_BoundedInput(t *testing.T) {
	r, w := pipe(t)
	if _, err := io.WriteString(w, `{"hook_event_name":"Stop"}`); err != nil {
		t.Fatal(err)
	}
	far := time.Now().Add(time.Hour)
	if got := host.Read(&boundedInput{file: r, left: hookInputBytes, until: far}); got != (host.Input{Event: "Stop"}) {
		t.Errorf("of an open input came %+v", got)
	}
	if _, err := io.WriteString(w, `{"hook_event_name":"Stop",`); err != nil {
		t.Fatal(err)
	}
	soon := time.Now().Add(10 * time.Millisecond)
	if got := host.Read(&boundedInput{file: r, left: hookInputBytes, until: soon}); got != (host.Input{Event: "Stop", Partial: true}) {
		t.Errorf("of half an object came %+v", got)
	}
	if got := host.Read(&boundedInput{file: r, left: hookInputBytes, until: time.Now()}); got != (host.Input{}) {
		t.Errorf("of an input without anything came %+v", got)
	}
	large, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer large.Close()
	if _, err := io.WriteString(large, `{"hook_event_name":"Stop","x":"`+strings.Repeat("x", hookInputBytes)+`"}`); err != nil {
		t.Fatal(err)
	}
	for bytes, want := range map[int]bool{hookInputBytes: true, 2 * hookInputBytes: false} {
		if _, err := large.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		got := host.Read(&boundedInput{file: large, left: bytes, until: far})
		if got != (host.Input{Event: "Stop", Partial: want}) {
			t.Errorf("of a large input %d bytes give %+v", bytes, got)
		}
	}
}
