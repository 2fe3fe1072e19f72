package outbox

import "time"

// Order says which entry of a lane is next.
type Order string

// The orders: whatever is due, in order of acceptance; or nothing before the head
// is gone (OUT-2).
const (
	OrderDue    Order = "due"
	OrderStrict Order = "strict"
)

// Action is what a worker does next on a lane.
type Action uint8

// The actions.
const (
	Rest   Action = iota // nothing is due
	Ship                 // stage out and send
	Verify               // find out what became of the last send
)

// Choose picks the one action on a lane at now (OUT-2, OUT-3). Entries are those
// of the lane in order of acceptance, unreadable ones too, which are never due; the
// answer means nothing with Rest.
func (p Policy) Choose(entries []Entry, order Order, now time.Time) (Entry, Action) {
	for _, e := range entries {
		if e.Sending() {
			return Entry{}, Rest
		}
	}
	for _, e := range entries {
		if p.Config.Due(e, now) {
			if e.doubtful() && !p.resends(e) {
				return e, Verify
			}
			return e, Ship
		}
		if order == OrderStrict {
			break
		}
	}
	return Entry{}, Rest
}

// resends tells whether an entry whose fate is unknown is found out by sending it
// again: the receiver dedupes by entry id, and the bound of passes is not reached.
func (p Policy) resends(e Entry) bool {
	return p.Idempotent && e.VerifyAttempts < p.Config.MaxVerifyAttempts
}
