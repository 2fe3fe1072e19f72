package sqlstore

import (
	"encoding/json"
	"time"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// outboxMS spells a time for the file, cut to milliseconds.
func outboxMS(t time.Time) int64 { return t.UnixMilli() }

// outboxTime reads it back; the zero time comes out as one.
func outboxTime(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// The columns of an entry: all but what is long, and all.
const (
	entryHead = `seq, id, workspace, session, status, version, send_token, attempts, attempt_no, failed_no,
  attempt_start_ms, verify_attempts, transient_fails, next_ms, accepted_ms, prior_since_ms, unknown,
  deliverer, peer_id, reason, last_error, parked_from, parked_error, client_message_id, user_id`
	entryWhole = entryHead + `, model, text`
)

// entryRow takes the columns of an entry, one row after another.
type entryRow struct {
	entry                           outbox.Entry
	started, next, accepted, priors int64
	unknown                         int64
	model                           string
}

// head is where the columns of entryHead go.
func (r *entryRow) head() []any {
	e := &r.entry
	return []any{
		&e.Seq, &e.ID, &e.WorkspaceID, &e.SessionID, &e.Status, &e.Version, &e.SendToken, &e.Attempts, &e.AttemptNo, &e.FailedNo,
		&r.started, &e.VerifyAttempts, &e.TransientFails, &r.next, &r.accepted, &r.priors, &r.unknown,
		&e.Deliverer, &e.PeerID, &e.Reason, &e.LastError, &e.ParkedFrom, &e.ParkedError, &e.ClientMessageID, &e.UserID,
	}
}

// whole is where the columns of entryWhole go.
func (r *entryRow) whole() []any { return append(r.head(), &r.model, &r.entry.Text) }

// read is the entry of the row that was read last, as it was stored.
func (r *entryRow) read() outbox.Entry {
	e := r.entry
	e.LastAttemptAt, e.NextAttemptAt = outboxTime(r.started), outboxTime(r.next)
	e.AcceptedAt, e.PriorSince = outboxTime(r.accepted), outboxTime(r.priors)
	e.Unknown = r.unknown != 0
	if r.model != "" {
		e.Model = json.RawMessage(r.model)
	}
	return e
}

// shown is that entry, or what there is of it if it makes no sense (OUT-12).
func (r *entryRow) shown() outbox.Entry {
	e := r.read()
	if err := e.Check(); err != nil {
		e.Status, e.LastError = outbox.StatusUnreadable, err.Error()
	}
	return e
}

// stateColumns are those that a change of an entry may touch, in the order of
// stateValues.
const stateColumns = `status, send_token, attempts, attempt_no, failed_no, attempt_start_ms, verify_attempts,
  transient_fails, next_ms, accepted_ms, prior_since_ms, unknown, deliverer, peer_id, reason, last_error,
  parked_from, parked_error, client_message_id, user_id`

func stateValues(e outbox.Entry) []any {
	return []any{
		e.Status, e.SendToken, e.Attempts, e.AttemptNo, e.FailedNo, outboxMS(e.LastAttemptAt), e.VerifyAttempts,
		e.TransientFails, outboxMS(e.NextAttemptAt), outboxMS(e.AcceptedAt), outboxMS(e.PriorSince), flag(e.Unknown),
		e.Deliverer, e.PeerID, e.Reason, e.LastError, e.ParkedFrom, e.ParkedError, e.ClientMessageID, e.UserID,
	}
}

// flag is a truth as SQLite keeps it.
func flag(set bool) int64 {
	if set {
		return 1
	}
	return 0
}

// laneColumns are those of a lease, in the order of the fields of laneRow.
const laneColumns = "token, owner, acquired_ms, until_ms, length_ms, renewals, entry_id"

// laneRow takes the columns of a lease.
type laneRow struct {
	lease                   outbox.Lease
	acquired, until, length int64
}

func (r *laneRow) dest() []any {
	l := &r.lease
	return []any{&l.Token, &l.Owner, &r.acquired, &r.until, &r.length, &l.Renewals, &l.EntryID}
}

func (r *laneRow) read() outbox.Lease {
	l := r.lease
	l.Acquired, l.Until, l.Length = outboxTime(r.acquired), outboxTime(r.until), time.Duration(r.length)*time.Millisecond
	return l
}

// deliveredColumns are those of a delivered record, in the order of the fields of
// deliveredRow.
const deliveredColumns = "delivered_ms, hook_done, hook_until_ms, hook_runs, hook_owner, " + entryWhole

// deliveredRow takes the columns of a delivered record.
type deliveredRow struct {
	at, done, until, runs int64
	owner                 string
	entryRow
}

func (r *deliveredRow) whole() []any {
	return append([]any{&r.at, &r.done, &r.until, &r.runs, &r.owner}, r.entryRow.whole()...)
}

func (r *deliveredRow) read() storage.DeliveredRecord {
	return storage.DeliveredRecord{
		Entry: r.entryRow.read(), At: outboxTime(r.at),
		HookDone: r.done != 0, HookOwner: r.owner, HookUntil: outboxTime(r.until), HookRuns: int(r.runs),
	}
}

// misused is the error for a caller that breaks a condition of the port.
func misused(text string) error { return &domain.Error{Code: domain.Internal, Text: text} }

// emptyOutbox is the outbox of a database that does not exist yet (CMD-5).
type emptyOutbox struct{}

var _ storage.OutboxReader = emptyOutbox{}

func (emptyOutbox) DueLanes(time.Time, time.Time, func(storage.DueLane) bool) error { return nil }

func (emptyOutbox) Leases() ([]storage.LaneLease, error) { return nil, nil }

func (emptyOutbox) Entries(storage.EntryQuery) ([]outbox.Entry, error) { return nil, nil }

func (emptyOutbox) Holds() ([]storage.WorkspaceHold, error) { return nil, nil }

func (emptyOutbox) DueHooks(time.Time, int) ([]storage.DeliveredRecord, error) { return nil, nil }

func (emptyOutbox) Forgettable(time.Time) (bool, error) { return false, nil }

func (emptyOutbox) Figures() (map[string]int64, error) { return map[string]int64{}, nil }
