//go:build linux && (amd64 || arm64)

package interop_test

import (
	"strings"
	"testing"
)

// maxSyncs is how many syncs a publish may take while the log stays.
const maxSyncs = 2

// TestPUB2_TheLogIsSyncedBeforeTheID looks at the system calls of a publish: the
// log is written, then synced, and only then the id is printed.
func TestPUB2_TheLogIsSyncedBeforeTheID(t *testing.T) {
	needTracer(t)
	onEach(t, func(t *testing.T, b binary) {
		s := newSite(t)
		s.ok(b, "publish", "q", "1")
		if printed := s.traced(b, "publish", "q", "2"); printed != "2\n" {
			t.Errorf("output %q", printed)
		}
	})
}

// OUT-1: so does an accept.
func TestOUT1_SyncedBeforeTheAnswer(t *testing.T) {
	needTracer(t)
	onEach(t, func(t *testing.T, b binary) {
		s := newSite(t)
		s.ok(b, "outbox", "accept", "w", "s", "first")
		if printed := s.traced(b, "outbox", "accept", "w", "s", "second", "--id", "m"); !strings.HasPrefix(printed, "ob_") {
			t.Errorf("output %q", printed)
		}
	})
}

// traced runs a command that stores something, checks the order of its system calls,
// and returns what it printed.
func (s *site) traced(b binary, args ...string) string {
	s.t.Helper()
	var calls []string
	look := tracer{root: s.dir, leave: func(c call) { calls = append(calls, c.what(s.db)) }}
	cmd := s.command(b, args...)
	var printed strings.Builder
	cmd.Stdout = &printed
	if code, err := look.run(cmd); err != nil || code != 0 {
		s.t.Fatalf("traced: exit %d, %v, output %q", code, err, printed.String())
	}
	checkOrder(s.t, calls)
	return printed.String()
}

func checkOrder(t *testing.T, calls []string) {
	t.Helper()
	written, synced, printed, syncs := -1, -1, -1, 0
	for i, what := range calls {
		if strings.Contains(what, "sync of ") {
			syncs++
		}
		switch {
		case what == "write of the output":
			printed = i
		case strings.HasSuffix(what, "sync of the log"):
			synced = i
		case what == "pwrite64 of the log":
			written = i
		}
	}
	trace := strings.Join(calls, "\n")
	if written < 0 || synced < written || printed < synced {
		t.Errorf("the log was last written in line %d, synced in line %d, and the id printed in line %d of\n%s", written, synced, printed, trace)
	}
	if syncs > maxSyncs {
		t.Errorf("%d syncs, more than %d:\n%s", syncs, maxSyncs, trace)
	}
}
