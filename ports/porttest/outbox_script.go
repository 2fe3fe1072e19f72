package porttest

import (
	"slices"
	"testing"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// order tells the store one random thing outside of a lane's unit.
func (l *ledger) order(t *testing.T, p *post) {
	t.Helper()
	ctx := t.Context()
	switch l.rng.IntN(12) {
	case 0:
		workspace, hold := l.workspace(), outbox.Hold{Reason: l.lastError(), Since: l.moment()}
		l.note("hold %q %+v", workspace, hold)
		p.must(p.store.Hold(ctx, workspace, hold))
	case 1:
		workspace := l.workspace()
		l.note("release %q", workspace)
		p.must(p.store.Release(ctx, workspace))
	case 2:
		workspace, now := l.workspace(), l.moment()
		l.note("clean %q at %v: %d", workspace, now, answer(p.store.Clean(ctx, workspace, now))(t))
	case 3, 4:
		l.renew(t, p)
	case 5, 6, 7:
		l.claim(t, p)
	case 8, 9:
		id, owner, done, again := l.record(), l.owner(), l.rng.IntN(3) == 0, l.moment()
		l.note("settle %s by %s: %v %v", id, owner, done, again)
		p.must(p.store.SettleHook(ctx, id, owner, done, again))
	case 10:
		before, limit := l.moment(), l.rng.IntN(5)
		l.note("forget %d before %v: %d", limit, before, answer(p.store.Forget(ctx, before, limit))(t))
	case 11:
		add := map[string]int64{"sent": l.small(), l.owner(): 1 - l.small()}
		marks := map[string]int64{"last": l.small()}
		l.note("count %v %v", add, marks)
		p.must(p.store.Count(ctx, add, marks))
	}
}

// record is the id of an entry that was delivered at some time, or of none.
func (l *ledger) record() string { return pick(&l.script, append([]string{"ob_absent"}, l.gone...)) }

// renew renews some leases that stand and some that do not.
func (l *ledger) renew(t *testing.T, p *post) {
	t.Helper()
	var leases []storage.LaneLease
	p.view(func(r storage.OutboxReader) {
		for _, lease := range one(r.Leases()) {
			switch l.rng.IntN(4) {
			case 0:
			case 1:
				lease.Token = l.token()
				leases = append(leases, lease)
			default:
				leases = append(leases, lease)
			}
		}
	})
	until := l.moment()
	lost := answer(p.store.Renew(t.Context(), leases, until))(t)
	slices.Sort(lost)
	l.note("renew %+v until %v: lost %q", leases, until, lost)
}

func (l *ledger) claim(t *testing.T, p *post) {
	t.Helper()
	id, owner, now, until := l.record(), l.owner(), l.moment(), l.moment()
	record, ok, err := p.store.ClaimHook(t.Context(), id, owner, now, until)
	p.must(err)
	line := "nothing"
	if ok {
		line = recordLine(record)
	}
	l.note("claim %s by %s at %v: %s", id, owner, now, line)
}

// question asks a reader one random thing.
func (l *ledger) question(r storage.OutboxReader) {
	switch l.rng.IntN(5) {
	case 0:
		now, beyond := moment(l.rng.Int64N(40)), moment(40+l.rng.Int64N(1_000_010))
		l.note("due lanes at %v, beyond %v: %v", now, beyond, dueLines(r, now, beyond))
	case 1, 2:
		l.list(r)
	case 3:
		now, limit := l.moment(), l.rng.IntN(5)
		l.note("hooks at %v up to %d", now, limit)
		for _, record := range hooks(r, now, limit) {
			l.note("  %s", recordLine(record))
		}
	case 4:
		before := l.moment()
		l.note("forgettable before %v: %v", before, one(r.Forgettable(before)))
	}
}

// list asks for entries after one that is there.
func (l *ledger) list(r storage.OutboxReader) {
	query := storage.EntryQuery{Limit: int(l.small()), HeadsOnly: l.rng.IntN(2) == 0}
	if lane := l.lane(); l.rng.IntN(3) > 0 {
		query.Workspace = lane.Workspace
		if l.rng.IntN(2) == 0 {
			query.Session = lane.Session
		}
	}
	query.Status = pick(&l.script, append(statuses(), "", "", "", outbox.StatusUnreadable))
	l.note("list %+v", query)
	if all := entries(r, storage.EntryQuery{HeadsOnly: true}); len(all) > 0 && l.rng.IntN(2) == 0 {
		after := pick(&l.script, all)
		l.note("  after %s", after.ID)
		query.AfterSeq = after.Seq
	}
	for _, e := range entries(r, query) {
		l.note("  %s", entryLine(e))
	}
}
