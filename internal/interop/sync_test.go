//go:build linux

package interop_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// maxSyncs is how many syncs a publish may take while the log stays.
const maxSyncs = 2

// TestPUB2_TheLogIsSyncedBeforeTheID looks at the system calls of a publish: the
// log is written, then synced, and only then the id is printed.
func TestPUB2_TheLogIsSyncedBeforeTheID(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed: the order of the sync and the id was not looked at")
	}
	if out, err := exec.Command(strace, "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		t.Skipf("strace cannot run here: %v: %s", err, out)
	}
	onEach(t, func(t *testing.T, b binary) {
		s := newSite(t)
		s.ok(b, "publish", "q", "1")
		trace := filepath.Join(s.dir, "trace")
		cmd := s.command(b, "publish", "q", "2")
		cmd.Args = append([]string{strace, "-f", "-y", "-qq", "-o", trace,
			"-e", "trace=write,pwrite64,writev,fsync,fdatasync,sync_file_range"}, cmd.Args...)
		cmd.Path = strace
		if out := s.finish(cmd); out.code != 0 || out.stdout != "2\n" {
			t.Fatalf("under strace: %+v", out)
		}
		text, err := os.ReadFile(trace)
		if err != nil {
			t.Fatal(err)
		}
		checkOrder(t, s.db+"-wal", string(text))
	})
}

func checkOrder(t *testing.T, log, trace string) {
	t.Helper()
	written, synced, printed, syncs := -1, -1, -1, 0
	for i, line := range strings.Split(trace, "\n") {
		_, call, _ := strings.Cut(line, " ")
		call = strings.TrimSpace(call)
		onLog := strings.Contains(call, "<"+log+">")
		switch {
		case strings.HasPrefix(call, "write(1<"):
			printed = i
		case strings.HasPrefix(call, "fsync("), strings.HasPrefix(call, "fdatasync("):
			syncs++
			if onLog {
				synced = i
			}
		case onLog && strings.Contains(call, "write"):
			written = i
		}
	}
	if written < 0 || synced < written || printed < synced {
		t.Errorf("the log was last written in line %d, synced in line %d, and the id printed in line %d of\n%s", written, synced, printed, trace)
	}
	if syncs > maxSyncs {
		t.Errorf("%d syncs, more than %d:\n%s", syncs, maxSyncs, trace)
	}
}
