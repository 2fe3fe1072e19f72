package cli

import (
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"
)

// table is what a person gets to see on a terminal where a program reads lines:
// columns under a head, fitted to the width (VIEW-5).
type table struct {
	head  []string // empty for none
	brief []string // in place of head where a line does not fit; empty for none
	rows  [][]string
	whole int // so many of the first columns are never cut
}

// Bounds of a table.
const (
	fallbackWidth = 80
	leastColumn   = 8 // a column is not cut below it
	columnGap     = 2
)

// tabular tells whether a list is for a person.
func (s *session) tabular(asJSON bool) bool { return !asJSON && s.terminal(s.Stdout) }

// printTable prints a table that has rows. Its texts must have been escaped.
func (s *session) printTable(t table) {
	if len(t.rows) == 0 {
		return
	}
	width, _, err := term.GetSize(int(s.Stdout.Fd()))
	if err != nil || width < 1 {
		width = fallbackWidth
	}
	t, widths := t.fitted(width)
	if len(t.head) > 0 {
		head := line(t.head, widths)
		if s.colours() {
			head = "\x1b[1m" + head + "\x1b[0m"
		}
		s.print("%s\n", head)
	}
	for _, row := range t.rows {
		s.print("%s\n", line(row, widths))
	}
}

// colours tells whether a terminal may be sent more than text.
func (s *session) colours() bool {
	kind := s.Getenv("TERM")
	return s.Getenv("NO_COLOR") == "" && kind != "" && kind != "dumb"
}

// fitted gives the table the heads that are told apart in lines of most characters,
// and its columns widths: as wide as their texts, but that the widest ones give way
// until a line fits.
func (t table) fitted(most int) (table, []int) {
	widths := t.widths()
	if len(t.brief) > 0 && lineWidth(widths) > most {
		t.head = t.brief
		widths = t.widths()
	}
	for total := lineWidth(widths); total > most; total-- {
		widest := -1
		for i, w := range widths {
			if i >= t.whole && w > leastColumn && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	return t, widths
}

// widths are those of the columns when nothing is cut.
func (t table) widths() []int {
	var widths []int
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, text := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	return widths
}

func lineWidth(widths []int) int {
	total := columnGap * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	return total
}

// line is a row of texts, cut and filled up to the widths.
func line(row []string, widths []int) string {
	var b strings.Builder
	for i, text := range row {
		length := utf8.RuneCountInString(text)
		if length > widths[i] {
			text, length = cut(text, widths[i]-1)+"…", widths[i]
		}
		b.WriteString(text)
		if i < len(row)-1 {
			b.WriteString(strings.Repeat(" ", widths[i]-length+columnGap))
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// cut is the first characters of a text.
func cut(text string, runes int) string {
	for i := range text {
		if runes == 0 {
			return text[:i]
		}
		runes--
	}
	return text
}

// dueText tells when a time in Unix seconds comes: now, or in how long.
func dueText(at int64, now time.Time) string {
	left := time.Unix(at, 0).Sub(now)
	if left <= 0 {
		return "now"
	}
	return "in " + (left + time.Second - 1).Truncate(time.Second).String()
}
