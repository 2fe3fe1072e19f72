package outbox

import (
	"context"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// hookTime is how long a worker may keep a delivered record for the run of its
// hook before others run it.
func (s *Service) hookTime() time.Duration {
	return max(s.config.LeaseTTL, 2*s.config.BookkeepingTimeout)
}

// hook runs the delivered hook after a settlement. After a commit of unknown
// outcome the entry is found gone: the record then says whose the hook is.
func (s *Service) hook(ctx context.Context, done settlement, doubt bool, id string) {
	switch {
	case s.onDelivered == nil:
	case done.finished:
		s.runHook(ctx, done.record)
	case done.gone && doubt:
		s.claimHook(ctx, id)
	}
}

// claimHook runs the hook of a record if nobody else does. One that ran here already,
// and could only not be marked, is marked now.
func (s *Service) claimHook(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.config.BookkeepingTimeout)
	defer cancel()
	ran, known := s.hookRan(id)
	if known && !ran {
		return // still runs
	}
	now := s.now()
	record, ok, err := s.store.ClaimHook(ctx, id, s.owner, now, now.Add(s.hookTime()))
	switch {
	case err != nil:
		s.log.Warn("a delivered hook could not be claimed", "entry", id, "err", err)
	case ok && (ran || s.onDelivered == nil):
		s.settleHook(ctx, record, true)
	case ok:
		s.runHook(ctx, record)
	}
}

// runHook runs the delivered hook of a record that is ours.
func (s *Service) runHook(ctx context.Context, record storage.DeliveredRecord) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.config.BookkeepingTimeout)
	defer cancel()
	id := record.Entry.ID
	s.noteHook(id, false)
	err := s.guard(func() error { return s.onDelivered(ctx, record.Entry) })
	if err != nil {
		s.log.Error("the delivered hook failed", "entry", id, "run", record.HookRuns, "err", err)
	}
	s.noteHook(id, err == nil)
	s.settleHook(ctx, record, err == nil)
}

// settleHook stores that a hook ran or failed. While the store fails it tries again,
// since others run the hook once HookUntil has come.
func (s *Service) settleHook(ctx context.Context, record storage.DeliveredRecord, done bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.config.BookkeepingTimeout)
	defer cancel()
	again := s.now().Add(outbox.Backoff(s.config.RetryBackoff, s.config.MaxBackoff, record.HookRuns))
	for pause := firstPause; ; pause *= 2 {
		err := s.store.SettleHook(ctx, record.Entry.ID, s.owner, done, again)
		if err == nil {
			s.forgetHook(record.Entry.ID)
			return
		}
		s.log.Warn("the mark of a delivered hook could not be stored", "entry", record.Entry.ID, "err", err)
		wait := time.NewTimer(pause)
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			if !done {
				s.forgetHook(record.Entry.ID)
			}
			return
		}
	}
}

// hookRan tells of a hook that was begun here and is not marked yet whether it ran.
func (s *Service) hookRan(id string) (ran, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ran, known = s.hooked[id]
	return ran, known
}

func (s *Service) noteHook(id string, ran bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hooked[id] = ran
}

func (s *Service) forgetHook(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.hooked, id)
}

// hooks runs the hooks that are due: of workers that died, and those that failed.
func (s *Service) hooks(ctx context.Context, due []storage.DeliveredRecord) {
	for _, record := range due {
		if ctx.Err() != nil {
			return
		}
		s.claimHook(ctx, record.Entry.ID)
	}
}
