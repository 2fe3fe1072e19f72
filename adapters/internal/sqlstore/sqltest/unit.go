package sqltest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tundish-go/tundish/adapters/internal/sqlstore"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// testSettings spies on the store's own connection from inside a trigger.
func testSettings(t *testing.T, opener Opener) {
	p := NewPlace(t, opener)
	store := p.store(t, sqlstore.Options{})
	must(t, publish(t.Context(), store))
	p.raw(t, `CREATE TABLE spied (line TEXT);
		CREATE TRIGGER spy AFTER INSERT ON item BEGIN
		  INSERT INTO spied SELECT
		    'synchronous=' || synchronous || ' foreign_keys=' || foreign_keys || ' secure_delete=' || secure_delete
		    || ' journal_mode=' || journal_mode || ' application_id=' || application_id || ' user_version=' || user_version
		  FROM pragma_synchronous, pragma_foreign_keys, pragma_secure_delete,
		    pragma_journal_mode, pragma_application_id, pragma_user_version;
		END`)
	if err := publish(t.Context(), store); err != nil && strings.Contains(err.Error(), "unsafe use") {
		must(t, store.Close())
		t.Skip("this driver lets no trigger look at its settings")
	} else {
		must(t, err)
	}
	must(t, store.Close())
	const want = "synchronous=2 foreign_keys=1 secure_delete=1 journal_mode=wal application_id=1953853028 user_version=2"
	if got := p.ask(t, "SELECT line FROM spied"); got != want {
		t.Errorf("settings are\n%s, want\n%s", got, want)
	}
}

// testLogMode opens what VACUUM made of a database: the same, but with another
// kind of journal.
func testLogMode(t *testing.T, opener Opener) {
	p := NewPlace(t, opener)
	store := p.store(t, sqlstore.Options{})
	must(t, publish(t.Context(), store))
	must(t, store.Close())
	p.raw(t, "PRAGMA journal_mode = DELETE")
	store = p.store(t, sqlstore.Options{})
	if n, err := count(t.Context(), store); n != 1 || err != nil {
		t.Errorf("View: %d, %v", n, err)
	}
	must(t, publish(t.Context(), store))
	must(t, store.Close())
	if got := p.ask(t, "PRAGMA journal_mode"); got != "wal" {
		t.Errorf("journal_mode is %s", got)
	}
}

// endless makes reading a publisher's id, and counting a pull, last for ever.
const endless = `
ALTER TABLE dedupe RENAME TO kept_dedupe;
CREATE VIEW dedupe AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
  SELECT 1 AS queue_id, 'x' AS id, COUNT(*) AS item_id, 0 AS at_ms FROM n;
CREATE TRIGGER slow AFTER INSERT ON counter BEGIN
  SELECT (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n);
END`

// testDeadlineEndsQuery ends a query, and a statement that writes, which SQLite
// answers by rolling back by itself.
func testDeadlineEndsQuery(t *testing.T, opener Opener) {
	p := NewPlace(t, opener)
	store := p.store(t, sqlstore.Options{})
	must(t, publish(t.Context(), store))
	p.raw(t, endless)
	cause := errors.New("time is up")
	for what, try := range map[string]func(ctx context.Context) error{
		"View": func(ctx context.Context) error {
			return store.View(ctx, func(r storage.Reader) error { _, _, err := r.Dedupe("q", "x"); return err })
		},
		"Update": func(ctx context.Context) error {
			return store.Update(ctx, func(w storage.Writer) error {
				if _, err := w.Insert(inbox.Item{Queue: "q", Payload: []byte("1")}); err != nil {
					return err
				}
				_, err := w.NextPull()
				return err
			})
		},
	} {
		ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, cause)
		if err := try(ctx); domain.CodeOf(err) != domain.Deadline || !errors.Is(err, cause) {
			t.Errorf("%s: %v", what, err)
		}
		cancel()
	}
	must(t, publish(t.Context(), store))
	if n, err := count(t.Context(), store); n != 2 || err != nil {
		t.Errorf("afterwards: %d, %v", n, err)
	}
	must(t, store.Close())
}

// testSecureDelete looks for a removed item in the file.
func testSecureDelete(t *testing.T, opener Opener) {
	const secret = "the quick brown fox"
	p := NewPlace(t, opener)
	store := p.store(t, sqlstore.Options{})
	must(t, store.Update(t.Context(), func(w storage.Writer) error {
		for range 3 {
			if _, err := w.Insert(inbox.Item{Queue: "q", Payload: []byte(`"` + secret + `"`)}); err != nil {
				return err
			}
		}
		return nil
	}))
	must(t, store.Close())
	if !strings.Contains(snapshot(t, p.path), secret) {
		t.Error("the item is not in the file to begin with")
	}
	store = p.store(t, sqlstore.Options{})
	must(t, store.Update(t.Context(), func(w storage.Writer) error { return w.Remove("q", []int64{1, 2, 3}) }))
	must(t, store.Close())
	if strings.Contains(snapshot(t, p.path), secret) {
		t.Error("a removed item is still in the file")
	}
}

