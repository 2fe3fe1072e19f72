package sqltest

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tundish-go/tundish/adapters/internal/sqlstore"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports"
	"github.com/tundish-go/tundish/ports/storage"
)

// old is a database of the old program as SQL; testdata/old-0.1.2.sh made it.
//
//go:embed testdata/old-0.1.2.sql
var old string

// oldPlace makes a place with a database of the old program, in WAL mode as it
// kept it.
func oldPlace(t *testing.T, opener Opener) Place {
	t.Helper()
	p := NewPlace(t, opener)
	must(t, os.Mkdir(filepath.Dir(p.path), 0o700))
	must(t, os.WriteFile(p.path, nil, 0o600))
	p.raw(t, "PRAGMA journal_mode = WAL;"+old)
	return p
}

// copyPath is where the copy of the old file goes.
func (p Place) copyPath() string { return strings.TrimSuffix(p.path, ".db") + ".old-0.1.2.db" }

// notices collects what a store has to say.
type notices []string

func (n *notices) options() sqlstore.Options {
	return sqlstore.Options{Warn: func(line string) { *n = append(*n, line) }}
}

func testTakeOver(t *testing.T, opener Opener) {
	p := oldPlace(t, opener)
	before := dumpOld(t, p.path)
	var told notices
	store := p.store(t, told.options())
	must(t, store.View(t.Context(), func(r storage.Reader) error { checkCarried(t, r); return nil }))
	if len(told) != 1 || !strings.Contains(told[0], p.path) || !strings.Contains(told[0], p.copyPath()) {
		t.Errorf("told %q", told)
	}
	findings, err := store.Check(t.Context())
	if len(findings) > 0 || err != nil {
		t.Errorf("Check: %q, %v", findings, err)
	}
	// OBJ-1: the highest id was given in a queue that is empty.
	must(t, store.Update(t.Context(), func(w storage.Writer) error {
		id, err := w.Insert(inbox.Item{Queue: "q", Payload: []byte("1"), CreatedAt: 2000})
		if id != 14 {
			t.Errorf("the next id is %d", id)
		}
		return err
	}))
	must(t, store.Close())
	if got := mode(t, p.copyPath()); got != 0o600 {
		t.Errorf("the copy has mode %v", got)
	}
	if diff := cmp.Diff(before, dumpOld(t, p.copyPath())); diff != "" {
		t.Errorf("the copy differs:\n%s", diff)
	}
	if left := p.ask(t, "SELECT COUNT(*) FROM sqlite_schema WHERE name IN ('items', 'subscribers', 'acks')"); left != "0" {
		t.Errorf("%s old tables are left", left)
	}
	if _, err := os.Stat(p.path + ".old-0.1.2.part"); err == nil {
		t.Error("a part of a copy is left")
	}
}

// dumpOld reads all that an old database holds.
func dumpOld(t *testing.T, path string) (all []string) {
	t.Helper()
	for _, query := range []string{
		"SELECT json_group_array(json_array(id, queue, key, payload, created_at)) FROM items",
		"SELECT json_group_array(json_array(name, queue, rules, scan, dropped, errors, parked, last_error)) FROM subscriptions",
		"SELECT json_group_array(json_array(subscription, subscriber, origin, cursor, next_at, dropped, errors, last_error)) FROM subscribers",
		"SELECT json_group_array(json_array(subscription, item, owner, acked_at)) FROM acks",
		"SELECT json_group_array(json_array(subscription, item, owner, expires_at, attempts, parked)) FROM leases",
		"SELECT json_group_array(json_array(name, seq)) FROM sqlite_sequence",
		"PRAGMA user_version",
	} {
		all = append(all, askRaw(t, path, query))
	}
	return all
}

