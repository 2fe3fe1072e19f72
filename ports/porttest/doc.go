// Package porttest is the conformance suite of ports/storage: one entry, Run,
// with subtests by topic that carry the numbers of the rules they hold a store
// to. It knows no adapter; the reference that random transcripts are compared
// with is passed in.
//
// An adapter registers in one test file of its own:
//
//	type place struct{ path string }
//
//	func (p place) Open(t testing.TB) storage.Store {
//		store, err := sqlite.Open(p.path)
//		if err != nil {
//			t.Fatal(err)
//		}
//		return store
//	}
//
//	func (p place) Exists(testing.TB) bool { _, err := os.Stat(p.path); return err == nil }
//
//	func TestStorage(t *testing.T) {
//		porttest.Run(t, fresh, oracle)
//	}
//
// Beyond what the comments in ports/storage spell out, the suite reads them so:
//
//   - Update and View return the very error of fn, or one that wraps it and has
//     the same code; a panic of fn passes through after the rollback.
//   - An ended context gives code Deadline, whether it timed out or was
//     cancelled, and errors.Is finds context.Cause. With a context that has
//     ended before the call, fn does not run.
//   - The next id is one above the highest that a committed Insert has given.
//   - Replacing a subscription or a binding leaves everything that hangs on it.
//   - Park counts every selected lease, those that were parked before too.
//   - What breaks a comment's condition, such as a binding of a subscription that
//     does not exist, a second ack, or Broken in PutSubscription, is an error.
//   - Acks, leases and shown marks are only ever put on items, subscriptions and
//     bindings that exist.
package porttest

import (
	"testing"

	"github.com/tundish-go/tundish/ports/storage"
)

// Place is a spot for one database, such as a path. A fresh one holds none yet.
type Place interface {
	// Open gives a new store on the place, which may have others open. It is
	// called on the test's own goroutine. The suite closes every store it opened,
	// once, before the test ends.
	Open(t testing.TB) storage.Store
}

// Finder is a Place that can tell whether a database was created on it (CMD-5).
type Finder interface {
	Place
	Exists(t testing.TB) bool
}

// Breaker is a Place that can make the stored rules of a subscription unusable,
// behind the back of open stores (PULL-10).
type Breaker interface {
	Place
	Break(t testing.TB, subscription string)
}

// Factory makes a fresh place, which lasts as long as the test it is given.
type Factory func(t testing.TB) Place

// Run holds the stores on the subject's places to the contract of ports/storage,
// and compares their transcripts of random operations with the oracle's. The
// reference implementation passes itself as the oracle.
func Run(t *testing.T, subject, oracle Factory) {
	t.Helper()
	for _, topic := range topics() {
		t.Run(topic.name, func(t *testing.T) {
			t.Parallel()
			topic.run(t, subject)
		})
	}
	t.Run("transcripts", func(t *testing.T) { compare(t, subject, oracle) })
}
