package porttest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// post is a place under test with one store of the push half open on it.
type post struct {
	t     *testing.T
	place OutboxPlace
	store OutboxStore
}

// staff makes a fresh post.
func staff(t *testing.T, f OutboxFactory) *post {
	t.Helper()
	p := &post{t: t, place: f(t)}
	p.store = p.place.OpenOutbox(t)
	t.Cleanup(func() { p.close(p.store) })
	return p
}

// another opens one more store for the rest of the test.
func (p *post) another() OutboxStore {
	p.t.Helper()
	store := p.place.OpenOutbox(p.t)
	p.t.Cleanup(func() { p.close(store) })
	return store
}

// reopen puts a new store in place of the post's own.
func (p *post) reopen() {
	p.t.Helper()
	p.close(p.store)
	p.store = p.place.OpenOutbox(p.t)
}

func (p *post) close(store OutboxStore) {
	p.t.Helper()
	if err := store.Close(); err != nil {
		p.t.Errorf("Close: %v", err)
	}
}

// on is the same post with another store in hand.
func (p *post) on(store OutboxStore) *post { return &post{t: p.t, place: p.place, store: store} }

// failed ends the test if something that must not fail did.
func (p *post) failed() {
	p.t.Helper()
	switch f := recover().(type) {
	case nil:
	case failure:
		p.t.Fatalf("%s: %v", f.where, f.err)
	default:
		panic(f)
	}
}

// view runs fn on a snapshot; what fn cannot read ends the test.
func (p *post) view(fn func(storage.OutboxReader)) {
	p.t.Helper()
	defer p.failed()
	if err := p.store.ViewOutbox(p.t.Context(), func(r storage.OutboxReader) error { fn(r); return nil }); err != nil {
		p.t.Fatalf("ViewOutbox: %v", err)
	}
}

// lane commits what fn does; what fn cannot do ends the test.
func (p *post) lane(lane outbox.Lane, fn func(storage.LaneWriter)) {
	p.t.Helper()
	defer p.failed()
	if err := p.store.UpdateLane(p.t.Context(), lane, func(w storage.LaneWriter) error { fn(w); return nil }); err != nil {
		p.t.Fatalf("UpdateLane: %v", err)
	}
}

// refuses demands that a unit fails in which only fn runs, and that nothing of it
// stays.
func (p *post) refuses(what string, lane outbox.Lane, fn func(storage.LaneWriter) error) {
	p.t.Helper()
	before := p.dump()
	if err := p.store.UpdateLane(p.t.Context(), lane, fn); err == nil {
		p.t.Errorf("%s: no error", what)
	}
	same(p.t, "after "+what, p.dump(), before)
}

// must ends the test if a change of the whole store failed.
func (p *post) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// insert stores entries, each in its own lane.
func (p *post) insert(entries ...outbox.Entry) {
	p.t.Helper()
	for _, e := range entries {
		p.lane(e.Lane(), func(w storage.LaneWriter) { done(w.Insert(e)) })
	}
}

// entries lists what a query selects, and demands that the order is that of
// acceptance.
func entries(r storage.OutboxReader, query storage.EntryQuery) []outbox.Entry {
	list := one(r.Entries(query))
	if !slices.IsSortedFunc(list, func(a, b outbox.Entry) int {
		if a.Seq < b.Seq {
			return -1
		}
		return 1
	}) {
		fail(cause("entries are not in order of acceptance"))
	}
	return list
}

// idsIn lists the ids of entries.
func idsIn(entries []outbox.Entry) []string {
	var ids []string
	for _, e := range entries {
		ids = append(ids, e.ID)
	}
	return ids
}

// bare is an entry without what the store counts.
func bare(e outbox.Entry) outbox.Entry {
	e.Seq, e.Version = 0, 0
	return e
}

func bares(entries []outbox.Entry) []outbox.Entry {
	var list []outbox.Entry
	for _, e := range entries {
		list = append(list, bare(e))
	}
	return list
}

// headOf is an entry as heads come.
func headOf(e outbox.Entry) outbox.Entry {
	e.Text, e.Model = "", nil
	return bare(e)
}

// The lane of most tests, and a few that must not be mixed up with it.
func home() outbox.Lane { return outbox.Lane{Workspace: "w", Session: "s"} }

func neighbours() []outbox.Lane {
	return []outbox.Lane{{Workspace: "w", Session: "t"}, {Workspace: "x", Session: "s"}, {Workspace: "W", Session: "s"}, {Workspace: "w", Session: "S"}}
}

// moment is some time, ms milliseconds after noon.
func moment(ms int64) time.Time { return time.UnixMilli(noon*1000 + ms).UTC() }

// prompt is a new entry.
func prompt(lane outbox.Lane, id string) outbox.Entry {
	return outbox.Entry{
		ID: id, WorkspaceID: lane.Workspace, SessionID: lane.Session, UserID: "u",
		Text: "text of " + id, AcceptedAt: moment(1), Status: outbox.StatusPending,
	}
}

// ripe is a new entry with a due time.
func ripe(lane outbox.Lane, id, status string, due time.Time) outbox.Entry {
	e := prompt(lane, id)
	e.Status, e.NextAttemptAt = status, due
	return e
}

