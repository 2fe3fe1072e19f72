package sqltest

import (
	"context"
	"database/sql/driver"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tundish-go/tundish/adapters/internal/sqlstore"
	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// RunPlans has all statements of the outbox run and asks SQLite how it finds their
// rows: by an index, and in order without sorting (OUT-3).
func RunPlans(t *testing.T, d sqlstore.Driver) {
	seen := &statements{texts: map[string]bool{}}
	inner := d.Connector
	d.Connector = func(path string) (driver.Connector, error) {
		made, err := inner(path)
		return listener{made, seen}, err
	}
	p := NewPlace(t, func(ctx context.Context, path string, opts sqlstore.Options) (*sqlstore.Store, error) {
		return sqlstore.Open(ctx, d, path, opts)
	})
	store := p.store(t, sqlstore.Options{})
	for _, step := range pushing() {
		sc := &scene{T: t, path: p.path, store: store, ledger: newLedger()}
		must(t, step.run(t.Context(), sc))
	}
	must(t, store.ViewOutbox(t.Context(), func(r storage.OutboxReader) error {
		for _, q := range pages() {
			if _, err := r.Entries(q); err != nil {
				return err
			}
		}
		return nil
	}))
	must(t, store.Close())
	n := 0
	for _, text := range slices.Sorted(maps.Keys(seen.texts)) {
		if strings.Contains(text, "outbox_") && !strings.HasPrefix(text, "CREATE") && !strings.HasPrefix(text, "INSERT") {
			checkPlan(t, p, text)
			n++
		}
	}
	if n < 30 {
		t.Errorf("only %d statements", n)
	}
}

// pages are all kinds of a page of entries.
func pages() (all []storage.EntryQuery) {
	for _, status := range []string{"", outbox.StatusError} {
		all = append(all,
			storage.EntryQuery{Status: status, Limit: 9},
			storage.EntryQuery{Workspace: "w", Status: status, Limit: 9},
			storage.EntryQuery{Workspace: "w", Session: "s", Status: status, Limit: 9})
	}
	return all
}

// checkPlan refuses a plan that looks at rows in vain. Cleaning up a workspace,
// which a person does now and then, looks at all delivered records; status counts
// all entries; and what lists a table in full may do so.
func checkPlan(t *testing.T, p Place, text string) {
	t.Helper()
	whole := !strings.Contains(text, "WHERE")
	clean := text == "DELETE FROM outbox_delivered WHERE workspace = ?"
	hooks := strings.Contains(text, "hook_until_ms <= ? ORDER BY") // few are due at a time
	check := strings.Contains(text, "SELECT client_message_id, ")  // of Check, which reads everything
	for _, line := range plan(t, p, text) {
		scan := strings.HasPrefix(line, "SCAN") && line != "SCAN CONSTANT ROW"
		sort := strings.Contains(line, "TEMP B-TREE")
		if scan && !whole && !clean && !check || sort && !whole && !hooks {
			t.Errorf("%s\n\t%s", text, line)
		}
	}
}

// plan is what SQLite means to do.
func plan(t *testing.T, p Place, text string) (lines []string) {
	t.Helper()
	db := openRaw(t, p.path)
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+text, make([]any, strings.Count(text, "?"))...)
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		var id, parent, unused int
		var line string
		must(t, rows.Scan(&id, &parent, &unused, &line))
		lines = append(lines, line)
	}
	must(t, rows.Err())
	return lines
}

// statements collects what was prepared.
type statements struct{ texts map[string]bool }

// listener is a connector whose connections tell what they prepare.
type listener struct {
	driver.Connector
	seen *statements
}

// Connect implements [driver.Connector].
func (l listener) Connect(ctx context.Context) (driver.Conn, error) {
	made, err := l.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	whole, ok := made.(preparer)
	if !ok {
		return nil, fmt.Errorf("connections of %T cannot be listened to", made)
	}
	return listened{whole, l.seen}, nil
}

// preparer is what the connections of both drivers can do and the store needs.
type preparer interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.ExecerContext
}

// listened is such a connection.
type listened struct {
	preparer
	seen *statements
}

// PrepareContext implements [driver.ConnPrepareContext].
func (l listened) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	l.seen.texts[strings.TrimSpace(query)] = true
	return l.preparer.PrepareContext(ctx, query)
}
