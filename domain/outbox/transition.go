package outbox

import (
	"cmp"
	"time"
)

// Next tells what becomes of an entry by an event at now, and what is to be done.
// The entry means nothing when Finish or Remove is among the effects. An error is
// a Refusal: nothing changes. Stores count Version by themselves. All that can
// become of an unreadable entry is that it is dismissed (OUT-12).
func (p Policy) Next(e Entry, event Event, now time.Time) (Entry, []Effect, error) {
	if _, dismissed := event.(Dismissed); e.Status == StatusUnreadable && !dismissed {
		return e, nil, WrongState
	}
	switch ev := event.(type) {
	case StageOut:
		return p.stageOut(e, ev, now)
	case Settled:
		return p.settled(e, ev, now)
	case Recovered:
		return p.recovered(e)
	case Verified:
		return p.verified(e, ev, now)
	case Retried:
		return p.retried(e, ev)
	case Swept:
		return p.swept(e, ev.Ledger)
	case Reached:
		return p.reached(e)
	case Parked:
		return parked(e, ev.Reason)
	case Unparked:
		return unparked(e)
	case Dismissed:
		if e.Sending() {
			return e, nil, Busy
		}
		return e, []Effect{Remove}, nil
	}
	panic("outbox: no such event")
}

// enter leads to a status. A parked entry stays parked and remembers it.
func enter(e *Entry, status string, due time.Time) {
	if e.Status == StatusParked {
		e.ParkedFrom = status
	} else {
		e.Status = status
	}
	if status != StatusDelivering {
		e.PriorSince = time.Time{}
	}
	e.SendToken = ""
	e.NextAttemptAt = due
}

// explain gives the reason of an error. A parked entry keeps its operator's.
func explain(e *Entry, reason string) {
	if e.Status != StatusParked {
		e.Reason = reason
	}
}

func (p Policy) stageOut(e Entry, ev StageOut, now time.Time) (Entry, []Effect, error) {
	if !p.Config.Due(e, now) || e.doubtful() && !p.resends(e) {
		return e, nil, WrongState
	}
	effects := []Effect{Send} // asked or sent again, under the same number
	if e.Status == StatusPending {
		e.AttemptNo++
		e.LastAttemptAt = now // a verifier looks from here on, for all sends of the number
		effects = []Effect{Stage, Send}
	}
	e.Status, e.SendToken, e.NextAttemptAt = StatusDelivering, ev.Token, time.Time{}
	e.Deliverer, e.PeerID = ev.Deliverer, ev.PeerID
	return e, effects, nil
}

func (p Policy) settled(e Entry, ev Settled, now time.Time) (Entry, []Effect, error) {
	if e.SendToken == "" || e.SendToken != ev.Token || e.AttemptNo != ev.AttemptNo {
		if ev.Outcome == Delivered && e.AttemptNo == ev.AttemptNo && (e.Unknown || e.Stage() == StatusVerifying) {
			return e, []Effect{Finish}, nil
		}
		return e, nil, Late
	}
	if ev.Outcome == Delivered {
		return e, []Effect{Finish}, nil
	}
	before := e
	e.LastError = clip(ev.Err)
	if ev.Outcome == PriorPending {
		return e.prior(now), nil, nil
	}
	after := min(ev.After, MaxRetryAfter)
	if e.Unknown { // a repeated send: nothing but success proves anything
		return p.pass(before, e, after, ev.Ledger, now)
	}
	switch ev.Outcome {
	case UnknownOutcome:
		e.Unknown, e.VerifyAttempts = true, 0
		enter(&e, StatusVerifying, now.Add(p.Config.VerifyDelay))
		return e, nil, nil
	case TransientOutcome:
		e.TransientFails++
		e.FailedNo = e.AttemptNo
		if e.TransientFails >= p.Config.MaxTransientFailures {
			explain(&e, ReasonUnreachable)
			return p.giveUp(before, e, ev.Ledger, now)
		}
		wait := Backoff(p.Config.RetryBackoff, p.Config.MaxBackoff, e.TransientFails)
		enter(&e, StatusPending, now.Add(max(wait, after)))
		return e, nil, nil
	}
	return p.failed(before, e, ev.Outcome == PointlessOutcome, after, ev.Ledger, now)
}

