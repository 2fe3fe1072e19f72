//go:build unix

package main_test

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// HOOK-1: a host that keeps standard input open does not keep a hook waiting,
// whether it has said everything, something or nothing.
func TestHOOK1_InputThatStaysOpen(t *testing.T) {
	for said, want := range map[string]string{
		`{"hook_event_name":"Stop"}`:     `{"decision":"block","reason":"Mail from`,
		`{"hook_event_name":"Stop","x":`: "",
		``:                               "",
	} {
		eachDriver(t, func(t *testing.T, b build) {
			dir := t.TempDir()
			run(t, b, dir, "", "subscribe", "s", "--as", "a", "--queue", "q")
			run(t, b, dir, "1", "publish", "q")
			if got := hookWithOpenInput(t, b, dir, said); !strings.HasPrefix(got, want) || (want == "") != (got == "") {
				t.Errorf("after %q it printed %q", said, got)
			}
		})
	}
}

// hookWithOpenInput runs a hook that is told something on a pipe whose end stays
// open, and returns what it printed. One that waits for that end is killed.
func hookWithOpenInput(t *testing.T, b build, dir, said string) string {
	t.Helper()
	const generous = time.Minute
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer r.Close()
	if _, err := io.WriteString(w, said); err != nil {
		t.Fatal(err)
	}
	cmd := command(t, b, dir, "pull", "--due", "--as", "a", "--hook", "codex", "--timeout", "1h")
	var out strings.Builder
	cmd.Stdin, cmd.Stdout = r, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killer := time.AfterFunc(generous, func() { _ = cmd.Process.Kill() })
	defer killer.Stop()
	if err := cmd.Wait(); err != nil {
		t.Fatalf("after %q: %v", said, err)
	}
	return out.String()
}
