package app_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

func (h *house) purge(p app.Purge) app.Purged {
	h.Helper()
	done, err := h.Purge(context.Background(), p)
	h.must(err)
	return done
}

// TestCARE6_Steps: a long queue goes in steps, and what is published between two of
// them stays.
func TestCARE6_Steps(t *testing.T) {
	h := newHouse(t)
	h.fill("q", 2500)
	h.publish("other", "1")
	h.subscribe("s", "w", rules("limit=10"))
	h.pull("s", "w")
	before := h.store.updates.Load()
	var told []int64
	done := h.purge(app.Purge{Queue: "q", Progress: func(items int64) {
		told = append(told, items)
		if items == 1000 {
			h.publish("q", `"meanwhile"`)
		}
	}})
	if done != (app.Purged{Items: 2500}) || !slices.Equal(told, []int64{1000, 2000, 2500}) {
		t.Errorf("purged %+v, told %v", done, told)
	}
	if n := h.store.updates.Load() - before; n != 5 { // three steps, a publish, and a look that nothing is left
		t.Errorf("%d units of work", n)
	}
	if got := h.ids("q"); !slices.Equal(got, []int64{2502}) {
		t.Errorf("left are %v", got)
	}
	if l := h.line("s", "w"); l.Cursor != 2500 || l.Counts.Dropped != 0 || l.Unread != 1 {
		t.Errorf("%+v", l)
	}
	h.want(h.pull("s", "w"), s(1, 0, 0, 0, 0, 0, 0), `[q#2502] "meanwhile"`)
	if got := h.ids("other"); len(got) != 1 {
		t.Errorf("in another queue %v", got)
	}
	if id := h.publish("q", "1"); id != 2503 {
		t.Errorf("OBJ-1: the next id is %d", id)
	}
}

// TestCARE6_Before: only what was created before a time goes, also where ids and
// times disagree, and what waits for its time stays.
func TestCARE6_Before(t *testing.T) {
	h := newHouse(t)
	for _, now := range []int64{1000, 3000, 1500, 2000, 1999} {
		h.at(now)
		h.publish("q", "1")
	}
	h.at(3000)
	h.subscribe("s", "w", rules(""))
	if done := h.purge(app.Purge{Queue: "q", Before: 2000}); done.Items != 3 {
		t.Errorf("purged %+v", done)
	}
	if got := h.ids("q"); !slices.Equal(got, []int64{2, 4}) {
		t.Errorf("left are %v", got)
	}
	// RET-2: the position stands before the first item that is kept.
	if l := h.line("s", "w"); l.Cursor != 1 || l.Unread != 2 {
		t.Errorf("%+v", l)
	}
	if done := h.purge(app.Purge{Queue: "q", Before: 2000}); done != (app.Purged{}) {
		t.Errorf("once more: %+v", done)
	}
}

// TestCARE6_DedupeOfWhatWaits: what was purged before it became an item is no reason
// to take a publish for a duplicate.
func TestCARE6_DedupeOfWhatWaits(t *testing.T) {
	h := newHouse(t)
	m := app.Message{Queue: "q", Payload: []byte("1"), Dedupe: "d", Release: inbox.Moment{In: 10}}
	_, err := h.Publish(context.Background(), m)
	h.must(err)
	if done := h.purge(app.Purge{Queue: "q"}); done != (app.Purged{Scheduled: 1}) {
		t.Errorf("purged %+v", done)
	}
	again, err := h.Publish(context.Background(), m)
	h.must(err)
	if again != (app.Published{Scheduled: 2}) {
		t.Errorf("once more: %+v", again)
	}
}

// TestCARE6_Claims: leases, acks and marks go with the items, what was parked by the
// clock still counts as parked, and nothing as dropped.
func TestCARE6_Claims(t *testing.T) {
	h := newHouse(t)
	for range 3 {
		h.publish("q", "1")
	}
	h.subscribe("s", "w", rules("share=one consume=on_ack lease=10 attempts=1 limit=2"))
	h.pull("s", "w")
	h.at(1020) // both leases have ended, for good
	if done := h.purge(app.Purge{Queue: "q"}); done.Items != 3 {
		t.Errorf("purged %+v", done)
	}
	l := h.line("s", "w")
	if l.Unread != 0 || l.Counts.Dropped != 0 || l.Cursor != 3 {
		t.Errorf("%+v", l)
	}
	h.want(h.pull("s", "w"), s(0, 0, 0, 2, 0, 0, 0))
}

// TestCARE6_Errors: the text of a filter's error may quote an item, and goes with it.
func TestCARE6_Errors(t *testing.T) {
	h := newHouse(t)
	h.publish("q", `"the secret"`)
	r := rules("")
	r.Filter = ".payload + 1"
	h.subscribe("s", "w", r)
	h.pull("s", "w")
	if l := h.line("s", "w"); l.LastError == "" {
		t.Fatal("the filter has not failed")
	}
	h.purge(app.Purge{Queue: "q", Before: 1})
	if l := h.line("s", "w"); l.LastError == "" {
		t.Error("the error is gone with nothing")
	}
	h.purge(app.Purge{Queue: "q"})
	if l := h.line("s", "w"); l.LastError != "" {
		t.Errorf("left is %q", l.LastError)
	}
}

