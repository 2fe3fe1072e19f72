//go:build unix

package interop_test

import (
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// The bytes of a -shm file on which SQLite locks, in WAL mode, on every system
// with POSIX locks: the writer's, and the one that shows that the file is in use.
const (
	writerByte = 120
	inUseByte  = 128
)

// holdWriteLock takes the write lock of the database as another SQLite program
// would, and returns how to give it back.
func (s *site) holdWriteLock() (release func()) {
	s.t.Helper()
	shm, err := os.OpenFile(s.db+"-shm", os.O_RDWR, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, lock := range []syscall.Flock_t{
		{Type: syscall.F_RDLCK, Whence: io.SeekStart, Start: inUseByte, Len: 1},
		{Type: syscall.F_WRLCK, Whence: io.SeekStart, Start: writerByte, Len: 1},
	} {
		if err := syscall.FcntlFlock(shm.Fd(), syscall.F_SETLKW, &lock); err != nil {
			s.t.Fatal(err)
		}
	}
	return func() {
		if err := shm.Close(); err != nil { // closing drops the locks
			s.t.Error(err)
		}
	}
}

// PULL-11: a pull that cannot get the write lock in its time exits 1, and marks
// nothing.
func TestPULL11_DeadlineWhileAnotherWrites(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		s, want := undelivered(t, b)
		before := s.ok(b, "status")
		release := s.holdWriteLock()
		for _, attempt := range []struct {
			env  string
			args []string
		}{
			{"GAFF_TIMEOUT_MS=300", []string{"pull", "s", "--as", "w"}},
			{"GAFF_TIMEOUT_MS=300", []string{"pull", "--due", "--as", "w"}},
			{"GAFF_TIMEOUT_MS=", []string{"pull", "s", "--as", "w", "--timeout", "300ms"}},
			{"GAFF_TIMEOUT_MS=60000", []string{"pull", "s", "--as", "w", "--timeout", "300ms"}},
			{"GAFF_TIMEOUT_MS=300", []string{"pull", "s", "--as", "w", "--timeout", "1m"}},
		} {
			// One that waited as long as it may without a deadline would
			// speak of the lock instead.
			s.refused(s.finish(s.with(attempt.env).command(b, attempt.args...)), 1, "in time", "300")
		}
		if after := s.ok(b, "status"); after != before { // reading needs no lock
			t.Errorf("the status changed from\n%sto\n%s", before, after)
		}
		release()
		nothingMarked(t, s, b, before, want)
	})
}

// PULL-11: the variable's odd values.
func TestPULL11_ValuesOfTheVariable(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		s, want := undelivered(t, b)
		before := s.ok(b, "status")
		s.refused(s.finish(s.with("GAFF_TIMEOUT_MS=0").command(b, "pull", "s", "--as", "w")), 1, "GAFF_TIMEOUT_MS=0")
		for _, flag := range []string{"0", "0ms", "-1s", "1.5s", "soon", ""} {
			s.fails(b, 2, []string{"--timeout"}, "pull", "s", "--as", "w", "--timeout", flag)
		}
		nothingMarked(t, s, b, before, want)
		for _, value := range []string{"+300", "1s", " 300", "-5", "3e2"} {
			s.ok(b, "publish", "q", `"more"`)
			r := s.finish(s.with("GAFF_TIMEOUT_MS="+value).command(b, "pull", "s", "--as", "w"))
			if r.stderr == "" {
				t.Errorf("GAFF_TIMEOUT_MS=%s: nothing on standard error", value)
			}
		}
		for _, value := range []string{"", "60000", "99999999999999999999999999"} {
			s.ok(b, "publish", "q", `"more"`)
			if out := s.expect(s.with("GAFF_TIMEOUT_MS="+value).command(b, "pull", "s", "--as", "w")); out == "" {
				t.Errorf("GAFF_TIMEOUT_MS=%s: nothing was delivered", value)
			}
		}
	})
}

// STO-1: a publish waits while another program writes.
func TestSTO1_PublishWaitsForTheWriteLock(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		s := newSite(t)
		s.ok(b, "publish", "q", "1")
		release := s.holdWriteLock()
		var released atomic.Bool
		time.AfterFunc(time.Second, func() {
			released.Store(true)
			release()
		})
		if n := id(t, s.ok(b, "publish", "q", "2")); n != 2 || !released.Load() {
			t.Errorf("publish printed %d; the lock was released: %v", n, released.Load())
		}
	})
}
