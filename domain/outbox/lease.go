package outbox

import "time"

// Lease is the right to work on a lane. Its token is the fence: whoever has lost
// the token may not write, and whoever has it may, even past Until.
type Lease struct {
	Token    string // random, never used twice
	Owner    string // for people: who works
	Acquired time.Time
	Until    time.Time
	Length   time.Duration // from a renewal to Until, as the owner set it; those who wait for the lane go by it
	Renewals int64
	EntryID  string // what is being sent or verified
}

// Lapsed tells whether the lease has run out by the wall clock. That alone frees
// no lane: a sighting has to show that nobody renews it either.
func (l Lease) Lapsed(now time.Time) bool { return !now.Before(l.Until) }

// Sighting is what a worker saw of a lease that is not its own, on its own clock
// that never steps.
type Sighting struct {
	Token    string
	Renewals int64
	Since    time.Duration // elapsed when this state was first seen
}

// Patience is how long a lease has to be seen unchanged before its lane may be
// taken: a third of its own length, because its owner, whose LeaseTTL may be
// another, renews it by that. Without a length it is a third of LeaseTTL.
func (c Config) Patience(l Lease) time.Duration {
	if l.Length <= 0 {
		return c.LeaseTTL / 3
	}
	return l.Length / 3
}

// See takes a look at a lease and tells whether its lane may be taken: it has
// lapsed, and was seen unchanged for Patience. So a clock that steps, or a machine
// that slept, hands no lane to two workers (OUT-5).
func (c Config) See(before Sighting, l Lease, now time.Time, elapsed time.Duration) (after Sighting, free bool) {
	if before.Token != l.Token || before.Renewals != l.Renewals {
		before = Sighting{Token: l.Token, Renewals: l.Renewals, Since: elapsed}
	}
	return before, l.Lapsed(now) && elapsed-before.Since >= c.Patience(l)
}
