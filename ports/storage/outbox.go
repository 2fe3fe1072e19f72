package storage

import (
	"context"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
)

// Outbox is the store of the push half. It is safe for concurrent use by
// goroutines, and several on one place, in one process or many, see each other's
// commits. It is made so that a store without transactions over everything can
// offer it too: what must be atomic is one lane (OUT-12).
//
// Errors are as in [Store]. Times are UTC and come back cut to milliseconds, as
// lengths of time do; a zero time stays one.
type Outbox interface {
	OutboxUnits
	OutboxWorkspaces
	OutboxUpkeep
}

// OutboxUnits are the two kinds of a unit of work.
type OutboxUnits interface {
	// ViewOutbox runs fn on one snapshot. Where no database exists yet fn sees an
	// empty one, and nothing is created.
	ViewOutbox(ctx context.Context, fn func(OutboxReader) error) error
	// UpdateLane runs fn alone on one lane: no other change of that lane, and no
	// Hold or Release of its workspace, happens meanwhile. It commits when fn
	// returns nil and rolls back when fn fails or panics, or when ctx has ended by
	// then. What it has returned nil for survives a power cut. A failed commit is
	// returned and never retried; whether it took place is then not known, unless
	// the error has code Busy or Full. Fn may run again only if nothing of its first
	// run was stored.
	UpdateLane(ctx context.Context, lane outbox.Lane, fn func(LaneWriter) error) error
}

// OutboxWorkspaces are changes of a whole workspace. Each is durable when it
// returns.
type OutboxWorkspaces interface {
	// Hold sets a workspace aside, in place of a hold that there may be.
	Hold(ctx context.Context, workspace string, hold outbox.Hold) error
	// Release ends the hold of a workspace; without one it does nothing.
	Release(ctx context.Context, workspace string) error
	// Clean deletes everything of a workspace but leases, and those too that have
	// lapsed by now, and returns how many rows of all kinds went (OUT-11).
	Clean(ctx context.Context, workspace string, now time.Time) (int, error)
}

// OutboxUpkeep are the changes that workers make outside of a single lane's turn.
type OutboxUpkeep interface {
	// Renew sets Until and counts Renewals up on those of the leases whose token
	// still stands in their lane, each lane for itself, and returns the tokens of
	// the others.
	Renew(ctx context.Context, leases []LaneLease, until time.Time) (lost []string, err error)
	// ClaimHook gives the delivered record of an entry to owner until a time, if
	// the record's hook is not done and either nobody has it, or owner has, or
	// its HookUntil has come by now; it counts HookRuns up. ok says whether it did.
	ClaimHook(ctx context.Context, entryID, owner string, now, until time.Time) (record DeliveredRecord, ok bool, err error)
	// SettleHook ends owner's claim: done drops Text and Model of the entry; else
	// the hook is due again at a time. It does nothing to a record that another
	// owner has, or that is gone.
	SettleHook(ctx context.Context, entryID, owner string, done bool, again time.Time) error
	// Forget deletes, oldest first and up to limit in all, delivered records with a
	// done hook that were delivered before a time, and dedupe records with Final set
	// that were accepted before it. It returns how many.
	Forget(ctx context.Context, before time.Time, limit int) (int, error)
	// Count adds to the named figures, and sets those of marks, such as a time.
	Count(ctx context.Context, add, marks map[string]int64) error
}

// LaneLease is a lease with its lane.
type LaneLease struct {
	Lane outbox.Lane
	outbox.Lease
}

// WorkspaceHold is a hold with its workspace.
type WorkspaceHold struct {
	Workspace string
	outbox.Hold
}

// DeliveredRecord is what is left of an entry that was delivered.
type DeliveredRecord struct {
	Entry     outbox.Entry // as it was when it was delivered; without Text and Model once the hook is done
	At        time.Time    // of the delivery
	HookDone  bool
	HookOwner string    // who runs the hook; empty for nobody
	HookUntil time.Time // until then others leave it alone
	HookRuns  int       // how often it was begun
}

