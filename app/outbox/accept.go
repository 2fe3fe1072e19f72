package outbox

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// Accept stores a prompt for a session and returns its entry once it is durable. A
// clientMessageID that the lane knows gives a *Duplicate that names the entry of
// the first time, even when the lane is full; a full lane gives ErrCapped, and what
// cannot be accepted an error with code Invalid. Empty userID, clientMessageID and
// model mean none (OUT-1).
func (s *Service) Accept(ctx context.Context, workspaceID, sessionID, userID, clientMessageID, text string, model json.RawMessage) (*Entry, error) {
	a := outbox.Acceptance{
		ID: newID(s.now()), Lane: outbox.Lane{Workspace: workspaceID, Session: sessionID},
		UserID: userID, ClientMessageID: clientMessageID, Text: text, Model: model,
	}
	if err := a.Check(); err != nil {
		return nil, err
	}
	digest := a.Digest()
	var entry Entry
	err := s.store.UpdateLane(ctx, a.Lane, func(w storage.LaneWriter) error {
		facts, err := acceptFacts(w, a)
		if err != nil {
			return err
		}
		now := s.now()
		if entry, err = s.config.Admit(a, facts, now); err != nil {
			return err
		}
		if err := w.Insert(entry); err != nil || clientMessageID == "" {
			return err
		}
		return w.PutDedupe(outbox.Dedupe{
			Lane: a.Lane, ClientMessageID: clientMessageID, EntryID: entry.ID, Digest: digest, AcceptedAt: now,
		})
	})
	var duplicate *Duplicate
	switch {
	case err == nil:
	case errors.As(err, &duplicate):
		return nil, duplicate
	case errors.Is(err, ErrCapped):
		return nil, ErrCapped
	case entry.ID != "" && unsure(err) && s.stored(ctx, entry.Lane(), func(e Entry) bool { return e.ID == entry.ID }):
	default:
		return nil, err
	}
	s.log.Debug("accepted", "entry", entry.ID, "workspace", workspaceID, "session", sessionID)
	return &entry, nil
}

func acceptFacts(w storage.LaneReader, a outbox.Acceptance) (outbox.Facts, error) {
	var facts outbox.Facts
	if a.ClientMessageID != "" {
		record, ok, err := w.Dedupe(a.ClientMessageID)
		if err != nil {
			return facts, err
		}
		if ok {
			facts.Dedupe = &record
			first, ok, err := w.Entry(record.EntryID)
			if err != nil {
				return facts, err
			}
			if ok {
				facts.Status = first.Status
			}
		}
	}
	var err error
	if facts.Held, err = w.Held(); err != nil {
		return facts, err
	}
	hold, ok, err := w.WorkspaceHold()
	if ok {
		facts.Hold = &hold
	}
	return facts, err
}

// stored looks whether a commit of unknown outcome has taken place: whether the lane
// has the wanted entry.
func (s *Service) stored(ctx context.Context, lane outbox.Lane, wanted func(Entry) bool) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.config.BookkeepingTimeout)
	defer cancel()
	found := false
	err := s.store.ViewOutbox(ctx, func(r storage.OutboxReader) error {
		entries, err := r.Entries(storage.EntryQuery{Workspace: lane.Workspace, Session: lane.Session, HeadsOnly: true})
		found = slices.ContainsFunc(entries, wanted)
		return err
	})
	return err == nil && found
}