// checkCarried compares with what the script stored.
func checkCarried(t *testing.T, r storage.Reader) {
	t.Helper()
	key := "k]1"
	same(t, "queues", ignore(t)(r.Queues()), []inbox.QueueCount{{Queue: "jobs", Count: 4}, {Queue: "odd]queue", Count: 1}, {Queue: "q", Count: 5}})
	var items []inbox.Item
	must(t, r.Scan(storage.Scan{Queue: "q"}, func(item inbox.Item) (bool, error) { items = append(items, item); return true, nil }))
	same(t, "items", items, []inbox.Item{
		{ID: 1, Queue: "q", Key: &key, Payload: []byte(`{"n":1}`), CreatedAt: 1000},
		{ID: 2, Queue: "q", Payload: []byte("{\"n\":2,\"text\":\"über \u202e\"}"), CreatedAt: 1001},
		{ID: 3, Queue: "q", Payload: []byte(`{"n":3}`), CreatedAt: 1002},
		{ID: 5, Queue: "q", Payload: []byte(`{"n":4}`), CreatedAt: 1007},
		{ID: 6, Queue: "q", Payload: []byte(`[]`), CreatedAt: 1008},
	})
	same(t, "count after", ignore(t)(r.CountAfter("q", 2)), int64(3))
	rules := inbox.DefaultRules("jobs")
	rules.Limit, rules.Consume, rules.Share, rules.Lease, rules.MaxAttempts = 1, inbox.OnAck, inbox.One, 100, 1
	work, _, err := r.Subscription("work")
	must(t, err)
	same(t, "work", work, inbox.Subscription{Name: "work", Rules: rules, Scan: 9})
	ann, err := r.BoundBy("ann")
	must(t, err)
	var bindings []inbox.Binding
	for _, bound := range ann {
		bindings = append(bindings, bound.Binding)
	}
	same(t, "bindings", bindings, []inbox.Binding{
		{Subscription: "all", Subscriber: "ann", Position: 3, NextAt: 1005},
		{Subscription: "even", Subscriber: "ann", Position: 6, NextAt: 1069, LastError: `expression: cannot index [] with "n"`},
		{Subscription: "lost", Subscriber: "ann", Position: 12, Unreported: inbox.Counts{Dropped: 2}},
	})
	same(t, "acks", ignore(t)(r.Acks([]int64{1, 3, 8})), []inbox.Ack{
		{Subscription: "all", Item: 3, Owner: "ann", At: 1006}, {Subscription: "work", Item: 8, Owner: "w2", At: 1202},
	})
	same(t, "leases", ignore(t)(r.Leases("work", storage.LeaseQuery{})), []inbox.Lease{
		{Subscription: "work", Item: 7, Owner: "w1", Granted: 1022, Until: 1122, Attempts: 1, Parked: true},
		{Subscription: "work", Item: 9, Owner: "w1", Granted: 1201, Until: 1301, Attempts: 1},
	})
	same(t, "shown to ann", ignore(t)(r.CountShown("all", "ann")), int64(2))
	same(t, "shown to bob", ignore(t)(r.CountShown("all", "bob")), int64(0))
}

func ignore(t *testing.T) func(answer any, err error) any {
	return func(answer any, err error) any {
		t.Helper()
		must(t, err)
		return answer
	}
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s:\n%s", what, diff)
	}
}

// even stands for the one filter of the fixture.
type even struct{ ports.Expressions }

func (e even) Filter(text string) (ports.Matcher, error) {
	if text != ".payload.n % 2 == 0" {
		return nil, errors.New("another filter")
	}
	return e, nil
}

func (even) Match(_ context.Context, doc ports.Document) (bool, error) {
	var payload struct{ N int }
	err := json.Unmarshal(doc.Payload, &payload)
	return payload.N%2 == 0, err
}

func (even) Key() (string, bool) { return "", false }

// testTakeOverFilters counts as the old program did: its next pull of `even`
// would have said unacked=2, for the items 2 and 5.
func testTakeOverFilters(t *testing.T, opener Opener) {
	for want, expressions := range map[int64]ports.Expressions{2: even{}, 5: nil} {
		p := oldPlace(t, opener)
		var told notices
		opts := told.options()
		opts.Expressions = expressions
		store := p.store(t, opts)
		must(t, store.View(t.Context(), func(r storage.Reader) error {
			same(t, "shown", ignore(t)(r.CountShown("even", "ann")), want)
			return nil
		}))
		must(t, store.Close())
	}
}

