package outbox

import (
	"context"
	"errors"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// RetryOptions are how a person retries.
type RetryOptions struct {
	// Resend sends an entry again whose fate is unknown, though it may be in the
	// session already.
	Resend bool
	// Ask refuses an entry whose fate is unknown and cannot be found out, unless
	// Resend is set: the error is then ErrFateUnknown.
	Ask bool
}

// ErrFateUnknown says that a retry might deliver an entry twice.
var ErrFateUnknown error = &domain.Error{
	Code: domain.Claimed, Text: "the fate of the last send is unknown and there is no verifier",
	Remedy: "look into the session, then dismiss the entry or send it again",
}

// Retry lets an entry in error go on: it is sent again or, if its fate is unknown
// and a verifier is wired, verified. Its counters begin anew, its attempt number
// does not (OUT-8). An error comes with a result that means nothing.
func (s *Service) Retry(ctx context.Context, workspaceID, sessionID, id string) (RetryResult, error) {
	return s.RetryWith(ctx, workspaceID, sessionID, id, RetryOptions{})
}

// RetryWith is Retry with options.
func (s *Service) RetryWith(ctx context.Context, workspaceID, sessionID, id string, o RetryOptions) (result RetryResult, err error) {
	lane := outbox.Lane{Workspace: workspaceID, Session: sessionID}
	policy := s.policy(s.known(workspaceID))
	err = s.store.UpdateLane(ctx, lane, func(w storage.LaneWriter) error {
		entry, ok, busy, err := find(w, id)
		switch {
		case err != nil:
			return err
		case !ok:
			result = RetryNotFound
			return nil
		case busy:
			result = RetryBusy
			return nil
		case entry.Status == outbox.StatusUnreadable:
			result = RetryNotError
			return nil
		}
		next, _, err := policy.Next(entry, outbox.Retried{Resend: o.Resend, Ask: o.Ask}, s.now())
		switch {
		case errors.Is(err, outbox.Unasked):
			return ErrFateUnknown
		case err != nil:
			result = RetryNotError
			return nil
		}
		result = RetryUpdated
		return w.Put(next, true)
	})
	return result, err
}

// Dismiss removes an entry for good, also one that cannot be read. Its client
// message id stays known (OUT-8).
func (s *Service) Dismiss(ctx context.Context, workspaceID, sessionID, id string) (result DismissResult, err error) {
	lane := outbox.Lane{Workspace: workspaceID, Session: sessionID}
	err = s.store.UpdateLane(ctx, lane, func(w storage.LaneWriter) error {
		entry, ok, busy, err := find(w, id)
		switch {
		case err != nil:
			return err
		case !ok:
			result = DismissNotFound
			return nil
		case busy || entry.Sending():
			result = DismissBusy
			return nil
		}
		result = DismissRemoved
		return w.Remove(id, outbox.StatusDismissed)
	})
	return result, err
}

// find reads an entry, and tells whether it is being sent or verified.
func find(w storage.LaneReader, id string) (entry Entry, ok, busy bool, err error) {
	entry, ok, err = w.Entry(id)
	if err != nil || !ok {
		return entry, ok, false, err
	}
	lease, leased, err := w.Lease()
	return entry, true, leased && lease.EntryID == id, err
}

// Holder finds who works on a lane; ok is false when nobody does.
func (s *Service) Holder(ctx context.Context, workspaceID, sessionID string) (lease Lease, ok bool, err error) {
	err = s.store.ViewOutbox(ctx, func(r storage.OutboxReader) error {
		leases, err := r.Leases()
		for _, l := range leases {
			if l.Lane == (outbox.Lane{Workspace: workspaceID, Session: sessionID}) {
				lease, ok = l.Lease, true
			}
		}
		return err
	})
	return lease, ok, err
}