// testSwallowed has fn hide that SQLite refused a statement.
func testSwallowed(t *testing.T, opener Opener) {
	p := NewPlace(t, opener)
	store := p.store(t, sqlstore.Options{})
	must(t, publish(t.Context(), store))
	p.raw(t, "CREATE TRIGGER refuse BEFORE INSERT ON counter BEGIN SELECT RAISE(ROLLBACK, 'no'); END")
	err := store.Update(t.Context(), func(w storage.Writer) error {
		if _, err := w.NextPull(); err == nil {
			t.Error("NextPull did not fail")
		}
		if _, err := w.Insert(inbox.Item{Queue: "q", Payload: []byte("1")}); err == nil {
			t.Error("Insert after a failure did not fail")
		}
		return nil
	})
	if err == nil {
		t.Error("Update did not fail")
	}
	if n, err := count(t.Context(), store); n != 1 || err != nil {
		t.Errorf("afterwards: %d, %v", n, err)
	}
	must(t, publish(t.Context(), store))
	must(t, store.Close())
}

// testLeave exits with a small log and with a large one.
func testLeave(t *testing.T, opener Opener) {
	p := NewPlace(t, opener)
	run(t, "publish", p.path)
	if info, err := os.Stat(p.path + "-wal"); err != nil || info.Size() == 0 {
		t.Errorf("after a small log: %v, %v", info, err)
	}
	if n, _ := run(t, "read", p.path); n != "1" {
		t.Errorf("the next process reads %s items", n)
	}
	run(t, "publish large", p.path)
	if _, err := os.Stat(p.path + "-wal"); err == nil {
		t.Error("a large log was left")
	}
	if n, _ := run(t, "read", p.path); n != "2" {
		t.Errorf("the last process reads %s items", n)
	}
	store := p.store(t, sqlstore.Options{})
	must(t, store.Leave())
}

// testDamage cuts pages out of the middle of the file.
func testDamage(t *testing.T, opener Opener) {
	p := NewPlace(t, opener)
	store := p.store(t, sqlstore.Options{})
	must(t, store.Update(t.Context(), func(w storage.Writer) error {
		for range 200 {
			if _, err := w.Insert(inbox.Item{Queue: "q", Payload: []byte(`"` + strings.Repeat("x", 2000) + `"`)}); err != nil {
				return err
			}
		}
		return nil
	}))
	must(t, store.Close())
	file, err := os.OpenFile(p.path, os.O_RDWR, 0)
	must(t, err)
	_, err = file.WriteAt(make([]byte, 20*4096), 40*4096)
	must(t, err)
	must(t, file.Close())
	store = p.store(t, sqlstore.Options{})
	findings, err := store.Check(t.Context())
	if len(findings) == 0 && domain.CodeOf(err) != domain.Corrupt {
		t.Errorf("Check: %q, %v", findings, err)
	}
	err = store.View(t.Context(), func(r storage.Reader) error {
		return r.Scan(storage.Scan{Queue: "q"}, func(inbox.Item) (bool, error) { return true, nil })
	})
	refuse(t, "Scan", err, domain.Corrupt)
	must(t, store.Close())
}

func testBrokenRows(t *testing.T, opener Opener) {
	p := NewPlace(t, opener)
	store := p.store(t, sqlstore.Options{})
	must(t, store.Update(t.Context(), func(w storage.Writer) error {
		for _, name := range []string{"sound", "unknown", "bad"} {
			if err := w.PutSubscription(inbox.Subscription{Name: name, Rules: inbox.DefaultRules("q")}); err != nil {
				return err
			}
		}
		return nil
	}))
	must(t, publish(t.Context(), store))
	findings, err := store.Check(t.Context())
	if len(findings) > 0 || err != nil {
		t.Errorf("Check of a sound database: %q, %v", findings, err)
	}
	p.Break(t, "unknown")
	p.raw(t, `UPDATE subscription SET rules = json_set(rules, '$.lease', 0) WHERE name = 'bad';
		UPDATE queue SET kept = 7; PRAGMA foreign_keys = OFF;
		INSERT INTO ack (subscription_id, item_id, owner, at_ms) VALUES (99, 1, 'x', 0)`)
	findings, err = store.Check(t.Context())
	must(t, err)
	for _, want := range []string{`"unknown"`, "from_a_newer_version", `"bad"`, "lease 0", `queue "q"`, "table ack"} {
		if !strings.Contains(strings.Join(findings, "\n"), want) {
			t.Errorf("findings %q lack %s", findings, want)
		}
	}
	if strings.Contains(fmt.Sprint(findings), "sound") {
		t.Errorf("findings %q name the sound one", findings)
	}
	must(t, store.Close())
}
