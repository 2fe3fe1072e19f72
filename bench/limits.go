package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// status times it on subscriptions of each kind that have everything unread.
func (y *yard) status(_ context.Context, b base) error {
	const name = "status, four kinds of subscription, everything unread"
	return y.each(name, b, "", func(at *site) (row, error) {
		for i, rules := range [][]string{
			{}, {"--consume", "on-ack"}, {"--share", "one"}, {"--share", "one", "--consume", "on-ack"},
		} {
			sub := fmt.Sprintf("s%d", i)
			for _, who := range []string{"v", "w"} {
				err := at.step(append([]string{"subscribe", sub, "--as", who, "--queue", "q"}, rules...)...)
				if err != nil {
					return row{}, err
				}
			}
			if err := at.step("pull", sub, "--as", "w", "--max-bytes", "100000"); err != nil {
				return row{}, err
			}
		}
		took, err := y.repeat(y.runs, at.command("status"))
		return row{large: fmt.Sprintf("%.2f", ms(median(took))), aim: "50 ms"}, err
	})
}

// unacked times a list that has to look at everything, and says what an item of
// it costs.
func (y *yard) unacked(_ context.Context, b base) error {
	return y.each("list --unacked --limit -1, µs an item", b, "", func(at *site) (row, error) {
		took, err := y.repeat(3, at.command("list", "q", "--unacked", "--limit", "-1"))
		return row{large: fmt.Sprintf("%.1f", 1000*ms(median(took))/float64(b.size)), aim: "linear"}, err
	})
}

func (y *yard) repeat(runs int, args []string) (took []time.Duration, err error) {
	for range runs {
		done, err := run(command{args: args})
		if err != nil {
			return nil, err
		}
		took = append(took, done.wall)
	}
	return took, nil
}

// trim lowers a limit by nearly all items and publishes until that is reached.
func (y *yard) trim(_ context.Context, b base) error {
	const left = 1000
	return y.each("publish after a limit was lowered: most and median", b, fmt.Sprintf("max_items: %d", left), func(at *site) (row, error) {
		if err := at.step("subscribe", "s", "--as", "w", "--queue", "q", "--start", "new"); err != nil {
			return row{}, err
		}
		var took []time.Duration
		for {
			args := at.command(publishOne(at, 0)...)
			more, err := y.repeat(50, args)
			if err != nil {
				return row{}, err
			}
			took = append(took, more...)
			kept, err := at.print("list")
			if err != nil {
				return row{}, err
			}
			if strings.Contains("\n"+kept, fmt.Sprintf("\nq\t%d\n", left)) {
				break
			}
			// What was published since holds the rest back until it has been read.
			if err := at.step("pull", "s", "--as", "w", "--max-bytes", "1000000"); err != nil {
				return row{}, err
			}
		}
		return row{large: fmt.Sprintf("%.1f / %.1f", ms(slices.Max(took)), ms(median(took))), aim: "30 ms"}, nil
	})
}

// rare pulls until the one item that matches, behind all others, has come.
func (y *yard) rare(_ context.Context, b base) error {
	return y.each("a rare match behind all items: seconds, pulls, deadlines missed", b, "", func(at *site) (row, error) {
		err := errors.Join(
			at.step("subscribe", "s", "--as", "w", "--queue", "q", "--filter", `.payload.action == "closed"`),
			at.step("publish", "q", `{"action":"closed"}`))
		if err != nil {
			return row{}, err
		}
		output := filepath.Join(y.dir, "output")
		var total time.Duration
		missed := 0
		for pulls := 1; ; pulls++ {
			done, err := run(command{args: at.command("pull", "s", "--as", "w"), env: []string{"GAFF_TIMEOUT_MS=300"}, output: output})
			total += done.wall
			if err != nil && done.state != nil && total < time.Minute {
				missed++ // on a busy machine; a hook would just come again
				continue
			}
			if err != nil {
				return row{}, err
			}
			text, err := os.ReadFile(output)
			if err != nil {
				return row{}, err
			}
			if bytes.Contains(text, []byte(" delivered=1 ")) {
				return row{large: fmt.Sprintf("%.2f, %d, %d", total.Seconds(), pulls, missed), aim: "5 s"}, nil
			}
			if len(text) > 0 {
				return row{}, fmt.Errorf("a pull that delivered nothing said %q", text)
			}
		}
	})
}

// memory takes the most memory of a pull over all items, and of a publish and a
// pull of the largest payload.
func (y *yard) memory(_ context.Context, b base) error {
	const most = 16 << 20
	path := filepath.Join(y.dir, "largest.json")
	if err := os.WriteFile(path, []byte(`"`+strings.Repeat("x", most-2)+`"`), 0o600); err != nil {
		return err
	}
	subscribe := func(at *site, start, filter string) error {
		return at.step("subscribe", "s", "--as", "w", "--queue", "q", "--start", start, "--filter", filter)
	}
	measure := func(name string, prepare func(at *site) error, args []string, stdin string) error {
		return y.each("memory in MB, "+name, b, "", func(at *site) (row, error) {
			if err := prepare(at); err != nil {
				return row{}, err
			}
			done, err := run(command{args: at.command(args...), stdin: stdin})
			return row{large: fmt.Sprintf("%.0f", float64(done.memory())/1e6), aim: "100 MB"}, err
		})
	}
	pull := []string{"pull", "s", "--as", "w"}
	return errors.Join(
		measure("pull over all items", func(at *site) error { return subscribe(at, "all", "false") }, pull, ""),
		measure("publish of 16 MiB", func(*site) error { return nil }, []string{"publish", "q"}, path),
		measure("pull of 16 MiB", func(at *site) error {
			if err := at.step("subscribe", "s", "--as", "w", "--queue", "q", "--start", "new"); err != nil {
				return err
			}
			_, err := run(command{args: at.command("publish", "q"), stdin: path})
			return err
		}, pull, ""),
	)
}

// each measures one row on a copy of a base with every program.
func (y *yard) each(name string, b base, limits string, measure func(*site) (row, error)) error {
	if !y.wants(name) {
		return nil
	}
	for _, p := range y.programs {
		at, err := y.newSite(b, p, limits)
		if err != nil {
			return err
		}
		defer at.remove()
		r, err := measure(at)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", name, p.name, err)
		}
		r.name, r.program = name, p.name
		y.add(r)
	}
	return nil
}

// print runs a command and returns its output.
func (s *site) print(args ...string) (string, error) {
	err := s.step(args...)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(s.config + ".out")
	return string(text), err
}
