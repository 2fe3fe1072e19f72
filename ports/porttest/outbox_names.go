package porttest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// testEntryLong stores texts of the longest length in letters of every width.
func testEntryLong(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	var want []outbox.Entry
	for i, letter := range []string{"x", "é", "—", "👋", "\n", "'", "\x01", "\x00"} {
		e := prompt(home(), fmt.Sprint("ob_", i))
		e.Text = strings.Repeat(letter, outbox.MaxTextBytes/len(letter))
		e.Model = []byte(`"` + strings.Repeat("m", outbox.MaxModelBytes-2) + `"`)
		want = append(want, e)
	}
	p.insert(want...)
	p.deliver(receipt(everythingLong(home()), moment(1)))
	p.reopen()
	p.lane(home(), func(w storage.LaneWriter) {
		for _, e := range want {
			if got := bare(*found(w.Entry(e.ID))); got.Text != e.Text || string(got.Model) != string(e.Model) {
				t.Errorf("%s came back with %d and %d bytes, beginning with %.20q", e.ID, len(got.Text), len(got.Model), got.Text)
			}
		}
	})
	p.view(func(r storage.OutboxReader) {
		same(t, "delivered", hooks(r, moment(1), 1), []storage.DeliveredRecord{receipt(everythingLong(home()), moment(1))})
		for i, e := range entries(r, storage.EntryQuery{}) {
			if e.Text != want[i].Text {
				t.Errorf("%s is listed with another text", e.ID)
			}
		}
	})
}

func everythingLong(lane outbox.Lane) outbox.Entry {
	e := everything(lane, "ob_long")
	e.Text = strings.Repeat("ü", outbox.MaxTextBytes/2)
	return e
}

// laneNames are names that are easily mixed up or misread.
func laneNames() []string {
	return []string{
		"w", "W", " w", "w ", "ü 'x'", "u\u0308 'x'", `"`, "%", "_", "w%", `\`, "--;", "👋", "1", "01", "1.0", "NULL", "ob_1", "a/b", "a:b", "a", "b",
		strings.Repeat("é", 127),
	}
}

func testEntryNames(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	names := laneNames()
	n := len(names)
	lanes := make([]outbox.Lane, n)
	for i, name := range names {
		lanes[i] = outbox.Lane{Workspace: name, Session: names[(i+1)%n]}
		p.lane(lanes[i], func(w storage.LaneWriter) {
			e := prompt(lanes[i], fmt.Sprint("ob_", i))
			e.ClientMessageID, e.UserID = name, name
			done(w.Insert(e))
			done(w.PutDedupe(dedupe(lanes[i], name, e.ID)))
			done(w.PutLease(turn(name)))
		})
		p.must(p.store.Hold(t.Context(), name, outbox.Hold{Reason: name, Since: moment(0)}))
	}
	p.reopen()
	for i, name := range names {
		p.lane(lanes[i], func(w storage.LaneWriter) {
			same(t, "heads", idsIn(one(w.Heads())), []string{fmt.Sprint("ob_", i)})
			same(t, "lease", found(w.Lease()).Token, name)
			same(t, "hold", found(w.WorkspaceHold()).Reason, name)
			for _, other := range names {
				if record := found(w.Dedupe(other)); (record != nil) != (other == name) {
					t.Errorf("in %q dedupe record %q: %v", lanes[i], other, record)
				}
			}
		})
		p.view(func(r storage.OutboxReader) {
			list := entries(r, storage.EntryQuery{Workspace: name})
			same(t, "in the workspace", idsIn(list), []string{fmt.Sprint("ob_", i)})
			same(t, "names", []string{list[0].ClientMessageID, list[0].UserID, list[0].SessionID}, []string{name, name, lanes[i].Session})
			same(t, "in the lane", len(entries(r, storage.EntryQuery{Workspace: name, Session: lanes[i].Session})), 1)
			same(t, "in no lane", len(entries(r, storage.EntryQuery{Workspace: name, Session: name})), 0)
		})
	}
	p.view(func(r storage.OutboxReader) { same(t, "leases", len(one(r.Leases())), n) })
}
