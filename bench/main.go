// Command bench measures whole processes of tundish, both builds, and writes one
// table of bench/README.md to standard output, and what it is doing to standard
// error. Run it in the root of the repository, on a machine with nothing else to
// do: go run ./bench for the time of small commands, with -scale 1000,1000000
// for what they cost in a small and a large database, with -throughput 100000
// for many items beside the bare driver, with -outbox 20000 for the push half.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// options are the flags.
type options struct {
	runs       int
	only       string
	scale      string
	throughput int
	outbox     int
	dir        string
	bin        string
}

func main() {
	var o options
	flag.IntVar(&o.runs, "n", 100, "timed runs of each command")
	flag.StringVar(&o.only, "only", "", "measure the cases whose name holds this text")
	flag.StringVar(&o.scale, "scale", "", "compare databases of so many items, as in 1000,1000000")
	flag.IntVar(&o.throughput, "throughput", 0, "store and read so many items, beside the bare driver")
	flag.IntVar(&o.outbox, "outbox", 0, "accept so many prompts, beside the bare driver, and time ticks and deliveries")
	flag.StringVar(&o.dir, "dir", "", "where the temporary folder is made")
	flag.StringVar(&o.bin, "bin", "", "measure tundish-cgo and tundish-wasm of this folder instead of building them")
	flag.Parse()
	// The folder of the databases may be large, and in memory: it must go.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := bench(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench builds the programs in a temporary folder and makes the table that was
// asked for.
func bench(ctx context.Context, o options) (err error) {
	dir, err := os.MkdirTemp(o.dir, "tundish-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	programs := built(o.bin)
	if o.bin == "" {
		if programs, err = build(ctx, dir); err != nil {
			return err
		}
	}
	switch {
	case o.scale != "":
		small, large, err := sizes(o.scale)
		if err != nil {
			return err
		}
		return scale(ctx, &yard{dir: dir, programs: programs, runs: o.runs, only: o.only}, small, large)
	case o.throughput > 0:
		return throughput(ctx, dir, programs, o.throughput)
	case o.outbox > 0:
		return outbox(ctx, dir, programs, o.outbox, o.only)
	}
	return times(ctx, dir, programs, o.runs, o.only)
}

func sizes(text string) (small, large int, err error) {
	first, second, _ := strings.Cut(text, ",")
	small, err = strconv.Atoi(first)
	if err == nil {
		large, err = strconv.Atoi(second)
	}
	if err != nil || small < 1000 || large < small {
		return 0, 0, fmt.Errorf("-scale %q is not two sizes from 1000 on, the smaller one first", text)
	}
	return small, large, nil
}

// program is one build of tundish.
type program struct{ name, path string }

func built(dir string) []program {
	return []program{{"cgo", filepath.Join(dir, "tundish-cgo")}, {"wasm", filepath.Join(dir, "tundish-wasm")}}
}

// build makes both builds, in dir because others may be building too. Without a C
// compiler the cgo build is left out.
func build(ctx context.Context, dir string) ([]program, error) {
	var programs []program
	for _, name := range []string{"cgo", "wasm"} {
		if out, err := exec.CommandContext(ctx, "make", "build-"+name, "BIN="+dir).CombinedOutput(); err != nil {
			if name == "cgo" {
				fmt.Fprintln(os.Stderr, "bench: the cgo build is left out: make build-cgo:", err)
				continue
			}
			return nil, fmt.Errorf("make build-%s: %w\n%s", name, err, out)
		}
		programs = append(programs, program{name, filepath.Join(dir, "tundish-"+name)})
	}
	return programs, nil
}

// buildGo builds one of our own programs without cgo, or with it.
func buildGo(ctx context.Context, cgo bool, out, pkg string) error {
	args := []string{"build", "-trimpath", "-ldflags", "-s -w", "-o", out}
	enabled := "CGO_ENABLED=0"
	if cgo {
		enabled = "CGO_ENABLED=1"
		args = append(args, "-tags", "netgo,osusergo,sqlite_omit_load_extension")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, pkg)...)
	cmd.Env = append(os.Environ(), enabled)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", pkg, err, text)
	}
	return nil
}
