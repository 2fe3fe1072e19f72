package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// yard is where databases of different sizes are compared.
type yard struct {
	dir      string
	programs []program
	runs     int
	only     string
	rows     []row
}

// row is a line of the table: two sizes and their ratio, or one figure.
type row struct {
	name, program string
	small, large  string
	ratio, aim    string
}

// Times, in Unix seconds, at which the items of a base are published. The first
// of them have a second each, so that they grow too old one by one.
const (
	firstItem = 1_700_000_000
	bulkItems = firstItem + 10_000
	timed     = bulkItems + 10_000 // the first timed run
)

// chunks is in how many parts the bulk of a base is published, queues in turn.
const chunks = 10

// base is a database of many items in queue q, and some in others, from which
// the cases copy theirs.
type base struct {
	size int
	path string
}

func (y *yard) progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...)
}

// wants tells whether a row was asked for.
func (y *yard) wants(name string) bool { return strings.Contains(name, y.only) }

// makeBase publishes the items of a base with the first program.
func (y *yard) makeBase(size int) (base, error) {
	b := base{size: size, path: filepath.Join(y.dir, fmt.Sprintf("base-%d.db", size))}
	y.progress("publish %d items", size)
	config, err := y.config("")
	if err != nil {
		return b, err
	}
	at := &site{program: y.programs[0], db: b.path, config: config}
	for i := range min(size/2, y.runs+warmUp) {
		if err := at.step("publish", "q", document(i), "--key", "repo1", "--now", fmt.Sprint(firstItem+i)); err != nil {
			return b, err
		}
	}
	bulk := size - min(size/2, y.runs+warmUp)
	for i := range chunks {
		first, last := bulk*i/chunks, bulk*(i+1)/chunks
		if err := y.lines(at, "q", first, last, bulkItems+i); err != nil {
			return b, err
		}
		if err := y.lines(at, fmt.Sprintf("other%d", i%3), first, first+(last-first)/10, bulkItems+i); err != nil {
			return b, err
		}
	}
	return b, nil
}

// lines publishes documents in one process.
func (y *yard) lines(at *site, queue string, first, last, now int) error {
	path := filepath.Join(y.dir, "lines.ndjson")
	if err := writeDocuments(path, first, last); err != nil {
		return err
	}
	args := at.command("publish", queue, "--lines", "--key-jq", ".repo", "--now", fmt.Sprint(now))
	_, err := run(command{args: args, stdin: path})
	return err
}

func writeDocuments(path string, first, last int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file) // which keeps its first error for Flush
	for i := first; i < last; i++ {
		_, _ = w.WriteString(document(i) + "\n")
	}
	return errors.Join(w.Flush(), file.Close())
}

// document is the payload of an item, of about 200 bytes.
func document(i int) string {
	action := []string{"opened", "edited", "synchronized"}[i%3]
	return fmt.Sprintf(`{"action":"%s","number":%d,"repo":"repo%d","text":"%s"}`, action, i, i%50, strings.Repeat("x", 130))
}

// config writes a configuration with the limits of queue q, one line of YAML.
func (y *yard) config(limits string) (string, error) {
	file, err := os.CreateTemp(y.dir, "config-*.yml")
	if err != nil {
		return "", err
	}
	_, err = fmt.Fprintf(file, "format: 1\nqueues:\n  q: {%s}\n  other0: {}\n  other1: {}\n  other2: {}\n", limits)
	return file.Name(), errors.Join(err, file.Close())
}

// site is one program on one database.
type site struct {
	program    program
	db, config string
	size       int
}

