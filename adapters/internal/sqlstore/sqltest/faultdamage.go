package sqltest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tundish-go/tundish/adapters/internal/sqlstore"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// RunDamage spoils databases in many places and demands that Check names each,
// and that no call answers with anything but an error of ours (STO-5).
func RunDamage(t *testing.T, opener Opener) {
	p := damagePlace(t, opener)
	sound, err := os.ReadFile(p.path)
	must(t, err)
	const page = 4096
	for _, what := range []string{"queue", "item", "item_queue", "item_key", "subscription", "binding", "lease", "dedupe",
		"outbox_entry", "outbox_entry_ready", "outbox_entry_due", "outbox_lane", "outbox_dedupe", "outbox_delivered"} {
		t.Run("root of "+what, func(t *testing.T) {
			var root int
			_, err := fmt.Sscan(p.ask(t, "SELECT rootpage FROM sqlite_schema WHERE name = '"+what+"'"), &root)
			must(t, err)
			spoiled := bytes.Clone(sound)
			copy(spoiled[(root-1)*page:], bytes.Repeat([]byte{0xa5}, page))
			spoil(t, opener, spoiled, fmt.Sprintf("page %d:", root), "table "+what+" cannot be read")
		})
	}
	for n := 60; n < len(sound)/page; n += 7 {
		t.Run(fmt.Sprintf("page %d", n), func(t *testing.T) {
			spoiled := bytes.Clone(sound)
			copy(spoiled[(n-1)*page:], bytes.Repeat([]byte{0xa5}, page))
			spoil(t, opener, spoiled, fmt.Sprintf("page %d:", n), "table item cannot be read")
		})
	}
	for _, c := range []struct{ name, sql, finding string }{
		{"table", "DROP TABLE shown", "the table shown is missing"},
		{"index", "DROP INDEX item_created", "the index item_created is missing"},
		{"payload", "UPDATE item SET payload = '{' WHERE id IN (3, 5)", `the queue "q" has 2 items whose payload is not JSON, the first with id 3`},
		{"note", "DELETE FROM ack", "notes without their ack: 1, the first of item 2"},
		{"expiry", "UPDATE expiry SET item_id = 999", "times of expiry without their item: 1, the first of item 999"},
		{"rules", `UPDATE subscription SET rules = json_set(rules, '$.newer', 1)`, `"newer"`},
		{"outbox table", "DROP TABLE outbox_hold", "the table outbox_hold is missing"},
		{"outbox index", "DROP INDEX outbox_entry_due", "the index outbox_entry_due is missing"},
		{"status", "UPDATE outbox_entry SET status = 'new' WHERE id = 'ob_1'", `the outbox entry "ob_1" cannot be read: unknown status "new"`},
		{"model", "UPDATE outbox_entry SET model = '{' WHERE id = 'ob_1'", `the outbox entry "ob_1" cannot be read: the model is not JSON`},
		{"mark", "UPDATE outbox_entry SET waits = 0 WHERE id = 'ob_1'", `the outbox entry "ob_1" is pending and marked otherwise`},
		{"entry", "DELETE FROM outbox_entry WHERE id = 'ob_1'", `the dedupe record "m ob_1" refers to the missing outbox entry "ob_1"`},
		{"dedupe", "UPDATE outbox_dedupe SET final = 'delivered'", `the dedupe record "m ob_1" says that the outbox entry "ob_1" is gone`},
		{"delivered", "UPDATE outbox_delivered SET attempts = -1", `the delivered record of outbox entry "ob_2" cannot be read: impossible counts`},
		{"twice", "UPDATE outbox_delivered SET id = 'ob_1'", `the client message "m ob_1", outbox entry "ob_1", is delivered and there`},
		{"value", `PRAGMA ignore_check_constraints = ON; UPDATE queue SET kept = -1`, `queue "q"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			own := Place{opener, p.path + "-" + c.name}
			must(t, os.WriteFile(own.path, sound, 0o600))
			own.raw(t, c.sql)
			store := own.store(t, sqlstore.Options{})
			findings, err := store.Check(t.Context())
			if err != nil || !strings.Contains(strings.Join(findings, "\n"), c.finding) {
				t.Errorf("Check: %q, %v; want %s", findings, err, c.finding)
			}
			must(t, store.Close())
		})
	}
}

// damagePlace makes a database of some size in one file.
func damagePlace(t *testing.T, opener Opener) Place {
	t.Helper()
	p := NewPlace(t, opener)
	store := p.store(t, sqlstore.Options{})
	must(t, lane(accept("ob_2"))(t.Context(), store))
	must(t, lane(func(w storage.LaneWriter) error { return depart(w, "ob_2") })(t.Context(), store))
	must(t, lane(accept("ob_1"))(t.Context(), store))
	sub := inbox.NewSubscription("s", inbox.DefaultRules("q"), 0)
	must(t, store.Update(t.Context(), func(w storage.Writer) error {
		for n := range 300 {
			key := fmt.Sprint(n)
			item := inbox.Item{Queue: "q", Key: &key, Payload: []byte(`"` + strings.Repeat("x", 600) + `"`), CreatedAt: 1000}
			if n == 0 {
				item.ExpiresAt = 5000
			}
			if _, err := w.Insert(item); err != nil {
				return err
			}
		}
		if err := w.PutSubscription(sub); err != nil {
			return err
		}
		if err := w.PutLease(inbox.Lease{Subscription: "s", Item: 1, Owner: "w", Until: 2000, Attempts: 1}); err != nil {
			return err
		}
		if err := w.PutAck(inbox.Ack{Subscription: "s", Item: 2, Owner: "w", At: 1000, Note: "done"}); err != nil {
			return err
		}
		return w.PutBinding(inbox.NewBinding(sub, "w", 0))
	}))
	must(t, store.Close())
	p.raw(t, "PRAGMA wal_checkpoint(TRUNCATE)")
	return p
}

// spoil puts a damaged file in place and uses it. One of the words must be in
// what Check finds.
func spoil(t *testing.T, opener Opener, content []byte, words ...string) {
	t.Helper()
	p := NewPlace(t, opener)
	p.path = t.TempDir() + "/t.db"
	must(t, os.WriteFile(p.path, content, 0o600))
	store := p.store(t, sqlstore.Options{Warn: func(string) {}})
	findings, err := store.Check(t.Context())
	must(t, err)
	all := strings.Join(findings, "; ")
	named := false
	for _, word := range words {
		named = named || strings.Contains(all, word)
	}
	if !named || strings.Contains(all, "\n") {
		t.Errorf("Check: %q, want one of %q", findings, words)
	}
	for what, use := range uses(t.Context(), store) {
		var text string
		err := use()
		if err != nil {
			text = err.Error()
		}
		if err != nil && (domain.CodeOf(err) != domain.Corrupt || !strings.HasPrefix(text, "cannot ") ||
			!strings.Contains(text, p.path) || strings.Contains(text, "\n") || !strings.Contains(text, "restore a backup")) {
			t.Errorf("%s: %q has code %d", what, text, domain.CodeOf(err))
		}
	}
	_ = store.Close() // which may meet the damage
}

// uses are calls that read most of a database, and one that writes.
func uses(ctx context.Context, store *sqlstore.Store) map[string]func() error {
	view := func(read func(storage.Reader) error) func() error {
		return func() error { return store.View(ctx, read) }
	}
	return map[string]func() error{
		"scan": view(func(r storage.Reader) error {
			return r.Scan(storage.Scan{Queue: "q"}, func(inbox.Item) (bool, error) { return true, nil })
		}),
		"scan of a key": view(func(r storage.Reader) error {
			key := "7"
			return r.Scan(storage.Scan{Queue: "q", Key: &key}, func(inbox.Item) (bool, error) { return true, nil })
		}),
		"bindings":      view(func(r storage.Reader) error { _, err := r.BoundBy("w"); return err }),
		"subscriptions": view(func(r storage.Reader) error { _, err := r.Subscriptions(); return err }),
		"leases":        view(func(r storage.Reader) error { _, err := r.Leases("s", storage.LeaseQuery{}); return err }),
		"queues":        view(func(r storage.Reader) error { _, err := r.Queues(); return err }),
		"dedupe":        view(func(r storage.Reader) error { _, _, err := r.Dedupe("q", "x"); return err }),
		"due lanes": outboxView(ctx, store, func(r storage.OutboxReader) error {
			return r.DueLanes(at(99), at(9999), func(storage.DueLane) bool { return true })
		}),
		"entries": outboxView(ctx, store, func(r storage.OutboxReader) error {
			_, err := r.Entries(storage.EntryQuery{})
			return err
		}),
		"hooks":   outboxView(ctx, store, func(r storage.OutboxReader) error { _, err := r.DueHooks(at(99), 9); return err }),
		"figures": outboxView(ctx, store, func(r storage.OutboxReader) error { _, err := r.Figures(); return err }),
		"accept":  func() error { return lane(accept("ob_9"))(ctx, store) },
		"publish": func() error { return publish(ctx, store) },
	}
}

func outboxView(ctx context.Context, store *sqlstore.Store, read func(storage.OutboxReader) error) func() error {
	return func() error { return store.ViewOutbox(ctx, read) }
}
