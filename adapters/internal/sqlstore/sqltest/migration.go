package sqltest

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tundish-go/tundish/adapters/internal/faultdrv"
	"github.com/tundish-go/tundish/adapters/internal/sqlstore"
	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// schema2 is a database of tundish 0.2.0, whose schema had no outbox;
// testdata/schema-2.sh made it.
//
//go:embed testdata/schema-2.db
var schema2 []byte

// writeSchema2 puts that database at a path.
func writeSchema2(t *testing.T, path string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, schema2, 0o600))
}

// dumpTables reads all rows of the tables whose name begins so, or does not.
func dumpTables(ctx context.Context, t testing.TB, path, prefix string, with bool) string {
	t.Helper()
	db := openRaw(t, path)
	defer db.Close()
	read := func(query string) (lines []string) {
		rows, err := db.QueryContext(ctx, query)
		if err != nil {
			t.Fatalf("%v in %s", err, query)
		}
		defer rows.Close()
		columns, err := rows.Columns()
		for err == nil && rows.Next() {
			values, dest := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				dest[i] = &values[i]
			}
			err = rows.Scan(dest...)
			lines = append(lines, fmt.Sprintf("%q", values))
		}
		if err := errors.Join(err, rows.Err()); err != nil {
			t.Fatalf("%v in %s", err, query)
		}
		return lines
	}
	var all strings.Builder
	for _, line := range read("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'sqlite_sequence' ORDER BY name") {
		name := strings.Trim(line, `[]"`)
		if strings.HasPrefix(name, prefix) != with {
			continue
		}
		if rows := read("SELECT * FROM " + name); len(rows) > 0 { // an empty table is as good as none
			fmt.Fprintf(&all, "%s\n\t%s\n", name, strings.Join(rows, "\n\t"))
		}
	}
	return all.String()
}

// dumpInbox reads what a database of schema 2 can hold.
func dumpInbox(t testing.TB, path string) string {
	t.Helper()
	return dumpTables(t.Context(), t, path, "outbox_", false)
}

// testMigration opens a database of schema 2 in every way. Only what stores
// something in the outbox makes its tables.
func testMigration(t *testing.T, opener Opener) {
	lane := outbox.Lane{Workspace: "w", Session: "s"}
	type way struct {
		open func(*sqlstore.Store) error
		want string // the schema afterwards
	}
	for name, w := range map[string]way{
		"View":   {func(s *sqlstore.Store) error { return s.View(t.Context(), func(storage.Reader) error { return nil }) }, "2"},
		"Update": {func(s *sqlstore.Store) error { return s.Update(t.Context(), func(storage.Writer) error { return nil }) }, "2"},
		"ViewOutbox": {func(s *sqlstore.Store) error {
			return s.ViewOutbox(t.Context(), func(storage.OutboxReader) error { return nil })
		}, "2"},
		"Release": {func(s *sqlstore.Store) error { return s.Release(t.Context(), "w") }, "2"},
		"UpdateLane": {func(s *sqlstore.Store) error {
			return s.UpdateLane(t.Context(), lane, func(storage.LaneWriter) error { return nil })
		}, "3"},
	} {
		p := NewPlace(t, opener)
		writeSchema2(t, p.path)
		before := dumpInbox(t, p.path)
		store := p.store(t, sqlstore.Options{})
		must(t, w.open(store))
		findings, err := store.Check(t.Context())
		if len(findings) > 0 || err != nil {
			t.Errorf("Check after %s: %q, %v", name, findings, err)
		}
		if version := p.ask(t, "PRAGMA user_version"); version != w.want {
			t.Errorf("after %s the schema is %s, want %s", name, version, w.want)
		}
		same(t, "the inbox after "+name, dumpInbox(t, p.path), before)
		entry := outbox.Entry{ID: "ob_1", WorkspaceID: "w", SessionID: "s", Status: outbox.StatusPending, Text: "hello"}
		must(t, store.UpdateLane(t.Context(), lane, func(w storage.LaneWriter) error { return w.Insert(entry) }))
		must(t, publish(t.Context(), store))
		must(t, store.Close())
		if got := p.ask(t, "SELECT text FROM outbox_entry") + p.ask(t, "SELECT MAX(id) FROM item"); got != "hello13" {
			t.Errorf("afterwards %s holds %s", name, got)
		}
	}
}

// testMigrationRace migrates in many processes at once.
func testMigrationRace(t *testing.T, opener Opener) {
	p := NewPlace(t, opener)
	writeSchema2(t, p.path)
	before := dumpInbox(t, p.path)
	race(t, 8, "accept", p.path)
	if got := p.ask(t, "SELECT COUNT(*) || ' ' || user_version FROM outbox_entry, pragma_user_version"); got != "8 3" {
		t.Errorf("count and schema are %s", got)
	}
	same(t, "the inbox", dumpInbox(t, p.path), before)
}

// testMigrationCut cuts the migration short at every operation of the driver: what
// is left is the old schema until the commit, and the new one from then on.
func testMigrationCut(t *testing.T, f Faulty) {
	want := "2"
	for at := 0; ; at++ {
		path := filepath.Join(t.TempDir(), "t.db")
		writeSchema2(t, path)
		before := dumpInbox(t, path)
		plan := faultdrv.New()
		plan.Arm(faultdrv.Fault{At: at, Err: errors.New("something went wrong")})
		store, err := f.open(t.Context(), plan, path, sqlstore.Options{})
		must(t, err)
		err = store.UpdateLane(t.Context(), outbox.Lane{Workspace: "w", Session: "s"}, func(storage.LaneWriter) error { return nil })
		plan.Disarm()
		struck := plan.Struck()
		must(t, store.Close())
		if version := askRaw(t, path, "PRAGMA user_version"); struck != "" && version != want {
			t.Errorf("%s: the schema is %s, want %s (%v)", struck, version, want, err)
		}
		same(t, struck, dumpInbox(t, path), before)
		if struck == "exec COMMIT" {
			want = "3"
		}
		if struck == "" {
			if want != "3" || err != nil {
				t.Errorf("the last of %d operations was reached without a commit: %v", at, err)
			}
			return
		}
	}
}

// migrate is the first use of the outbox in a database of schema 2.
func migrate(t *testing.T) step {
	path := filepath.Join(t.TempDir(), "t.db")
	writeSchema2(t, path)
	before := dumpInbox(t, path)
	return step{
		name: "migrate", first: true,
		run: func(ctx context.Context, sc *scene) error {
			return sc.store.UpdateLane(ctx, outbox.Lane{Workspace: "w", Session: "s"}, func(storage.LaneWriter) error { return nil })
		},
		verify: func(sc *scene) {
			findings, err := sc.store.Check(sc.Context())
			sc.must("check", err)
			if len(findings) > 0 || dumpInbox(sc, sc.path) != before {
				sc.fault("check finds %q in %s", findings, dumpInbox(sc, sc.path))
			}
		},
	}
}
