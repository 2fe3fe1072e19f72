package outbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/tundish-go/tundish/domain"
)

// Bounds of what is accepted (OUT-1).
const (
	MaxTextBytes  = 100 << 10
	MaxModelBytes = 16 << 10
)

// Acceptance is a prompt that somebody wants to be accepted.
type Acceptance struct {
	ID              string // of the entry that it would become
	Lane            Lane
	UserID          string // may be empty
	ClientMessageID string // may be empty: no dedupe
	Text            string
	Model           json.RawMessage // may be empty
}

// Check reports what makes a prompt unacceptable; code Invalid (OUT-1).
func (a Acceptance) Check() error {
	for _, label := range []struct {
		what, text string
		optional   bool
	}{
		{"workspace", a.Lane.Workspace, false}, {"session", a.Lane.Session, false},
		{"user", a.UserID, true}, {"client message id", a.ClientMessageID, true},
	} {
		if label.optional && label.text == "" {
			continue
		}
		if err := domain.CheckLabel(label.what, label.text); err != nil {
			return err
		}
	}
	switch {
	case a.Text == "":
		return invalid("write at least one character", "the text is empty")
	case len(a.Text) > MaxTextBytes:
		return invalid(fmt.Sprintf("shorten it to %d bytes", MaxTextBytes), "the text is %d bytes long", len(a.Text))
	case !utf8.ValidString(a.Text):
		return invalid("encode it as UTF-8", "the text is not valid UTF-8")
	case len(a.Model) > MaxModelBytes:
		return invalid(fmt.Sprintf("shorten it to %d bytes", MaxModelBytes), "the model is %d bytes long", len(a.Model))
	case len(a.Model) > 0 && !(json.Valid(a.Model) && utf8.Valid(a.Model)):
		return invalid("give one JSON value", "the model %q is not JSON", domain.Shorten(string(a.Model)))
	}
	return nil
}

func invalid(remedy, format string, args ...any) error {
	return &domain.Error{Code: domain.Invalid, Text: fmt.Sprintf(format, args...), Remedy: remedy}
}

// Digest identifies text and model: equal bodies, equal digests.
func (a Acceptance) Digest() string {
	h := sha256.New()
	var size [8]byte
	binary.BigEndian.PutUint64(size[:], uint64(len(a.Text)))
	h.Write(size[:])
	h.Write([]byte(a.Text))
	h.Write(compact(a.Model))
	return hex.EncodeToString(h.Sum(nil))
}

// compact writes JSON without spaces between its tokens.
func compact(model json.RawMessage) []byte {
	var b bytes.Buffer
	if len(model) == 0 || json.Compact(&b, model) != nil {
		return nil
	}
	return b.Bytes()
}

// Dedupe is the record of a client message id in a lane.
type Dedupe struct {
	Lane            Lane
	ClientMessageID string
	EntryID         string
	Digest          string    // of the body that was accepted
	AcceptedAt      time.Time // UTC, milliseconds
	Final           string    // StatusDelivered or StatusDismissed; empty while the entry lives
}

// Expired tells whether the record may be forgotten: its entry is gone, and it was
// accepted DedupeTTL ago or longer (OUT-1).
func (c Config) Expired(d Dedupe, now time.Time) bool {
	return d.Final != "" && !now.Before(d.AcceptedAt.Add(c.DedupeTTL))
}

// Hold sets a workspace aside: what is accepted for it starts parked.
type Hold struct {
	Reason string
	Since  time.Time // UTC, milliseconds
}

// Facts are what an acceptance depends on.
type Facts struct {
	Dedupe *Dedupe // the record of its client message id; nil without one
	Status string  // of the living entry that the record names
	Held   int     // entries in the lane
	Hold   *Hold   // of the workspace; nil without one
}

// Duplicate says that a client message id was accepted before.
type Duplicate struct { //nolint:errname // the name is the contract of those who embed an outbox
	AcceptedID  string // of the entry that was accepted
	State       string // a status, StatusDelivered or StatusDismissed
	BodyDiffers bool   // text or model was another
}

func (d *Duplicate) Error() string {
	text := "duplicate of " + d.AcceptedID + ", which is " + d.State
	if d.BodyDiffers {
		text += " and has another body"
	}
	return text
}

// Admit decides on an acceptance that passed Check: the new entry, a *Duplicate,
// even when the lane is full, or ErrCapped (OUT-1).
func (c Config) Admit(a Acceptance, facts Facts, now time.Time) (Entry, error) {
	if d := facts.Dedupe; a.ClientMessageID != "" && d != nil && !c.Expired(*d, now) {
		state := d.Final
		if state == "" {
			state = facts.Status
		}
		return Entry{}, &Duplicate{AcceptedID: d.EntryID, State: state, BodyDiffers: d.Digest != a.Digest()}
	}
	if facts.Held >= c.Cap {
		return Entry{}, ErrCapped
	}
	entry := Entry{
		ID: a.ID, WorkspaceID: a.Lane.Workspace, SessionID: a.Lane.Session,
		ClientMessageID: a.ClientMessageID, UserID: a.UserID, Text: a.Text, Model: compact(a.Model),
		AcceptedAt: now, Status: StatusPending,
	}
	if facts.Hold != nil {
		entry.Status, entry.ParkedFrom, entry.Reason = StatusParked, StatusPending, facts.Hold.Reason
	}
	return entry, nil
}
