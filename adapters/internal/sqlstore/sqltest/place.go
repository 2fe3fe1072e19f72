// Package sqltest holds the tests of sqlstore, which need a driver: each driver's
// package runs them in its own test binary, since no binary may hold both. It is
// imported by tests only.
package sqltest

import (
	"context"
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/tundish-go/tundish/adapters/internal/sqlstore"
	"github.com/tundish-go/tundish/ports/storage"
)

// Opener opens a store with the driver under test.
type Opener func(ctx context.Context, path string, opts sqlstore.Options) (*sqlstore.Store, error)

// Place is a path on which stores can be opened, for the conformance suite.
type Place struct {
	opener Opener
	path   string
}

// NewPlace makes a place where no database is, in a folder that is missing too.
func NewPlace(t testing.TB, opener Opener) Place {
	return Place{opener, filepath.Join(t.TempDir(), "state", "tundish.db")}
}

// Open opens a store, which the caller closes.
func (p Place) Open(t testing.TB) storage.Store { return p.store(t, sqlstore.Options{}) }

func (p Place) store(t testing.TB, opts sqlstore.Options) *sqlstore.Store {
	t.Helper()
	if opts.Warn == nil {
		opts.Warn = func(line string) { t.Errorf("unexpected notice: %s", line) }
	}
	store, err := p.opener(t.Context(), p.path, opts)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// Exists tells whether there is a file.
func (p Place) Exists(testing.TB) bool {
	_, err := os.Lstat(p.path)
	return err == nil
}

// Break spoils the rules of a subscription behind the store's back.
func (p Place) Break(t testing.TB, subscription string) {
	t.Helper()
	p.raw(t, "UPDATE subscription SET rules = json_set(rules, '$.from_a_newer_version', 1) WHERE name = '"+subscription+"'")
}

// BreakEntry gives an entry of the outbox a status that does not exist, behind the
// store's back (OUT-12).
func (p Place) BreakEntry(t testing.TB, entryID string) {
	t.Helper()
	p.raw(t, "UPDATE outbox_entry SET status = 'broken' WHERE id = '"+entryID+"'")
}

// raw runs SQL on the file without the store, creating it if need be.
func (p Place) raw(t testing.TB, sql string) {
	t.Helper()
	db := openRaw(t, p.path)
	defer db.Close()
	if _, err := db.ExecContext(context.WithoutCancel(t.Context()), sql); err != nil {
		t.Fatalf("%v in %.200s", err, sql)
	}
}

// ask reads one value from the file without the store.
func (p Place) ask(t testing.TB, query string) string {
	t.Helper()
	return askRaw(t, p.path, query)
}

func askRaw(t testing.TB, path, query string) (answer string) {
	t.Helper()
	db := openRaw(t, path)
	defer db.Close()
	if err := db.QueryRowContext(t.Context(), query).Scan(&answer); err != nil {
		t.Fatalf("%v in %.200s", err, query)
	}
	return answer
}

// openRaw opens the file through database/sql with the driver that the test
// binary holds. Each use has its own connection: a second one could find the
// database locked.
func openRaw(t testing.TB, path string) *sql.DB {
	t.Helper()
	uri := url.URL{Scheme: "file", OmitHost: true, Path: path}
	db, err := sql.Open("sqlite3", uri.String())
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	return db
}
