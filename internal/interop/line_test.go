//go:build linux

package interop_test

import (
	"bytes"
	"errors"
	"os"
	"syscall"
	"testing"
	"time"
)

// STO-8: a process that is stopped while it waits for the write lock, before all
// others that wait, holds up nobody for longer than they wait anyway; a killed one
// not at all. Both builds stand in one line.
func TestSTO8_AStoppedProcessFirstInLine(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		s := newSite(t)
		s.ok(b, "publish", "q", "1")
		for _, stopped := range []bool{true, false} {
			release := s.holdWriteLock()
			waiting := s.command(b, "publish", "q", "2")
			var out bytes.Buffer
			waiting.Stdout = &out
			if err := waiting.Start(); err != nil {
				t.Fatal(err)
			}
			s.untilLined()
			signal := syscall.SIGKILL
			if stopped {
				signal = syscall.SIGSTOP
			}
			if err := waiting.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(300*time.Millisecond, release)
			for i := range 2 {
				s.ok(mixed(i), "publish", "q", "3")
			}
			if stopped {
				if err := waiting.Process.Signal(syscall.SIGCONT); err != nil {
					t.Fatal(err)
				}
			}
			if err := waiting.Wait(); (err == nil) != stopped || (out.Len() > 0) != stopped {
				t.Errorf("stopped %v: it ended with %v and printed %q", stopped, err, out.String())
			}
		}
		if n := id(t, s.ok(b, "publish", "q", "4")); n != 7 {
			t.Errorf("the last of seven items has id %d", n)
		}
	})
}

// untilLined waits until somebody is first in the line for the write lock.
func (s *site) untilLined() {
	s.t.Helper()
	wal, err := os.Open(s.db + "-wal")
	if err != nil {
		s.t.Fatal(err)
	}
	defer wal.Close()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); time.Now().Before(end); <-tick.C {
		err := syscall.Flock(int(wal.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return
		}
		if err != nil || syscall.Flock(int(wal.Fd()), syscall.LOCK_UN) != nil {
			s.t.Fatal(err)
		}
	}
	s.t.Fatal("nobody lined up")
}
