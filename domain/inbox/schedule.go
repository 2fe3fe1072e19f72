package inbox

// Scheduled is a message that waits for its time. It is no item yet: the publish
// or pull of its queue that finds it ripe gives it an id, the next one, so that no
// position has passed it (TIME-1).
type Scheduled struct {
	Number    int64 // by which it can be taken back
	Queue     string
	Key       *string // nil when the publisher gave none
	Payload   []byte  // canonical JSON
	Dedupe    string  // the publisher's own id; empty for none
	At        int64   // Unix seconds; ripe from then on
	MadeAt    int64   // Unix seconds of its publish; meaningless unless Delayed
	Delayed   bool    // At is MadeAt and a delay, not a time that the publisher named
	ExpiresAt int64   // Unix seconds; 0 never
}

// Ripe is the test whether a scheduled message's time has come, in two thresholds
// that a store can look up: its At has come, or it was delayed by a clock that ran
// ahead (TIME-3).
type Ripe struct {
	AtMost    int64 // ripe if At ≤ this
	MadeAfter int64 // ripe if Delayed and MadeAt > this
}

// RipeAt gives the thresholds at now. A delay that was counted from a moment more
// than a minute from now was counted under another clock, and nobody can tell how
// much of it is left: it is over, as with due times and leases (STO-7). A time that
// the publisher named is waited for, whatever the clock did.
func RipeAt(now int64) Ripe { return Ripe{AtMost: now, MadeAfter: now + clockSlack} }

// Has tells whether a message is ripe by r.
func (r Ripe) Has(s Scheduled) bool {
	return s.At <= r.AtMost || s.Delayed && s.MadeAt > r.MadeAfter
}

// MaxRelease bounds how many ripe messages of a queue one publish or pull turns
// into items (TIME-4).
const MaxRelease = 500

// Released is the item that a scheduled message becomes at now. It is as new as
// any other that is stored now: ages are counted from here (TIME-2).
func (s Scheduled) Released(now int64) Item {
	return Item{Queue: s.Queue, Key: s.Key, Payload: s.Payload, CreatedAt: now, ExpiresAt: s.ExpiresAt}
}
