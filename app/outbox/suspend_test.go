package outbox

import (
	"testing"
	"time"
)

// TestOUT5_SuspendAndResume: the wall clock jumps by hours, the other does not. Nothing
// is handed to two workers, whoever wakes first, and a clock that went back holds up
// nothing.
func TestOUT5_SuspendAndResume(t *testing.T) {
	for _, jump := range []time.Duration{8 * time.Hour, -8 * time.Hour} {
		bubble(t, func(r *rig) {
			clock := newStepping()
			a, b := r.service(Options{Clock: clock}), r.service(Options{Clock: clock, Store: r.other()})
			long := r.accept(a, "s", "long")
			r.peer.hang(9 * time.Minute)
			stopA, stopB := r.run(a), r.run(b)
			wait(100*time.Second + 500*time.Millisecond)
			clock.step(jump)
			wait(6 * time.Minute)
			if e := r.entry(a, long); e.Status != StatusDelivering {
				r.Errorf("after a jump of %s it is %s", jump, e.Status)
			}
			r.peer.hang(0)
			next := r.accept(a, "next", "next")
			wait(2 * time.Second)
			if r.peer.times(next) != 1 {
				r.Errorf("after a jump of %s nothing is delivered", jump)
			}
			wait(3 * time.Minute)
			stopA()
			stopB()
			if r.peer.times(long) != 1 || r.left(a) != 0 {
				r.Errorf("after a jump of %s it was sent %d times, %d are left", jump, r.peer.times(long), r.left(a))
			}
		})
	}
}

// TestOUT5_DueTimeOfAnotherClock: a due time further ahead than any delay is due.
func TestOUT5_DueTimeOfAnotherClock(t *testing.T) {
	bubble(t, func(r *rig) {
		clock := newStepping()
		s := r.service(Options{Clock: clock})
		id := r.accept(s, "s", "text")
		r.peer.refuse(errCut)
		r.once(s, "s")
		r.peer.refuse(nil)
		clock.step(-8 * time.Hour)
		if !r.once(s, "s") || r.peer.times(id) != 1 {
			r.Error("it waits for eight hours")
		}
	})
}