func testTakeOverRace(t *testing.T, opener Opener) {
	p := oldPlace(t, opener)
	told := 0
	for _, said := range race(t, 20, "publish", p.path) {
		if said != "" {
			told++
		}
	}
	if told != 1 {
		t.Errorf("%d processes took the database over", told)
	}
	if n := p.ask(t, "SELECT COUNT(*) || ' ' || MAX(id) FROM item"); n != "30 33" {
		t.Errorf("count and highest id are %s", n)
	}
	if copies, _ := filepath.Glob(filepath.Dir(p.path) + "/*.old-*"); len(copies) != 1 {
		t.Errorf("copies are %q", copies)
	}
}

// testTakeOverCut ends the time in the middle of the take-over.
func testTakeOverCut(t *testing.T, opener Opener) {
	p := oldPlace(t, opener)
	before := dumpOld(t, p.path)
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("time is up")
	var told notices
	opts := told.options()
	opts.Expressions = cutting{even{}, func() { cancel(cause) }}
	store := p.store(t, opts)
	if _, err := count(ctx, store); !errors.Is(err, cause) {
		t.Errorf("View: %v", err)
	}
	must(t, store.Leave())
	must(t, store.Close())
	same(t, "the database", dumpOld(t, p.path), before)
	if copies, _ := filepath.Glob(filepath.Dir(p.path) + "/*.old-*"); len(copies) != 0 || len(told) != 0 {
		t.Errorf("copies are %q, notices %q", copies, told)
	}
	if n, _ := run(t, "read", p.path); n != "5" {
		t.Errorf("the next process reads %s items", n)
	}
}

// cutting does something in the middle of the take-over.
type cutting struct {
	even
	cut func()
}

func (c cutting) Filter(text string) (ports.Matcher, error) {
	c.cut()
	return c.even.Filter(text)
}

// testTakeOverKilled kills the take-over before and after its commit.
func testTakeOverKilled(t *testing.T, opener Opener) {
	p := oldPlace(t, opener)
	before := dumpOld(t, p.path)
	for range 2 {
		if _, stderr, err := begin(t, "die at the filter", p.path, nil).end(); err == nil {
			t.Fatalf("the process lives: %s", stderr)
		}
		same(t, "the database", dumpOld(t, p.path), before)
	}
	if _, stderr, err := begin(t, "die at the notice", p.path, nil).end(); err == nil {
		t.Fatalf("the process lives: %s", stderr)
	}
	store := p.store(t, sqlstore.Options{})
	must(t, store.View(t.Context(), func(r storage.Reader) error { checkCarried(t, r); return nil }))
	findings, err := store.Check(t.Context())
	if len(findings) > 0 || err != nil {
		t.Errorf("Check: %q, %v", findings, err)
	}
	must(t, store.Close())
	same(t, "the copy", dumpOld(t, p.copyPath()), before)
	if copies, _ := filepath.Glob(filepath.Dir(p.path) + "/*.old-*"); len(copies) != 1 {
		t.Errorf("copies are %q", copies)
	}
}

func testCopies(t *testing.T, opener Opener) {
	p := oldPlace(t, opener)
	must(t, os.WriteFile(p.copyPath(), []byte("precious"), 0o600))
	run(t, "read", p.path)
	if content, err := os.ReadFile(p.copyPath()); string(content) != "precious" || err != nil {
		t.Errorf("the file in the way now holds %.20q, %v", content, err)
	}
	second := strings.TrimSuffix(p.copyPath(), ".db") + "-2.db"
	if n := askRaw(t, second, "SELECT COUNT(*) FROM items"); n != "10" {
		t.Errorf("the copy has %s items", n)
	}
}
