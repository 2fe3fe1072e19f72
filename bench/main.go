// Command bench times whole processes of tundish, both builds, beside a Go
// program that only prints, and writes the table of bench/README.md to standard
// output. Run it in the root of the repository, on a machine with nothing else
// to do: go run ./bench
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

func main() {
	runs := flag.Int("n", 100, "timed runs of each command")
	only := flag.String("only", "", "measure the cases whose name holds this text")
	flag.Parse()
	if err := bench(context.Background(), *runs, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// warmUp is how many runs of each command go before the timed ones.
const warmUp = 5

func bench(ctx context.Context, runs int, only string) (err error) {
	dir, err := os.MkdirTemp("", "tundish-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	programs, err := build(ctx, dir)
	if err != nil {
		return err
	}
	var measured []*measure
	for _, c := range cases() {
		if !strings.Contains(c.name, only) {
			continue
		}
		for _, p := range programs {
			m, err := prepare(ctx, filepath.Join(dir, fmt.Sprintf("%d-%s.db", len(measured), p.name)), p, c, runs+warmUp+1)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", c.name, p.name, err)
			}
			measured = append(measured, m)
		}
	}
	bare := &measure{name: "a Go program that only prints", args: []string{filepath.Join(dir, "bare")}}
	if err := inTurn(append([]*measure{bare}, measured...), runs); err != nil {
		return err
	}
	return report(bare, measured, runs)
}

// program is one build of tundish.
type program struct{ name, path string }

// build makes the programs. Without a C compiler the cgo build is left out.
func build(ctx context.Context, dir string) ([]program, error) {
	bare := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(dir, "bare"), "./bench/bare")
	bare.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := bare.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	var programs []program
	for _, name := range []string{"cgo", "wasm"} {
		if out, err := exec.CommandContext(ctx, "make", "build-"+name).CombinedOutput(); err != nil {
			if name == "cgo" {
				fmt.Fprintln(os.Stderr, "bench: the cgo build is left out: make build-cgo:", err)
				continue
			}
			return nil, fmt.Errorf("make build-%s: %w\n%s", name, err, out)
		}
		path, err := filepath.Abs(filepath.Join("bin", "tundish-"+name))
		if err != nil {
			return nil, err
		}
		programs = append(programs, program{name, path})
	}
	return programs, nil
}

// measure is one command of one program, and how long its runs took.
type measure struct {
	name, program string
	args          []string
	wall          []time.Duration
	cpu           []time.Duration
	ratio         []float64 // to the bare program's run beside it
	syncs         string    // of one run
}

// inTurn runs all commands one after the other, again and again, so that what
// disturbs the machine disturbs all alike.
func inTurn(all []*measure, runs int) error {
	for i := range runs + warmUp {
		for _, m := range all {
			wall, state, err := timed(m.args)
			if err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
			if i < warmUp {
				continue
			}
			m.wall = append(m.wall, wall)
			m.cpu = append(m.cpu, state.UserTime()+state.SystemTime())
			m.ratio = append(m.ratio, float64(wall)/float64(all[0].wall[i-warmUp]))
		}
	}
	for _, m := range all {
		m.syncs = countSyncs(m.args)
	}
	return nil
}

// timed runs a process with all its files on /dev/null, and without the pipes
// and goroutines of os/exec.
func timed(args []string) (time.Duration, *os.ProcessState, error) {
	in, err := os.Open(os.DevNull)
	if err != nil {
		return 0, nil, err
	}
	defer in.Close()
	// For writing only: tundish takes a null device that can be read too for a
	// standard output that was closed.
	out, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return 0, nil, err
	}
	defer out.Close()
	begun := time.Now()
	process, err := os.StartProcess(args[0], args, &os.ProcAttr{Files: []*os.File{in, out, out}})
	if err != nil {
		return 0, nil, err
	}
	state, err := process.Wait()
	wall := time.Since(begun)
	if err == nil && !state.Success() {
		err = fmt.Errorf("%s: %s", strings.Join(args, " "), state)
	}
	return wall, state, err
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
	if _, _, err := timed(full); err != nil {
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

func report(bare *measure, measured []*measure, runs int) error {
	if len(measured) == 0 {
		return errors.New("no case has such a name")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d cores, %s, medians of %d runs\n\n", runtime.GOOS+"/"+runtime.GOARCH, runtime.NumCPU(), runtime.Version(), runs)
	b.WriteString("| command | build | wall ms | over bare ms | times bare | CPU ms | fsyncs |\n|---|---|---:|---:|---:|---:|---:|\n")
	for _, m := range append([]*measure{bare}, measured...) {
		fmt.Fprintf(&b, "| %s | %s | %.2f | %.2f | %.2f | %.2f | %s |\n", m.name, m.program,
			ms(median(m.wall)), ms(median(m.wall)-median(bare.wall)), median(m.ratio), ms(median(m.cpu)), m.syncs)
	}
	_, err := os.Stdout.WriteString(b.String())
	return err
}

func median[T time.Duration | float64](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }
