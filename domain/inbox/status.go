package inbox

import "strconv"

// statusPrefix begins every status line, and no other line (PULL-16).
const statusPrefix = "tundish: subscription="

// Status is the line that precedes a subscription's items in a pull.
type Status struct {
	Subscription string
	Subscriber   string
	Delivered    int64
	More         bool  // something was left (PULL-3)
	Unacked      int64 // earlier items shown and not acked (PULL-5)
	Counts       Counts
	Lease        int64 // seconds, of the leases granted by this pull; 0 none
}

// Silent tells whether there is nothing to print at all.
func (s Status) Silent() bool {
	return s.Delivered == 0 && !s.More && s.Counts == Counts{}
}

// String is the line without its newline.
func (s Status) String() string {
	b := make([]byte, 0, 160)
	b = append(b, statusPrefix...)
	b = append(b, s.Subscription...)
	b = append(b, " subscriber="...)
	b = append(b, s.Subscriber...)
	field := func(name string, n int64) {
		b = append(b, name...)
		b = strconv.AppendInt(b, n, 10)
	}
	more := int64(0)
	if s.More {
		more = 1
	}
	field(" delivered=", s.Delivered)
	field(" more=", more)
	field(" unacked=", s.Unacked)
	field(" parked=", s.Counts.Parked)
	field(" errors=", s.Counts.Errors)
	field(" dropped=", s.Counts.Dropped)
	field(" lease=", s.Lease)
	return string(b)
}

// Bytes is the length of the line with its newline.
func (s Status) Bytes() int { return len(s.String()) + 1 }

// statusReserve is the length of the longest possible status line of the two
// names, newline included: fixed text, flag and newline, the names, and six
// numbers of 19 digits (PULL-9).
func statusReserve(subscription, subscriber string) int {
	return 94 + len(subscription) + len(subscriber) + 6*19
}
