// Package delivery is how the outbox reaches receivers: who sends an entry, who
// finds out what became of a send, and who keeps a ledger of attempts.
package delivery

import (
	"context"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
)

// Deliverer sends entries to one kind of receiver. It is safe for concurrent use.
type Deliverer interface {
	// Kind names the kind of receiver, such as "http"; it is stored with each send,
	// so that a verifier of another kind does not judge it.
	Kind() string
	// PeerID makes what the receiver will know an attempt by, when that has to be
	// stored before; empty when nothing has. The entry has the attempt's number, and
	// what the last one was called. A send that repeats an attempt keeps its name.
	PeerID(entry outbox.Entry, now time.Time) string
	// Deliver sends an entry and returns when its outcome is known or ctx has
	// ended: nil for delivered, or an error that is classed by outbox.OutcomeOf.
	// Ctx has nothing to do with whoever accepted the entry.
	Deliver(ctx context.Context, send Send) error
}

// Send is one send of an entry.
type Send struct {
	Entry outbox.Entry
	// Held reports whether the send still owns its lane, outbox.ErrLeaseLost
	// if not. A deliverer asks right before its first byte leaves.
	Held func(ctx context.Context) error
	// Note stores another PeerID, which was not known before the send began, such as
	// the number of a process. It fails like Held.
	Note func(ctx context.Context, peerID string) error
}

// Watcher is a Deliverer whose sends may outlive the worker.
type Watcher interface {
	Deliverer
	// Running tells whether the last send of the entry still runs on this machine.
	// As long as it does, nothing proves what becomes of it.
	Running(entry outbox.Entry) bool
}

// Verifier finds out what became of a send. It reads only, and is safe for
// concurrent use.
type Verifier interface {
	// Kind names the kind of deliverer whose sends it can judge; empty for any.
	Kind() string
	// Verify looks at the last send of an entry, and says why when it proves
	// nothing.
	Verify(ctx context.Context, entry outbox.Entry) (outbox.Verdict, error)
}

// LedgerProbe asks the receiver's ledger for the state of one attempt: a word of
// outbox.LedgerState…, empty for no row, an error when nothing is known. It reads
// only, and is safe for concurrent use.
type LedgerProbe func(ctx context.Context, workspaceID, sessionID, entryID string, attempt uint32) (state string, err error)
