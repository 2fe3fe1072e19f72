package sqltest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tundish-go/tundish/adapters/internal/sqlstore"
	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// push is what is known of the outbox between two operations on it.
type push struct {
	rows  string      // all of them, as the last success left them
	tried bool        // an operation failed since
	code  domain.Code // so
}

// pushStep makes a step of one operation on the outbox, which is done or not done:
// what a failure leaves is what was there before, or what a success leaves, and
// the latter only where the port lets a commit be uncertain (OUT-12).
func pushStep(name string, do func(context.Context, *sqlstore.Store) error) step {
	var success string
	run := func(ctx context.Context, sc *scene) error {
		known := &sc.ledger.push
		if known.tried {
			rows := sc.pushRows(ctx)
			if rows != known.rows && rows != success {
				sc.fault("half of it was done:\n%s\nbefore:\n%s", rows, known.rows)
			}
			if rows != known.rows && (known.code == domain.Busy || known.code == domain.Full) {
				sc.fault("it was done although its error has code %d", known.code)
			}
			if rows != known.rows {
				*known = push{rows: rows}
				return nil
			}
		}
		if err := do(ctx, sc.store); err != nil {
			known.tried, known.code = true, domain.CodeOf(err)
			return err
		}
		*known = push{rows: sc.pushRows(ctx)}
		if success == "" {
			success = known.rows // the first run has no fault
		}
		return nil
	}
	verify := func(sc *scene) {
		findings, err := sc.store.Check(sc.Context())
		sc.must("check", err)
		if rows := sc.pushRows(sc.Context()); rows != success || len(findings) > 0 {
			sc.fault("check finds %q in\n%s\nwant:\n%s", findings, rows, success)
		}
	}
	return step{name: "outbox: " + name, run: run, verify: verify}
}

func (sc *scene) pushRows(ctx context.Context) string {
	sc.Helper()
	return dumpTables(ctx, sc, sc.path, "outbox_", true)
}

// at is a time of the workload.
func at(seconds int) time.Time { return time.Unix(int64(1_800_000_000+seconds), 0).UTC() }

// alpha is the lane that most of it happens in.
func alpha() outbox.Lane { return outbox.Lane{Workspace: "w", Session: "alpha"} }

// lane is one unit of work on alpha.
func lane(fn func(storage.LaneWriter) error) func(context.Context, *sqlstore.Store) error {
	return func(ctx context.Context, s *sqlstore.Store) error { return s.UpdateLane(ctx, alpha(), fn) }
}

// accept does what an accept does.
func accept(id string) func(storage.LaneWriter) error {
	return func(w storage.LaneWriter) error {
		_, known, dedupeErr := w.Dedupe("m " + id)
		_, heldErr := w.Held()
		_, _, holdErr := w.WorkspaceHold()
		entry := outbox.Entry{
			ID: id, WorkspaceID: alpha().Workspace, SessionID: alpha().Session, ClientMessageID: "m " + id,
			Text: "the text of " + id, Model: []byte(`{"m": 1}`), AcceptedAt: at(0), Status: outbox.StatusPending,
		}
		record := outbox.Dedupe{Lane: alpha(), ClientMessageID: "m " + id, EntryID: id, Digest: "d", AcceptedAt: at(0)}
		if err := first(dedupeErr, heldErr, holdErr); err != nil || known {
			return first(err, fmt.Errorf("%s is known", id))
		}
		return first(w.Insert(entry), w.PutDedupe(record))
	}
}

// first is the first of some errors.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// stage takes the lane and begins a send.
func stage(w storage.LaneWriter) error {
	_, _, leaseErr := w.Lease()
	heads, headsErr := w.Heads()
	if err := first(leaseErr, headsErr); err != nil {
		return err
	}
	e := heads[0]
	e.Status, e.SendToken, e.AttemptNo, e.LastAttemptAt = outbox.StatusDelivering, "t", 1, at(1)
	lease := outbox.Lease{Token: "t", Owner: "worker", Acquired: at(1), Until: at(61), EntryID: e.ID}
	return first(w.PutLease(lease), w.Put(e, true))
}

// finish ends it.
func finish(w storage.LaneWriter) error { return first(depart(w, "ob_1"), w.DropLease()) }

// depart leaves a delivered record of an entry.
func depart(w storage.LaneWriter, id string) error {
	e, ok, err := w.Entry(id)
	if err != nil || !ok {
		return first(err, errors.New("the entry is gone"))
	}
	return first(w.PutDelivered(storage.DeliveredRecord{Entry: e, At: at(2)}), w.Remove(id, outbox.StatusDelivered))
}

