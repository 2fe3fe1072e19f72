package outbox

import "time"

// parked sets an entry aside; a send that runs goes on.
func parked(e Entry, reason string) (Entry, []Effect, error) {
	switch e.Status {
	case StatusPending, StatusDelivering, StatusVerifying:
		e.ParkedFrom, e.ParkedError = e.Status, e.LastError
		e.Status, e.Reason = StatusParked, reason
		return e, nil, nil
	}
	return e, nil, WrongState
}

// unparked takes up what was set aside, due at once.
func unparked(e Entry) (Entry, []Effect, error) {
	if e.Status != StatusParked {
		return e, nil, WrongState
	}
	from := e.ParkedFrom
	e.Status, e.Reason, e.ParkedFrom, e.ParkedError = from, "", "", ""
	switch from {
	case StatusPending:
		enter(&e, StatusPending, time.Time{})
	case StatusError: // the reason was not kept beside the operator's
		e.Reason = ReasonFailed
		if e.Unknown {
			e.Reason = ReasonUnverifiable
		}
	default:
		if e.Sending() { // what the send comes to tells more than a look at the receiver
			e.Status = StatusVerifying
			break
		}
		if !e.Unknown { // what was under way may have arrived
			e.Unknown, e.VerifyAttempts = true, 0
		}
		enter(&e, StatusVerifying, time.Time{})
	}
	return e, nil, nil
}
