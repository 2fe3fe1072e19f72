package outbox

import (
	"encoding/json"
	"fmt"
	"time"
)

// Lane is a session of a workspace: at most one entry of a lane is being sent or
// verified at any time, and lanes do not wait for each other.
type Lane struct{ Workspace, Session string }

// The states of an entry.
const (
	StatusPending    = "pending"    // waits for its send
	StatusDelivering = "delivering" // is being sent, or the receiver still has a prior attempt
	StatusVerifying  = "verifying"  // its fate is unknown and is being found out
	StatusError      = "error"      // given up: a person or a sweep decides
	StatusParked     = "parked"     // set aside by an operator
)

// What a duplicate can be told beside the states of a living entry.
const (
	StatusDelivered = "delivered"
	StatusDismissed = "dismissed"
)

// StatusUnreadable is what List shows for a row that makes no sense (OUT-12).
const StatusUnreadable = "unreadable"

// The reasons of an entry in error.
const (
	ReasonFailed       = "failed too often"
	ReasonRefused      = "refused for good"
	ReasonUnreachable  = "not reachable too often"
	ReasonUnverifiable = "unverifiable" // no verification came to a verdict
	ReasonNoVerifier   = "no verifier"  // nobody can find out what became of its send
)

// Entry is one accepted prompt. Times are UTC, cut to milliseconds; a zero time
// is none.
type Entry struct {
	ID              string          `json:"id"` // ob_ and a UUID of version 7
	WorkspaceID     string          `json:"workspaceID"`
	SessionID       string          `json:"sessionID"`
	ClientMessageID string          `json:"clientMessageID"` // the caller's dedupe key; empty for none
	UserID          string          `json:"userID"`
	Text            string          `json:"text"`
	Model           json.RawMessage `json:"model,omitempty"`
	AcceptedAt      time.Time       `json:"acceptedAt"`

	Status         string    `json:"status"`
	Reason         string    `json:"reason,omitempty"`    // why it is parked or in error
	LastError      string    `json:"lastError,omitempty"` // at most MaxErrorBytes, on one line
	Unknown        bool      `json:"unknown,omitempty"`   // the fate of the send AttemptNo is not known
	Attempts       int       `json:"attempts"`            // sends known to have failed, since the last retry
	AttemptNo      int       `json:"attemptNo"`           // number of the last send; never falls
	FailedNo       int       `json:"failedNo,omitempty"`  // number of the last send that is known to have failed
	LastAttemptAt  time.Time `json:"lastAttemptAt,omitzero"`
	VerifyAttempts int       `json:"verifyAttempts,omitempty"`
	TransientFails int       `json:"transientFails,omitempty"`
	NextAttemptAt  time.Time `json:"nextAttemptAt,omitzero"` // not before; zero: now
	PriorSince     time.Time `json:"priorSince,omitzero"`    // since when the receiver has held a prior attempt
	Deliverer      string    `json:"deliverer,omitempty"`    // kind of deliverer of the last send
	PeerID         string    `json:"peerID,omitempty"`       // what the last send is called at the receiver

	// Parked entries keep what they were. An entry that went to error while it was
	// parked has ParkedFrom StatusError.
	ParkedFrom  string `json:"parkedFrom,omitempty"`
	ParkedError string `json:"parkedError,omitempty"`

	// Computed when listed, never stored (OUT-9, OUT-2).
	BlockedByInFlight bool          `json:"blockedByInFlight,omitempty"`
	InFlightFor       time.Duration `json:"inFlightFor,omitempty"`
	StaleLease        bool          `json:"staleLease,omitempty"` // its lane's lease ran out and nobody took it yet
	BlockedBy         string        `json:"blockedBy,omitempty"`  // id of the head that blocks a strict lane

	// For stores. SendToken is set exactly while a send runs, and is the token of
	// the lease under which it does. Version counts the changes of the row, Seq is
	// its place in the order of acceptance.
	SendToken string `json:"-"`
	Version   int64  `json:"-"`
	Seq       int64  `json:"-"`
}

// Lane is where the entry belongs.
func (e Entry) Lane() Lane { return Lane{e.WorkspaceID, e.SessionID} }

// MarshalJSON writes times with three digits of a second, so that they sort as
// text does.
func (e Entry) MarshalJSON() ([]byte, error) {
	type plain Entry // without this method
	return json.Marshal(struct {
		plain
		AcceptedAt    stamp `json:"acceptedAt"`
		LastAttemptAt stamp `json:"lastAttemptAt,omitzero"`
		NextAttemptAt stamp `json:"nextAttemptAt,omitzero"`
		PriorSince    stamp `json:"priorSince,omitzero"`
	}{plain(e), stamp(e.AcceptedAt), stamp(e.LastAttemptAt), stamp(e.NextAttemptAt), stamp(e.PriorSince)})
}

// stamp is a time as RFC 3339 in UTC with milliseconds.
type stamp time.Time

func (s stamp) IsZero() bool { return time.Time(s).IsZero() }

func (s stamp) MarshalJSON() ([]byte, error) {
	return time.Time(s).UTC().AppendFormat(nil, `"2006-01-02T15:04:05.000Z"`), nil
}

// Check says what makes an entry that a store read senseless; nil for a sound one
// (OUT-12).
func (e Entry) Check() error {
	switch e.Status {
	case StatusPending, StatusDelivering, StatusVerifying, StatusError, StatusParked:
	default:
		return fmt.Errorf("unknown status %q", e.Status)
	}
	if e.Status == StatusParked {
		switch e.ParkedFrom {
		case StatusPending, StatusDelivering, StatusVerifying, StatusError:
		default:
			return fmt.Errorf("parked from unknown status %q", e.ParkedFrom)
		}
	}
	switch {
	case e.Attempts < 0 || e.VerifyAttempts < 0 || e.TransientFails < 0 || e.FailedNo < 0 || e.AttemptNo < e.FailedNo:
		return fmt.Errorf("impossible counts")
	case len(e.Model) > 0 && !json.Valid(e.Model):
		return fmt.Errorf("the model is not JSON")
	}
	return nil
}

// Stage is what the entry does or, while parked, did when it was parked.
func (e Entry) Stage() string {
	if e.Status == StatusParked {
		return e.ParkedFrom
	}
	return e.Status
}

// Sending tells whether a send of the entry runs, as far as the row knows. The
// token of an unreadable one proves nothing, and must not stop its lane for ever.
func (e Entry) Sending() bool { return e.SendToken != "" && e.Status != StatusUnreadable }

// Waits tells whether the entry waits for its time to be sent, asked about or
// verified. All others are inert: NextAttemptAt means nothing for them.
func (e Entry) Waits() bool {
	switch e.Status {
	case StatusPending, StatusDelivering, StatusVerifying:
		return !e.Sending()
	}
	return false
}

// doubtful tells whether the fate of the last send is to be found out.
func (e Entry) doubtful() bool {
	return e.Stage() == StatusVerifying || e.Unknown && e.Stage() != StatusError
}

// Due tells whether a waiting entry's time has come. A time that lies further
// ahead than any delay can be was set under another clock, and has come.
func (c Config) Due(e Entry, now time.Time) bool {
	return e.Waits() && (!e.NextAttemptAt.After(now) || e.NextAttemptAt.After(now.Add(c.LongestDelay())))
}
