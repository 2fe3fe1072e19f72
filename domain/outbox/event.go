package outbox

import "time"

// Event is something that happened to an entry.
type Event interface{ event() }

// The events.
type (
	// StageOut is that a worker that holds the lane is about to send: a pending
	// entry that is due, one whose prior attempt was pending, or, for an
	// idempotent receiver, one whose fate is unknown.
	StageOut struct {
		Token     string // of the lane's lease
		Deliverer string // its kind
		PeerID    string // what the receiver will know this send by
	}
	// Settled is that a send ended.
	Settled struct {
		Token     string // under which it ran
		AttemptNo int    // its number
		Outcome   Outcome
		Err       string        // what the deliverer said
		After     time.Duration // how long the receiver asked to be left alone
		Ledger    *Ledger       // the answer to Probe
	}
	// Recovered is that the lease under which a send ran is not alive any more.
	Recovered struct{}
	// Verified is that a verification ended, or that there is nobody to verify.
	Verified struct {
		Verdict    Verdict
		Err        string
		NoVerifier bool // Verdict means nothing
		Ledger     *Ledger
	}
	// Retried is that a person wants an entry in error to go on.
	Retried struct {
		Resend bool // even one whose fate is unknown is sent again
		Ask    bool // one whose fate nobody can find out is left as it is
	}
	// Swept is that the ledger was asked about an entry in error.
	Swept struct{ Ledger Ledger }
	// Reached is that the receiver can be reached again.
	Reached struct{}
	// Parked is that an operator sets the workspace aside.
	Parked struct{ Reason string }
	// Unparked is that the operator ends that.
	Unparked struct{}
	// Dismissed is that a person gives the entry up.
	Dismissed struct{}
)

func (StageOut) event()  {}
func (Settled) event()   {}
func (Recovered) event() {}
func (Verified) event()  {}
func (Retried) event()   {}
func (Swept) event()     {}
func (Reached) event()   {}
func (Parked) event()    {}
func (Unparked) event()  {}
func (Dismissed) event() {}

// Effect is what has to be done about a transition.
type Effect uint8

// The effects. Probe comes without a change: the ledger is to be asked about
// FailedNo and FailedNo + 1 of the entry that came with it, and the event to be
// told again with the answer.
const (
	Send   Effect = iota + 1 // send, once the entry is stored
	Stage                    // run the staged hook, once the entry is stored and before the send
	Probe                    // ask the ledger, change nothing yet
	Finish                   // remove the entry, leave a delivered record in the same commit, then run the delivered hook
	Remove                   // remove the entry: a person dismissed it
)

// Refusal is why an event changes nothing.
type Refusal uint8 //nolint:errname // a set of reasons, not a kind of failure

// The refusals.
//
//nolint:errname // they are values of Refusal
const (
	WrongState Refusal = iota + 1 // the event does not fit the entry's state
	Busy                          // the entry is being sent
	Late                          // the outcome of a send that is not this entry's any more
	Unasked                       // its fate is unknown, nobody can find it out, and the person did not say to send again
)

func (r Refusal) Error() string {
	switch r {
	case WrongState:
		return "the entry is in another state"
	case Busy:
		return "the entry is being sent"
	case Late:
		return "the outcome came too late"
	case Unasked:
		return "its fate is unknown"
	}
	return "refused"
}

// Policy is what transitions depend on beside the entry.
type Policy struct {
	Config     Config // complete
	Verifiable bool   // a verifier is wired
	Ledgered   bool   // a ledger can be asked
	Idempotent bool   // the receiver dedupes by entry id
}
