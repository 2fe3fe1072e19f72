package cli

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// VIEW-5: a table keeps to the width of the terminal as long as its columns can be
// cut, its columns stand under each other, and nothing is cut that fits.
func TestVIEW5_ATableFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 8).Draw(t, "columns")
		row := rapid.SliceOfN(rapid.StringMatching(`[a-zäß ]{0,40}`), columns, columns)
		made := table{head: row.Draw(t, "head"), rows: rapid.SliceOfN(row, 1, 5).Draw(t, "rows"), whole: rapid.IntRange(0, columns).Draw(t, "whole")}
		if rapid.Bool().Draw(t, "two heads") {
			made.brief = rapid.SliceOfN(rapid.StringMatching(`[A-Z]{1,8}`), columns, columns).Draw(t, "brief")
		}
		width := rapid.IntRange(1, 200).Draw(t, "width")
		long := made.widths()
		made, widths := made.fitted(width)
		total := sum(widths) + columnGap*(columns-1)
		whole := made.widths()
		if fits := sum(long)+columnGap*(columns-1) <= width; len(made.brief) > 0 && fits == slices.Equal(made.head, made.brief) && !slices.Equal(long, whole) {
			t.Fatalf("the head is %v, and the whole one fits: %t", made.head, fits)
		}
		if slices.Equal(made.head, made.brief) && strings.ContainsRune(line(made.head, widths), '…') {
			t.Fatalf("brief heads are cut: %s", line(made.head, widths))
		}
		if total > width && slices.Max(append(widths[made.whole:], 0)) > leastColumn {
			t.Fatalf("a line of %d characters for %d: %v", total, width, widths)
		}
		if !slices.Equal(whole[:made.whole], widths[:made.whole]) {
			t.Fatalf("of %v, %d are whole: %v", whole, made.whole, widths)
		}
		if sum(whole)+columnGap*(columns-1) <= width && !slices.Equal(whole, widths) {
			t.Fatalf("columns of %v, which fit into %d, are cut to %v", whole, width, widths)
		}
		for _, row := range made.rows {
			text := line(row, widths)
			if n := utf8.RuneCountInString(text); n > total {
				t.Fatalf("%d characters, more than %d: %q", n, total, text)
			}
			at := 0
			for i, cell := range row {
				if utf8.RuneCountInString(cell) > widths[i] {
					cell = cut(cell, widths[i]-1) + "…"
				}
				if rest := strings.TrimPrefix(text, cut(text, at)); !strings.HasPrefix(rest, strings.TrimRight(cell, " ")) {
					t.Fatalf("column %d is not %q in %q", i, cell, text)
				}
				at += widths[i] + columnGap
			}
		}
	})
}

func sum(numbers []int) (total int) {
	for _, n := range numbers {
		total += n
	}
	return total
}

// VIEW-5: times are told as one reads them.
func TestVIEW5_DueText(t *testing.T) {
	now := time.Unix(1000, 500)
	for at, want := range map[int64]string{0: "now", 1000: "now", 1001: "in 1s", 1090: "in 1m30s"} {
		if got := dueText(at, now); got != want {
			t.Errorf("%d is %q, want %q", at, got, want)
		}
	}
}
