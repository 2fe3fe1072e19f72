package app_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

// TestRET1_CountWaitsForReaders holds back for positions and open leases of
// bound subscriptions only.
func TestRET1_CountWaitsForReaders(t *testing.T) {
	h := newHouse(t)
	h.limits["q"] = inbox.Retention{MaxItems: 1}
	h.subscribe("s", "w", rules("limit=1"))
	h.subscribe("one", "v", rules("share=one consume=on_ack limit=1"))
	for n := range 3 {
		h.publish("q", fmt.Sprint(n))
	}
	if got := h.ids("q"); !slices.Equal(got, []int64{1, 2, 3}) {
		t.Fatalf("unread items went: %v", got)
	}
	for range 3 {
		h.pull("s", "w")
		h.pull("one", "v")
	}
	h.publish("q", "3")
	if got := h.ids("q"); !slices.Equal(got, []int64{1, 2, 3, 4}) {
		t.Fatalf("leased items went: %v", got)
	}
	_, err := h.Ack(context.Background(), app.Ack{Item: 1, Subscriber: "v", Subscription: "one"})
	h.must(err)
	h.publish("q", "4")
	if got := h.ids("q"); !slices.Equal(got, []int64{2, 3, 4, 5}) {
		t.Fatalf("the acked item stayed, or more went: %v", got)
	}
	h.must(h.Unsubscribe(context.Background(), "s", "w"))
	h.must(h.Unsubscribe(context.Background(), "one", "v"))
	h.publish("q", "5")
	if got := h.ids("q"); !slices.Equal(got, []int64{6}) {
		t.Fatalf("subscriptions without subscribers hold items: %v", got)
	}
}

// TestRET2_AgeCountsLosses counts for each binding what it had not passed, if
// its filter matches and it has not acked it.
func TestRET2_AgeCountsLosses(t *testing.T) {
	h := newHouse(t)
	h.limits["q"] = inbox.Retention{MaxAge: 100}
	even := rules("consume=on_ack limit=1")
	even.Filter = ".payload % 2 == 0"
	h.subscribe("s", "w", even)
	h.subscribe("s", "v", nil)
	h.subscribe("all", "w", rules(""))
	for n := range 6 {
		h.publish("q", fmt.Sprint(n)) // items 1..6 hold 0..5; even ones are 1, 3, 5
	}
	h.pull("s", "w") // passes 1
	_, err := h.Ack(context.Background(), app.Ack{Item: 3, Subscriber: "w", Subscription: "s"})
	h.must(err)
	h.at(1100)
	h.publish("q", "6")
	if got := h.line("s", "w").Counts.Dropped; got != 0 {
		t.Fatalf("an item of exactly the age went: dropped=%d", got)
	}
	h.at(1101)
	h.publish("q", "8")
	for who, want := range map[string]int64{"w": 1, "v": 3} { // w passed 1 and acked 3
		if got := h.line("s", who); got.Counts.Dropped != want || got.Cursor != 6 {
			t.Errorf("%s: dropped=%d cursor=%d, want dropped=%d cursor=6", who, got.Counts.Dropped, got.Cursor, want)
		}
	}
	if got := h.line("all", "w").Counts.Dropped; got != 6 {
		t.Errorf("all: dropped=%d", got)
	}
}

// TestRET2_OnlyWhatIsTooOldGoes publishes with a clock that runs ahead for a
// while, so that ids and ages disagree.
func TestRET2_OnlyWhatIsTooOldGoes(t *testing.T) {
	h := newHouse(t)
	h.limits["q"] = inbox.Retention{MaxAge: 100}
	h.subscribe("s", "w", rules(""))
	h.at(5000)
	h.publish("q", "1") // from the future
	h.at(1000)
	h.publish("q", "2")
	h.at(1101)
	h.publish("q", "3")
	if got := h.ids("q"); !slices.Equal(got, []int64{1, 3}) {
		t.Fatalf("kept %v", got)
	}
	if got := h.line("s", "w"); got.Cursor != 0 || got.Unread != 2 || got.Counts.Dropped != 1 {
		t.Fatalf("%+v", got)
	}
	h.want(h.pull("s", "w"), s(2, 0, 0, 0, 0, 1, 0), "[q#1] 1", "[q#3] 3")
}

