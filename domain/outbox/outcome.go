package outbox

import (
	"errors"
	"strings"
	"time"

	"github.com/tundish-go/tundish/domain"
)

// Outcome is what a send came to.
type Outcome uint8

// The outcomes. The zero value is what a deliverer's plain error means.
const (
	Definitive       Outcome = iota // not delivered for certain; may be sent again
	Delivered                       // the receiver has it
	UnknownOutcome                  // it may have it or not
	PriorPending                    // no send: the receiver still decides on a prior attempt
	TransientOutcome                // not delivered for certain, and no fault of the entry
	PointlessOutcome                // not delivered for certain, and never will be as it is
)

// AmbiguousError is an outcome that is not known: the receiver may have the entry
// or not.
type AmbiguousError struct{ Err error }

func (e *AmbiguousError) Error() string { return describe(e.Err, "the outcome is not known") }

// Unwrap gives the cause.
func (e *AmbiguousError) Unwrap() error { return e.Err }

// Ambiguous marks err as an AmbiguousError.
func Ambiguous(err error) error { return &AmbiguousError{err} }

// TransientDeliveryError is a failure of the way to the receiver: the entry was
// not delivered, and it is not to blame.
type TransientDeliveryError struct{ Err error }

func (e *TransientDeliveryError) Error() string { return describe(e.Err, "could not be sent now") }

// Unwrap gives the cause.
func (e *TransientDeliveryError) Unwrap() error { return e.Err }

// Transient marks err as a TransientDeliveryError.
func Transient(err error) error { return &TransientDeliveryError{err} }

// PriorAttemptPendingError says that nothing was sent because the receiver still
// decides on a prior attempt.
type PriorAttemptPendingError struct{ Err error }

func (e *PriorAttemptPendingError) Error() string {
	return describe(e.Err, "the receiver still decides on a prior attempt")
}

// Unwrap gives the cause.
func (e *PriorAttemptPendingError) Unwrap() error { return e.Err }

// PriorAttemptPending marks err as a PriorAttemptPendingError.
func PriorAttemptPending(err error) error { return &PriorAttemptPendingError{err} }

// PointlessError is a refusal that would be the same for every further send.
type PointlessError struct{ Err error }

func (e *PointlessError) Error() string { return describe(e.Err, "was refused for good") }

// Unwrap gives the cause.
func (e *PointlessError) Unwrap() error { return e.Err }

// Pointless marks err as a PointlessError.
func Pointless(err error) error { return &PointlessError{err} }

// RetryAfterError carries the time that the receiver asked to be left alone for.
type RetryAfterError struct {
	Err   error
	After time.Duration
}

func (e *RetryAfterError) Error() string { return describe(e.Err, "the receiver asked for time") }

// Unwrap gives the cause.
func (e *RetryAfterError) Unwrap() error { return e.Err }

func describe(err error, otherwise string) string {
	if err == nil {
		return otherwise
	}
	return err.Error()
}

// ErrLeaseLost says that a lane belongs to somebody else by now.
var ErrLeaseLost = errors.New("the lease of the lane is lost")

// ErrCapped says that a lane is full.
var ErrCapped = errors.New("session outbox is full")

// OutcomeOf classes what a deliverer returned, and finds how long the receiver
// asked to be left alone, at most MaxRetryAfter. Of several marks in one error the
// most careful counts. Whoever ended the send's context marks what came of it as
// ambiguous before: this knows nothing of contexts.
func OutcomeOf(err error) (outcome Outcome, after time.Duration) {
	if err == nil {
		return Delivered, 0
	}
	if wait, ok := errors.AsType[*RetryAfterError](err); ok {
		after = max(0, min(wait.After, MaxRetryAfter))
	}
	if _, ok := errors.AsType[*AmbiguousError](err); ok {
		return UnknownOutcome, after
	}
	if _, ok := errors.AsType[*PriorAttemptPendingError](err); ok {
		return PriorPending, after
	}
	if _, ok := errors.AsType[*TransientDeliveryError](err); ok {
		return TransientOutcome, after
	}
	if _, ok := errors.AsType[*PointlessError](err); ok {
		return PointlessOutcome, after
	}
	return Definitive, after
}

// Verdict is what a verification came to.
type Verdict int

// The verdicts.
const (
	VerdictInconclusive Verdict = iota // nothing is proven
	VerdictDelivered                   // the receiver has the entry
	VerdictAbsent                      // it has not, and will not get it from the send in question
)

func (v Verdict) String() string {
	switch v {
	case VerdictDelivered:
		return "delivered"
	case VerdictAbsent:
		return "absent"
	}
	return "inconclusive"
}

// MaxErrorBytes bounds LastError.
const MaxErrorBytes = 1 << 10

// clip makes an error text fit for a list: one line that hides nothing, of at most
// MaxErrorBytes, that ends with a whole character or escape.
func clip(text string) string {
	var b strings.Builder
	for _, r := range text {
		piece := domain.Escape(string(r))
		if b.Len()+len(piece) > MaxErrorBytes {
			break
		}
		b.WriteString(piece)
	}
	return b.String()
}