// change puts an entry with all that it has.
func change(w storage.LaneWriter) error {
	e, _, err := w.Entry("ob_2")
	if err != nil {
		return err
	}
	e.Text, e.Attempts, e.LastError, e.NextAttemptAt = "another text", 1, "refused", at(9)
	return w.Put(e, false)
}

// survey reads all there is.
func survey(ctx context.Context, s *sqlstore.Store) error {
	return s.ViewOutbox(ctx, func(r storage.OutboxReader) error {
		due := 0
		dueErr := r.DueLanes(at(99), at(9999), func(storage.DueLane) bool { due++; return true })
		entries, entriesErr := r.Entries(storage.EntryQuery{Workspace: "w", Limit: 9})
		_, leasesErr := r.Leases()
		_, holdErr := r.Holds()
		hooks, hooksErr := r.DueHooks(at(99), 9)
		_, forgetErr := r.Forgettable(at(99))
		figures, figuresErr := r.Figures()
		err := first(dueErr, entriesErr, leasesErr, holdErr, hooksErr, forgetErr, figuresErr)
		if err == nil && (due != 1 || len(entries) != 1 || len(hooks) != 1 || figures["entries.pending"] != 1) {
			err = fmt.Errorf("%d lanes, entries %v, hooks %v, figures %v", due, entries, hooks, figures)
		}
		return err
	})
}

// pushing are all operations on the outbox, each on what those before left.
func pushing() []step {
	return []step{
		pushStep("accept", lane(accept("ob_1"))),
		pushStep("accept another", lane(accept("ob_2"))),
		pushStep("take the lane and stage", lane(stage)),
		pushStep("renew", func(ctx context.Context, s *sqlstore.Store) error {
			lost, err := s.Renew(ctx, []storage.LaneLease{{Lane: alpha(), Lease: outbox.Lease{Token: "t"}}}, at(99))
			return first(err, unless(len(lost) == 0, "the lease is lost"))
		}),
		pushStep("finish", lane(finish)),
		pushStep("change in full", lane(change)),
		pushStep("change nothing", lane(func(w storage.LaneWriter) error { _, err := w.Heads(); return err })),
		pushStep("read", survey),
		pushStep("hold", func(ctx context.Context, s *sqlstore.Store) error {
			return s.Hold(ctx, "w", outbox.Hold{Reason: "lunch", Since: at(3)})
		}),
		pushStep("claim a hook", func(ctx context.Context, s *sqlstore.Store) error {
			_, ok, err := s.ClaimHook(ctx, "ob_1", "worker", at(4), at(64))
			return first(err, unless(ok, "no claim"))
		}),
		pushStep("settle a hook", func(ctx context.Context, s *sqlstore.Store) error {
			return s.SettleHook(ctx, "ob_1", "worker", true, time.Time{})
		}),
		pushStep("release", func(ctx context.Context, s *sqlstore.Store) error { return s.Release(ctx, "w") }),
		pushStep("count", func(ctx context.Context, s *sqlstore.Store) error {
			return s.Count(ctx, map[string]int64{"swept": 2}, map[string]int64{"loop": 7})
		}),
		pushStep("forget", func(ctx context.Context, s *sqlstore.Store) error {
			n, err := s.Forget(ctx, at(99), 9)
			return first(err, unless(n == 2, "not both records"))
		}),
		pushStep("clean up", func(ctx context.Context, s *sqlstore.Store) error {
			n, err := s.Clean(ctx, "w", at(99))
			return first(err, unless(n == 2, "not both rows"))
		}),
	}
}

// overOutbox sweeps over the operations on the outbox, in a database of their own
// that has items too.
func (s *sweep) overOutbox(t *testing.T) {
	scene := newScene(t, s.faulty)
	scene.must("publishing", scene.publish(t.Context(), "q", app.Message{}))
	scene.ledger.push.rows = scene.pushRows(t.Context())
	for _, step := range pushing() {
		s.over(t, step, scene.image())
		if err := step.run(t.Context(), scene); err != nil {
			t.Fatalf("%s without a fault: %v", step.name, err)
		}
	}
	scene.leave()
}

// unless is an error if something is not so.
func unless(so bool, text string) error {
	if so {
		return nil
	}
	return errors.New(text)
}