// TestRET3_UnboundShareOneCounts loses items that nobody is bound to read, and
// tells whoever binds next.
func TestRET3_UnboundShareOneCounts(t *testing.T) {
	h := newHouse(t)
	h.limits["q"] = inbox.Retention{MaxItems: 1}
	r := rules("share=one consume=on_ack limit=1")
	r.Filter = ".payload != 2"
	h.subscribe("s", "v", r)
	h.publish("q", "1")
	h.pull("s", "v") // item 1 is leased
	h.must(h.Unsubscribe(context.Background(), "s", "v"))
	for n := 2; n <= 4; n++ {
		h.publish("q", fmt.Sprint(n))
	}
	h.subscribe("s", "w", nil)
	h.want(h.pull("s", "w"), s(1, 0, 0, 0, 0, 2, 600), "[q#4] 4") // 1 under its lease, and 3; 2 does not match
}

// TestRET4_AtMostAThousandAtOnce lowers a limit: each publish takes its share of
// what is too much, the oldest first, until nothing is.
func TestRET4_AtMostAThousandAtOnce(t *testing.T) {
	h := newHouse(t)
	h.limits["q"] = inbox.Retention{}
	h.fill("q", 2500)
	h.limits["q"] = inbox.Retention{MaxItems: 10}
	for want := 2500; want > 10; {
		h.publish("q", "0")
		want = max(10, want+1-inbox.Removal(1))
		if got := h.ids("q"); len(got) != want || got[len(got)-1] != got[0]+int64(want)-1 {
			t.Fatalf("%d items from %d, want %d", len(got), got[0], want)
		}
	}
}

// TestRET4_SlowFiltersCountAsDropped has a filter that does not finish: the
// publish goes on, and what was not evaluated counts.
func TestRET4_SlowFiltersCountAsDropped(t *testing.T) {
	synctest.Test(t, slowFilters)
}

func slowFilters(t *testing.T) {
	h := newHouseWith(t, poison{Expressions: newEngine(), item: 2})
	h.limits["q"] = inbox.Retention{MaxAge: 100}
	no := rules("")
	no.Filter = "false"
	h.subscribe("s", "w", no)
	for n := range 4 {
		h.publish("q", fmt.Sprint(n))
	}
	h.at(1101)
	h.publish("q", "4")
	if got := h.line("s", "w").Counts.Dropped; got != 3 { // 1 was evaluated, 2 hung, 3 and 4 were not reached
		t.Fatalf("dropped=%d", got)
	}
}

// TestRET4_AFailingFilterIsNoMatch also covers one that does not compile any
// more.
func TestRET4_AFailingFilterIsNoMatch(t *testing.T) {
	h := newHouse(t)
	h.limits["q"] = inbox.Retention{MaxAge: 100}
	r := rules("")
	r.Filter = ".payload | tonumber"
	h.subscribe("s", "w", r)
	h.publish("q", `"x"`)
	h.publish("q", `"1"`)
	h.at(1101)
	h.publish("q", "4")
	if got := h.line("s", "w").Counts; got.Dropped != 1 || got.Errors != 0 {
		t.Fatalf("%+v", got)
	}
}

