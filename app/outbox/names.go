package outbox

import (
	"context"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/delivery"
)

// Names of the rules and ports under which callers of this package need them.
type (
	// Entry is one accepted prompt; go doc domain/outbox.Entry has its fields.
	Entry = outbox.Entry
	// Config holds bounds and times; its zero value means the defaults. Its fields are
	// in go doc domain/outbox.Config.
	Config = outbox.Config
	// FieldError is the error of New for a Config that cannot work.
	FieldError = outbox.FieldError
	// Duplicate is the error of an Accept whose client message id is known.
	Duplicate = outbox.Duplicate //nolint:errname // the name is the contract of those who embed an outbox
	// Verdict is what a verification came to.
	Verdict = outbox.Verdict
	// Order says which entry of a lane is next.
	Order = outbox.Order
	// Lease is the right of one worker to a lane.
	Lease = outbox.Lease
	// LedgerProbe asks the receiver's ledger about one attempt.
	LedgerProbe = delivery.LedgerProbe
	// AmbiguousError marks an outcome that is not known.
	AmbiguousError = outbox.AmbiguousError
	// TransientDeliveryError marks a failure that is not the entry's.
	TransientDeliveryError = outbox.TransientDeliveryError
	// PriorAttemptPendingError says that the receiver still decides.
	PriorAttemptPendingError = outbox.PriorAttemptPendingError
	// PointlessError marks a refusal for good.
	PointlessError = outbox.PointlessError
)

// The states of entries, the states of ledgers, the verdicts and the orders.
const (
	StatusPending    = outbox.StatusPending
	StatusDelivering = outbox.StatusDelivering
	StatusVerifying  = outbox.StatusVerifying
	StatusError      = outbox.StatusError
	StatusParked     = outbox.StatusParked
	StatusUnreadable = outbox.StatusUnreadable // what List shows for a row that makes no sense
	StatusDelivered  = outbox.StatusDelivered  // only of a Duplicate
	StatusDismissed  = outbox.StatusDismissed  // only of a Duplicate

	LedgerStateLedgered  = outbox.LedgerStateLedgered
	LedgerStateAdmitted  = outbox.LedgerStateAdmitted
	LedgerStatePromoted  = outbox.LedgerStatePromoted
	LedgerStateTurnEnded = outbox.LedgerStateTurnEnded
	LedgerStateStalled   = outbox.LedgerStateStalled
	LedgerStateFailed    = outbox.LedgerStateFailed

	VerdictInconclusive = outbox.VerdictInconclusive
	VerdictDelivered    = outbox.VerdictDelivered
	VerdictAbsent       = outbox.VerdictAbsent

	OrderDue    = outbox.OrderDue
	OrderStrict = outbox.OrderStrict
)

// The errors of Accept and of a send whose lane was taken by another worker.
var (
	ErrCapped    = outbox.ErrCapped
	ErrLeaseLost = outbox.ErrLeaseLost
)

// DefaultConfig gives the defaults.
func DefaultConfig() Config { return outbox.DefaultConfig() }

// Ambiguous marks err as an outcome that is not known: the entry is verified and
// never blindly sent again.
func Ambiguous(err error) error { return outbox.Ambiguous(err) }

// Transient marks err as a failure of the way: nothing was sent.
func Transient(err error) error { return outbox.Transient(err) }

// PriorAttemptPending marks err as the receiver's pending decision on an attempt
// before: nothing was sent.
func PriorAttemptPending(err error) error { return outbox.PriorAttemptPending(err) }

// Pointless marks err as a refusal that further sends would only repeat.
func Pointless(err error) error { return outbox.Pointless(err) }

// Deliverer delivers one entry. Its context is bounded by DeliveryTimeout, and has
// nothing to do with whoever accepted the entry or with the context of Run. Nil means
// delivered; an error that is not marked means certainly not delivered, except
// that one which comes after the context has ended means not known.
type Deliverer func(ctx context.Context, workspaceID, sessionID string, e Entry) error

// Kind implements [delivery.Deliverer].
func (Deliverer) Kind() string { return "func" }

// PeerID implements [delivery.Deliverer]: nothing has to be stored before a send.
func (Deliverer) PeerID(outbox.Entry, time.Time) string { return "" }

// Deliver implements [delivery.Deliverer].
func (d Deliverer) Deliver(ctx context.Context, send delivery.Send) error {
	if err := send.Held(ctx); err != nil {
		return err
	}
	return d(ctx, send.Entry.WorkspaceID, send.Entry.SessionID, send.Entry)
}

// Verifier finds out what became of the last send of an entry. It reads only; its
// context is bounded by VerifyTimeout.
type Verifier func(ctx context.Context, workspaceID, sessionID string, e Entry) Verdict

// Kind implements [delivery.Verifier]: it can judge any send.
func (Verifier) Kind() string { return "" }

// Verify implements [delivery.Verifier].
func (v Verifier) Verify(ctx context.Context, e outbox.Entry) (outbox.Verdict, error) {
	return v(ctx, e.WorkspaceID, e.SessionID, e), nil
}

// DeliveredHook hears of each delivered entry: once while processes live, and again
// under the same entry id after a crash between the hook and its mark (OUT-7).
type DeliveredHook func(workspaceID, sessionID string, e Entry)

// StagedHook hears of an entry that leaves the visible queue, before its send
// begins.
type StagedHook func(workspaceID, sessionID string, e Entry)

// RetryResult is what became of a Retry.
type RetryResult int

// The results of Retry. Busy is not absence (OUT-8).
const (
	RetryUpdated RetryResult = iota
	RetryNotFound
	RetryBusy     // the entry is being sent or verified
	RetryNotError // the entry is not in error
)

func (r RetryResult) String() string {
	return [...]string{"updated", "not found", "busy", "not in error"}[min(max(r, 0), RetryNotError)]
}

// DismissResult is what became of a Dismiss.
type DismissResult int

// The results of Dismiss.
const (
	DismissRemoved DismissResult = iota
	DismissNotFound
	DismissBusy // the entry is being sent or verified
)

func (r DismissResult) String() string {
	return [...]string{"removed", "not found", "busy"}[min(max(r, 0), DismissBusy)]
}
