package main

import (
	"context"
	"fmt"
	"time"

	push "github.com/tundish-go/tundish/app/outbox"
	rules "github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// service is the side of app/outbox.
type service struct {
	store place
	*push.Service
}

func openService(ctx context.Context, path string) (post, error) {
	store, err := openStore(ctx, path)
	if err != nil {
		return nil, err
	}
	s, err := push.New(push.Options{Store: store})
	return &service{store, s}, err
}

func (s *service) accept(ctx context.Context, p prompt) error {
	_, err := s.Accept(ctx, p.workspace, p.session, "", p.messageID, p.text, nil)
	return err
}

func (s *service) close() error { return s.store.Close() }

// deliveries accepts n prompts and takes the time in which a receiver that does
// nothing gets them all.
func deliveries(ctx context.Context, path string, n int) ([]time.Duration, error) {
	store, err := openStore(ctx, path)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	s, err := push.New(push.Options{Store: store})
	if err != nil {
		return nil, err
	}
	lanes := max(1, n/perTurn)
	err = together(n, func(i int) error {
		p := numbered(i, lanes, false)
		_, err := s.Accept(ctx, p.workspace, p.session, "", "", p.text, nil)
		return err
	})
	nothing := func(context.Context, string, string, push.Entry) error { return nil }
	begun := time.Now()
	for left := n; left > 0 && err == nil; {
		var round push.Round
		if round, err = s.RunOnce(ctx, nothing); err == nil && round.Delivered == 0 {
			err = fmt.Errorf("%d of %d entries were not delivered", left, n)
		}
		left -= round.Delivered
	}
	return []time.Duration{time.Since(begun)}, err
}

// fill stores n entries of which none is due for half an hour: of ten in a lane
// six back off, two will be verified, one is in error and one parked.
func fill(ctx context.Context, path string, n int) error {
	store, err := openStore(ctx, path)
	if err != nil {
		return err
	}
	defer store.Close()
	now := time.Now().UTC().Truncate(time.Millisecond)
	for l := range n / perLane {
		p := numbered(l, n/perLane, false)
		lane := rules.Lane{Workspace: p.workspace, Session: p.session}
		err := store.UpdateLane(ctx, lane, func(w storage.LaneWriter) error {
			for i := range perLane {
				e := rules.Entry{
					ID: fmt.Sprintf("ob_%036d", l*perLane+i), WorkspaceID: lane.Workspace, SessionID: lane.Session, Text: p.text,
					AcceptedAt: now, NextAttemptAt: now.Add(30*time.Minute + time.Duration(l)*time.Millisecond),
					Status: rules.StatusPending, Attempts: 1, AttemptNo: 1, FailedNo: 1,
				}
				switch i {
				case 6, 7:
					e.Status, e.Unknown, e.Attempts, e.FailedNo = rules.StatusVerifying, true, 0, 0
				case 8:
					e.Status, e.LastError = rules.StatusError, "refused"
				case 9:
					e.Status, e.ParkedFrom = rules.StatusParked, rules.StatusPending
				}
				if err := w.Insert(e); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
