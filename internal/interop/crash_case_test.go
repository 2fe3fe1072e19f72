//go:build linux && (amd64 || arm64)

package interop_test

import (
	"fmt"
	"os"
	"strings"
)

// crashCase is a command that is killed at every place where it changes a file.
type crashCase struct {
	name     string
	settings string
	prepare  func(s *site, b binary) // makes what is there before
	when     string                  // the time of the command; usually frozen
	args     []string
	stdin    string
	stages   []string // inputs after which the command may be cut short; stdin comes last
	file     bool     // the output goes to a file, else into a pipe
	pull     bool     // it prints before it commits, everything else after
	own      int      // commits after those of a migration; without one, -1
	view     view
	usual    bool // not only in the long run
	whole    bool // and there at every place
}

// steps makes a prepare function of commands.
func steps(commands ...string) func(*site, binary) {
	return func(s *site, b binary) {
		for _, command := range commands {
			s.must(b, "", strings.Split(command, "|")...)
		}
	}
}

// numbered is n documents, one a line.
func numbered(n int) string {
	var lines strings.Builder
	for i := range n {
		fmt.Fprintf(&lines, "{\"line\":%d}\n", i)
	}
	return lines.String()
}

// four is a queue with four items, of which the reader of the subscription s has
// had one.
func four(rules ...string) func(*site, binary) {
	return steps(
		"publish|q|1", strings.Join(append([]string{"subscribe", "s", "--as", "w", "--queue", "q"}, rules...), "|"),
		"pull|s|--as|w", "publish|q|\"two\"|--key|k", "publish|q|{\"n\":3}", "publish|q|4",
	)
}

// old puts a database of the old program in place.
func old(name string) func(*site, binary) {
	return func(s *site, _ binary) {
		text, err := os.ReadFile("testdata/old/" + name)
		if err != nil {
			s.t.Fatal(err)
		}
		write(s.t, s.db, string(text))
	}
}

// almostFull grows the log to just below the size at which a command folds it into
// the file.
func almostFull(s *site, b binary) {
	const limit, most = 256 << 10, 40 << 10
	four("--limit", "50")(s, b)
	for n := 0; ; n++ {
		info, err := os.Stat(s.db + "-wal")
		if err != nil || n > 100 {
			s.t.Fatalf("the log does not grow: %v", err)
		}
		if info.Size() > limit-most {
			return
		}
		s.must(b, "", "publish", "q", fmt.Sprint(n))
	}
}

// tooFull leaves a log that the next command has to fold into the file: whoever
// made it was killed before.
func tooFull(s *site, b binary) {
	almostFull(s, b)
	folding := tracer{root: s.dir, enter: func(c call) bool { return strings.HasPrefix(c.what(s.db), "pwrite64 of the database") }}
	if code, err := folding.run(s.command(b, "--now", frozen, "publish", "q", asJSON(strings.Repeat("x", 50<<10)))); err != nil || code != -1 {
		s.t.Fatalf("killing before the checkpoint: exit %d, %v", code, err)
	}
}

func crashCases() []crashCase {
	simple := view{[]string{"q"}, [][2]string{{"s", "w"}}}
	rich := view{[]string{"ci", "jobs", "alerts"}, [][2]string{{"read", "ann"}, {"work", "w1"}, {"watch", "bob"}}}
	const oldConfig = "format: 1\nqueues:\n  short: {max_age: 300s}\n  few: {max_items: 2}\n"
	return []crashCase{
		{name: "first creation", args: []string{"publish", "q", "1"}, own: 1, view: simple, usual: true},
		{name: "creation in an empty file", prepare: func(s *site, _ binary) { write(s.t, s.db, "") },
			args: []string{"subscribe", "s", "--as", "w", "--queue", "q"}, own: 1, view: simple},
		{name: "publish", prepare: four(), args: []string{"publish", "q", `"new"`, "--key", "n"}, own: -1, view: simple, usual: true, whole: true},
		{name: "publish lines", prepare: four(), args: []string{"publish", "q", "--lines"}, own: -1, view: simple,
			stages: []string{numbered(500), numbered(1000)}, stdin: numbered(1200)},
		{name: "retention", settings: "format: 1\nqueues: {q: {max_items: 2, max_age: 1h}}\n", prepare: four(),
			when: "9000", args: []string{"publish", "q", `"new"`}, own: -1, view: simple},
		{name: "subscribe", prepare: four(), args: []string{"subscribe", "s", "--as", "x"}, own: -1, view: simple},
		{name: "change of rules", prepare: four(), own: -1, view: simple,
			args: []string{"subscribe", "s", "--as", "w", "--queue", "q", "--filter", ".key == \"k\"", "--share", "one", "--template", ".payload", "--consume", "on-ack"}},
		{name: "move to another queue", prepare: four("--consume", "on-ack"), own: -1, view: view{[]string{"q", "p"}, simple.readers},
			args: []string{"subscribe", "s", "--as", "w", "--queue", "p"}},
		{name: "pull", prepare: four(), args: []string{"pull", "s", "--as", "w"}, pull: true, own: -1, view: simple, usual: true, whole: true},
		{name: "pull into a file", prepare: four(), args: []string{"pull", "s", "--as", "w"}, pull: true, own: -1, view: simple, file: true},
		{name: "pull on-ack", prepare: four("--consume", "on-ack"), args: []string{"pull", "s", "--as", "w"}, pull: true, own: -1, view: simple},
		{name: "pull on-ack into a file", prepare: four("--consume", "on-ack"), args: []string{"pull", "s", "--as", "w"}, pull: true, own: -1, view: simple, file: true},
		{name: "pull share one", prepare: four("--share", "one"), args: []string{"pull", "s", "--as", "w"}, pull: true, own: -1, view: simple},
		{name: "pull share one into a file", prepare: four("--share", "one"), args: []string{"pull", "s", "--as", "w"}, pull: true, own: -1, view: simple, file: true},
		{name: "pull share one on-ack", prepare: four("--share", "one", "--consume", "on-ack"), args: []string{"pull", "s", "--as", "w"}, pull: true, own: -1, view: simple},
		{name: "pull share one on-ack into a file", prepare: four("--share", "one", "--consume", "on-ack"), args: []string{"pull", "s", "--as", "w"}, pull: true, own: -1, view: simple, file: true},
		{name: "due pull", prepare: four("--every", "5m"), when: "9000", args: []string{"pull", "--due", "--as", "w"}, pull: true, own: -1, view: simple},
		{name: "ack", prepare: four("--share", "one", "--consume", "on-ack"), args: []string{"ack", "1", "--as", "w"}, own: -1, view: simple},
		{name: "unsubscribe", prepare: four(), args: []string{"unsubscribe", "s", "--as", "w"}, own: -1, view: simple},
		{name: "take-over by a reader", settings: oldConfig, prepare: old("rich.db"), args: []string{"status"}, own: 0, view: rich, usual: true},
		{name: "take-over by a publish", settings: oldConfig, prepare: old("odd.db"), args: []string{"publish", "fine", `"new"`}, own: 1,
			view: view{[]string{"fine", "a]b"}, [][2]string{{"odd", "ann"}, {"fine", "ann"}}}},
		{name: "checkpoint by a publish", prepare: almostFull, args: []string{"publish", "q", asJSON(strings.Repeat("x", 50<<10))}, own: -1, view: simple},
		{name: "checkpoint by a pull", prepare: tooFull, args: []string{"pull", "s", "--as", "w"}, pull: true, own: -1, view: simple, usual: true},
		{name: "checkpoint by a reader", prepare: tooFull, args: []string{"status"}, own: -1, view: simple},
	}
}