// everything is an entry with a value of its own in each field that is stored.
func everything(lane outbox.Lane, id string) outbox.Entry {
	return outbox.Entry{
		ID: id, WorkspaceID: lane.Workspace, SessionID: lane.Session, ClientMessageID: "ü 'd'", UserID: "user \"1\"",
		Text: "line one\nline two — ü 👋\t\"quoted\" \\ %s", Model: []byte(`{"name":"<m>","n":12345678901234567890.10}`),
		AcceptedAt: moment(2), Status: outbox.StatusParked, Reason: "a reason; 'why'", LastError: "failed — ü", Unknown: true,
		Attempts: 3, AttemptNo: 1 << 40, FailedNo: 1<<40 - 1, LastAttemptAt: moment(4), VerifyAttempts: 5, TransientFails: 6,
		NextAttemptAt: moment(7), PriorSince: moment(8), Deliverer: "exec", PeerID: "msg_9",
		ParkedFrom: outbox.StatusVerifying, ParkedError: "before it was parked", SendToken: "token of a send",
	}
}

// turn is a lease with a value of its own in each field.
func turn(token string) outbox.Lease {
	return outbox.Lease{
		Token: token, Owner: "host 'ü' 1", Acquired: moment(10), Until: moment(60_000), Length: 59_990 * time.Millisecond, Renewals: 1 << 40,
		EntryID: "ob_1",
	}
}

func dedupe(lane outbox.Lane, id, entry string) outbox.Dedupe {
	return outbox.Dedupe{Lane: lane, ClientMessageID: id, EntryID: entry, Digest: "digest of " + entry, AcceptedAt: moment(20)}
}

// receipt is a delivered record whose hook waits.
func receipt(e outbox.Entry, at time.Time) storage.DeliveredRecord {
	return storage.DeliveredRecord{Entry: e, At: at}
}

// deliver stores delivered records of entries that are nowhere else.
func (p *post) deliver(records ...storage.DeliveredRecord) {
	p.t.Helper()
	for _, record := range records {
		p.lane(record.Entry.Lane(), func(w storage.LaneWriter) { done(w.PutDelivered(record)) })
	}
}

// hooks lists the records whose hook is due.
func hooks(r storage.OutboxReader, now time.Time, limit int) []storage.DeliveredRecord {
	list := one(r.DueHooks(now, limit))
	for i := range list {
		list[i].Entry = bare(list[i].Entry)
	}
	return list
}

// verbs are all that a store can be told, each with a change that the dump of a
// furnished store shows.
func (p *post) verbs(ctx context.Context) map[string]func() error {
	s := p.store
	return map[string]func() error{
		"UpdateLane": func() error {
			return s.UpdateLane(ctx, home(), func(w storage.LaneWriter) error { return w.Insert(prompt(home(), "ob_new")) })
		},
		"Hold":    func() error { return s.Hold(ctx, "x", outbox.Hold{Reason: "new", Since: moment(5)}) },
		"Release": func() error { return s.Release(ctx, "w") },
		"Clean":   func() error { _, err := s.Clean(ctx, "w", moment(0)); return err },
		"Renew": func() error {
			_, err := s.Renew(ctx, []storage.LaneLease{{Lane: home(), Lease: turn("t1")}}, moment(90_000))
			return err
		},
		"ClaimHook":  func() error { _, _, err := s.ClaimHook(ctx, "ob_gone", "a", moment(0), moment(9)); return err },
		"SettleHook": func() error { return s.SettleHook(ctx, "ob_run", "b", true, moment(0)) },
		"Forget":     func() error { _, err := s.Forget(ctx, moment(1_000_000), 100); return err },
		"Count":      func() error { return s.Count(ctx, map[string]int64{"sent": 2}, map[string]int64{"last": 9}) },
	}
}

// furnish stores something of every kind.
func (p *post) furnish() {
	p.t.Helper()
	p.lane(home(), func(w storage.LaneWriter) {
		done(w.Insert(prompt(home(), "ob_1")))
		done(w.Insert(everything(home(), "ob_2")))
		done(w.PutDedupe(dedupe(home(), "ü 'd'", "ob_2")))
		done(w.Insert(ripe(home(), "ob_3", outbox.StatusVerifying, moment(-5))))
		done(w.PutLease(turn("t1")))
	})
	for i, lane := range neighbours() {
		p.insert(prompt(lane, "ob_n"+string(rune('1'+i))))
	}
	final := dedupe(home(), "e", "ob_old")
	final.Final = outbox.StatusDismissed
	running := receipt(everything(home(), "ob_run"), moment(31))
	running.HookOwner, running.HookUntil, running.HookRuns = "b", moment(500), 3
	ended := receipt(prompt(home(), "ob_done"), moment(32))
	ended.HookDone = true
	p.deliver(receipt(everything(home(), "ob_gone"), moment(30)), running, ended)
	p.lane(home(), func(w storage.LaneWriter) { done(w.PutDedupe(final)) })
	p.must(p.store.Hold(p.t.Context(), "w", outbox.Hold{Reason: "ü 'why'", Since: moment(40)}))
	p.must(p.store.Count(p.t.Context(), map[string]int64{"sent": 1}, map[string]int64{"last": 7}))
}
