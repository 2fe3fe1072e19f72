package app_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tundish-go/tundish/adapters/payload"
	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports"
	"github.com/tundish-go/tundish/ports/storage"
)

// hooked is a store around which a test does something of its own, once each:
// just before the next change waits for the write lock, and as soon as it has it.
// With writer set, changes see the store through that.
type hooked struct {
	storage.Store
	before, locked func()
	writer         func(storage.Writer) storage.Writer
}

// hook puts a hooked store below the house's own.
func (h *house) hook() *hooked {
	s := &hooked{Store: h.store.Store}
	h.store.Store = s
	return s
}

func (s *hooked) Update(ctx context.Context, fn func(storage.Writer) error) error {
	once(&s.before)
	return s.Store.Update(ctx, func(tx storage.Writer) error {
		once(&s.locked)
		if s.writer != nil {
			tx = s.writer(tx)
		}
		return fn(tx)
	})
}

func once(do *func()) {
	if now := *do; now != nil {
		*do = nil
		now()
	}
}

// late is a clock whose seconds are nearly over.
type late struct{ *clock }

func (c late) Now() time.Time { return c.clock.Now().Add(time.Second - time.Nanosecond) }

// OBJ-0.1: an item, its ack, a lease and a due time, each in the last moment of
// a second.
func TestOBJ0_TimesAreCutToSeconds(t *testing.T) {
	h := newHouse(t)
	var err error
	h.Inbox, err = app.New(app.Options{Store: h.store, Clock: late{h.clock}, Expressions: newEngine(), Payloads: payload.New()})
	h.must(err)
	h.subscribe("s", "w", rules("share=one consume=on_ack lease=60 every=30"))
	h.subscribe("s", "v", nil)
	h.publish("q", "1")
	h.pull("s", "w")
	h.at(1059)
	_, err = h.Ack(context.Background(), app.Ack{Item: 1, Subscriber: "v"})
	h.code(err, domain.Claimed)
	h.at(1060)
	h.ack(1, "v")
	view, err := h.Item(context.Background(), 1)
	h.must(err)
	if view.CreatedAt != 1000 || view.Acks[0].At != 1060 || h.line("s", "w").NextAt != 1030 {
		t.Errorf("%s, next_at %d", view.JSON(), h.line("s", "w").NextAt)
	}
}

// OBJ-0.2: the clock moves on while a change waits for the lock.
func TestOBJ0_TheClockIsReadUnderTheLock(t *testing.T) {
	h := newHouse(t)
	store := h.hook()
	h.subscribe("s", "w", rules("share=one consume=on_ack lease=60 every=30"))
	store.locked = func() { h.at(2000) }
	h.publish("q", "1")
	store.locked = func() { h.at(3000) }
	h.pull("s", "w")
	if got := h.line("s", "w").NextAt; got != 3030 {
		t.Errorf("next_at %d", got)
	}
	h.must(store.View(context.Background(), func(r storage.Reader) error {
		lease, _, err := r.Lease("s", 1)
		if lease.Granted != 3000 || lease.Until != 3060 {
			t.Errorf("%+v", lease)
		}
		return err
	}))
	store.locked = func() { h.at(4000) }
	h.ack(1, "w")
	view, err := h.Item(context.Background(), 1)
	h.must(err)
	if view.CreatedAt != 2000 || view.Acks[0].At != 4000 {
		t.Errorf("%s", view.JSON())
	}
}

// stuck is a writer that removes nothing.
type stuck struct{ storage.Writer }

func (stuck) Remove(string, []int64) error { return errors.New("stuck") }

// CMD-0.3: retention that fails takes the new item with it.
func TestCMD0_InsertAndRetentionAreOneTransaction(t *testing.T) {
	h := newHouse(t)
	store := h.hook()
	h.limits["q"] = inbox.Retention{MaxItems: 1}
	h.publish("q", "1")
	store.writer = func(tx storage.Writer) storage.Writer { return stuck{tx} }
	if _, err := h.Publish(context.Background(), app.Message{Queue: "q", Payload: []byte("2")}); err == nil {
		t.Fatal("retention failed, and the publish did not")
	}
	if got := h.ids("q"); !slices.Equal(got, []int64{1}) {
		t.Fatalf("kept %v", got)
	}
	store.writer = nil
	before := h.store.updates.Load()
	if id := h.publish("q", "3"); id != 2 || !slices.Equal(h.ids("q"), []int64{2}) {
		t.Fatalf("id %d, kept %v", id, h.ids("q"))
	}
	if n := h.store.updates.Load() - before; n != 1 {
		t.Errorf("%d transactions", n)
	}
}

// choosy is an engine that no longer takes one filter.
type choosy struct {
	ports.Expressions
	refused *string
}

