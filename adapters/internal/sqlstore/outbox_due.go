package sqlstore

import (
	"cmp"
	"math"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// Entries that wait, those without a time and those with one, of lanes without a
// lease: a page of them after a place, and through a time.
const (
	selectReady = `
SELECT accepted_ms, seq, workspace, session FROM outbox_entry AS e
WHERE waits = 1 AND next_ms = ` + noTime + ` AND (accepted_ms, seq) > (?, ?) AND accepted_ms <= ?` + leaseless + `
ORDER BY accepted_ms, seq LIMIT ? + 0`
	selectDue = `
SELECT next_ms, seq, workspace, session FROM outbox_entry AS e
WHERE waits = 1 AND next_ms <> ` + noTime + ` AND (next_ms, seq) > (?, ?) AND next_ms <= ?` + leaseless + `
ORDER BY next_ms, seq LIMIT ? + 0`
	leaseless = `
  AND NOT EXISTS (SELECT 1 FROM outbox_lane AS l WHERE l.workspace = e.workspace AND l.session = e.session)`
)

// minDuePage is how many due entries are read together at first: those of the lanes
// that a worker wants, mostly. Each page is twice as long as the one before, because
// SQLite finds the time where a page begins, but not the place among many entries
// of one millisecond.
const minDuePage = 64

// DueLanes implements [storage.OutboxReader]. It reads little more than it hands
// over: there may be many entries that are due, and few places for them.
func (r *outboxReader) DueLanes(now, beyond time.Time, yield func(storage.DueLane) bool) error {
	queues := []*dueQueue{
		{query: selectReady, last: dueEntry{since: math.MinInt64}, through: math.MaxInt64},
		{query: selectDue, last: dueEntry{since: math.MinInt64}, through: outboxMS(now)},
		{query: selectDue, last: dueEntry{since: outboxMS(beyond), seq: math.MaxInt64}, through: math.MaxInt64},
	}
	seen := map[outbox.Lane]bool{}
	for {
		e, ok, err := r.nextDue(queues)
		if err != nil || !ok {
			return err
		}
		if seen[e.lane] {
			continue
		}
		if sound, err := r.sound(e.seq); err != nil {
			return err
		} else if !sound {
			continue // the lane may have another entry that is due
		}
		seen[e.lane] = true
		if !yield(storage.DueLane{Lane: e.lane, Since: outboxTime(e.since)}) {
			return nil
		}
	}
}

// dueEntry is a due entry's place in the order in which lanes are taken.
type dueEntry struct {
	since, seq int64
	lane       outbox.Lane
}

func (e dueEntry) compare(other dueEntry) int {
	return cmp.Or(cmp.Compare(e.since, other.since), cmp.Compare(e.seq, other.seq))
}

// dueQueue is due entries in order, read page by page.
type dueQueue struct {
	query   string
	last    dueEntry // the last one that was read
	through int64
	page    []dueEntry
	size    int  // of the page that was read last; zero for none
	over    bool // there is no page after that one
}

// nextDue takes the entry that waits longest from the queues.
func (r *outboxReader) nextDue(queues []*dueQueue) (e dueEntry, ok bool, err error) {
	var from *dueQueue
	for _, q := range queues {
		if err := r.fill(q); err != nil {
			return dueEntry{}, false, err
		}
		if len(q.page) > 0 && (from == nil || q.page[0].compare(from.page[0]) < 0) {
			from = q
		}
	}
	if from == nil {
		return dueEntry{}, false, nil
	}
	e, from.page = from.page[0], from.page[1:]
	return e, true, nil
}

// fill reads the next page of a queue that has run dry.
func (r *outboxReader) fill(q *dueQueue) error {
	if q.over || len(q.page) > 0 {
		return nil
	}
	q.page, q.size = nil, max(2*q.size, minDuePage)
	var e dueEntry
	err := r.t.each(q.query, []any{q.last.since, q.last.seq, q.through, q.size}, func() {
		q.page = append(q.page, e)
	}, &e.since, &e.seq, &e.lane.Workspace, &e.lane.Session)
	q.last, q.over = e, len(q.page) < q.size
	return err
}

// sound tells whether an entry that is listed as waiting can be read and does.
func (r *outboxReader) sound(seq int64) (bool, error) {
	var row entryRow
	ok, err := r.t.row("SELECT "+entryHead+" FROM outbox_entry WHERE seq = ?", []any{seq}, row.head()...)
	return ok && row.entry.Check() == nil && row.entry.Waits(), err
}
