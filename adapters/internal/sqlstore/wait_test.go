package sqlstore

import (
	"testing"
	"time"
)

// STO-8: naps double while others are in the way, and nobody who has waited
// longer may sleep longer.
func TestSTO8_NapsGrowShorterWithWaiting(t *testing.T) {
	for attempts, want := range map[int]time.Duration{1: firstNap, 2: 2 * firstNap, 4: 8 * firstNap, 7: longNap, 1 << 30: longNap} {
		if got := napAfter(attempts, 0); got != want {
			t.Errorf("after %d attempts a nap of %v, not %v", attempts, got, want)
		}
	}
	if got := napAfter(1, time.Second); got != firstNap {
		t.Errorf("the first nap after a long wait is %v, not %v", got, firstNap)
	}
	const many = 20
	last := napAfter(many, 0)
	for waited := time.Duration(0); waited <= maxWait; waited += time.Millisecond {
		nap := napAfter(many, waited)
		if nap > last || nap < shortNap {
			t.Fatalf("after %v a nap of %v follows one of %v", waited, nap, last)
		}
		last = nap
	}
	if last != shortNap {
		t.Errorf("at the end naps of %v", last)
	}
}
