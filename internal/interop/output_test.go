//go:build unix

package interop_test

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
)

// undelivered is a site with two items, which a pull of s by w would print.
func undelivered(t *testing.T, b binary) (s *site, want string) {
	t.Helper()
	s = newSite(t)
	s.ok(b, "subscribe", "s", "--as", "w", "--queue", "q")
	s.ok(b, "publish", "q", `"first"`)
	s.ok(b, "publish", "q", `"second"`, "--key", "k")
	return s, "tundish: subscription=s subscriber=w delivered=2 more=0 unacked=0 parked=0 errors=0 dropped=0 lease=0\n" +
		"[q#1] \"first\"\n[q#2] k \"second\"\n"
}

// nothingMarked checks that a pull that failed left everything as it was.
func nothingMarked(t *testing.T, s *site, b binary, before, want string) {
	t.Helper()
	if after := s.ok(b, "status"); after != before {
		t.Errorf("the status changed from\n%sto\n%s", before, after)
	}
	if out := s.ok(b, "pull", "s", "--as", "w"); out != want {
		t.Errorf("the next pull printed %q, want %q", out, want)
	}
}

// brokenPipe is the writing end of a pipe that nobody can read any more.
func brokenPipe(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return w
}

// fullDevice is a device that is always full.
func fullDevice(t *testing.T) *os.File {
	t.Helper()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("there is no full device: %v", err)
	}
	return full
}

// fullPipe is a pipe with no room left, whose reader does not read.
func fullPipe(t *testing.T, blocking bool) *os.File {
	t.Helper()
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fds[0]) })
	for _, fd := range fds {
		syscall.CloseOnExec(fd)
	}
	if err := syscall.SetNonblock(fds[1], true); err != nil {
		t.Fatal(err)
	}
	for _, piece := range []int{4096, 1} {
		for {
			_, err := syscall.Write(fds[1], make([]byte, piece))
			if errors.Is(err, syscall.EAGAIN) {
				break
			}
			if err != nil && !errors.Is(err, syscall.EINTR) {
				t.Fatal(err)
			}
		}
	}
	if err := syscall.SetNonblock(fds[1], !blocking); err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fds[1]), "full pipe")
}

// PULL-12: a pull whose output cannot be written marks nothing.
func TestPULL12_OutputThatCannotBeWritten(t *testing.T) {
	outputs := map[string]func(*testing.T) *os.File{"closed pipe": brokenPipe, "full device": fullDevice}
	for name, open := range outputs {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, b binary) {
				s, want := undelivered(t, b)
				before := s.ok(b, "status")
				for _, args := range [][]string{{"pull", "s", "--as", "w"}, {"pull", "--due", "--as", "w"}} {
					out := open(t)
					cmd := s.command(b, args...)
					cmd.Stdout = out
					s.refused(s.finish(cmd), 1, "output")
					_ = out.Close()
				}
				nothingMarked(t, s, b, before, want)
			})
		})
	}
}

// PULL-12: the same where standard output was closed from the start. The Go
// runtime puts /dev/null in its place, which would take everything.
func TestPULL12_OutputThatWasClosed(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		s, want := undelivered(t, b)
		before := s.ok(b, "status")
		for _, script := range []string{`exec "$@" >&-`, `exec "$@" <&- >&-`} {
			s.refused(s.finish(s.shell(b, script, "pull", "s", "--as", "w")), 1, "output")
			s.refused(s.finish(s.shell(b, script, "pull", "--due", "--as", "w")), 1, "output")
		}
		if r := s.finish(s.shell(b, `exec "$@" >&- 2>&-`, "pull", "s", "--as", "w")); r.code != 1 {
			t.Errorf("with standard error closed too: %+v", r)
		}
		nothingMarked(t, s, b, before, want)
	})
}

// PULL-12: what a shell redirects to /dev/null or to a file was chosen so, and
// standard input is never read.
func TestPULL12_OutputOfAShell(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		for _, script := range []string{`exec "$@" >/dev/null`, `exec "$@" >out`, `exec "$@" >>out`, `"$@" | cat >out`, `exec "$@" <&- >out`} {
			s, want := undelivered(t, b)
			s.expect(s.shell(b, script, "pull", "s", "--as", "w"))
			if text, err := os.ReadFile(s.dir + "/out"); err == nil && string(text) != want {
				t.Errorf("%s: the file holds %q, want %q", script, text, want)
			} else if err != nil && strings.HasSuffix(script, "out") {
				t.Error(err)
			}
			if rest := s.ok(b, "pull", "s", "--as", "w"); rest != "" {
				t.Errorf("%s: the next pull printed %q", script, rest)
			}
		}
		s, want := undelivered(t, b)
		in, out, err := os.Pipe() // nothing is ever written, and it never ends
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		defer out.Close()
		cmd := s.command(b, "pull", "s", "--as", "w")
		cmd.Stdin = in
		if got := s.expect(cmd); got != want {
			t.Errorf("with an open standard input the pull printed %q, want %q", got, want)
		}
	})
}

// PULL-11, PULL-12: a reader that does not read holds up a pull until its
// deadline, or half a second without one, and publishers no longer than that.
func TestPULL12_ReaderThatDoesNotRead(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		for _, blocking := range []bool{true, false} {
			for _, env := range []string{"GAFF_TIMEOUT_MS=300", "GAFF_TIMEOUT_MS="} {
				s, want := undelivered(t, b)
				before := s.ok(b, "status")
				cmd := s.with(env).command(b, "pull", "s", "--as", "w")
				out := fullPipe(t, blocking)
				cmd.Stdout = out
				var stderr strings.Builder
				cmd.Stderr = &stderr
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				if n := id(t, s.ok(mixed(0), "publish", "other", "1")); n != 3 {
					t.Errorf("the publish beside it printed %d", n)
				}
				err := cmd.Wait()
				_ = out.Close()
				if err == nil || cmd.ProcessState.ExitCode() != 1 || !strings.Contains(stderr.String(), "tundish: ") {
					t.Errorf("%s: the pull ended with %v and said %q", env, err, stderr.String())
				}
				nothingMarked(t, s, b, before, want)
			}
		}
	})
}

// CMD-5: a publish that is committed and cannot print says under which id.
func TestCMD5_PublishThatCannotPrint(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		s := newSite(t)
		s.ok(b, "publish", "q", "1")
		for n, open := range []func(*testing.T) *os.File{brokenPipe, fullDevice} {
			out := open(t)
			cmd := s.command(b, "publish", "q", `"kept"`)
			cmd.Stdout = out
			s.refused(s.finish(cmd), 1, "id "+string(rune('2'+n)))
			_ = out.Close()
		}
		items := s.list(b, "q")
		if len(items) != 3 || string(items[2].Payload) != `"kept"` {
			t.Errorf("the queue holds %v", items)
		}
	})
}
