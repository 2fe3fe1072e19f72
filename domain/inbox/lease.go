package inbox

// clockSlack is how far in the future, in seconds, a stored time may lie beyond
// its longest possible value before it is taken for a clock that stepped back
// (STO-7).
const clockSlack = 60

// Expiry is the test whether a lease has ended, in two thresholds that a store
// can look up: its Until has come, or it was granted by a clock that ran ahead
// (STO-7).
type Expiry struct {
	UntilAtMost  int64 // ended if Until ≤ this
	GrantedAfter int64 // ended if Granted > this
}

// ExpiryAt gives the thresholds at now. A lease has ended at the second its time
// ends (PULL-6); one that ends later than its length and a minute from now was
// granted under another clock (STO-7).
func ExpiryAt(now int64) Expiry {
	return Expiry{UntilAtMost: now, GrantedAfter: now + clockSlack}
}

// Ended tells whether a lease has ended by e.
func (e Expiry) Ended(l Lease) bool {
	return l.Until <= e.UntilAtMost || l.Granted > e.GrantedAfter
}

// Live tells whether the lease hides its item at now (PULL-6).
func (l Lease) Live(now int64) bool {
	return !l.Parked && !ExpiryAt(now).Ended(l)
}

// Held tells whether the lease's owner holds its item at now. In the delay after
// a nack a lease is live, and nobody holds the item (ACK-3).
func (l Lease) Held(now int64) bool { return l.Owner != "" && l.Live(now) }

// HeldBy picks, from leases in ascending order of items, the items up to through
// that a subscriber holds at now (ACK-3).
func HeldBy(leases []Lease, subscriber string, through, now int64) []int64 {
	var items []int64
	for _, l := range leases {
		if l.Item <= through && l.Owner == subscriber && l.Held(now) {
			items = append(items, l.Item)
		}
	}
	return items
}

// Grant is the lease that a pull at now gives owner on an item: the first, or
// the next one after previous (PULL-5).
func Grant(rules Rules, subscription, owner string, item, attempts, now int64) Lease {
	return Lease{
		Subscription: subscription, Item: item, Owner: owner,
		Granted: now, Until: now + rules.Lease, Attempts: attempts + 1,
	}
}

// Due tells whether a binding is due at now (PULL-10). A time that lies further
// away than the interval and a minute was set under another clock (STO-7).
func Due(nextAt, every, now int64) bool {
	return nextAt <= now || nextAt > now+every+clockSlack
}

// Retryable tells whether a pull at now may grant the lease's item again: it has
// ended, is not parked, and has attempts left (PULL-1, PULL-6).
func (l Lease) Retryable(rules Rules, now int64) bool {
	return !l.Parked && ExpiryAt(now).Ended(l) && l.Attempts < rules.MaxAttempts
}

// Spent tells whether the lease's item is parked: recorded as such, or by the
// clock, because the last lease that the rules allow has ended (PULL-6).
func (l Lease) Spent(rules Rules, now int64) bool {
	return l.Parked || ExpiryAt(now).Ended(l) && l.Attempts >= rules.MaxAttempts
}