// TestCARE6_Plan: the plan tells what the purge then does, and changes nothing.
func TestCARE6_Plan(t *testing.T) {
	h := newHouse(t)
	h.fill("q", 1200)
	h.subscribe("all", "w", rules("limit=7"))
	h.subscribe("one", "w", rules("share=one consume=on_ack limit=5"))
	h.pull("all", "w")
	h.pull("one", "w")
	if _, err := h.Ack(context.Background(), app.Ack{Item: 2, Subscriber: "w", Subscription: "one"}); err != nil {
		t.Fatal(err)
	}
	plan, err := h.PlanPurge(context.Background(), app.Purge{Queue: "q"})
	h.must(err)
	want := []app.Unread{{Subscription: "all", Subscriber: "w", Items: 1193}, {Subscription: "one", Items: 1195, Leased: 4}}
	if plan.Items != 1200 || plan.Bytes != 2*3693+1200 || !slices.Equal(plan.Unread, want) {
		t.Errorf("%+v", plan)
	}
	updates := h.store.updates.Load()
	if again, err := h.PlanPurge(context.Background(), app.Purge{Queue: "q"}); err != nil || again.Items != plan.Items || h.store.updates.Load() != updates {
		t.Errorf("once more: %+v, %v", again, err)
	}
	if done := h.purge(app.Purge{Queue: "q"}); done != plan.Purged {
		t.Errorf("purged %+v, planned %+v", done, plan.Purged)
	}
}

// TestCARE6_PlanOfLeases: only what somebody holds is leased; what was given back or
// comes again is unread, and what is parked is nobody's loss.
func TestCARE6_PlanOfLeases(t *testing.T) {
	h := newHouse(t)
	h.fill("q", 4)
	h.subscribe("one", "w", rules("share=one consume=on_ack lease=10 attempts=2 limit=3"))
	h.pull("one", "w")
	if _, err := h.Nack(context.Background(), app.Nack{Items: []int64{3}, Subscriber: "w", Subscription: "one", Delay: 60}); err != nil {
		t.Fatal(err)
	}
	plan := func() []app.Unread {
		t.Helper()
		plan, err := h.PlanPurge(context.Background(), app.Purge{Queue: "q"})
		h.must(err)
		return plan.Unread
	}
	want := func(unread, leased int64) {
		t.Helper()
		if got := plan(); !slices.Equal(got, []app.Unread{{Subscription: "one", Items: unread, Leased: leased}}) {
			t.Errorf("%+v", got)
		}
	}
	want(2, 2)
	h.at(1015) // both leases have ended, and have an attempt left
	want(4, 0)
	h.pull("one", "w")
	want(1, 3)
	h.at(1030) // the last leases of 1 and 2, and the first one of 4
	want(2, 0)
}

// TestCARE6_Stopped: a purge whose time is over tells what is gone by then.
func TestCARE6_Stopped(t *testing.T) {
	h := newHouse(t)
	h.fill("q", 1500)
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	done, err := h.Purge(ctx, app.Purge{Queue: "q", Progress: func(int64) { cancel(cause) }})
	if !errors.Is(err, cause) || done.Items != 1000 || len(h.ids("q")) != 500 {
		t.Errorf("%+v, %v", done, err)
	}
}

func TestCARE5_Delete(t *testing.T) {
	h := newHouse(t)
	for range 3 {
		h.publish("q", "1")
	}
	h.subscribe("s", "w", rules("consume=on_ack"))
	h.subscribe("s", "v", nil)
	h.subscribe("kept", "w", rules(""))
	h.pull("s", "w")
	if _, err := h.Ack(context.Background(), app.Ack{Item: 1, Subscriber: "w", Subscription: "s"}); err != nil {
		t.Fatal(err)
	}
	h.must(h.place.Break("s", "broken by the test"))
	done, err := h.Delete(context.Background(), "s")
	h.must(err)
	if !slices.Equal(done.Subscribers, []string{"v", "w"}) || done.Queue != "q" || done.Acks != 1 || done.Shown != 2 || done.Leases != 0 {
		t.Errorf("%+v", done)
	}
	lines, err := h.Status(context.Background())
	h.must(err)
	if len(lines) != 1 || len(h.ids("q")) != 3 {
		t.Errorf("left are %+v and %v", lines, h.ids("q"))
	}
	_, err = h.Delete(context.Background(), "s")
	h.code(err, domain.NotFound)
	_, err = h.Delete(context.Background(), "a b")
	h.code(err, domain.Invalid)
	h.subscribe("s", "w", rules(""))
	h.want(h.pull("s", "w"), s(3, 0, 0, 0, 0, 0, 0), "[q#1] 1", "[q#2] 1", "[q#3] 1")
}

// TestCARE2_NoFile: a store without a file refuses what is done to files.
func TestCARE2_NoFile(t *testing.T) {
	h := newHouse(t)
	_, err := h.Backup(context.Background(), "x", false)
	h.code(err, domain.Unsupported)
	_, err = h.Restore(context.Background(), "x")
	h.code(err, domain.Unsupported)
	_, err = h.Vacuum(context.Background())
	h.code(err, domain.Unsupported)
}
