package outbox

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// lapsed notes what is seen of leases, and lists the lanes that may be taken from
// workers that died.
func (s *Service) lapsed(leases []storage.LaneLease) (free []outbox.Lane) {
	now, elapsed := s.now(), s.clock.Elapsed()
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := make(map[outbox.Lane]outbox.Sighting, len(leases))
	for _, l := range leases {
		sighting, ok := s.config.See(s.sightings[l.Lane], l.Lease, now, elapsed)
		seen[l.Lane] = sighting
		if ok {
			free = append(free, l.Lane)
		}
	}
	s.sightings = seen
	return free
}

// watch waits for a third of the longest lease that has lapsed in a lane that the
// routes match, so that the next look can tell whether its owner is dead.
func (s *Service) watch(ctx context.Context, routes []Route) error {
	var leases []storage.LaneLease
	err := s.store.ViewOutbox(ctx, func(r storage.OutboxReader) (err error) {
		leases, err = r.Leases()
		return err
	})
	if err != nil {
		return err
	}
	free := s.lapsed(leases)
	now := s.now()
	var longest time.Duration
	for _, l := range leases {
		if _, ok := s.route(routes, l.Lane.Workspace); ok && l.Lapsed(now) && !slices.Contains(free, l.Lane) {
			longest = max(longest, s.config.Patience(l.Lease))
		}
	}
	if longest == 0 {
		return nil
	}
	timer := time.NewTimer(longest)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Recover turns sends that died with their workers into verifications, and returns
// how many there were. Run and RunOnce do so by themselves. A lease that has
// lapsed is watched for a third of its length first, so that Recover may take that
// long (OUT-5).
func (s *Service) Recover(ctx context.Context) int {
	if err := s.watch(ctx, []Route{{}}); err != nil {
		return 0
	}
	var lanes []outbox.Lane
	err := s.store.ViewOutbox(ctx, func(r storage.OutboxReader) error {
		leases, err := r.Leases()
		lanes = s.lapsed(leases)
		return err
	})
	total := 0
	for _, lane := range lanes {
		route := s.known(lane.Workspace)
		route.Deliverer = nil // nothing is sent from here
		_, n, takeErr := s.take(ctx, lane, route)
		err = errors.Join(err, takeErr)
		total += n
	}
	if err != nil {
		s.log.Warn("not everything could be recovered", "err", err)
	}
	return total
}