func (c choosy) Filter(text string) (ports.Matcher, error) {
	if text == *c.refused {
		return nil, &ports.CompileError{Text: text, Offset: -1, Reason: "out of fashion"}
	}
	return c.Expressions.Filter(text)
}

// CMD-0.16, STO-5.9: rules that do not compile any more, and rules that cannot
// be read.
func TestCMD0_CheckNamesRulesThatCannotBeUsed(t *testing.T) {
	var refused string
	h := newHouseWith(t, choosy{newEngine(), &refused})
	for _, name := range []string{"fine", "old", "torn"} {
		r := rules("")
		r.Filter = ".id > 0 and " + strconv.Quote(name) + " != null"
		h.subscribe(name, "w", r)
	}
	check := func() []string {
		findings, err := h.Check(context.Background())
		h.must(err)
		return findings
	}
	if got := check(); len(got) != 0 {
		t.Fatalf("findings %q", got)
	}
	refused = `.id > 0 and "old" != null`
	h.must(h.place.Break("torn", "unknown field colour"))
	got := check()
	if len(got) != 2 || !strings.Contains(got[0], `"torn"`) || !strings.Contains(got[0], "colour") ||
		!strings.Contains(got[1], `"old"`) || !strings.Contains(got[1], "out of fashion") {
		t.Errorf("findings %q", got)
	}
}

// CMD-1.7: not even the parking that it shows.
func TestCMD1_StatusWritesNothing(t *testing.T) {
	h := newHouse(t)
	h.subscribe("s", "w", rules("share=one consume=on_ack lease=10 attempts=1"))
	h.publish("q", "1")
	h.pull("s", "w")
	h.at(1010)
	before := h.store.updates.Load()
	if got := h.line("s", "w").Counts.Parked; got != 1 {
		t.Errorf("parked=%d", got)
	}
	if n := h.store.updates.Load() - before; n != 0 {
		t.Errorf("%d write transactions", n)
	}
	h.want(h.pull("s", "w"), s(0, 0, 0, 1, 0, 0, 0))
}

// CFG-2.6
func TestCFG2_AnUnlistedQueueKeepsTenThousand(t *testing.T) {
	h := newHouse(t)
	var err error
	h.Inbox, err = app.New(app.Options{Store: h.store, Clock: h.clock, Expressions: newEngine(), Payloads: payload.New()})
	h.must(err)
	h.fill("q", 10000)
	h.at(1000 + inbox.MaxDuration)
	if got := h.ids("q"); len(got) != 10000 {
		t.Fatalf("%d items of 10000", len(got))
	}
	h.publish("q", "0")
	if got := h.ids("q"); len(got) != 10000 || got[0] != 2 {
		t.Errorf("%d items from %d", len(got), got[0])
	}
}

// PUB-1.7: to the byte.
func TestPUB1_APayloadHasItsLargestSize(t *testing.T) {
	h := newHouse(t)
	text := func(size int) []byte { return []byte(`"` + strings.Repeat("x", size-2) + `"`) }
	const most = 16 << 20
	_, err := h.Publish(context.Background(), app.Message{Queue: "q", Payload: text(most + 1)})
	h.code(err, domain.Payload)
	if !strings.Contains(err.Error(), strconv.Itoa(most+1)) {
		t.Errorf("the message does not tell the size: %v", err)
	}
	done, err := h.Publish(context.Background(), app.Message{Queue: "q", Payload: text(most)})
	h.must(err)
	if done.ID != 1 {
		t.Errorf("id %d", done.ID)
	}
}

// PUB-3.10, RET-4.6: a batch removes as much as one publish.
func TestPUB3_ABatchIsOnePublish(t *testing.T) {
	h := newHouse(t)
	h.limits["q"] = inbox.Retention{}
	h.fill("q", 1500)
	h.limits["q"] = inbox.Retention{MaxItems: 1}
	h.fill("q", 3)
	if got, gone := h.ids("q"), inbox.Removal(3); len(got) != 1503-gone || got[0] != int64(gone)+1 {
		t.Errorf("%d items from %d", len(got), got[0])
	}
}

// PUB-3.13
func TestPUB3_BatchesTakeNoDedupe(t *testing.T) {
	h := newHouse(t)
	var drafts []app.Draft
	for _, id := range []string{"", "d"} {
		draft, err := h.Prepare(context.Background(), app.Message{Queue: "q", Payload: []byte("1"), Dedupe: id})
		h.must(err)
		drafts = append(drafts, draft)
	}
	_, err := h.PublishAll(context.Background(), "q", drafts)
	h.code(err, domain.Invalid)
	if got := h.ids("q"); len(got) != 0 {
		t.Errorf("stored %v", got)
	}
}

