package inbox

import (
	"strings"
	"testing"
)

// PUB-3, STO-7: a day, to the second, and in both directions.
func TestPUB3_DedupeHolds(t *testing.T) {
	const day = 86400
	record := Dedupe{Queue: "q", ID: "x", Item: 1, At: 1_000_000}
	for after, want := range map[int64]bool{
		0: true, 1: true, day - 1: true, day: false, day + 1: false, -1: true, -day + 1: true, -day: false, -day - 1: false,
	} {
		if got := record.Holds(record.At + after); got != want {
			t.Errorf("after %d s: %t", after, got)
		}
	}
	if DedupeTTL != day {
		t.Errorf("TTL %d", DedupeTTL)
	}
}

func TestPUB3_DedupeIDs(t *testing.T) {
	if err := CheckDedupe(strings.Repeat("x", MaxDedupeBytes)); err != nil {
		t.Error(err)
	}
	if CheckDedupe(strings.Repeat("x", MaxDedupeBytes+1)) == nil {
		t.Error("an id over the bound was taken")
	}
}
