package sqltest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tundish-go/tundish/adapters/internal/faultdrv"
	"github.com/tundish-go/tundish/adapters/internal/sqlstore"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// schedule has a message wait in queue q.
func schedule(ctx context.Context, store storage.Store) (number int64, err error) {
	err = store.Update(ctx, func(w storage.Writer) error {
		number, err = w.Schedule(inbox.Scheduled{Queue: "q", Payload: []byte("1"), At: 5000})
		return err
	})
	return number, err
}

// testExtras uses what schema 4 added for the first time, in files of all schemas
// before it and in none. What was there stays, and what only reads, or is rolled
// back, adds nothing (TIME-10).
func testExtras(t *testing.T, opener Opener) {
	for _, from := range []string{"none", "2", "3"} {
		p := NewPlace(t, opener)
		if from != "none" {
			writeSchema2(t, p.path)
		}
		store := p.store(t, sqlstore.Options{})
		if from == "none" {
			from = "2"
			must(t, publish(t.Context(), store))
		}
		if from == "3" {
			lane := outbox.Lane{Workspace: "w", Session: "s"}
			must(t, store.UpdateLane(t.Context(), lane, func(storage.LaneWriter) error { return nil }))
		}
		before := dumpInbox(t, p.path)
		must(t, store.View(t.Context(), func(r storage.Reader) error { return lookAtExtras(t, r) }))
		gone := errors.New("rolled back")
		err := store.Update(t.Context(), func(w storage.Writer) error {
			must(t, w.Unschedule([]int64{1}))
			_, err := w.Insert(inbox.Item{Queue: "q", Payload: []byte("1"), ExpiresAt: 5000})
			return errors.Join(gone, err)
		})
		if !errors.Is(err, gone) || p.ask(t, "PRAGMA user_version") != from {
			t.Errorf("from %s: after a roll-back the schema is %s (%v)", from, p.ask(t, "PRAGMA user_version"), err)
		}
		number, err := schedule(t.Context(), store)
		must(t, err)
		must(t, store.Update(t.Context(), func(w storage.Writer) error { return w.Unschedule([]int64{number}) }))
		findings, err := store.Check(t.Context())
		if len(findings) > 0 || err != nil || p.ask(t, "PRAGMA user_version") != "4" {
			t.Errorf("from %s to %s: Check finds %q, %v", from, p.ask(t, "PRAGMA user_version"), findings, err)
		}
		same(t, "the inbox from "+from, dumpInbox(t, p.path), before)
		must(t, publish(t.Context(), store))
		must(t, store.Close())
	}
}

// lookAtExtras asks everything of a reader that schema 4 could answer.
func lookAtExtras(t *testing.T, r storage.Reader) error {
	t.Helper()
	counts, err := r.ScheduledCounts()
	ids, err2 := r.Expired("q", 1<<40, 10)
	expiries, err3 := r.Expiries([]int64{1})
	err4 := r.Scheduled(storage.ScheduleQuery{}, func(inbox.Scheduled) (bool, error) { return false, errors.New("something waits") })
	if len(counts)+len(ids)+len(expiries) > 0 {
		t.Errorf("found %v, %v, %v", counts, ids, expiries)
	}
	return errors.Join(err, err2, err3, err4)
}

// testExtrasRace makes the tables in many processes at once.
func testExtrasRace(t *testing.T, opener Opener) {
	p := NewPlace(t, opener)
	writeSchema2(t, p.path)
	before := dumpInbox(t, p.path)
	race(t, 8, "schedule", p.path)
	if got := p.ask(t, "SELECT COUNT(*) || ' ' || MAX(id) || ' ' || user_version FROM scheduled, pragma_user_version"); got != "8 8 4" {
		t.Errorf("count, number and schema are %s", got)
	}
	p.raw(t, "DELETE FROM scheduled")
	same(t, "the inbox", dumpInbox(t, p.path), before)
}

// testExtrasCut cuts the unit of work that makes the tables short at every operation
// of the driver: what is left is the old schema until the commit, and the new one,
// with the message, from then on.
func testExtrasCut(t *testing.T, f Faulty) {
	want := "2 0"
	for at := 0; ; at++ {
		path := filepath.Join(t.TempDir(), "t.db")
		writeSchema2(t, path)
		plan := faultdrv.New()
		plan.Arm(faultdrv.Fault{At: at, Err: errors.New("something went wrong")})
		store, err := f.open(t.Context(), plan, path, sqlstore.Options{})
		must(t, err)
		_, err = schedule(t.Context(), store)
		plan.Disarm()
		struck := plan.Struck()
		must(t, store.Close())
		got := askRaw(t, path, "PRAGMA user_version") + " 0"
		if got == "4 0" {
			got = fmt.Sprint("4 ", askRaw(t, path, "SELECT COUNT(*) FROM scheduled"))
		}
		wanted := want
		if err == nil && strings.HasPrefix(struck, "close ") {
			wanted = "4 1" // what is closed is done with, and nobody asks
		}
		if struck != "" && got != wanted {
			t.Errorf("%s: schema and messages are %s, want %s (%v)", struck, got, wanted, err)
		}
		if struck == "exec COMMIT" {
			want = "4 1"
		}
		if struck == "" {
			if want != "4 1" || err != nil {
				t.Errorf("the last of %d operations was reached without a commit: %v", at, err)
			}
			return
		}
	}
}