// newSite copies a base for one case.
func (y *yard) newSite(b base, p program, limits string) (*site, error) {
	config, err := y.config(limits)
	if err != nil {
		return nil, err
	}
	db := strings.TrimSuffix(config, ".yml") + ".db"
	if err := copyFile(b.path, db); err != nil {
		return nil, err
	}
	if err := copyFile(b.path+"-wal", db+"-wal"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return &site{program: p, db: db, config: config, size: b.size}, nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	// What is not on the disk yet would be written by the first sync that is timed.
	return errors.Join(err, out.Sync(), out.Close())
}

func (s *site) command(args ...string) []string {
	return append([]string{s.program.path, "--db", s.db, "--config", s.config}, args...)
}

// step runs a command that is not timed.
func (s *site) step(args ...string) error {
	output := s.config + ".out"
	if _, err := run(command{args: s.command(args...), output: output}); err != nil {
		text, _ := os.ReadFile(output)
		return fmt.Errorf("%w\n%s", err, text)
	}
	return nil
}

func (s *site) remove() {
	for _, path := range []string{s.db, s.db + "-wal", s.db + "-shm", s.config} {
		_ = os.Remove(path)
	}
}

// scale makes the table of two sizes.
func scale(ctx context.Context, y *yard, small, large int) error {
	var bases [2]base
	for i, size := range []int{small, large} {
		var err error
		if bases[i], err = y.makeBase(size); err != nil {
			return err
		}
	}
	for _, c := range scaleCases() {
		if err := y.compare(ctx, c, bases); err != nil {
			return errors.Join(err, y.print(small, large))
		}
	}
	for _, measure := range []func(context.Context, base) error{y.status, y.unacked, y.trim, y.rare, y.memory} {
		if err := measure(ctx, bases[1]); err != nil {
			return errors.Join(err, y.print(small, large))
		}
	}
	return y.print(small, large)
}

// compare times one command on both sizes in turn.
func (y *yard) compare(ctx context.Context, c scaleCase, bases [2]base) error {
	if !y.wants(c.name) {
		return nil
	}
	for _, p := range y.programs {
		var sites [2]*site
		for i, b := range bases {
			at, err := y.newSite(b, p, c.limits(b.size))
			if err != nil {
				return err
			}
			defer at.remove()
			if err := c.prepare(y, at); err != nil {
				return fmt.Errorf("%s, %s: %w", c.name, p.name, err)
			}
			sites[i] = at
		}
		var wall [2][]time.Duration
		var ratio, cpu []float64
		for i := range y.runs + warmUp {
			var took, busy [2]time.Duration
			for j, at := range sites {
				done, err := run(command{args: at.command(c.args(at, i)...)})
				if err != nil || ctx.Err() != nil {
					return fmt.Errorf("%s: %w", c.name, errors.Join(err, ctx.Err()))
				}
				took[j], busy[j] = done.wall, done.cpu()
			}
			if i >= warmUp {
				wall[0], wall[1] = append(wall[0], took[0]), append(wall[1], took[1])
				ratio = append(ratio, float64(took[1])/float64(took[0]))
				cpu = append(cpu, float64(busy[1])/float64(busy[0]))
			}
		}
		y.add(row{
			name: c.name, program: p.name, small: fmt.Sprintf("%.2f", ms(median(wall[0]))),
			large: fmt.Sprintf("%.2f", ms(median(wall[1]))),
			ratio: fmt.Sprintf("%.2f (%.2f)", median(ratio), median(cpu)), aim: "ratio 1.2",
		})
	}
	return nil
}

// add keeps a row, and shows it at once.
func (y *yard) add(r row) {
	y.rows = append(y.rows, r)
	y.progress("%s, %s: %s %s %s", r.name, r.program, r.small, r.large, r.ratio)
}

func (y *yard) print(small, large int) error {
	if len(y.rows) == 0 {
		return errors.New("no case has such a name")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, whole processes, medians of %d runs in ms unless said otherwise\n\n", machine(), y.runs)
	fmt.Fprintf(&b, "| command | build | %d items | %d items | ratio (of CPU times) | aim, at most |\n|---|---|---:|---:|---:|---|\n", small, large)
	for _, r := range y.rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", r.name, r.program, r.small, r.large, r.ratio, r.aim)
	}
	_, err := os.Stdout.WriteString(b.String())
	return err
}
