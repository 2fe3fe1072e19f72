package outbox

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/delivery"
	"github.com/tundish-go/tundish/ports/storage"
)

// errStopped is why sends are cancelled at the end of a drain.
var errStopped = errors.New("the worker stops")

// run does the job: it sends or verifies, stores what came of it, and gives the
// lane back. It returns when all of that is over. Hard ends sends and
// verifications, not the bookkeeping.
func (j *job) run(hard context.Context) settlement {
	ctx, cancel := context.WithCancelCause(hard)
	kept := make(chan struct{})
	held, release := context.WithCancel(context.WithoutCancel(hard))
	go func() {
		defer close(kept)
		j.keep(held, cancel)
	}()
	defer func() {
		release()
		<-kept
		cancel(nil)
	}()
	if j.action == outbox.Ship {
		return j.ship(ctx)
	}
	return j.verify(ctx)
}

// keep renews the lease until ctx ends, and calls lost when it is somebody else's.
// It does so a little before a third of the lease is over, because a third without
// a renewal is what makes others think that the owner is dead.
func (j *job) keep(ctx context.Context, lost context.CancelCauseFunc) {
	tick := time.NewTicker(j.s.config.LeaseTTL * 3 / 10)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		until := j.s.now().Add(j.s.config.LeaseTTL)
		gone, err := j.s.store.Renew(ctx, []storage.LaneLease{{Lane: j.lane, Lease: j.lease}}, until)
		switch {
		case err != nil:
			j.s.log.Warn("a lease could not be renewed", "workspace", j.lane.Workspace, "session", j.lane.Session, "err", err)
		case len(gone) > 0:
			lost(ErrLeaseLost)
			return
		}
	}
}

// ship sends the entry and settles the outcome.
func (j *job) ship(ctx context.Context) settlement {
	if j.fresh && j.s.onStaged != nil {
		if err := j.s.guard(func() error { j.s.onStaged(j.lane.Workspace, j.lane.Session, j.entry); return nil }); err != nil {
			j.s.log.Error("the staged hook failed", "entry", j.entry.ID, "err", err)
		}
	}
	err := j.send(ctx)
	outcome, after := outbox.OutcomeOf(err)
	text := ""
	if err != nil {
		text = err.Error()
	}
	switch outcome { // the others say nothing about whether the receiver can be reached
	case outbox.Delivered:
		j.s.contact(j.lane.Workspace, true)
	case outbox.TransientOutcome, outbox.UnknownOutcome:
		j.s.contact(j.lane.Workspace, false)
	}
	return j.settle(ctx, func(ledger *outbox.Ledger) outbox.Event {
		return outbox.Settled{
			Token: j.lease.Token, AttemptNo: j.entry.AttemptNo, Outcome: outcome, Err: text, After: after, Ledger: ledger,
		}
	})
}

// send runs the deliverer. What it says after its time is over counts only when it
// is marked: anything may have arrived by then.
func (j *job) send(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, j.s.config.DeliveryTimeout)
	defer cancel()
	send := delivery.Send{Entry: j.entry, Held: j.held, Note: j.note}
	panicked := true
	err := j.s.guard(func() error {
		err := j.route.Deliverer.Deliver(ctx, send)
		panicked = false
		return err
	})
	if cause := context.Cause(ctx); err != nil && (errors.Is(cause, errStopped) || errors.Is(cause, ErrLeaseLost)) {
		err = fmt.Errorf("%w: %w", cause, err)
	}
	outcome, _ := outbox.OutcomeOf(err)
	if panicked || ctx.Err() != nil && outcome == outbox.Definitive {
		return outbox.Ambiguous(err)
	}
	return err
}

// guard turns a panic of foreign code into an error, and logs where it came from.
func (s *Service) guard(fn func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			s.log.Error("foreign code panicked", "panic", r, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return fn()
}

// held implements Send.Held.
func (j *job) held(ctx context.Context) error {
	if ctx.Err() != nil {
		return outbox.Transient(context.Cause(ctx))
	}
	mine := false
	err := j.s.store.ViewOutbox(ctx, func(r storage.OutboxReader) error {
		leases, err := r.Leases()
		for _, l := range leases {
			mine = mine || l.Lane == j.lane && l.Token == j.lease.Token
		}
		return err
	})
	switch {
	case err != nil:
		return outbox.Transient(fmt.Errorf("the lease could not be looked at: %w", err))
	case !mine:
		return ErrLeaseLost
	}
	return nil
}

// note implements Send.Note.
func (j *job) note(ctx context.Context, peerID string) error {
	err := j.s.store.UpdateLane(ctx, j.lane, func(w storage.LaneWriter) error {
		lease, ok, err := w.Lease()
		if err != nil {
			return err
		}
		if !ok || lease.Token != j.lease.Token {
			return ErrLeaseLost
		}
		entry, ok, err := w.Entry(j.entry.ID)
		if err != nil {
			return err
		}
		if !ok || entry.SendToken != j.lease.Token {
			return ErrLeaseLost
		}
		entry.PeerID = peerID
		return w.Put(entry, true)
	})
	if err != nil && !errors.Is(err, ErrLeaseLost) {
		return outbox.Transient(fmt.Errorf("the send could not be noted: %w", err))
	}
	return err
}

// verify finds out what became of the last send and settles the verdict. One that
// was cut short by the end of the worker counts as nothing.
func (j *job) verify(ctx context.Context) settlement {
	verified := outbox.Verified{NoVerifier: j.route.Verifier == nil && !j.running}
	if !verified.NoVerifier {
		var err error
		verified.Verdict, err = j.verdict(ctx)
		if err != nil {
			verified.Err = err.Error()
		}
	}
	if ctx.Err() != nil && verified.Verdict == VerdictInconclusive && !verified.NoVerifier {
		return j.settle(ctx, nil)
	}
	return j.settle(ctx, func(ledger *outbox.Ledger) outbox.Event {
		verified.Ledger = ledger
		return verified
	})
}

func (j *job) verdict(ctx context.Context) (verdict Verdict, err error) {
	kind := j.route.Verifier
	switch {
	case j.running:
		return VerdictInconclusive, errors.New("the program of the last send still runs")
	case kind.Kind() != "" && kind.Kind() != j.entry.Deliverer:
		return VerdictInconclusive, fmt.Errorf("the last send went by %q, which the verifier of %q cannot judge", j.entry.Deliverer, kind.Kind())
	}
	ctx, cancel := context.WithTimeout(ctx, j.s.config.VerifyTimeout)
	defer cancel()
	failed := j.s.guard(func() error {
		verdict, err = kind.Verify(ctx, j.entry)
		return nil
	})
	if failed != nil {
		verdict, err = VerdictInconclusive, failed
	}
	j.s.contact(j.lane.Workspace, err == nil && verdict != VerdictInconclusive)
	return verdict, err
}
