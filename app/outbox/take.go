package outbox

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/delivery"
	"github.com/tundish-go/tundish/ports/storage"
)

// job is one turn on a lane whose lease is ours.
type job struct {
	s       *Service
	route   Route
	lane    outbox.Lane
	lease   outbox.Lease
	entry   Entry // as it was stored with the lease
	action  outbox.Action
	fresh   bool // the entry left the visible queue just now
	running bool // the process of the last send still runs: nothing is proven
}

// errTaken says that a lane is not to be had now.
var errTaken = errors.New("another worker has the lane")

// take takes a lane, turns sends that were interrupted there into verifications,
// and stores what is to be done next: all in one commit. The job is nil when there
// is nothing to do (OUT-5, OUT-6).
func (s *Service) take(ctx context.Context, lane outbox.Lane, route Route) (j *job, recovered int, err error) {
	err = s.store.UpdateLane(ctx, lane, func(w storage.LaneWriter) (err error) {
		j, recovered, err = s.claim(w, lane, route)
		return err
	})
	switch {
	case errors.Is(err, errTaken):
		return nil, 0, nil
	case err == nil:
		return j, recovered, nil
	case j != nil && j.action == outbox.Ship && unsure(err) && s.stored(ctx, lane, j.sends):
		return j, recovered, nil
	}
	return nil, 0, err
}

// sends tells whether an entry is the job's as it is being sent.
func (j *job) sends(e Entry) bool { return e.ID == j.entry.ID && e.SendToken == j.lease.Token }

func (s *Service) claim(w storage.LaneWriter, lane outbox.Lane, route Route) (*job, int, error) {
	stale, err := s.free(w, lane)
	if err != nil {
		return nil, 0, err
	}
	heads, recovered, err := s.interrupted(w, route)
	if err != nil {
		return nil, 0, err
	}
	j, err := s.choose(w, lane, route, heads)
	if err == nil && j == nil && stale {
		err = w.DropLease()
	}
	return j, recovered, err
}

// free tells whether the lane may be taken, errTaken if not, and whether the lease
// of somebody else still stands there.
func (s *Service) free(w storage.LaneReader, lane outbox.Lane) (stale bool, err error) {
	lease, ok, err := w.Lease()
	if err != nil || !ok {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	seen, free := s.config.See(s.sightings[lane], lease, s.now(), s.clock.Elapsed())
	if !free {
		s.sightings[lane] = seen
		return true, errTaken
	}
	delete(s.sightings, lane) // seen or not: the lease is about to go
	return true, nil
}

// interrupted turns the lane's sends that no live lease owns into verifications.
func (s *Service) interrupted(w storage.LaneWriter, route Route) (heads []Entry, recovered int, err error) {
	heads, err = w.Heads()
	if err != nil {
		return nil, 0, err
	}
	for i, e := range heads {
		if !e.Sending() {
			continue
		}
		next, _, err := s.policy(route).Next(e, outbox.Recovered{}, s.now())
		if err != nil {
			return nil, 0, err
		}
		if err := w.Put(next, true); err != nil {
			return nil, 0, err
		}
		heads[i] = next
		recovered++
	}
	return heads, recovered, nil
}

// choose stores the lease and the beginning of the one action on a lane; nil when
// nothing is due.
func (s *Service) choose(w storage.LaneWriter, lane outbox.Lane, route Route, heads []Entry) (*job, error) {
	if route.Deliverer == nil {
		return nil, nil
	}
	if _, held, err := w.WorkspaceHold(); err != nil || held {
		return nil, err
	}
	policy, now := s.policy(route), s.now()
	entry, action, err := next(w, policy, route.Order, heads, now)
	if err != nil || action == outbox.Rest {
		return nil, err
	}
	j := &job{s: s, route: route, lane: lane, entry: entry, action: action, fresh: entry.Status == StatusPending}
	j.lease = outbox.Lease{Token: token(), Owner: s.owner, Acquired: now, Until: now.Add(s.config.LeaseTTL), Length: s.config.LeaseTTL, EntryID: entry.ID}
	if watcher, ok := route.Deliverer.(delivery.Watcher); ok && entry.Unknown && entry.Deliverer == watcher.Kind() {
		j.running = watcher.Running(entry)
	}
	if j.running {
		j.action = outbox.Verify
	}
	if j.action == outbox.Ship {
		if err := j.stageOut(w, policy, now); err != nil {
			return nil, err
		}
	}
	return j, w.PutLease(j.lease)
}

// next finds the action on a lane, with all that its entry has. Of some rows only
// that tells that they make no sense (OUT-12).
func next(w storage.LaneReader, p outbox.Policy, order Order, heads []Entry, now time.Time) (Entry, outbox.Action, error) {
	for {
		head, action := p.Choose(heads, order, now)
		if action == outbox.Rest {
			return Entry{}, action, nil
		}
		entry, ok, err := w.Entry(head.ID)
		if err != nil || !ok {
			return Entry{}, outbox.Rest, err
		}
		if entry.Status != outbox.StatusUnreadable {
			return entry, action, nil
		}
		i := slices.IndexFunc(heads, func(e Entry) bool { return e.ID == entry.ID })
		heads[i] = entry
	}
}

// stageOut stores the beginning of a send. One that repeats an attempt is known to
// the receiver by the same name.
func (j *job) stageOut(w storage.LaneWriter, policy outbox.Policy, now time.Time) error {
	peer := j.entry.PeerID
	if j.fresh {
		numbered := j.entry
		numbered.AttemptNo++
		peer = j.route.Deliverer.PeerID(numbered, now)
	}
	next, _, err := policy.Next(j.entry, outbox.StageOut{Token: j.lease.Token, Deliverer: j.route.Deliverer.Kind(), PeerID: peer}, now)
	if err != nil {
		return err
	}
	j.entry = next
	return w.Put(next, true)
}
