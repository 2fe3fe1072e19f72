package setup

import (
	"fmt"
	"strings"
)

// diff is a unified diff of two texts with three lines around each change; empty
// when they are equal.
func diff(from, to string, before, after []byte) string {
	a, b := lines(before), lines(after)
	script := compare(a, b)
	var out strings.Builder
	const around = 3
	for i := 0; i < len(script); {
		if script[i].kind == ' ' {
			i++
			continue
		}
		start, end, quiet := max(0, i-around), i, 0
		for end < len(script) && quiet <= 2*around {
			if quiet++; script[end].kind != ' ' {
				quiet = 0
			}
			end++
		}
		end -= max(0, quiet-around)
		if out.Len() == 0 {
			fmt.Fprintf(&out, "--- %s\n+++ %s\n", from, to)
		}
		hunk(&out, script[start:end])
		i = end
	}
	return out.String()
}

// hunk writes lines that stand together.
func hunk(out *strings.Builder, script []step) {
	old, fresh := 0, 0
	for _, s := range script {
		if s.kind != '+' {
			old++
		}
		if s.kind != '-' {
			fresh++
		}
	}
	first := script[0]
	at := func(line, count int) int {
		if count > 0 {
			line++
		}
		return line
	}
	fmt.Fprintf(out, "@@ -%d,%d +%d,%d @@\n", at(first.a, old), old, at(first.b, fresh), fresh)
	for _, s := range script {
		text, ended := strings.CutSuffix(s.text, "\n")
		fmt.Fprintf(out, "%c%s\n", s.kind, strings.TrimSuffix(text, "\r"))
		if !ended {
			out.WriteString("\\ No newline at end of file\n")
		}
	}
}

// lines splits a text behind each newline.
func lines(text []byte) []string {
	all := strings.SplitAfter(string(text), "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// step is a line that stays (' '), goes ('-') or comes ('+'), and how many lines
// of either text are in front of it.
type step struct {
	kind byte
	text string
	a, b int
}

// compare finds few changes that make b of a: the greedy way along the furthest
// diagonals, which is quick when the texts are much alike.
func compare(a, b []string) []step {
	most := len(a) + len(b)
	furthest := map[int]int{1: 0}
	var trace []map[int]int
	for d := 0; d <= most; d++ {
		here := make(map[int]int, len(furthest)+2)
		for k, x := range furthest {
			here[k] = x
		}
		trace = append(trace, here)
		for k := -d; k <= d; k += 2 {
			x := furthest[k-1] + 1
			if k == -d || k != d && furthest[k-1] < furthest[k+1] {
				x = furthest[k+1]
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			furthest[k] = x
			if x >= len(a) && x-k >= len(b) {
				return walkBack(a, b, trace)
			}
		}
	}
	return nil // never: d == most reaches the end
}

// walkBack reads the changes off the trace, from the end.
func walkBack(a, b []string, trace []map[int]int) []step {
	var back []step
	x, y := len(a), len(b)
	for d := len(trace) - 1; d >= 0; d-- {
		v, k := trace[d], x-y
		before := k - 1
		if k == -d || k != d && v[k-1] < v[k+1] {
			before = k + 1
		}
		px := v[before]
		py := px - before
		for x > px && y > py && x > 0 && y > 0 {
			x, y = x-1, y-1
			back = append(back, step{' ', a[x], x, y})
		}
		if d == 0 {
			break
		}
		if x == px {
			y--
			back = append(back, step{'+', b[y], x, y})
		} else {
			x--
			back = append(back, step{'-', a[x], x, y})
		}
	}
	for i, j := 0, len(back)-1; i < j; i, j = i+1, j-1 {
		back[i], back[j] = back[j], back[i]
	}
	return back
}
