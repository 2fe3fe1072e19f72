package sqlstore

import (
	"testing"
	"time"
)

// STO-8: a newcomer who meets a crowd sleeps long, and nobody who has waited
// longer sleeps longer.
func TestSTO8_NapsGrowShorterWithWaiting(t *testing.T) {
	if got := napAfter(1, time.Second); got != firstNap {
		t.Errorf("the first nap is %v, not %v", got, firstNap)
	}
	last := napAfter(2, 0)
	if last != longNap {
		t.Errorf("a newcomer's second nap is %v, not %v", last, longNap)
	}
	for waited := time.Duration(0); waited <= maxWait; waited += time.Millisecond {
		nap := napAfter(2, waited)
		if nap > last || nap < shortNap {
			t.Fatalf("after %v a nap of %v follows one of %v", waited, nap, last)
		}
		last = nap
	}
	if last != shortNap {
		t.Errorf("at the end naps of %v", last)
	}
}
