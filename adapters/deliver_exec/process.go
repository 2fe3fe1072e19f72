package deliverexec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// limits are how long things are waited for.
type limits struct {
	grace  time.Duration // from SIGTERM to SIGKILL
	linger time.Duration // for the rest of the output once the program has ended
}

func usual() limits { return limits{grace: 2 * time.Second, linger: time.Second} }

// process is a program that runs. It belongs to the goroutine that started it.
type process struct {
	cmd     *exec.Cmd
	limits  limits
	stdin   io.WriteCloser
	stderr  tail
	secrets [][]byte
	readers []io.Closer
	work    sync.WaitGroup // what writes and reads the pipes
	cut     bool           // its time was up before it ended
}

// ending is how a program ended.
type ending struct {
	code   int    // -1 when a signal ended it
	cut    bool   // its time was up; the code says nothing
	state  string // for people
	stderr string
}

// start runs a program as the leader of a new process group, and sends its
// standard output to stdout, or nowhere if that is nil. After a start without an
// error the same goroutine calls wait.
//
// Linux kills the program when the thread that started it ends, not only when
// the whole worker does: the goroutine keeps its thread until then.
func start(ctx context.Context, words command, env []string, stdout io.Writer, l limits) (*process, error) {
	secrets, longest := secrets()
	p := &process{limits: l, secrets: secrets, stderr: tail{most: maxQuote + longest}}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Env, cmd.SysProcAttr, cmd.WaitDelay = env, attributes(), l.grace
	cmd.Cancel = func() error {
		p.cut = true
		return terminate(cmd.Process)
	}
	p.cmd = cmd
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	p.stdin = stdin
	errW, err := p.pipe(&p.stderr)
	if err != nil {
		return nil, errors.Join(err, stdin.Close())
	}
	cmd.Stderr = errW
	writers := []io.Closer{errW}
	if stdout != nil {
		outW, err := p.pipe(stdout)
		if err != nil {
			release(errW)
			p.drain(0)
			return nil, errors.Join(err, stdin.Close())
		}
		cmd.Stdout, writers = outW, append(writers, outW)
	}
	runtime.LockOSThread()
	err = cmd.Start()
	release(writers...)
	if err != nil {
		runtime.UnlockOSThread()
		p.drain(0)
		return nil, fmt.Errorf("%s cannot be started: %w", words.name(), err)
	}
	return p, nil
}

// pipe makes a pipe whose reader goes to w until the last process that holds
// the other end has closed it, or drain is called.
func (p *process) pipe(w io.Writer) (*os.File, error) {
	r, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.readers = append(p.readers, r)
	p.work.Go(func() {
		// It ends with the pipe, or when drain closes it: both are the end.
		_, _ = io.Copy(w, r)
	})
	return write, nil
}

// drain ends the readers after the time given, or earlier when all is read. The
// program's children may hold the pipes for longer than it lives.
func (p *process) drain(linger time.Duration) {
	stop := func() { release(p.readers...) }
	if linger <= 0 {
		stop()
	}
	timer := time.AfterFunc(linger, stop)
	p.work.Wait()
	timer.Stop()
	stop()
}

// release closes ends of pipes. Some are closed already, and an error of closing
// a pipe says nothing about what went through it.
func release(ends ...io.Closer) {
	for _, end := range ends {
		_ = end.Close()
	}
}

// feed writes data to the program's standard input and ends it. What becomes of
// the data only the program can say: it may end without having read all.
func (p *process) feed(data []byte) {
	p.work.Go(func() {
		_, _ = p.stdin.Write(data)
		release(p.stdin)
	})
}

// wait waits until the program has ended, or its time is up and its group has
// been killed.
func (p *process) wait() ending {
	defer runtime.UnlockOSThread()
	err := p.cmd.Wait()
	if p.cut {
		kill(p.cmd.Process) // the rest of the group
	}
	if err == nil && p.cmd.Stdout == nil {
		p.drain(0)
	} else {
		p.drain(p.limits.linger)
	}
	state := p.cmd.ProcessState
	return ending{code: state.ExitCode(), cut: p.cut, state: state.String(), stderr: quote(p.stderr.kept, p.secrets)}
}

// abandon kills the group and waits for its leader.
func (p *process) abandon() {
	kill(p.cmd.Process)
	p.wait()
}

// err says how a program ended that did not end well.
func (e ending) err(words command) error {
	state := "ended with " + e.state
	if e.cut {
		state = "was stopped when its time was up"
	}
	if e.stderr == "" {
		return fmt.Errorf("%s %s", words.name(), state)
	}
	return fmt.Errorf("%s %s: %s", words.name(), state, e.stderr)
}
