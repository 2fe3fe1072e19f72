package inbox

import (
	"fmt"
	"unicode/utf8"

	"github.com/tundish-go/tundish/domain"
)

// AckDecision is what becomes of an ack.
type AckDecision struct {
	Record      *Ack // to be recorded; nil when the owner repeats the ack
	WasParked   bool
	NeverPulled bool // no pull of the subscription, or under share all of the binding, has passed the item
	NoteLost    bool // the first ack stays as it is, and the note of the repeated one is another
}

// DecideAck lets the first ack win, repeats it for its owner, and refuses
// others, as it does beside a lease that another subscriber holds (ACK-1). Note
// must have passed CheckNote, or be empty.
func DecideAck(f ClaimFacts, note string, now int64) (AckDecision, error) {
	who := f.Bound.Binding.Subscriber
	if f.Ack != nil {
		if f.Ack.Owner != who {
			return AckDecision{}, claimed("ack", &ClaimedError{Item: f.Item, Owner: f.Ack.Owner, At: f.Ack.At})
		}
		return AckDecision{NoteLost: note != "" && note != f.Ack.Note}, nil
	}
	if f.Lease != nil && f.Lease.Held(now) && f.Lease.Owner != who {
		return AckDecision{}, claimed("ack", &ClaimedError{Item: f.Item, Owner: f.Lease.Owner, Until: f.Lease.Until})
	}
	return AckDecision{
		Record:      &Ack{Subscription: f.Bound.Binding.Subscription, Item: f.Item, Owner: who, At: now, Note: note},
		WasParked:   f.Lease != nil && f.Lease.Spent(f.Bound.Subscription.Rules, now),
		NeverPulled: f.Lease == nil && f.Item > f.Bound.Position(),
	}, nil
}

// MaxNoteBytes bounds the note of an ack (ACK-3).
const MaxNoteBytes = 4096

// CheckNote reports whether note can go with an ack: 1 to 4096 bytes of UTF-8,
// several lines if need be, in which nothing is hidden (ACK-3).
func CheckNote(note string) error {
	switch {
	case note == "":
		return invalid("leave it out", "the note is empty")
	case !utf8.ValidString(note):
		return invalid("encode it as UTF-8", "the note %q is not valid UTF-8", domain.Shorten(note))
	case len(note) > MaxNoteBytes:
		return invalid(fmt.Sprintf("shorten it to %d bytes", MaxNoteBytes), "the note %q is %d bytes long", domain.Shorten(note), len(note))
	}
	for _, r := range note {
		if domain.Hidden(r) {
			return invalid("leave control, bidirectional and tag characters out", "the note %q contains %U", domain.Shorten(note), r)
		}
	}
	return nil
}
