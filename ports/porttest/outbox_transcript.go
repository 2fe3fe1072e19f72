package porttest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// The size of the comparison.
const (
	outboxSeeds = 4
	outboxSteps = 40 // a seed
)

// compareOutbox demands that subject and oracle answer the same to the same random
// operations. A seed that fails, fails always.
func compareOutbox(t *testing.T, subject, oracle OutboxFactory) {
	for seed := range uint64(outboxSeeds) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			want := outboxTranscript(t, oracle, seed)
			got := outboxTranscript(t, subject, seed)
			for i := range max(len(want), len(got)) {
				if line(got, i) != line(want, i) {
					t.Fatalf("after\n%s\nthe oracle has\n%s\nand the subject\n%s",
						strings.Join(got[max(0, i-12):min(i, len(got))], "\n"), line(want, i), line(got, i))
				}
			}
		})
	}
}

// outboxTranscript does a random sequence of operations, which the seed and the
// answers determine, and gives a line for each.
func outboxTranscript(t *testing.T, f OutboxFactory, seed uint64) []string {
	t.Helper()
	p := staff(t, f)
	l := &ledger{script: script{rng: rand.New(rand.NewPCG(seed, 11))}, posts: []*post{p, p.on(nil)}}
	l.posts[1].store = p.place.OpenOutbox(t)
	t.Cleanup(func() { p.close(l.posts[1].store) })
	for range outboxSteps {
		l.step(t)
	}
	l.lines = append(l.lines, strings.Split(p.dump(), "\n")...)
	return l.lines
}

// ledger is a transcript of the push half in the making.
type ledger struct {
	script
	posts []*post  // two handles on one place
	made  int      // entries
	gone  []string // ids of entries that were delivered
	clock int64    // for times that must differ
}

func (l *ledger) step(t *testing.T) {
	t.Helper()
	p := l.posts[l.rng.IntN(len(l.posts))]
	if l.rng.IntN(16) == 0 {
		l.note("reopen")
		p.reopen()
	}
	if l.rng.IntN(3) > 0 {
		l.unit(t, p)
	} else {
		l.order(t, p)
	}
	reading := l.posts[l.rng.IntN(len(l.posts))]
	reading.view(func(r storage.OutboxReader) {
		for range 3 {
			l.question(r)
		}
		if l.rng.IntN(4) == 0 {
			l.lines = append(l.lines, overview(r)...)
		}
	})
}

// unit changes a lane, which now and then fails, panics or outlives its context.
func (l *ledger) unit(t *testing.T, p *post) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	lane, fate := l.lane(), l.rng.IntN(12)
	before, gone := len(l.lines), l.gone
	l.note("unit on %q", lane)
	err := panics(func() error {
		return p.store.UpdateLane(ctx, lane, func(w storage.LaneWriter) error {
			for range 1 + l.rng.IntN(7) {
				l.change(w, lane)
			}
			l.lines = append(l.lines, interior(w)...)
			switch fate {
			case 0:
				return errTry
			case 1:
				panic(errTry)
			case 2:
				cancel(errTry)
			}
			return nil
		})
	})
	switch {
	case err == nil:
		l.note("commit")
	case errors.Is(err, errTry):
		l.gone = gone
		l.note("rollback %d", fate)
	default:
		t.Fatalf("after\n%s\nUpdateLane: %v", strings.Join(l.lines[max(0, before-12):], "\n"), err)
	}
}

// The small world of a transcript: names that collide often.
func (l *ledger) lane() outbox.Lane {
	return outbox.Lane{Workspace: pick(&l.script, []string{"w", "W", "ü 'x'"}), Session: pick(&l.script, []string{"s", "S"})}
}

func (l *ledger) workspace() string { return l.lane().Workspace }
func (l *ledger) owner() string     { return pick(&l.script, []string{"a", "A", "b"}) }
func (l *ledger) token() string     { return fmt.Sprint("t", l.rng.IntN(6)) }

// moment is zero, one of few times, or in the far future.
func (l *ledger) moment() time.Time {
	switch l.rng.IntN(8) {
	case 0:
		return time.Time{}
	case 1:
		return moment(1_000_000 + l.rng.Int64N(3))
	}
	return moment(l.rng.Int64N(40))
}

