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

// The outbox in which nothing is due, and the one that is delivered.
const (
	waiting    = 100_000 // entries, in a tenth as many lanes
	idleTicks  = 300
	deliveries = 4000 // in a twentieth as many lanes
)

// outbox makes the table of the push half: accepts, n of them, beside the driver
// alone, ticks in which nothing is due, and deliveries to a receiver that does
// nothing.
func outbox(ctx context.Context, dir string, programs []program, n int, only string) error {
	shared, err := os.MkdirTemp(memoryDisk, "tundish-bench-")
	if err == nil {
		defer func() { _ = os.RemoveAll(shared) }()
	}
	fmt.Fprintln(os.Stderr, "bench: load before:", load())
	t := &ledger{only: only}
	for _, p := range programs {
		embedded := filepath.Join(dir, "embedded-"+p.name)
		if err := buildGo(ctx, p.name == "cgo", embedded, "./bench/embedded"); err != nil {
			return err
		}
		m := &meter{dir: dir, program: p, embedded: embedded}
		for _, place := range []struct {
			name, dir string
			accepts   int
		}{{"disk", dir, max(200, n/10)}, {"memory", shared, n}} {
			if place.dir == "" {
				continue
			}
			t.accepts(m, "accepts a second, "+place.name, "accept", place.dir, place.accepts)
			t.accepts(m, "accepts with a message id a second, "+place.name, "accept-named", place.dir, place.accepts)
			t.deliveries(m, place.name, place.dir)
		}
		t.ticks(m)
		if m.err != nil {
			return fmt.Errorf("%s: %w", p.name, m.err)
		}
	}
	fmt.Fprintln(os.Stderr, "bench: load after:", load())
	return t.print()
}

// load is how many processes wanted a core, on average of 1, 5 and 15 minutes.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(text))[:3], " ")
}

// ledger is the table of the outbox.
type ledger struct {
	only string
	rows strings.Builder
}

func (t *ledger) wants(m *meter, name string) bool {
	return m.err == nil && strings.Contains(name, t.only)
}

func (t *ledger) add(m *meter, name, ours, bare, share, aim string) {
	fmt.Fprintf(&t.rows, "| %s | %s | %s | %s | %s | %s |\n", name, m.program.name, ours, bare, share, aim)
	fmt.Fprintf(os.Stderr, "bench: %s, %s\n", name, m.program.name)
}

// accepts takes both sides in turn. The share is the median of those of neighbours.
func (t *ledger) accepts(m *meter, name, what, dir string, n int) {
	if !t.wants(m, name) {
		return
	}
	var ours, bare []time.Duration
	var shares []float64
	for range outboxRounds {
		a, b := m.once("app", what, dir, n), m.once("bare", what, dir, n)
		if m.err != nil {
			return
		}
		ours, bare, shares = append(ours, a[0]), append(bare, b[0]), append(shares, b[0].Seconds()/a[0].Seconds())
	}
	rate := func(took []time.Duration) string { return fmt.Sprintf("%.0f", float64(n)/median(took).Seconds()) }
	t.add(m, name, rate(ours), rate(bare), fmt.Sprintf("%.2f", median(shares)), "share 0.50")
}

// outboxRounds is how often accepts are taken, in turn with the bare driver's.
const outboxRounds = 5

func (t *ledger) deliveries(m *meter, where, dir string) {
	name := "deliveries a second, 200 lanes, " + where
	if !t.wants(m, name) {
		return
	}
	var ours []time.Duration
	for range rounds {
		took := m.once("app", "deliver", dir, deliveries)
		if m.err != nil {
			return
		}
		ours = append(ours, took[0])
	}
	t.add(m, name, fmt.Sprintf("%.0f", deliveries/median(ours).Seconds()), "", "", "")
}

// ticks takes those of one outbox, in the order in which the embedded program prints
// them.
func (t *ledger) ticks(m *meter) {
	const name = "tick, 10000 lanes, 100000 entries, nothing due, ms"
	if !t.wants(m, name) {
		return
	}
	db, remove, err := fresh(memoryOr(m.dir))
	if err != nil {
		m.err = err
		return
	}
	defer remove()
	there, away, err := fresh(m.dir)
	if err != nil {
		m.err = err
		return
	}
	defer away()
	if _, m.err = m.seconds("app", "fill", db, waiting); m.err != nil {
		return
	}
	if m.err = copyFile(db, there); m.err != nil {
		return
	}
	took, err := m.seconds("app", "tick", there, idleTicks)
	if err != nil || len(took) != 4 {
		m.err = errors.Join(err, fmt.Errorf("ticks gave %d times", len(took)))
		return
	}
	show := func(d time.Duration) string { return fmt.Sprintf("%.2f", ms(d)) }
	t.add(m, name+", median", show(took[1]), "", "", "5 ms")
	t.add(m, name+", most of "+strconv.Itoa(idleTicks), show(took[2]), "", "", "")
	t.add(m, "opening and the first tick there, ms", show(took[0]), "", "", "")
	t.add(m, "status there, ms", show(took[3]), "", "", "")
}

// once runs the embedded program on a database of its own.
func (m *meter) once(side, what, dir string, n int) (took []time.Duration) {
	if m.err != nil {
		return nil
	}
	db, remove, err := fresh(dir)
	if err != nil {
		m.err = err
		return nil
	}
	defer remove()
	took, m.err = m.seconds(side, what, db, n)
	if m.err == nil && len(took) == 0 {
		m.err = errors.New(what + " gave no time")
	}
	return took
}

func (t *ledger) print() error {
	if t.rows.Len() == 0 {
		return errors.New("no row has such a name")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, medians of %d rounds of accepts and %d of deliveries\n\n", machine(), outboxRounds, rounds)
	b.WriteString("| what | build | tundish | driver alone | share | aim |\n|---|---|---:|---:|---:|---|\n")
	b.WriteString(t.rows.String())
	_, err := os.Stdout.WriteString(b.String())
	return err
}
