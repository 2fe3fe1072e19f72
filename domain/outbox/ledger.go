package outbox

import "strings"

// What the receiver's ledger can say of an attempt.
const (
	LedgerStateLedgered  = "LEDGER_STATE_LEDGERED"   // the receiver has it and decides on admission
	LedgerStateAdmitted  = "LEDGER_STATE_ADMITTED"   // it is in the conversation, as in the next three
	LedgerStatePromoted  = "LEDGER_STATE_PROMOTED"   //
	LedgerStateTurnEnded = "LEDGER_STATE_TURN_ENDED" //
	LedgerStateStalled   = "LEDGER_STATE_STALLED"    //
	LedgerStateFailed    = "LEDGER_STATE_FAILED"     // it will never be
)

// Answer is what the ledger said of one attempt: a state, empty for no row, or
// that it could not be asked.
type Answer struct {
	State  string
	Failed bool // nothing is known
}

// Ledger is the answers on the attempts FailedNo and FailedNo + 1 of an entry.
type Ledger struct{ Last, Next Answer }

// state is the state with the prefix, which a program may leave out.
func (a Answer) state() string {
	const prefix = "LEDGER_STATE_"
	if a.State == "" || strings.HasPrefix(a.State, prefix) {
		return a.State
	}
	return prefix + a.State
}

// Known tells whether the state is one of those above, or none.
func (a Answer) Known() bool { return a.none() || a.ledgered() || a.failed() || a.completes() }

func (a Answer) completes() bool {
	switch a.state() {
	case LedgerStateAdmitted, LedgerStatePromoted, LedgerStateTurnEnded, LedgerStateStalled:
		return !a.Failed
	}
	return false
}

func (a Answer) ledgered() bool { return !a.Failed && a.state() == LedgerStateLedgered }
func (a Answer) none() bool     { return !a.Failed && a.State == "" }
func (a Answer) failed() bool   { return !a.Failed && a.state() == LedgerStateFailed }

// completes tells whether the receiver has admitted either attempt: a failed row
// must not hide an admitted one.
func (l Ledger) completes() bool {
	return l.Last.completes() || !l.Last.Failed && l.Next.completes()
}

func (l Ledger) ledgered() bool { return l.Last.ledgered() || l.Next.ledgered() }

// Indeterminate tells whether the ledger could not be asked about what counts.
func (l Ledger) Indeterminate() bool {
	return l.Last.Failed || !l.Last.completes() && l.Next.Failed
}