// RET-4.3: a subscriber reads what was about to be removed while its filter is
// asked.
func TestRET4_ThePlanIsCheckedUnderTheLock(t *testing.T) {
	var h *house
	var meanwhile func()
	h = newHouseWith(t, poison{Expressions: newEngine(), calls: func() { once(&meanwhile) }})
	h.limits["q"] = inbox.Retention{MaxAge: 100}
	r := rules("")
	r.Filter = "true"
	h.subscribe("s", "w", r)
	h.subscribe("s", "v", nil)
	h.publish("q", "1")
	h.publish("q", "2")
	h.at(1101)
	meanwhile = func() { h.want(h.pull("s", "w"), s(2, 0, 0, 0, 0, 0, 0), "[q#1] 1", "[q#2] 2") }
	h.publish("q", "3")
	if meanwhile != nil {
		t.Fatal("no filter was asked")
	}
	for who, want := range map[string]int64{"w": 0, "v": 2} {
		if got := h.line("s", who); got.Counts.Dropped != want || got.Cursor != 2 {
			t.Errorf("%s: %+v, want dropped=%d", who, got, want)
		}
	}
}

// tally is a writer that counts the rows that it hands over.
type tally struct {
	storage.Writer
	rows *int
}

func (t tally) Scan(scan storage.Scan, yield func(inbox.Item) (bool, error)) error {
	return t.Writer.Scan(scan, func(item inbox.Item) (bool, error) { *t.rows++; return yield(item) })
}

func (t tally) Older(queue string, before int64, limit int) ([]inbox.Head, error) {
	heads, err := t.Writer.Older(queue, before, limit)
	*t.rows += len(heads)
	return heads, err
}

func (t tally) Acks(items []int64) ([]inbox.Ack, error) {
	*t.rows += len(items)
	return t.Writer.Acks(items)
}

func (t tally) LeasesOn(items []int64) ([]inbox.Lease, error) {
	*t.rows += len(items)
	return t.Writer.LeasesOn(items)
}

func (t tally) Claimed(subscription string, after, through int64) ([]int64, error) {
	ids, err := t.Writer.Claimed(subscription, after, through)
	*t.rows += len(ids)
	return ids, err
}

// RET-4.7: a publish that removes the two oldest items, beside readers of both
// kinds.
func TestRET4_APublishReadsNoMoreOfALongQueue(t *testing.T) {
	read := map[int]int{}
	for _, length := range []int{1000, 9000} {
		h := newHouse(t)
		h.limits["q"] = inbox.Retention{}
		h.fill("q", length)
		h.subscribe("all", "w", rules("start=new consume=on_ack"))
		h.subscribe("one", "w", rules("start=new share=one consume=on_ack"))
		h.publish("q", "0")
		h.due("w")
		h.limits["q"] = inbox.Retention{MaxItems: int64(length), MaxAge: 100}
		rows := 0
		h.hook().writer = func(tx storage.Writer) storage.Writer { return tally{tx, &rows} }
		h.publish("q", "0")
		if got := h.ids("q"); got[0] != 3 || len(got) != length {
			t.Fatalf("%d items from %d", len(got), got[0])
		}
		read[length] = rows
	}
	if read[1000] != read[9000] || read[1000] == 0 {
		t.Errorf("rows read: %s", fmt.Sprint(read))
	}
}

// PULL-6.4: the clock steps back behind each change, so that only what it has
// recorded still shows that the lease had ended.
func TestPULL6_EveryChangeRecordsWhatIsParked(t *testing.T) {
	for name, act := range map[string]func(h *house){
		"ack":         func(h *house) { h.ack(2, "v") },
		"pull":        func(h *house) { h.pull("s", "v") },
		"rules":       func(h *house) { h.subscribe("s", "v", rules("share=one consume=on_ack lease=10 attempts=1 every=1")) },
		"unsubscribe": func(h *house) { h.must(h.Unsubscribe(context.Background(), "s", "v")) },
		"retention": func(h *house) {
			h.limits["q"] = inbox.Retention{MaxItems: 1}
			h.publish("q", "3")
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			h.subscribe("s", "w", rules("share=one consume=on_ack lease=10 attempts=1 limit=1"))
			h.subscribe("s", "v", nil)
			h.publish("q", "1")
			h.publish("q", "2")
			h.pull("s", "w")
			h.at(1010)
			act(h)
			h.at(1009)
			h.must(h.store.View(context.Background(), func(r storage.Reader) error {
				parked, err := r.CountLeases("s", storage.LeaseQuery{State: storage.ParkedLease})
				if gone := h.ids("q")[0] == 2; gone == (name != "retention") || parked == 0 != gone {
					t.Errorf("%d items are parked, of %v", parked, h.ids("q"))
				}
				return err
			}))
			if got := status(h.pull("s", "w")); name != "pull" && !strings.Contains(got, " parked=1 ") {
				t.Errorf("the next pull says %q", got)
			}
		})
	}
}
