package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// command is a process to run. Files that are not named are /dev/null.
type command struct {
	args   []string
	env    []string // besides ours
	stdin  string
	output string // of standard output and standard error together
}

// outcome is what a process took.
type outcome struct {
	wall  time.Duration
	state *os.ProcessState
}

func (o outcome) cpu() time.Duration { return o.state.UserTime() + o.state.SystemTime() }

// memory is the most memory that the process had at a time, in bytes. Linux
// counts from our own on.
func (o outcome) memory() int64 {
	usage, ok := o.state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return usage.Maxrss << 10
}

// run runs a process without the pipes and goroutines of os/exec.
func run(c command) (done outcome, err error) {
	if c.stdin == "" {
		c.stdin = os.DevNull
	}
	if c.output == "" {
		c.output = os.DevNull
	}
	in, err := os.Open(c.stdin)
	if err != nil {
		return done, err
	}
	defer in.Close()
	// For writing only: tundish takes a null device that can be read too for a
	// standard output that was closed.
	out, err := os.OpenFile(c.output, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return done, err
	}
	defer out.Close()
	attr := &os.ProcAttr{Files: []*os.File{in, out, out}, Env: append(os.Environ(), c.env...)}
	begun := time.Now()
	process, err := os.StartProcess(c.args[0], c.args, attr)
	if err != nil {
		return done, err
	}
	done.state, err = process.Wait()
	done.wall = time.Since(begun)
	if err == nil && !done.state.Success() {
		err = fmt.Errorf("%s: %s", brief(c.args), done.state)
	}
	return done, err
}

// brief is a command line without long arguments.
func brief(args []string) string {
	short := slices.Clone(args)
	for i, arg := range short {
		short[i] = arg[:min(len(arg), 80)]
	}
	return strings.Join(short, " ")
}

// countSyncs counts the calls of one run that wait for the disk; "-" without
// strace.
func countSyncs(args []string) string {
	strace, err := exec.LookPath("strace")
	if err != nil {
		return "-"
	}
	trace, err := os.CreateTemp("", "tundish-bench-trace-")
	if err != nil {
		return "-"
	}
	defer os.Remove(trace.Name())
	defer trace.Close()
	full := append([]string{strace, "-f", "-qq", "-e", "trace=fsync,fdatasync", "-o", trace.Name()}, args...)
	if _, err := run(command{args: full}); err != nil {
		return "-"
	}
	count := 0
	for lines := bufio.NewScanner(trace); lines.Scan(); {
		if strings.Contains(lines.Text(), "sync(") {
			count++
		}
	}
	return fmt.Sprint(count)
}

func median[T time.Duration | float64](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }
