package inbox

// Expired tells whether the item is over at now: from the second that its publisher
// named on it is delivered to nobody (TIME-6).
func (i Item) Expired(now int64) bool { return lapsed(i.ExpiresAt, now) }

func lapsed(expiresAt, now int64) bool { return expiresAt != 0 && expiresAt <= now }

// CheckExpiry refuses an expiry that would take a message before anyone could have
// read it: one that has come at now, or that comes no later than its release
// (TIME-6). Times are Unix seconds; 0 for an expiry is never.
func CheckExpiry(expiresAt, release, now int64) error {
	switch {
	case lapsed(expiresAt, now):
		return invalid("name a later time, or a duration", "an item that expires at @%d is over at once: it is @%d", expiresAt, now)
	case lapsed(expiresAt, release):
		return invalid("let it expire after its release; a duration counts from the publish",
			"the message is released at @%d and expires at @%d", release, expiresAt)
	}
	return nil
}

// Overdue keeps, of items that have expired, those that retention removes at now:
// all but those that somebody holds under a live lease, who may still ack them
// (TIME-8). items is ascending, leases are those on them.
func Overdue(items []int64, leases []Lease, now int64) []int64 {
	held := make(map[int64]bool, len(leases))
	for _, l := range leases {
		held[l.Item] = held[l.Item] || l.Owner != "" && l.Live(now)
	}
	kept := items[:0:0]
	for _, id := range items {
		if !held[id] {
			kept = append(kept, id)
		}
	}
	return kept
}
