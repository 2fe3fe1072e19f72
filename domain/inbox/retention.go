package inbox

// Retention limits what a queue keeps (CFG-2). Zero is no limit.
type Retention struct {
	MaxItems int64 // items
	MaxAge   int64 // seconds
}

// DefaultRetention holds for a queue that the configuration does not list.
func DefaultRetention() Retention { return Retention{MaxItems: 10000} }

// MaxRemoval bounds what one publish removes, in items (RET-4).
const MaxRemoval = 1000

// Removal is how many items a publish that stored some may remove: more than it
// stored, so that a queue over its limit shrinks, and so few that nobody waits for
// it (RET-4).
func Removal(stored int) int {
	const more = 250
	return min(stored+more, MaxRemoval)
}

// QueueReader is a subscription of a queue with all that retention asks of it.
type QueueReader struct {
	Subscription Subscription
	Bindings     []Binding
	LowestOpen   int64 // item of the lowest lease neither acked nor parked; 0 when there is none
}

// AgedBefore is the time before which items are too old; ok is false when age
// does not matter (RET-2). An item of exactly the age stays.
func (r Retention) AgedBefore(now int64) (before int64, ok bool) {
	return now - r.MaxAge, r.MaxAge > 0
}

// Excess is how many of count items are beyond the limit (RET-1).
func (r Retention) Excess(count int64) int64 {
	if r.MaxItems == 0 {
		return 0
	}
	return max(0, count-r.MaxItems)
}

// Hold is the highest id that the count limit may remove: what every bound
// position has passed, below the lowest open lease of bound share-one
// subscriptions (RET-1). A subscription without bindings holds nothing (RET-3);
// one whose rules cannot be read holds what it would hold under either share.
// top is returned when nobody holds anything.
func Hold(readers []QueueReader, top int64) int64 {
	for _, r := range readers {
		if len(r.Bindings) == 0 {
			continue
		}
		if r.Subscription.Rules.Share != One {
			top = min(top, lowest(r.Bindings, top))
		}
		if r.Subscription.Rules.Share == All {
			continue
		}
		top = min(top, r.Subscription.Scan)
		if r.LowestOpen > 0 {
			top = min(top, r.LowestOpen-1)
		}
	}
	return top
}

// Loss is an item that retention removes before somebody has read it. It counts
// as dropped if the subscription's filter matches it (RET-2).
type Loss struct {
	Subscription string
	Subscriber   string // empty under share one: the subscription's own loss
	Item         int64
	Certain      bool // under an open lease: it counts whatever the filter says
}

// Losses lists what the removal of items means to the readers of their queue.
// removed is ascending; acks and leases are those on the removed items.
func Losses(readers []QueueReader, removed []int64, acks []Ack, leases []Lease) []Loss {
	type claim struct {
		subscription string
		item         int64
	}
	owner := make(map[claim]string, len(acks))
	for _, a := range acks {
		owner[claim{a.Subscription, a.Item}] = a.Owner
	}
	lease := make(map[claim]Lease, len(leases))
	for _, l := range leases {
		lease[claim{l.Subscription, l.Item}] = l
	}
	var losses []Loss
	for _, r := range readers {
		name := r.Subscription.Name
		for _, id := range removed {
			who, acked := owner[claim{name, id}]
			if r.Subscription.Rules.Share == One {
				l, leased := lease[claim{name, id}]
				open := leased && !l.Parked
				if !acked && (open || !leased && id > r.Subscription.Scan) {
					losses = append(losses, Loss{Subscription: name, Item: id, Certain: open})
				}
				continue
			}
			for _, b := range r.Bindings {
				if id > b.Position && !b.Judged.Has(id) && (!acked || who != b.Subscriber) {
					losses = append(losses, Loss{Subscription: name, Subscriber: b.Subscriber, Item: id})
				}
			}
		}
	}
	return losses
}

// Drop adds the losses that count to the readers. matches answers for a
// subscription and an item whether the filter matched; a filter that failed is
// no match, and an item that could not be evaluated in time is one (RET-4).
func Drop(readers []QueueReader, losses []Loss, matches func(subscription string, item int64) bool) {
	type who struct{ subscription, subscriber string }
	dropped := make(map[who]int64)
	for _, l := range losses {
		if l.Certain || matches(l.Subscription, l.Item) {
			dropped[who{l.Subscription, l.Subscriber}]++
		}
	}
	for i := range readers {
		sub := &readers[i].Subscription
		sub.Unreported.Dropped += dropped[who{sub.Name, ""}]
		for j := range readers[i].Bindings {
			b := &readers[i].Bindings[j]
			b.Unreported.Dropped += dropped[who{sub.Name, b.Subscriber}]
		}
	}
}

// Advance is where a position stands after items were removed: at the last
// removed one before next, the first item kept after the position (RET-2).
// removed is ascending; next 0 means that nothing is kept.
func Advance(position int64, removed []int64, next int64) int64 {
	for _, id := range removed {
		if next != 0 && id > next {
			break
		}
		position = max(position, id)
	}
	return position
}
