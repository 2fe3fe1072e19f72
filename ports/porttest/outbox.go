package porttest

import (
	"slices"
	"testing"

	"github.com/tundish-go/tundish/ports/storage"
)

// OutboxStore is a store of the push half that can be closed. One object may
// be a [storage.Store] and this.
type OutboxStore interface {
	storage.Outbox
	Close() error
}

// OutboxPlace is a spot for one outbox, such as a path. A fresh one holds none
// yet.
type OutboxPlace interface {
	// OpenOutbox gives a new store on the place, which may have others open. It is
	// called on the test's own goroutine. The suite closes every store it opened,
	// once, before the test ends.
	OpenOutbox(t testing.TB) OutboxStore
}

// OutboxFinder is an OutboxPlace that can tell whether something was created on
// it.
type OutboxFinder interface {
	OutboxPlace
	Exists(t testing.TB) bool
}

// OutboxBreaker is an OutboxPlace that can make the row of an entry unreadable,
// behind the back of open stores: it gives it a status that does not exist
// (OUT-12).
type OutboxBreaker interface {
	OutboxPlace
	BreakEntry(t testing.TB, entryID string)
}

// OutboxFactory makes a fresh place, which lasts as long as the test it is given.
type OutboxFactory func(t testing.TB) OutboxPlace

// RunOutbox holds the stores on the subject's places to the contract of
// [storage.Outbox], and compares their transcripts of random operations with the
// oracle's. The reference implementation passes itself as the oracle.
//
// Beyond what the comments there spell out, the suite reads them as [Run] reads
// its own: errors and panics of fn pass through, an ended context gives code
// Deadline and its cause, and fn does not run in one that has ended before. So
// does it read these:
//
//   - Put and Remove of an entry that the lane does not hold, Insert of an id that
//     it holds, and Insert, PutDedupe and PutDelivered for another lane are errors.
//   - A dedupe record is an entry's if it names its id.
//   - ClaimHook answers the record as it is after the claim.
//   - Of lanes with the same Since that one comes first whose entry that waits since
//     then was accepted first. Forget takes the oldest of both kinds together.
//   - Zero figures may be left out, and any other tie in an order is left open.
func RunOutbox(t *testing.T, subject, oracle OutboxFactory) {
	t.Helper()
	for _, topic := range outboxTopics() {
		t.Run(topic.name, func(t *testing.T) {
			t.Parallel()
			topic.run(t, subject)
		})
	}
	t.Run("transcripts", func(t *testing.T) { compareOutbox(t, subject, oracle) })
}

// outboxTopic is one subtest of the suite; it makes the places it needs.
type outboxTopic struct {
	name string
	run  func(*testing.T, OutboxFactory)
}

func outboxTopics() []outboxTopic {
	return slices.Concat(
		unitTopics(), turnTopics(), entryTopics(), listTopics(), dueTopics(), recordTopics(), hookTopics(), workspaceTopics(),
	)
}
