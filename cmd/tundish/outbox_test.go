//go:build unix

package main_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// slow is a receiver that says when it has begun, and ends when it is told to.
const slow = `cat >/dev/null
echo begun >begun
read go <go
`

// workerProcess is a worker whose receiver is slow.
type workerProcess struct {
	cmd    *exec.Cmd
	stderr *bufio.Reader
}

// startWorker accepts a prompt for a session and starts a worker that sends it. It
// returns when the send has begun.
func startWorker(t *testing.T, b build, dir, session string, flags ...string) workerProcess {
	t.Helper()
	run(t, b, dir, "", "outbox", "accept", "web", session, "slow")
	w := workerProcess{cmd: command(t, b, dir, append([]string{"outbox", "run", "--deliver", "exec:sh slow.sh"}, flags...)...)}
	w.cmd.Dir = dir
	pipe, err := w.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	w.stderr = bufio.NewReader(pipe)
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.await(t, "the outbox worker is ready")
	if text, err := os.ReadFile(filepath.Join(dir, "begun")); string(text) != "begun\n" {
		t.Fatalf("the receiver says %q (%v)", text, err)
	}
	return w
}

// await reads standard error up to a line with a text.
func (w workerProcess) await(t *testing.T, text string) {
	t.Helper()
	for {
		line, err := w.stderr.ReadString('\n')
		if err != nil {
			t.Fatalf("%q does not come: %v", text, err)
		}
		if strings.Contains(line, text) {
			return
		}
	}
}

func (w workerProcess) signal(t *testing.T, signal syscall.Signal) {
	t.Helper()
	if err := w.cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
}

// end wants the worker to exit with 0.
func (w workerProcess) end(t *testing.T) {
	t.Helper()
	w.await(t, "the outbox worker has ended")
	if _, err := io.Copy(io.Discard, w.stderr); err != nil {
		t.Error(err)
	}
	if err := w.cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func slowSite(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "slow.sh"), []byte(slow), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"begun", "go"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// OUT-8, OUT-9, OUT-10, OUT-16: while an entry is being sent, it is busy, and the
// next one blocked; after SIGTERM the send ends in peace, and nothing new begins.
func TestOUT10_Drain(t *testing.T) {
	eachDriver(t, func(t *testing.T, b build) {
		dir := slowSite(t)
		w := startWorker(t, b, dir, "ses")
		id, _, _ := strings.Cut(run(t, b, dir, "", "outbox", "list"), "\t")
		run(t, b, dir, "", "outbox", "accept", "web", "ses", "next")
		list := run(t, b, dir, "", "outbox", "list")
		for _, want := range []string{"\tdelivering\tattempts=0\tdue=-\t", "\tpending\tattempts=0\tdue=now\tunknown=0\treason=\tblocked=in-flight for "} {
			if !strings.Contains(list, want) {
				t.Errorf("%q is not in\n%s", want, list)
			}
		}
		if status := run(t, b, dir, "", "outbox", "status"); !strings.Contains(status, "\nlease\tweb\tses\t"+id+"\theld\tfor=") {
			t.Errorf("the lease is not in\n%s", status)
		}
		busy := regexp.MustCompile(`^tundish: entry ` + id + ` is being sent or verified by \S+:[0-9]+:[0-9a-f]+ for [0-9]+s; try again`)
		for _, verb := range []string{"dismiss", "retry"} {
			cmd := command(t, b, dir, "outbox", verb, "web", "ses", id)
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState.ExitCode() != 3 || !busy.Match(out) {
				t.Errorf("%s of a busy entry: %v, %s", verb, err, out)
			}
		}
		w.signal(t, syscall.SIGTERM)
		w.await(t, "takes nothing more")
		if err := os.WriteFile(filepath.Join(dir, "go"), []byte("go\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		w.end(t)
		list = run(t, b, dir, "", "outbox", "list")
		if strings.Contains(list, id) || !strings.Contains(list, "\tpending\tattempts=0\tdue=now\tunknown=0\treason=\tblocked=\t") {
			t.Errorf("after the drain there is\n%s", list)
		}
	})
}

// burst sends two signals that the worker gets at the same time.
func (w workerProcess) burst(t *testing.T) {
	t.Helper()
	for _, each := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGTERM, syscall.SIGINT, syscall.SIGCONT} {
		w.signal(t, each)
	}
}

// insist sends signals until standard error has a line with a text: those that come
// too soon count for nothing.
func (w workerProcess) insist(t *testing.T, text string) {
	t.Helper()
	over := make(chan struct{})
	var again sync.WaitGroup
	again.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				_ = w.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
			}
		}
	})
	defer again.Wait()
	defer close(over)
	w.await(t, text)
}