// prior waits for the receiver's decision on a prior attempt.
func (e Entry) prior(now time.Time) Entry {
	if e.PriorSince.IsZero() {
		e.PriorSince = now
	}
	enter(&e, StatusDelivering, now.Add(PriorDelay))
	return e
}

// failed counts a send that is known to have failed.
func (p Policy) failed(before, e Entry, pointless bool, after time.Duration, ledger *Ledger, now time.Time) (Entry, []Effect, error) {
	e.Attempts++
	e.FailedNo, e.Unknown = e.AttemptNo, false
	switch {
	case pointless:
		explain(&e, ReasonRefused)
		return p.giveUp(before, e, ledger, now)
	case e.Attempts >= p.Config.MaxAttempts:
		explain(&e, ReasonFailed)
		return p.giveUp(before, e, ledger, now)
	}
	wait := Backoff(p.Config.RetryBackoff, p.Config.MaxBackoff, e.Attempts)
	enter(&e, StatusPending, now.Add(max(wait, after)))
	return e, nil, nil
}

// pass counts a look at an unknown fate that proved nothing.
func (p Policy) pass(before, e Entry, after time.Duration, ledger *Ledger, now time.Time) (Entry, []Effect, error) {
	e.VerifyAttempts = min(e.VerifyAttempts+1, p.Config.MaxVerifyAttempts)
	if e.VerifyAttempts == p.Config.MaxVerifyAttempts {
		explain(&e, ReasonUnverifiable)
		return p.giveUp(before, e, ledger, now)
	}
	wait := Backoff(p.Config.VerifyBackoff, p.Config.MaxVerifyBackoff, e.VerifyAttempts)
	enter(&e, StatusVerifying, now.Add(max(wait, after)))
	return e, nil, nil
}

// giveUp leads to error, unless the ledger knows better. e is before with the
// failure counted.
func (p Policy) giveUp(before, e Entry, ledger *Ledger, now time.Time) (Entry, []Effect, error) {
	if p.Ledgered {
		switch {
		case ledger == nil:
			return e, []Effect{Probe}, nil
		case ledger.completes():
			return before, []Effect{Finish}, nil
		case ledger.ledgered() && before.Sending() && !before.Unknown:
			before.LastError = e.LastError
			return before.prior(now), nil, nil
		case ledger.ledgered():
			before.LastError = e.LastError
			enter(&before, StatusVerifying, now.Add(PriorDelay))
			return before, nil, nil
		}
	}
	enter(&e, StatusError, time.Time{})
	return e, nil, nil
}

func (p Policy) recovered(e Entry) (Entry, []Effect, error) {
	switch {
	case !e.Sending():
		return e, nil, WrongState
	case e.Unknown: // a repeated send: it counts as a pass, but the ledger comes before an error
		e.VerifyAttempts = min(e.VerifyAttempts+1, p.Config.MaxVerifyAttempts)
	default:
		e.Unknown, e.VerifyAttempts = true, 0
	}
	e.LastError = "the worker was lost in the attempt that began at " + e.LastAttemptAt.UTC().Format(time.RFC3339)
	enter(&e, StatusVerifying, time.Time{})
	return e, nil, nil
}

func (p Policy) verified(e Entry, ev Verified, now time.Time) (Entry, []Effect, error) {
	switch {
	case e.Sending():
		return e, nil, Busy
	case !e.doubtful():
		return e, nil, WrongState
	}
	before := e
	switch {
	case ev.NoVerifier:
		e.Unknown = true
		explain(&e, ReasonNoVerifier)
		return p.giveUp(before, e, ev.Ledger, now)
	case ev.Verdict == VerdictDelivered:
		return e, []Effect{Finish}, nil
	case ev.Verdict == VerdictAbsent:
		e.LastError = clip(cmp.Or(ev.Err, "the receiver does not have it"))
		return p.failed(before, e, false, 0, ev.Ledger, now)
	}
	if ev.Err != "" {
		e.LastError = clip(ev.Err)
	}
	return p.pass(before, e, 0, ev.Ledger, now)
}
