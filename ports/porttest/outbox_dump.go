package porttest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// dump writes down all that a store answers, a line a fact. It calls every
// method of the readers.
func (p *post) dump() string {
	p.t.Helper()
	var lines []string
	var lanes []outbox.Lane
	p.view(func(r storage.OutboxReader) {
		lines = overview(r)
		lanes = append(neighbours(), home())
		for _, e := range entries(r, storage.EntryQuery{HeadsOnly: true}) {
			if !slices.Contains(lanes, e.Lane()) {
				lanes = append(lanes, e.Lane())
			}
		}
	})
	for _, lane := range lanes {
		var answers []string
		p.lane(lane, func(w storage.LaneWriter) { answers = interior(w) })
		for _, line := range answers {
			lines = append(lines, fmt.Sprintf("%q %s", lane, line))
		}
	}
	return strings.Join(lines, "\n")
}

// overview is all that a reader answers.
func overview(r storage.OutboxReader) []string {
	d := &outboxDump{}
	workspaces := map[string]bool{"w": true, "W": true, "x": true}
	for _, e := range entries(r, storage.EntryQuery{}) {
		d.note("entry %s", entryLine(e))
		workspaces[e.WorkspaceID] = true
	}
	for _, l := range one(r.Leases()) {
		d.note("lease %+v", l)
	}
	for _, workspace := range slices.Sorted(maps.Keys(workspaces)) {
		d.note("hold of %q: %s", workspace, maybe(heldIn(r, workspace)))
	}
	for _, record := range hooks(r, moment(1<<40), 1000) {
		d.note("hook %s", recordLine(record))
	}
	for _, line := range dueLines(r, moment(50), moment(1<<40)) {
		d.note("due lane %s", line)
	}
	for _, ms := range []int64{0, 21, 33, 1 << 40} {
		d.note("forgettable before %d: %v", ms, one(r.Forgettable(moment(ms))))
	}
	d.note("figures %v", figures(r))
	return d.lines
}

// interior is all that is to be read of a lane.
func interior(w storage.LaneReader) []string {
	d := &outboxDump{}
	d.note("lease %s", maybe(found(w.Lease())))
	for _, e := range one(w.Heads()) {
		d.note("head %s", entryLine(e))
		if whole := found(w.Entry(e.ID)); whole == nil {
			d.note("no entry %s", e.ID)
		} else {
			d.note("whole %s", entryLine(*whole))
		}
	}
	d.note("held %d", one(w.Held()))
	for _, id := range append(ids(), "ü 'd'", "new") {
		d.note("dedupe %q %s", id, maybe(found(w.Dedupe(id))))
	}
	d.note("hold %s", maybe(found(w.WorkspaceHold())))
	return d.lines
}

type outboxDump struct{ lines []string }

func (d *outboxDump) note(format string, args ...any) {
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

// maybe is what was found as a line.
func maybe[T any](row *T) string {
	if row == nil {
		return "none"
	}
	return fmt.Sprintf("%+v", *row)
}

// entryLine is an entry as a line, without what the store counts.
func entryLine(e outbox.Entry) string {
	model := e.Model
	e.Model = nil
	if e.Status == outbox.StatusUnreadable { // how much can be read is left open
		return fmt.Sprintf("%s %q unreadable", e.ID, e.Lane())
	}
	return fmt.Sprintf("%+v model %s", bareEntry(bare(e)), model)
}

// bareEntry is an entry without the method that JSON is written with.
type bareEntry outbox.Entry

func recordLine(record storage.DeliveredRecord) string {
	line := entryLine(record.Entry)
	record.Entry = outbox.Entry{}
	return fmt.Sprintf("%v %v %q %v %d of %s", record.At, record.HookDone, record.HookOwner, record.HookUntil, record.HookRuns, line)
}

// dueLines lists due lanes in their order, and demands that those come first that
// wait longest.
func dueLines(r storage.OutboxReader, now, beyond time.Time) []string {
	var lines []string
	var last time.Time
	done(r.DueLanes(now, beyond, func(l storage.DueLane) bool {
		if l.Since.Before(last) {
			fail(cause("due lanes are not in order"))
		}
		last = l.Since
		lines = append(lines, fmt.Sprintf("%s %q", l.Since.Format("2006-01-02T15:04:05.000"), l.Lane))
		return true
	}))
	return lines
}

// figures are the counts and marks that are not zero.
func figures(r storage.OutboxReader) map[string]int64 {
	all := maps.Clone(one(r.Figures()))
	maps.DeleteFunc(all, func(_ string, n int64) bool { return n == 0 })
	return all
}