// TestPUB3_Dedupe repeats a publish before and after the day, with the item
// removed, and under a clock that was far ahead.
func TestPUB3_Dedupe(t *testing.T) {
	h := newHouse(t)
	h.limits["q"] = inbox.Retention{MaxItems: 1}
	send := func(queue, id string) app.Published {
		t.Helper()
		done, err := h.Publish(context.Background(), app.Message{Queue: queue, Payload: []byte("1"), Dedupe: id})
		h.must(err)
		return done
	}
	day := int64(inbox.DedupeTTL)
	steps := []struct {
		at        int64
		queue, id string
		want      app.Published
	}{
		{1000, "q", "a", app.Published{ID: 1}},
		{1000, "q", "a", app.Published{ID: 1, Duplicate: true}},
		{1000, "r", "a", app.Published{ID: 2}},
		{1000, "q", "b", app.Published{ID: 3}}, // removes item 1
		{999 + day, "q", "a", app.Published{ID: 1, Duplicate: true}},
		{1000 + day, "q", "a", app.Published{ID: 4}}, // a duplicate does not renew the day
		{9 * day, "q", "c", app.Published{ID: 5}},
		{2 * day, "q", "c", app.Published{ID: 6}}, // the clock was wrong: better twice than never
	}
	for i, step := range steps {
		h.at(step.at)
		if got := send(step.queue, step.id); got != step.want {
			t.Fatalf("step %d: got %+v, want %+v", i, got, step.want)
		}
	}
}

// TestPUB3_KeySelector takes keys from payloads.
func TestPUB3_KeySelector(t *testing.T) {
	h := newHouse(t)
	k := "given"
	for _, c := range []struct {
		m    app.Message
		code domain.Code
		want string
	}{
		{app.Message{Payload: []byte(`{"repo":"a/b"}`), KeySelector: ".repo"}, 0, `"a/b"`},
		{app.Message{Payload: []byte(`{}`), KeySelector: ".repo"}, 0, `null`},
		{app.Message{Payload: []byte(`{"repo":7}`), KeySelector: ".repo"}, domain.Expression, ""},
		{app.Message{Payload: []byte(`{"repo":""}`), KeySelector: ".repo"}, domain.Expression, ""},
		{app.Message{Payload: []byte(`{}`), KeySelector: "1, 2"}, domain.Expression, ""},
		{app.Message{Payload: []byte(`{}`), KeySelector: "(("}, domain.Expression, ""},
		{app.Message{Payload: []byte(`{}`), KeySelector: ".x", Key: &k}, domain.Invalid, ""},
	} {
		c.m.Queue = "q"
		done, err := h.Publish(context.Background(), c.m)
		if c.code != 0 {
			h.code(err, c.code)
			continue
		}
		h.must(err)
		view, err := h.Item(context.Background(), done.ID)
		h.must(err)
		if !strings.Contains(string(view.JSON()), `"key":`+c.want) {
			t.Errorf("%s: %s", c.m.Payload, view.JSON())
		}
	}
}

// TestPUB1_RefusedPayloadsStoreNothing also uses up no id.
func TestPUB1_RefusedPayloadsStoreNothing(t *testing.T) {
	h := newHouse(t)
	for _, text := range []string{
		"", "  ", `{"a":1`, "x", `1 2`, `"\ud800"`, "\"\xff\"", strings.Repeat("[", 1001) + strings.Repeat("]", 1001),
		`"` + strings.Repeat("x", app.MaxPayloadBytes) + `"`,
	} {
		_, err := h.Publish(context.Background(), app.Message{Queue: "q", Payload: []byte(text)})
		h.code(err, domain.Payload)
	}
	if id := h.publish("q", strings.Repeat("[", 1000)+strings.Repeat("]", 1000)); id != 1 {
		t.Fatalf("id %d", id)
	}
}

