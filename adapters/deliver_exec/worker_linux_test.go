package deliverexec

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/tundish-go/tundish/domain/outbox"
)

// worker starts a process that delivers to a program, and waits for the program.
func worker(t *testing.T, b board, role ...string) (*exec.Cmd, caller) {
	t.Helper()
	cmd := exec.Command(os.Args[0], append(append([]string{"child", "worker"}, role...), b.address())...)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd, b.next()
}

// leader is the entry whose send is the group of a process.
func leader(t *testing.T, pid int) outbox.Entry {
	t.Helper()
	s, err := readStat(strconv.Itoa(pid))
	if err != nil {
		t.Fatal(err)
	}
	group, err := strconv.Atoi(s.group)
	if err != nil {
		t.Fatal(err)
	}
	e := sample()
	e.PeerID = identity(group)
	return e
}

// OUT-15, OUT-17: the program dies with the worker.
func TestOUT15_TheProgramDiesWithTheWorker(t *testing.T) {
	b := newBoard(t)
	cmd, program := worker(t, b, "stubborn")
	entry := leader(t, program.pid)
	d := self(t, "hang", b.address())
	if !d.Running(entry) {
		t.Error("another worker does not see that the program runs")
	}
	cmd.Process.Kill()
	program.last()
	eventually(t, "end of the program", func() bool { return !d.Running(entry) })
}

// OUT-15, OUT-17: what a program has started outlives the worker, and is seen for
// as long as it lives.
func TestOUT15_WhatOutlivesTheWorkerIsSeen(t *testing.T) {
	b := newBoard(t)
	cmd, heir := worker(t, b, "parent", "hang")
	entry := leader(t, heir.pid)
	d := self(t, "hang", b.address())
	pid, _, _ := strings.Cut(entry.PeerID, "-")
	cmd.Process.Kill()
	cmd.Wait()
	eventually(t, "end of the program", func() bool {
		s, err := readStat(pid)
		return err != nil || s.dead
	})
	if !d.Running(entry) {
		t.Error("what outlived the worker is not seen")
	}
	heir.exit(0)
	heir.last()
	eventually(t, "end of what it started", func() bool { return !d.Running(entry) })
}

// OUT-15: the program does not die with a mere thread of the worker.
func TestOUT15_ThreadsOfTheWorkerMayEnd(t *testing.T) {
	b := newBoard(t)
	d := self(t, "hang", b.address())
	var program caller
	send := mine(sample())
	send.Note = func(context.Context, string) error {
		program = b.next()
		var work sync.WaitGroup
		for range 100 { // a goroutine that ends with its thread locked takes it along
			work.Go(func() { runtime.LockOSThread() })
		}
		work.Wait()
		return nil
	}
	send.Held = func(context.Context) error {
		program.exit(0)
		return nil
	}
	if err := d.Deliver(t.Context(), send); err != nil {
		t.Error(err)
	}
}

// OUT-15: a number alone is no process: start and boot have to fit, and it must
// not be dead.
func TestOUT15_RunningNeedsTheSameProcess(t *testing.T) {
	d := self(t, "hang", "127.0.0.1:1")
	own := identity(os.Getpid())
	parts := strings.Split(own, "-")
	if len(parts) != 3 {
		t.Fatalf("identity %q", own)
	}
	for id, want := range map[string]bool{
		own:                                  true,
		parts[0] + "-1-" + parts[2]:          false,
		parts[0] + "-" + parts[1] + "-other": false,
		"":                                   false, "x": false, "-1": false, "0-0-": false, "-": false,
	} {
		if got := d.Running(outbox.Entry{Deliverer: Kind, PeerID: id}); got != want {
			t.Errorf("Running(%q) = %t", id, got)
		}
	}
	if d.Running(outbox.Entry{Deliverer: "http", PeerID: own}) {
		t.Error("a send of another kind is a process")
	}
}

// OUT-15: a program that has ended does not run, even if nobody waits for it.
func TestOUT15_TheUnburiedDoNotRun(t *testing.T) {
	cmd := exec.Command("cat")
	cmd.SysProcAttr = attributes()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	entry := outbox.Entry{Deliverer: Kind, PeerID: identity(cmd.Process.Pid)}
	d := self(t, "hang", "127.0.0.1:1")
	if !d.Running(entry) {
		t.Error("it does not run")
	}
	in.Close()
	const pid, exited, stay = 1, 4, 0x01000000 // P_PID, WEXITED, WNOWAIT
	var info [128]byte
	_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, pid, uintptr(cmd.Process.Pid),
		uintptr(unsafe.Pointer(&info[0])), exited|stay, 0, 0)
	if errno != 0 {
		t.Fatal(errno)
	}
	if d.Running(entry) {
		t.Error("a dead process runs")
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// OUT-15: the state of a process whose name imitates it is read right.
func TestOUT15_ANameThatImitatesAState(t *testing.T) {
	path := t.TempDir() + "/) Z 1 2 3"
	if err := os.Symlink("/bin/cat", path); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer in.Close()
	if _, err := in.Write([]byte("up\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	s, err := readStat(strconv.Itoa(cmd.Process.Pid))
	if err != nil || s.dead || s.group != strconv.Itoa(cmd.Process.Pid) || s.start == "" {
		t.Errorf("%+v, %v", s, err)
	}
}
