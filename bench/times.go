package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// warmUp is how many runs of each command go before the timed ones.
const warmUp = 5

// times makes the table of small commands, beside a Go program that only prints.
func times(ctx context.Context, dir string, programs []program, runs int, only string) error {
	printer := filepath.Join(dir, "bare")
	if err := buildGo(ctx, false, printer, "./bench/bare"); err != nil {
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
	bare := &measure{name: "a Go program that only prints", args: []string{printer}}
	if err := inTurn(append([]*measure{bare}, measured...), runs); err != nil {
		return err
	}
	return report(bare, measured, runs)
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
			done, err := run(command{args: m.args})
			if err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
			if i < warmUp {
				continue
			}
			m.wall = append(m.wall, done.wall)
			m.cpu = append(m.cpu, done.cpu())
			m.ratio = append(m.ratio, float64(done.wall)/float64(all[0].wall[i-warmUp]))
		}
	}
	for _, m := range all {
		m.syncs = countSyncs(m.args)
	}
	return nil
}

func report(bare *measure, measured []*measure, runs int) error {
	if len(measured) == 0 {
		return errors.New("no case has such a name")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, medians of %d runs\n\n", machine(), runs)
	b.WriteString("| command | build | wall ms | over bare ms | times bare | CPU ms | fsyncs |\n|---|---|---:|---:|---:|---:|---:|\n")
	for _, m := range append([]*measure{bare}, measured...) {
		fmt.Fprintf(&b, "| %s | %s | %.2f | %.2f | %.2f | %.2f | %s |\n", m.name, m.program,
			ms(median(m.wall)), ms(median(m.wall)-median(bare.wall)), median(m.ratio), ms(median(m.cpu)), m.syncs)
	}
	_, err := os.Stdout.WriteString(b.String())
	return err
}

func machine() string {
	return fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
}