// TestACK1_Outcomes has the cells that need more than one subscriber.
func TestACK1_Outcomes(t *testing.T) {
	h := newHouse(t)
	h.subscribe("s", "w", rules("share=one consume=on_ack lease=10 attempts=1"))
	h.subscribe("s", "v", nil)
	h.publish("q", "1")
	h.publish("q", "2")
	if got := h.ack(2, "v"); !got.NeverPulled || got.Subscription != "s" {
		t.Fatalf("%+v", got)
	}
	h.pull("s", "w")
	_, err := h.Ack(context.Background(), app.Ack{Item: 1, Subscriber: "v"})
	h.code(err, domain.Claimed)
	var claim *inbox.ClaimedError
	if !errors.As(err, &claim) || claim.Outcome() != "leased by w until 1010" {
		t.Fatalf("%v", err)
	}
	h.at(1010)
	if got := h.ack(1, "v"); !got.WasParked || got.NeverPulled {
		t.Fatalf("%+v", got)
	}
	_, err = h.Ack(context.Background(), app.Ack{Item: 1, Subscriber: "w"})
	if !errors.As(err, &claim) || claim.Outcome() != "already acked by v at 1010" {
		t.Fatalf("%v", err)
	}
	if got := h.ack(1, "v"); !got.Repeat {
		t.Fatalf("%+v", got)
	}
}

// TestSTO7_SteppedClocks moves the clock back by years between grant and
// return.
func TestSTO7_SteppedClocks(t *testing.T) {
	h := newHouse(t)
	const year = 365 * 86400
	h.subscribe("s", "w", rules("share=one consume=on_ack lease=100 every=50"))
	h.publish("q", "1")
	h.at(10 * year)
	h.due("w")
	h.at(1000)
	h.want(h.due("w"), s(1, 0, 0, 0, 0, 0, 100), "[q#1] 1") // neither the lease nor next_at hold for ten years
	h.want(h.due("w"))
	h.at(1050)
	h.publish("q", "2")
	h.want(h.due("w"), s(1, 0, 0, 0, 0, 0, 100), "[q#2] 2")
}

// TestSUB_Changes covers what a change of rules does to positions.
func TestSUB_Changes(t *testing.T) {
	h := newHouse(t)
	h.fill("q", 5)
	h.subscribe("s", "w", rules("limit=2"))
	h.subscribe("s", "v", nil)
	h.pull("s", "w")
	done := h.subscribe("s", "w", rules("share=one start=new")) // SUB-2: the lowest position
	if !done.Replaced || !slices.Equal(done.SharedWith, []string{"v"}) || h.line("s", "w").Cursor != 0 {
		t.Fatalf("%+v", done)
	}
	h.pull("s", "v")
	h.subscribe("s", "late", nil) // SUB-4: made under one, stands at the scan
	h.publish("q", "6")
	h.subscribe("s", "w", rules("start=new")) // SUB-2: each the larger of its own and the scan
	for _, who := range []string{"w", "v", "late"} {
		if got := h.line("s", who).Cursor; got != 5 {
			t.Errorf("%s stands at %d", who, got)
		}
	}
	h.publish("r", "7")
	h.pull("s", "w")
	moved := h.subscribe("s", "w", rules("queue=r every=9")) // SUB-3
	if moved.MovedFrom != "q" || moved.Replaced {
		t.Fatalf("%+v", moved)
	}
	if got := h.line("s", "w"); got.Cursor != 0 || got.NextAt != 0 || got.Queue != "r" {
		t.Fatalf("%+v", got)
	}
	h.pull("s", "w")
	h.subscribe("s", "w", nil) // SUB-5: binding again keeps the position
	if got := h.line("s", "w").Cursor; got != 7 {
		t.Fatalf("cursor %d", got)
	}
}

// TestCMD3_BadExpressionsStoreNothing leaves the old rules in place.
func TestCMD3_BadExpressionsStoreNothing(t *testing.T) {
	h := newHouse(t)
	h.subscribe("s", "w", rules("limit=5"))
	bad := rules("limit=6")
	bad.Filter = "(("
	_, err := h.Subscribe(context.Background(), app.Subscribe{Name: "s", Subscriber: "w", Rules: bad})
	h.code(err, domain.Expression)
	if !strings.Contains(err.Error(), "((") || !strings.Contains(err.Error(), "filter") {
		t.Fatalf("the message names neither flag nor expression: %v", err)
	}
	if got := h.subscribe("s", "w", nil).Rules.Limit; got != 5 {
		t.Fatalf("limit %d", got)
	}
}
