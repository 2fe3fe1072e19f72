package inbox

// Item is one published item (OBJ-1). IDs rise in commit order across all
// queues and are never used twice.
type Item struct {
	ID        int64
	Queue     string
	Key       *string // nil when the publisher gave none
	Payload   []byte  // canonical JSON
	CreatedAt int64   // Unix seconds
	ExpiresAt int64   // Unix seconds; from then on it is not delivered; 0 never (TIME-6)
}

// Head is an item without its content.
type Head struct {
	ID        int64
	CreatedAt int64 // Unix seconds
}

// Counts are what happened since the last report (PULL-7).
type Counts struct {
	Dropped int64 // unread matching items that retention removed (RET-2)
	Errors  int64 // items skipped because the filter failed (PULL-2)
	Parked  int64 // items parked (PULL-6)
}

// Plus adds two counts.
func (c Counts) Plus(d Counts) Counts {
	return Counts{Dropped: c.Dropped + d.Dropped, Errors: c.Errors + d.Errors, Parked: c.Parked + d.Parked}
}

// Subscription is a named view of one queue with its rules (OBJ-2).
type Subscription struct {
	Name  string
	Rules Rules
	// Broken says why the stored rules cannot be used; then only Rules.Queue is
	// set, and nothing is delivered (PULL-10). Empty otherwise.
	Broken string
	// Scan is the one position of all subscribers under share one: the id of
	// the last item evaluated (OBJ-2). Meaningless under share all.
	Scan       int64
	Unreported Counts
	LastError  string // of the filter, under share one; empty when none
}

// Span is the items with After < id ≤ Through; empty when Through is 0.
type Span struct {
	After   int64
	Through int64
}

// Has tells whether the span holds id.
func (s Span) Has(id int64) bool { return id > s.After && id <= s.Through }

// Binding joins a subscriber to a subscription (OBJ-3).
type Binding struct {
	Subscription string
	Subscriber   string
	Position     int64 // id of the last item evaluated, under share all
	NextAt       int64 // Unix seconds; due from then on
	LastPull     int64 // number of the pull that last delivered; 0 none
	Unreported   Counts
	LastError    string // of the filter, under share all; empty when none
	// Judged is a stretch after Position that `latest` has already evaluated
	// without finding a match, while older items still wait (PULL-14).
	Judged Span
}

// Bound is a binding with the subscription it belongs to and the id of the
// newest kept item of that subscription's queue, 0 when the queue is empty.
type Bound struct {
	Subscription Subscription
	Binding      Binding
	Newest       int64
}

// Position is where the binding stands: under share one at the scan (CMD-1).
func (b Bound) Position() int64 {
	if b.Subscription.Rules.Share == One {
		return b.Subscription.Scan
	}
	return b.Binding.Position
}

// Ack says who took responsibility for an item, first and for good (OBJ-4).
type Ack struct {
	Subscription string
	Item         int64
	Owner        string
	At           int64  // Unix seconds
	Note         string // what the owner said with it; empty when nothing (ACK-3)
}

// Lease is a claim for a time (OBJ-4). It is live until the second Until; a
// parked one is never granted again (PULL-6). One without an owner is what a
// holder has left behind that gave the item back: until Until no pull gets it,
// and nobody holds it (ACK-3).
type Lease struct {
	Subscription string
	Item         int64
	Owner        string // empty when nobody holds it
	Granted      int64  // Unix seconds
	Until        int64  // Unix seconds
	Attempts     int64  // leases granted on the item so far, this one included, since it was last unparked
	Parked       bool
}

// QueueCount is a queue with the number of its kept items.
type QueueCount struct {
	Queue string
	Count int64
}

// Dedupe remembers under which id a publisher's own id was stored (PUB-3).
type Dedupe struct {
	Queue string
	ID    string // the publisher's
	Item  int64
	// Scheduled is the number under which the message waits for its time; Item is 0
	// as long as it does (TIME-5). 0 when it does not.
	Scheduled int64
	At        int64 // Unix seconds
}
