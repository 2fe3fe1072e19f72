package outbox

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// settlement is what a job came to.
type settlement struct {
	stored   bool // the outcome is in the store
	finished bool // the entry was delivered, and this call stored it
	gone     bool // somebody else removed the entry
	record   storage.DeliveredRecord
	probe    *Entry // the ledger has to be asked first
	after    Entry  // the entry as it was stored
}

// firstPause is how long settle waits after the store failed once.
const firstPause = 50 * time.Millisecond

// settle stores what event says, and gives the lane back. While the store fails,
// it tries again until the lease is lost, or until the worker is told to stop and
// one more attempt has failed (OUT-6). Without an event it only gives the lane
// back.
func (j *job) settle(ctx context.Context, event func(*outbox.Ledger) outbox.Event) settlement {
	var ledger *outbox.Ledger
	doubt := false // a commit may have taken place
	for pause := firstPause; ; {
		last := ctx.Err() != nil
		done, err := j.tell(ctx, event, ledger)
		switch {
		case err == nil && done.probe != nil:
			answer := j.s.ask(ctx, j.route, *done.probe)
			ledger = &answer
			continue
		case err == nil:
			j.report(done)
			j.s.hook(ctx, done, doubt, j.entry.ID)
			return done
		}
		doubt = doubt || unsure(err)
		j.s.log.Warn("an outcome could not be stored", "entry", j.entry.ID, "err", err)
		if last {
			return settlement{}
		}
		wait := time.NewTimer(pause)
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
		}
		pause = min(2*pause, j.s.config.BookkeepingTimeout)
	}
}

// report logs what became of the entry: a warning when a person is needed.
func (j *job) report(done settlement) {
	log := j.s.log.With("entry", j.entry.ID, "workspace", j.lane.Workspace, "session", j.lane.Session, "attempt", j.entry.AttemptNo)
	switch e := done.after; {
	case done.finished:
		log.Info("delivered")
	case e.ID == "":
		log.Info("the outcome counts no more")
	case e.Stage() == StatusError:
		log.Warn("in error", "reason", e.Reason, "err", e.LastError)
	default:
		log.Info("not delivered", "status", e.Status, "err", e.LastError)
	}
}

// tell runs one unit of work on the job's entry.
func (j *job) tell(ctx context.Context, event func(*outbox.Ledger) outbox.Event, ledger *outbox.Ledger) (done settlement, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), j.s.config.BookkeepingTimeout)
	defer cancel()
	err = j.s.store.UpdateLane(ctx, j.lane, func(w storage.LaneWriter) (err error) {
		done, err = j.conclude(w, event, ledger)
		return err
	})
	return done, err
}

func (j *job) conclude(w storage.LaneWriter, event func(*outbox.Ledger) outbox.Event, ledger *outbox.Ledger) (settlement, error) {
	lease, ok, err := w.Lease()
	if err != nil {
		return settlement{}, err
	}
	mine := ok && lease.Token == j.lease.Token
	done := settlement{stored: true}
	switch {
	case event == nil:
	case mine || j.action == outbox.Ship:
		if done, err = j.s.apply(w, j.route, j.entry.ID, event(ledger), true); err != nil || done.probe != nil {
			return done, err
		}
	default: // a verdict without a lease counts for nothing
		_, ok, err := w.Entry(j.entry.ID)
		return settlement{gone: !ok}, err
	}
	if mine {
		return done, w.DropLease()
	}
	return done, nil
}

// apply lets an event happen to an entry, whatever else holds its lane. What the
// rules refuse changes nothing, and is no error. Where no hook is wired a worker
// marks it done; others leave that to the workers, who may have one (OUT-7).
func (s *Service) apply(w storage.LaneWriter, route Route, id string, event outbox.Event, worker bool) (settlement, error) {
	entry, ok, err := w.Entry(id)
	if err != nil {
		return settlement{}, err
	}
	if !ok || entry.Status == outbox.StatusUnreadable {
		return settlement{gone: true, stored: true}, nil
	}
	now := s.now()
	next, effects, err := s.policy(route).Next(entry, event, now)
	var refusal outbox.Refusal
	switch {
	case errors.As(err, &refusal):
		return settlement{stored: false}, nil
	case err != nil:
		return settlement{}, err
	case slices.Contains(effects, outbox.Probe):
		return settlement{probe: &next}, nil
	case !slices.Contains(effects, outbox.Finish):
		return settlement{stored: true, after: next}, w.Put(next, true)
	}
	record := storage.DeliveredRecord{Entry: entry, At: now, HookDone: worker && s.onDelivered == nil}
	if s.onDelivered != nil {
		record.HookOwner, record.HookUntil, record.HookRuns = s.owner, now.Add(s.hookTime()), 1
	}
	if err := w.PutDelivered(record); err != nil {
		return settlement{}, err
	}
	return settlement{stored: true, finished: true, record: record}, w.Remove(id, outbox.StatusDelivered)
}

// ask looks into the ledger: at the number of the last known failure, and at the
// one after it.
func (s *Service) ask(ctx context.Context, route Route, e Entry) outbox.Ledger {
	var l outbox.Ledger
	l.Last = s.probe(ctx, route, e, e.FailedNo)
	if !l.Last.Failed {
		l.Next = s.probe(ctx, route, e, e.FailedNo+1)
	}
	s.contact(e.WorkspaceID, !l.Indeterminate())
	return l
}

func (s *Service) probe(ctx context.Context, route Route, e Entry, attempt int) (a outbox.Answer) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.config.ProbeTimeout)
	defer cancel()
	err := s.guard(func() (err error) {
		a.State, err = route.Ledger(ctx, e.WorkspaceID, e.SessionID, e.ID, uint32(attempt))
		return err
	})
	if err != nil {
		s.log.Warn("the ledger could not be asked", "entry", e.ID, "attempt", attempt, "err", err)
		a.Failed = true
	} else if !a.Known() {
		s.log.Warn("the ledger says a word that nobody knows", "entry", e.ID, "attempt", attempt, "word", a.State)
	}
	return a
}
