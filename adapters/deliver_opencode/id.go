package deliveropencode

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
)

// Forms of the server's ids.
const (
	messagePrefix = "msg_"
	partPrefix    = "prt_"
	sessionPrefix = "ses"

	timeDigits  = 12
	entryDigits = 14
	// perMilli is how many ids of a millisecond keep their order.
	perMilli = 1 << 12
	// bridged is the longest step of the clock back over which ids count on.
	bridged = time.Minute
)

// sequence makes the part of the ids that tells the order. Its zero value is
// ready.
type sequence struct {
	mu   sync.Mutex
	last uint64
}

// next is above all results before it, unless the clock went back by more than
// bridged.
func (s *sequence) next(now time.Time) uint64 {
	n := uint64(max(0, now.UnixMilli())) * perMilli
	s.mu.Lock()
	defer s.mu.Unlock()
	if n <= s.last && s.last-n <= uint64(bridged.Milliseconds())*perMilli {
		n = s.last + 1
	}
	s.last = n
	return n
}

// messageID names a message. The server cuts the time of its own ids at 48 bits
// too.
func messageID(n uint64, entryID string) string {
	return fmt.Sprintf("%s%0*x%s", messagePrefix, timeDigits, n&(1<<48-1), tail(entryID))
}

// tail is the end of an entry's id, which is random, in the server's alphabet.
func tail(entryID string) string {
	plain := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, entryID)
	if missing := entryDigits - len(plain); missing > 0 {
		plain = strings.Repeat("0", missing) + plain
	}
	return plain[len(plain)-entryDigits:]
}

// isMessageID tells whether an id was made by messageID.
func isMessageID(id string) bool {
	return strings.HasPrefix(id, messagePrefix) && len(id) == len(messagePrefix)+timeDigits+entryDigits
}

// partID names the part of a message that holds the text.
func partID(messageID string) string {
	return partPrefix + strings.TrimPrefix(messageID, messagePrefix)
}

// settled is the id that the send which is about to begin already has; empty for
// none. Only a pending entry gets a new number, and with it a new id.
func settled(entry outbox.Entry) string {
	if entry.Status != outbox.StatusPending && entry.Deliverer == Kind && isMessageID(entry.PeerID) {
		return entry.PeerID
	}
	return ""
}