// fresh is a time that no other record has.
func (l *ledger) fresh() time.Time { l.clock++; return moment(l.clock) }

// entry is any sound entry of a lane.
func (l *ledger) entry(lane outbox.Lane, id string) outbox.Entry {
	e := prompt(lane, id)
	e.Text = fmt.Sprintf("text %d ü\x00\n", l.rng.IntN(1000))
	e.Status = pick(&l.script, statuses())
	if e.Status == outbox.StatusParked {
		e.ParkedFrom, e.ParkedError, e.Reason = pick(&l.script, statuses()[:4]), l.lastError(), "ü"
	}
	if l.rng.IntN(3) == 0 {
		e.SendToken = l.token()
	}
	e.Model = pick(&l.script, [][]byte{nil, []byte("1"), []byte(`{"a":"<ü>"}`)})
	e.LastError, e.Unknown = l.lastError(), l.rng.IntN(2) == 0
	e.Attempts, e.FailedNo, e.VerifyAttempts, e.TransientFails = l.rng.IntN(5), l.rng.IntN(5), l.rng.IntN(5), l.rng.IntN(5)
	e.AttemptNo = e.FailedNo + l.rng.IntN(2)
	e.AcceptedAt = moment(l.rng.Int64N(40))
	e.LastAttemptAt, e.NextAttemptAt, e.PriorSince = l.moment(), l.moment(), l.moment()
	e.Deliverer, e.PeerID = pick(&l.script, []string{"", "exec"}), pick(&l.script, []string{"", "msg_1"})
	return e
}

// change does one random change that keeps the conditions of the contract.
func (l *ledger) change(w storage.LaneWriter, lane outbox.Lane) {
	heads := one(w.Heads())
	switch n := l.rng.IntN(12); {
	case n < 4 || len(heads) == 0:
		l.insert(w, lane)
	case n < 7:
		e := l.entry(lane, pick(&l.script, heads).ID)
		e.ClientMessageID = found(w.Entry(e.ID)).ClientMessageID
		textless := l.rng.IntN(2) == 0
		l.note("put %v %s", textless, entryLine(e))
		done(w.Put(e, textless))
	case n < 8:
		l.remove(w, pick(&l.script, heads).ID)
	case n < 9:
		l.finish(w, pick(&l.script, heads).ID)
	case n < 11:
		lease := outbox.Lease{
			Token: l.token(), Owner: l.owner(), Acquired: l.moment(), Until: l.moment(), Renewals: l.small(), EntryID: heads[0].ID,
			Length: time.Duration(l.rng.IntN(4000)-999) * time.Millisecond,
		}
		l.note("put lease %+v", lease)
		done(w.PutLease(lease))
	default:
		l.note("drop lease")
		done(w.DropLease())
	}
}

func (l *ledger) insert(w storage.LaneWriter, lane outbox.Lane) {
	l.made++
	e := l.entry(lane, fmt.Sprintf("ob_%03d", l.made*37%1000))
	if l.rng.IntN(2) == 0 {
		e.ClientMessageID = pick(&l.script, ids())
		record := dedupe(lane, e.ClientMessageID, e.ID)
		record.AcceptedAt = l.fresh()
		l.note("put dedupe %+v", record)
		done(w.PutDedupe(record))
	}
	l.note("insert %s", entryLine(e))
	done(w.Insert(e))
}

func (l *ledger) remove(w storage.LaneWriter, id string) {
	final := pick(&l.script, []string{outbox.StatusDelivered, outbox.StatusDismissed})
	l.note("remove %s, %s", id, final)
	done(w.Remove(id, final))
}

// finish leaves a delivered record of an entry.
func (l *ledger) finish(w storage.LaneWriter, id string) {
	record := storage.DeliveredRecord{Entry: bare(*found(w.Entry(id))), At: l.fresh(), HookDone: l.rng.IntN(3) == 0}
	if !record.HookDone && l.rng.IntN(2) == 0 {
		record.HookOwner, record.HookUntil, record.HookRuns = l.owner(), l.moment(), l.rng.IntN(3)
	}
	l.note("delivered %s", recordLine(record))
	l.gone = append(slices.Clip(l.gone), id)
	done(w.PutDelivered(record))
	l.remove(w, id)
}
