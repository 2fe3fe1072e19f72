package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// payload is a small event, of about 200 bytes.
func payload() string {
	return `{"action":"opened","number":42,"text":"` + strings.Repeat("x", 160) + `"}`
}

// testCase is a command to be timed, and the commands that prepare its database.
type testCase struct {
	name    string
	prepare func(runs int) []step
	args    []string
	config  string // besides the format
}

// step is a command with its standard input.
type step struct {
	args  []string
	stdin string
}

func cases() []testCase {
	item := step{args: []string{"publish", "q", payload()}}
	bound := step{args: []string{"subscribe", "s", "--as", "w", "--queue", "q"}}
	pulled := step{args: []string{"pull", "s", "--as", "w"}}
	accept := step{args: []string{"outbox", "accept", "w", "s", payload()}}
	return []testCase{
		{
			name:    "publish of a small item",
			prepare: func(int) []step { return []step{item} },
			args:    item.args,
		},
		{
			name:    "pull with nothing new",
			prepare: func(int) []step { return []step{item, bound, pulled} },
			args:    pulled.args,
		},
		{
			name: "pull of four items",
			prepare: func(runs int) []step {
				backlog := step{args: []string{"publish", "q", "--lines"}, stdin: strings.Repeat(payload()+"\n", 4*runs)}
				four := step{args: append(append([]string{}, bound.args...), "--limit", "4")}
				return []step{item, four, backlog}
			},
			args: append(append([]string{}, pulled.args...), "--max-bytes", "2048"),
		},
		{
			name: "pull --due, ten idle filters",
			prepare: func(int) []step {
				steps := []step{item}
				for i := range 10 {
					steps = append(steps, step{args: []string{
						"subscribe", fmt.Sprintf("s%d", i), "--as", "w", "--queue", "q", "--filter", `.payload.action == "closed"`,
					}})
				}
				return append(steps, step{args: []string{"pull", "--due", "--as", "w"}})
			},
			args: []string{"pull", "--due", "--as", "w"},
		},
		{
			name:    "outbox accept",
			prepare: func(int) []step { return []step{accept} },
			args:    accept.args,
			config:  "outbox:\n  cap: 1000000\n", // all runs accept for one session
		},
		{
			name:    "outbox list of ten entries",
			prepare: func(int) []step { return slices.Repeat([]step{accept}, 10) },
			args:    []string{"outbox", "list", "w", "s"},
		},
	}
}

// prepare makes the database of one case for so many runs.
func prepare(ctx context.Context, db string, p program, c testCase, runs int) (*measure, error) {
	config := db + ".yml"
	if err := os.WriteFile(config, []byte("format: 1\n"+c.config), 0o600); err != nil {
		return nil, err
	}
	global := []string{p.path, "--db", db, "--config", config}
	for _, step := range c.prepare(runs) {
		args := append(append([]string{}, global...), step.args...)
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Stdin = strings.NewReader(step.stdin)
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%w\n%s", err, out)
		}
	}
	return &measure{name: c.name, program: p.name, args: append(global, c.args...)}, nil
}
