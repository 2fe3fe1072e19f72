//go:build linux && (amd64 || arm64)

package interop_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// tracer follows one process through its system calls. It stands in for a debugger,
// so that the very programs that are shipped can be looked at and killed at a
// place with a name.
type tracer struct {
	root  string // calls about files outside of this folder are left out
	data  bool   // keep what is written
	locks bool   // tell of file locks too
	// enter is told of every call before it happens; on true the process is killed
	// there. leave is told of every call that succeeded. Either may be nil.
	enter func(call) (kill bool)
	leave func(call)

	names  map[uint64]string
	pid    int
	memory *os.File
	known  map[int]bool // threads
	inside map[int]*call
}

// run starts cmd, follows it to its end, and returns its exit code, -1 if it was
// killed. What goes wrong with tracing itself is an error.
func (t *tracer) run(cmd *exec.Cmd) (code int, err error) {
	runtime.LockOSThread() // only the thread that started the process may trace it
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Setpgid: true}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	t.pid, t.known, t.inside = cmd.Process.Pid, map[int]bool{}, map[int]*call{}
	if code, err = t.follow(); err != nil {
		_ = unix.Kill(t.pid, unix.SIGKILL)
	}
	_ = cmd.Wait() // for its goroutines: the process itself was waited for
	return code, err
}

func (t *tracer) follow() (int, error) {
	var status unix.WaitStatus
	if _, err := t.wait(t.pid, &status); err != nil {
		return 0, err
	}
	if !status.Stopped() {
		return 0, fmt.Errorf("the process did not stop at its start: %v", status)
	}
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", t.pid))
	if err != nil {
		return 0, err
	}
	defer memory.Close()
	t.memory, t.known[t.pid] = memory, true
	const options = unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_EXITKILL
	if err := unix.PtraceSetOptions(t.pid, options); err != nil {
		return 0, err
	}
	for tid, signal := t.pid, 0; ; {
		if err := unix.PtraceSyscall(tid, signal); err != nil && !errors.Is(err, unix.ESRCH) {
			return 0, err // ESRCH: it has just been killed
		}
		for { // its threads are a process group of their own
			if tid, err = t.wait(-t.pid, &status); err != nil {
				return 0, err
			}
			if status.Stopped() {
				break
			}
			if tid == t.pid {
				return status.ExitStatus(), nil
			}
		}
		if signal, err = t.stopped(tid, status); err != nil {
			return 0, err
		}
	}
}

func (t *tracer) wait(who int, status *unix.WaitStatus) (int, error) {
	for {
		tid, err := unix.Wait4(who, status, unix.WALL, nil)
		if !errors.Is(err, unix.EINTR) {
			return tid, err
		}
	}
}

// stopped deals with a thread that has stopped, and returns the signal to go on
// with.
func (t *tracer) stopped(tid int, status unix.WaitStatus) (int, error) {
	const atCall = unix.SIGTRAP | 0x80
	fresh := !t.known[tid]
	t.known[tid] = true
	switch signal := status.StopSignal(); {
	case signal == atCall:
		return 0, t.atCall(tid)
	case signal == unix.SIGTRAP, signal == unix.SIGSTOP && fresh:
		return 0, nil // of tracing, not of the process
	default:
		return int(signal), nil
	}
}

// callInfo is what the kernel tells of a system call, on every architecture.
type callInfo struct {
	op   uint8 // 1: it begins, 2: it ends
	_    [3]uint8
	_    uint32
	_, _ uint64
	nr   uint64 // or its result
	args [6]uint64
}

func (t *tracer) atCall(tid int) error {
	var info callInfo
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO, uintptr(tid),
		unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	switch {
	case errno == unix.ESRCH:
		return nil // it has just been killed
	case errno != 0:
		return errno
	case info.op == 2:
		c := t.inside[tid]
		delete(t.inside, tid)
		if c != nil && int64(info.nr) >= 0 && t.leave != nil {
			c.result = int64(info.nr)
			t.leave(*c)
		}
		return nil
	case info.op != 1:
		return fmt.Errorf("a call that neither begins nor ends: %+v", info)
	}
	c, err := t.decode(info)
	if err != nil || c == nil {
		return err
	}
	t.inside[tid] = c
	if t.enter != nil && t.enter(*c) {
		return unix.Kill(t.pid, unix.SIGKILL)
	}
	return nil
}

// needTracer skips a test where no process may trace another.
func needTracer(t *testing.T) {
	t.Helper()
	seen := 0
	look := tracer{root: "/", enter: func(call) bool { seen++; return false }}
	if _, err := look.run(exec.Command("/bin/true")); err != nil || seen == 0 {
		t.Skipf("processes cannot be traced here (%d calls seen, %v): not killed at places with a name, no power cut played", seen, err)
	}
}
