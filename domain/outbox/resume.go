package outbox

import "time"

// retried is that a person takes an entry out of error.
func (p Policy) retried(e Entry, ev Retried) (Entry, []Effect, error) {
	if e.Status != StatusError {
		return e, nil, WrongState
	}
	findable := p.Verifiable || p.Idempotent
	if e.Unknown && !ev.Resend && !findable && ev.Ask {
		return e, nil, Unasked
	}
	verify := e.Unknown && !ev.Resend && findable
	e.Attempts, e.VerifyAttempts, e.TransientFails = 0, 0, 0
	e.LastError, e.Reason = "", ""
	if verify {
		enter(&e, StatusVerifying, time.Time{})
		return e, nil, nil
	}
	if e.Unknown { // the person answers for the send whose fate is not known
		e.Unknown, e.FailedNo = false, e.AttemptNo
	}
	enter(&e, StatusPending, time.Time{})
	return e, nil, nil
}

// reached verifies anew what could not be verified.
func (p Policy) reached(e Entry) (Entry, []Effect, error) {
	if e.Status != StatusError || !e.Unknown || !p.Verifiable && !p.Idempotent {
		return e, nil, WrongState
	}
	e.VerifyAttempts, e.Reason = 0, ""
	enter(&e, StatusVerifying, time.Time{})
	return e, nil, nil
}

// swept is the table of the parked-error sweep; WrongState leaves the entry
// unchanged.
func (p Policy) swept(e Entry, ledger Ledger) (Entry, []Effect, error) {
	before := e
	switch {
	case e.Status != StatusError || ledger.Last.Failed:
		return e, nil, WrongState
	case ledger.completes():
		return e, []Effect{Finish}, nil
	case e.Unknown, !ledger.Last.failed() && !ledger.Last.none(), !ledger.Next.failed() && !ledger.Next.none():
		return e, nil, WrongState // out of reach, undecided, or a word that nobody knows
	case ledger.Next.failed():
		e.Attempts++
	}
	if e.Attempts >= p.Config.MaxAttempts {
		return before, nil, WrongState
	}
	e.TransientFails, e.Reason = 0, ""
	enter(&e, StatusPending, time.Time{})
	return e, nil, nil
}
