package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// memoryDisk is where files cost no disk; the rows on it are left out where it is
// missing.
const memoryDisk = "/dev/shm"

// rounds is how often each throughput is taken, in turn with the bare driver's.
const rounds = 3

// rate is a row of the throughput table.
type rate struct {
	name, program string
	items         int
	ours, bare    []time.Duration
}

// throughput makes the table of many items in one process, beside the driver
// alone. Of single publishes, which wait for the disk, it takes fewer.
func throughput(ctx context.Context, dir string, programs []program, n int) error {
	shared, err := os.MkdirTemp(memoryDisk, "tundish-bench-")
	if err == nil {
		defer func() { _ = os.RemoveAll(shared) }()
	}
	var rates []*rate
	for _, p := range programs {
		embedded := filepath.Join(dir, "embedded-"+p.name)
		if err := buildGo(ctx, p.name == "cgo", embedded, "./bench/embedded"); err != nil {
			return err
		}
		m := &meter{dir: dir, program: p, embedded: embedded}
		for _, lines := range []int{1000, n} {
			m.add(fmt.Sprintf("publish --lines, %d items, the whole process", lines), lines, m.lines(dir))
		}
		for _, place := range []struct{ name, dir string }{{"disk", dir}, {"memory", shared}} {
			items := n
			if place.name == "disk" {
				items = max(100, n/200)
			}
			if place.dir == "" {
				continue
			}
			m.add("single publishes through app, "+place.name, items, m.publish(place.dir))
			m.add("pulls of 50 through app, "+place.name, max(items, 5000), m.pull(place.dir))
		}
		if m.err != nil {
			return fmt.Errorf("%s: %w", p.name, m.err)
		}
		rates = append(rates, m.rates...)
	}
	return printRates(rates)
}

// meter measures one program. The first error ends it.
type meter struct {
	dir      string
	program  program
	embedded string
	rates    []*rate
	err      error
}

// add takes both sides in turn.
func (m *meter) add(name string, items int, take func(side string, items int) (time.Duration, error)) {
	r := &rate{name: name, program: m.program.name, items: items}
	for range rounds {
		for _, s := range []struct {
			side string
			took *[]time.Duration
		}{{"app", &r.ours}, {"bare", &r.bare}} {
			if m.err != nil {
				return
			}
			var took time.Duration
			took, m.err = take(s.side, items)
			*s.took = append(*s.took, took)
		}
	}
	m.rates = append(m.rates, r)
	fmt.Fprintf(os.Stderr, "bench: %s, %s\n", name, m.program.name)
}

// fresh is a path for a database of its own.
func fresh(dir string) (path string, remove func(), err error) {
	own, err := os.MkdirTemp(dir, "db-")
	return filepath.Join(own, "x.db"), func() { _ = os.RemoveAll(own) }, err
}

func (m *meter) lines(dir string) func(string, int) (time.Duration, error) {
	return func(side string, items int) (time.Duration, error) {
		db, remove, err := fresh(dir)
		if err != nil {
			return 0, err
		}
		defer remove()
		file := filepath.Join(filepath.Dir(db), "lines")
		config := filepath.Join(filepath.Dir(db), "config.yml")
		err = errors.Join(writeDocuments(file, 0, items), os.WriteFile(config, []byte("format: 1\nqueues:\n  q: {}\n"), 0o600))
		if err != nil {
			return 0, err
		}
		c := command{args: []string{m.embedded, "bare", "lines", db, file}}
		if side == "app" {
			c = command{args: []string{m.program.path, "--db", db, "--config", config, "publish", "q", "--lines"}, stdin: file}
		}
		done, err := run(c)
		return done.wall, err
	}
}

func (m *meter) publish(dir string) func(string, int) (time.Duration, error) {
	return func(side string, items int) (time.Duration, error) {
		db, remove, err := fresh(dir)
		if err != nil {
			return 0, err
		}
		defer remove()
		return m.loop(side, "publish", db, items)
	}
}

func (m *meter) pull(dir string) func(string, int) (time.Duration, error) {
	return func(side string, items int) (time.Duration, error) {
		db, remove, err := fresh(memoryOr(dir))
		if err != nil {
			return 0, err
		}
		defer remove()
		if _, err := m.loop(side, "publish", db, items); err != nil {
			return 0, err
		}
		there, away, err := fresh(dir)
		if err != nil {
			return 0, err
		}
		defer away()
		if err := copyFile(db, there); err != nil {
			return 0, err
		}
		return m.loop(side, "pull", there, items)
	}
}

// memoryOr is a place to prepare a database fast.
func memoryOr(dir string) string {
	if _, err := os.Stat(memoryDisk); err == nil {
		return memoryDisk
	}
	return dir
}

// loop runs the embedded program for a work of one time.
func (m *meter) loop(side, what, db string, items int) (time.Duration, error) {
	took, err := m.seconds(side, what, db, items)
	if err == nil && len(took) != 1 {
		err = fmt.Errorf("%s gave %d times", what, len(took))
	}
	if err != nil {
		return 0, err
	}
	return took[0], nil
}

// seconds runs the embedded program and reads the seconds that it prints.
func (m *meter) seconds(side, what, db string, items int) (took []time.Duration, err error) {
	output := db + ".out"
	_, err = run(command{args: []string{m.embedded, side, what, db, strconv.Itoa(items)}, output: output})
	text, readErr := os.ReadFile(output)
	if err != nil || readErr != nil {
		return nil, fmt.Errorf("%w\n%s", errors.Join(err, readErr), text)
	}
	for _, word := range strings.Fields(string(text)) {
		seconds, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return nil, err
		}
		took = append(took, time.Duration(seconds*float64(time.Second)))
	}
	return took, nil
}

func printRates(rates []*rate) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, medians of %d rounds in items a second; aim: a share of at least 0.50\n\n", machine(), rounds)
	b.WriteString("| what | build | tundish | driver alone | share |\n|---|---|---:|---:|---:|\n")
	for _, r := range rates {
		ours, bare := median(r.ours).Seconds(), median(r.bare).Seconds()
		fmt.Fprintf(&b, "| %s | %s | %.0f | %.0f | %.2f |\n", r.name, r.program, float64(r.items)/ours, float64(r.items)/bare, bare/ours)
	}
	_, err := os.Stdout.WriteString(b.String())
	return err
}