// DueLane is a lane in which something waits whose time has come.
type DueLane struct {
	Lane  outbox.Lane
	Since time.Time // the earliest, among its due entries, of NextAttemptAt or, where that is zero, AcceptedAt
}

// EntryQuery selects entries. Zero fields select everything.
type EntryQuery struct {
	Workspace string
	Session   string // only with Workspace
	Status    string // also outbox.StatusUnreadable
	AfterSeq  int64  // only entries accepted after that one
	Limit     int    // at most so many
	HeadsOnly bool   // leave Text and Model empty, and do not read them
}

// OutboxReader answers from one snapshot. It lives only as long as the fn it was
// given to, and belongs to one goroutine.
type OutboxReader interface {
	// DueLanes hands over the lanes without a lease in which an entry is due: one
	// that waits and whose NextAttemptAt is zero, or has come by now, or lies after
	// beyond (Config.Due). They come by Since, then in the order in which those
	// entries were accepted, until yield answers false (OUT-3). AcceptedAt is a place in
	// that order and no condition: it may lie after now, if a clock stepped back.
	DueLanes(now, beyond time.Time, yield func(DueLane) bool) error
	// Leases lists all leases, by workspace and session.
	Leases() ([]LaneLease, error)
	// Entries lists the selected entries in order of acceptance. One whose row makes
	// no sense comes with StatusUnreadable, what is wrong in LastError, and what of
	// its names and times can be read.
	Entries(query EntryQuery) ([]outbox.Entry, error)
	// Holds lists all holds, by workspace.
	Holds() ([]WorkspaceHold, error)
	// DueHooks lists, oldest delivery first, records whose hook is not done and
	// whose HookUntil is zero or has come by now; at most limit.
	DueHooks(now time.Time, limit int) ([]DeliveredRecord, error)
	// Forgettable tells whether Forget would delete something.
	Forgettable(before time.Time) (bool, error)
	// Figures answers all counts and marks, and the number of entries by status
	// under "entries.STATUS".
	Figures() (map[string]int64, error)
}

// LaneWriter reads and changes one lane and sees its own changes. It lives only as
// long as the fn it was given to, and belongs to one goroutine.
type LaneWriter interface {
	LaneReader
	LaneTurn
	// Insert stores a new entry at the end of the order; Seq and Version are
	// ignored.
	Insert(entry outbox.Entry) error
	// Put stores an existing entry and counts its Version up. When textless, Text
	// and Model stay as they are.
	Put(entry outbox.Entry, textless bool) error
	// Remove deletes an entry, readable or not, and writes final into its dedupe
	// record, if it has one.
	Remove(entryID, final string) error
	// PutDedupe stores a dedupe record, in place of one with that id.
	PutDedupe(record outbox.Dedupe) error
	// PutDelivered stores a record of an entry that is about to be removed.
	PutDelivered(record DeliveredRecord) error
}

// LaneTurn says whose turn it is on a lane.
type LaneTurn interface {
	// PutLease stores the lane's lease, in place of one that there may be.
	PutLease(lease outbox.Lease) error
	// DropLease deletes the lane's lease, if there is one.
	DropLease() error
}

// LaneReader reads one lane.
type LaneReader interface {
	// Lease finds the lane's lease; ok is false when there is none.
	Lease() (lease outbox.Lease, ok bool, err error)
	// Heads lists the lane's entries in order of acceptance, without Text and Model.
	// Unreadable ones are in their places, as Entries says.
	Heads() ([]outbox.Entry, error)
	// Entry finds an entry with all it has; ok is false when there is none. An
	// unreadable one comes as Entries says.
	Entry(id string) (entry outbox.Entry, ok bool, err error)
	// Held is the number of rows of entries in the lane, unreadable ones too.
	Held() (int, error)
	// Dedupe finds a dedupe record; ok is false when there is none.
	Dedupe(clientMessageID string) (record outbox.Dedupe, ok bool, err error)
	// WorkspaceHold finds the hold of the lane's workspace; ok is false when there
	// is none.
	WorkspaceHold() (hold outbox.Hold, ok bool, err error)
}
