package sqltest

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tundish-go/tundish/adapters/internal/sqlstore"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// held is the hold that tests restore with.
func held() outbox.Hold { return outbox.Hold{Reason: "test", Since: time.UnixMilli(5000)} }

// testRestore restores under the eyes of stores that are open, one of them in the
// middle of a snapshot.
func testRestore(t *testing.T, opener Opener) {
	p := NewPlace(t, opener)
	store, other := p.store(t, sqlstore.Options{}), p.store(t, sqlstore.Options{})
	publishN(t, store, 2)
	_, err := store.Backup(t.Context(), p.beside("b.db"), false)
	must(t, err)
	publishN(t, store, 3)
	var done storage.Restored
	must(t, other.View(t.Context(), func(r storage.Reader) error {
		if n, err := r.Count("q"); n != 5 || err != nil {
			t.Errorf("the snapshot has %d items, %v", n, err)
		}
		if done, err = store.Restore(t.Context(), p.beside("b.db"), held()); err != nil {
			return err
		}
		n, err := r.Count("q")
		if n != 5 {
			t.Errorf("the snapshot has changed to %d items", n)
		}
		return err
	}))
	if want := strings.TrimSuffix(p.path, ".db") + ".before-restore.db"; done.Items != 2 || done.Kept != want || done.Held != 0 {
		t.Errorf("%+v, want the former self in %s", done, want)
	}
	for _, s := range []*sqlstore.Store{store, other} {
		if n, err := count(t.Context(), s); n != 2 || err != nil {
			t.Errorf("a store that was open sees %d items, %v", n, err)
		}
	}
	must(t, other.Update(t.Context(), func(w storage.Writer) error {
		id, err := w.Insert(inbox.Item{Queue: "q", Payload: []byte("1")})
		if id != 6 {
			t.Errorf("OBJ-1: the next id is %d, want 6", id)
		}
		return err
	}))
	kept := Place{opener, done.Kept}
	for name, place := range map[string]Place{"kept": kept, "restored": p} {
		if findings, err := check(t.Context(), place); err != nil || len(findings) > 0 {
			t.Errorf("%s: %q, %v", name, findings, err)
		}
	}
	former := kept.store(t, sqlstore.Options{})
	if n, err := count(t.Context(), former); n != 5 || err != nil {
		t.Errorf("the former self has %d items, %v", n, err)
	}
	must(t, former.Close())
	must(t, store.Close())
	must(t, other.Close())
}

// testRestoreOutbox restores entries that wait, and one that is parked.
func testRestoreOutbox(t *testing.T, opener Opener) {
	p := NewPlace(t, opener)
	store := p.store(t, sqlstore.Options{})
	for workspace, status := range map[string]string{"a": outbox.StatusPending, "b": outbox.StatusParked, "c": outbox.StatusVerifying} {
		lane := outbox.Lane{Workspace: workspace, Session: "s"}
		must(t, store.UpdateLane(t.Context(), lane, func(w storage.LaneWriter) error {
			entry := outbox.Entry{ID: "ob_" + workspace, WorkspaceID: workspace, SessionID: "s", Status: status}
			if status == outbox.StatusParked {
				entry.ParkedFrom = outbox.StatusPending
			}
			return w.Insert(entry)
		}))
	}
	must(t, store.Hold(t.Context(), "c", outbox.Hold{Reason: "mine"}))
	_, err := store.Backup(t.Context(), p.beside("b.db"), false)
	must(t, err)
	inboxOnly := p.another("n.db").store(t, sqlstore.Options{})
	publishN(t, inboxOnly, 1) // a schema in which there is no outbox
	done, err := inboxOnly.Restore(t.Context(), p.beside("b.db"), held())
	must(t, err)
	if done.Held != 1 || done.Items != 0 {
		t.Errorf("%+v", done)
	}
	must(t, inboxOnly.ViewOutbox(t.Context(), func(r storage.OutboxReader) error {
		holds, err := r.Holds()
		want := []string{"a test", "c mine"}
		var got []string
		for _, h := range holds {
			got = append(got, h.Workspace+" "+h.Reason)
		}
		if !slices.Equal(got, want) {
			t.Errorf("held are %q, want %q", got, want)
		}
		return err
	}))
	must(t, store.Close())
	must(t, inboxOnly.Close())
}

// testRestoreRefused tries to restore what is no backup.
func testRestoreRefused(t *testing.T, opener Opener) {
	p := NewPlace(t, opener)
	store := p.store(t, sqlstore.Options{})
	publishN(t, store, 1)
	_, err := store.Backup(t.Context(), p.beside("b.db"), false)
	must(t, err)
	content, err := os.ReadFile(p.beside("b.db"))
	must(t, err)
	write := func(name string, content []byte) Place {
		must(t, os.WriteFile(p.beside(name), content, 0o600))
		return p.another(name)
	}
	write("text", []byte("a text that is long enough to be no database at all"))
	write("cut", content[:len(content)/2])
	write("spoilt", content).raw(t, "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'lease'")
	write("miscounted", content).raw(t, "UPDATE queue SET kept = 9")
	write("newer", content).raw(t, "PRAGMA user_version = 99")
	p.another("foreign").raw(t, "CREATE TABLE t (x)")
	write("empty", nil)
	before := snapshot(t, filepath.Dir(p.path))
	for name, code := range map[string]domain.Code{
		"text": domain.Foreign, "cut": domain.Corrupt, "spoilt": domain.Corrupt, "miscounted": domain.Corrupt,
		"newer": domain.Newer, "foreign": domain.Foreign, "empty": domain.NotFound, "absent": domain.NotFound,
	} {
		_, err := store.Restore(t.Context(), p.beside(name), held())
		refuse(t, name, err, code, name)
	}
	_, err = store.Restore(t.Context(), p.path, held())
	refuse(t, "itself", err, domain.Invalid, "itself")
	if after := snapshot(t, filepath.Dir(p.path)); after != before {
		t.Errorf("the folder of the database was\n%s\nand is\n%s", before, after)
	}
	must(t, store.Close())
}

// testRestoreOld restores a database of the old program, which stays as it is.
func testRestoreOld(t *testing.T, opener Opener) {
	p, old := NewPlace(t, opener), oldPlace(t, opener)
	want := old.ask(t, "SELECT COUNT(*) FROM items")
	before := snapshot(t, old.path)
	store := p.store(t, sqlstore.Options{})
	done, err := store.Restore(t.Context(), old.path, held())
	must(t, err)
	if strconv.FormatInt(done.Items, 10) != want || done.Kept != "" || snapshot(t, old.path) != before {
		t.Errorf("%+v, want %s items", done, want)
	}
	must(t, publish(t.Context(), store))
	must(t, store.Close())
	if findings, err := check(t.Context(), p); err != nil || len(findings) > 0 {
		t.Errorf("%q, %v", findings, err)
	}
	entries, err := os.ReadDir(filepath.Dir(p.path))
	must(t, err)
	if len(entries) != 1 {
		t.Errorf("there are %v, want the database alone", entries)
	}
}
