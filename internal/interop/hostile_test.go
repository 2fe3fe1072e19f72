//go:build unix

package interop_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// maxResident is what a process that evaluates anything may take, in bytes.
const maxResident = 300 << 20

// hostile is a line of the list of expressions that try to hang or to exhaust
// whoever evaluates them. As a template and as a filter, ! is an error, = a text
// or a match, - no match.
type hostile struct {
	payload          string // a letter
	template, filter byte
	text             string
}

// hostiles reads the list, or a part of it.
func hostiles(t *testing.T) []hostile {
	t.Helper()
	data, err := os.ReadFile("../../adapters/jq/testdata/hostile.txt")
	if err != nil {
		t.Fatal(err)
	}
	var some []hostile
	for i, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		if line[0] == 'D' { // nested deeper than a publish takes
			continue
		}
		if long() || i%21 == 0 {
			some = append(some, hostile{line[:1], line[1], line[2], line[4:]})
		}
	}
	return some
}

// hostilePayload returns the payload for a letter of the list.
func hostilePayload(t *testing.T, letter string) string {
	t.Helper()
	object := map[string]int{}
	rising, mixed := make([]int, 200_000), make([]int, 150_000)
	for i := range 100_000 {
		object[fmt.Sprint("k", i)] = i
	}
	for i := range rising {
		rising[i] = i
	}
	for i := range mixed {
		mixed[i] = i * 7919 % 1_000_003
	}
	var v any
	switch letter {
	case "s":
		return `{"a":1}`
	case "n":
		return "[" + strings.Repeat("7", 1000) + "]"
	case "f":
		return "[" + strings.Repeat("7", 500) + "." + strings.Repeat("3", 500) + "]"
	case "d":
		return strings.Repeat("[", 1000) + strings.Repeat("]", 1000)
	case "m":
		v = strings.Repeat("ab c", 1<<18)
	case "x":
		v = strings.Repeat("a", 1<<20)
	case "c":
		v = strings.Repeat("\x01", 1<<20)
	case "q":
		v = strings.Repeat("'", 1_000_000)
	case "o":
		v = object
	case "a":
		v = rising
	case "r":
		v = mixed
	}
	text, err := json.Marshal(v)
	if err != nil || v == nil {
		t.Fatalf("payload %s: %v", letter, err)
	}
	return string(text)
}

// resident is the most memory that a process had, in bytes.
func resident(cmd *exec.Cmd) int64 {
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return usage.Maxrss
	}
	return usage.Maxrss << 10
}

// measured runs cmd and checks what it took.
func (s *site) measured(cmd *exec.Cmd) (r result, took time.Duration) {
	s.t.Helper()
	start := time.Now()
	r = s.finish(cmd)
	took = time.Since(start)
	if peak := resident(cmd); peak > maxResident {
		s.t.Errorf("%.150q took %d MB", cmd.Args[len(cmd.Args)-4:], peak>>20)
	}
	return r, took
}

// PULL-15: each expression ends in a real process, within its memory, and its
// outcome is the one of the list: the same on both builds.
func TestPULL15_HostileExpressions(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		s := newSite(t)
		s.configure("format: 1\n")
		list := hostiles(t)
		letters := map[string]bool{}
		for i, h := range list {
			letters[h.payload] = true
			s.ok(b, "subscribe", fmt.Sprint("t", i), "--as", "w", "--queue", h.payload, "--template", h.text)
			s.ok(b, "subscribe", fmt.Sprint("f", i), "--as", "w", "--queue", h.payload, "--filter", h.text)
		}
		for letter := range letters {
			cmd := s.command(b, "publish", letter)
			cmd.Stdin = strings.NewReader(hostilePayload(t, letter))
			s.expect(cmd)
		}
		var worst struct {
			took time.Duration
			peak int64
			text string
		}
		for i, h := range list {
			for kind, want := range map[string]byte{"t": h.template, "f": h.filter} {
				name := fmt.Sprint(kind, i)
				cmd := s.command(b, "pull", name, "--as", "w")
				r, took := s.measured(cmd)
				if got := hostileOutcome(kind, r); got != want || r.code != 0 {
					t.Errorf("%s as %s: exit %d, %c, want %c\n%.300s%.300s", h.text, kind, r.code, got, want, r.stdout, r.stderr)
				}
				if took > worst.took {
					worst.took, worst.text = took, h.text
				}
				worst.peak = max(worst.peak, resident(cmd))
				if kind == "f" && want == '!' && !strings.Contains(s.ok(b, "status"), name) {
					t.Errorf("status does not show %s", name)
				}
			}
		}
		t.Logf("the slowest took %v: %s; the most memory was %d MB", worst.took, worst.text, worst.peak>>20)
	})
}

// hostileOutcome tells from what a pull printed how the expression ended.
func hostileOutcome(kind string, r result) byte {
	switch {
	case kind == "t" && strings.Contains(r.stdout, "(template error: "),
		kind == "t" && strings.Contains(r.stdout, " … tundish show "), // the default form of a large payload
		strings.Contains(r.stdout, "errors=1"):
		return '!'
	case strings.Contains(r.stdout, "delivered=1"):
		return '='
	}
	return '-'
}