// OUT-10, OUT-16: a signal that follows the first one at once, as timeout sends its
// child and then the group one, is the same: the send goes on to its end.
func TestOUT10_Echo(t *testing.T) {
	eachDriver(t, func(t *testing.T, b build) {
		dir := slowSite(t)
		w := startWorker(t, b, dir, "ses")
		w.burst(t)
		w.await(t, "takes nothing more")
		// Opened so, it does not wait for a receiver that was cancelled.
		pipe, err := os.OpenFile(filepath.Join(dir, "go"), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer pipe.Close()
		if _, err := pipe.WriteString("go\n"); err != nil {
			t.Fatal(err)
		}
		w.end(t)
		if list := run(t, b, dir, "", "outbox", "list"); list != "" {
			t.Errorf("after two signals at once there is\n%s", list)
		}
	})
}

// OUT-10: a later second signal, and the end of the drain, cancel a send, whose fate
// is then unknown.
func TestOUT10_Cancel(t *testing.T) {
	eachDriver(t, func(t *testing.T, b build) {
		dir := slowSite(t)
		w := startWorker(t, b, dir, "one")
		w.signal(t, syscall.SIGTERM)
		w.await(t, "takes nothing more")
		w.insist(t, "cancels its sends")
		w.end(t)
		w = startWorker(t, b, dir, "two", "--drain", "1ms")
		w.signal(t, syscall.SIGTERM)
		w.end(t)
		for _, session := range []string{"one", "two"} {
			list := run(t, b, dir, "", "outbox", "list", "web", session)
			if !regexp.MustCompile(`\t(verifying|error)\tattempts=0\t.*\tunknown=1\t`).MatchString(list) {
				t.Errorf("a cancelled send of %s is listed as\n%s", session, list)
			}
		}
	})
}

// OUT-16: without the worker's program, what delivers says so; all else works.
func TestOUT16_NoWorker(t *testing.T) {
	eachDriver(t, func(t *testing.T, b build) {
		dir := t.TempDir()
		alone := build{driver: b.driver, path: filepath.Join(dir, "alone")}
		if err := os.Link(b.path, alone.path); err != nil {
			t.Fatal(err)
		}
		run(t, alone, dir, "", "outbox", "accept", "web", "ses", "text")
		for _, args := range [][]string{{"run"}, {"sweep", "web"}, {"retry", "web", "ses", "ob_1"}} {
			cmd := command(t, alone, dir, append([]string{"outbox"}, args...)...)
			cmd.Env = append(cmd.Env, "PATH="+dir)
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState.ExitCode() != 1 || !regexp.MustCompile(`the program that delivers is missing: .*alone-outbox .*; build it`).Match(out) {
				t.Errorf("%s without a worker: %v, %s", args[0], err, out)
			}
		}
		// One on PATH is found, unless it is the program itself.
		link := filepath.Join(dir, "tundish-outbox")
		if err := os.Symlink(alone.path, link); err != nil {
			t.Fatal(err)
		}
		cmd := command(t, alone, dir, "outbox", "sweep", "web")
		cmd.Env = append(cmd.Env, "PATH="+dir)
		if out, _ := cmd.CombinedOutput(); !strings.Contains(string(out), "is missing") {
			t.Errorf("with itself as the worker: %s", out)
		}
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(b.path+"-outbox", link); err != nil {
			t.Fatal(err)
		}
		cmd = command(t, alone, dir, "outbox", "sweep", "web")
		cmd.Env = append(cmd.Env, "PATH="+dir)
		if out, err := cmd.Output(); string(out) != "rearmed 0 completed 0\n" {
			t.Errorf("with a worker on PATH: %v, %s", err, out)
		}
	})
}
