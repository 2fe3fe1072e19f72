package app_test

import (
	"context"
	"slices"
	"testing"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain/inbox"
)

// TestPULL1_ClaimsFarAhead passes over items that were acked long before the
// scan comes to them, more than are looked up at once.
func TestPULL1_ClaimsFarAhead(t *testing.T) {
	h := newHouse(t)
	h.limits["q"] = inbox.Retention{}
	h.fill("q", 2210)
	h.subscribe("one", "w", rules("share=one limit=2"))
	for id := int64(2); id <= 2200; id++ {
		if id != 1500 {
			h.ack(id, "w")
		}
	}
	if got := h.line("one", "w").Unread; got != 12 {
		t.Fatalf("%d unread", got)
	}
	first := h.pull("one", "w") // a step is 1000 items, and the first has something
	h.want(first, line("one", "w", 1, 1, 0, 0, 0, 0, 0), "[q#1] k1 1")
	h.want(h.pull("one", "w"), line("one", "w", 1, 1, 0, 0, 0, 0, 0), "[q#1500] k1500 1500")
	h.want(h.pull("one", "w"), line("one", "w", 2, 1, 0, 0, 0, 0, 0), "[q#2201] k2201 2201", "[q#2202] k2202 2202")
}

// TestPULL12_NewMatchesBehindAKnownStretch repeats under the lock what was found
// before, without reading again what the filter did not match.
func TestPULL12_NewMatchesBehindAKnownStretch(t *testing.T) {
	h := newHouse(t)
	h.limits["q"] = inbox.Retention{}
	h.fill("q", 1700)
	r := rules("limit=1")
	r.Filter = ".payload == 1200 or .payload >= 1650 or (.payload == 300 and error)"
	h.subscribe("s", "w", r)
	h.want(h.pull("s", "w"), line("s", "w", 1, 1, 0, 0, 1, 0, 0), "[q#1200] k1200 1200")
	h.want(h.pull("s", "w"), line("s", "w", 1, 1, 0, 0, 0, 0, 0), "[q#1650] k1650 1650")
	if got := h.line("s", "w"); got.Cursor != 1650 || got.Unread != 50 {
		t.Fatalf("%+v", got)
	}
}

// TestCMD4_UnackedFarBack lists the newest unacked items wherever they lie
// between acked ones.
func TestCMD4_UnackedFarBack(t *testing.T) {
	h := newHouse(t)
	h.limits["q"] = inbox.Retention{}
	h.fill("q", 700)
	h.subscribe("s", "w", rules(""))
	h.subscribe("other", "v", rules(""))
	for id := int64(1); id <= 700; id++ {
		if id != 3 && id != 250 && id != 451 {
			h.ack(id, "w")
		}
	}
	for _, c := range []struct {
		list app.List
		want []int64
	}{
		{app.List{Limit: 2, Unacked: true}, []int64{250, 451}},
		{app.List{Limit: 3, Unacked: true, Subscription: "s"}, []int64{3, 250, 451}},
		{app.List{Limit: 9, Unacked: true}, []int64{3, 250, 451}},
		{app.List{Limit: -1, Unacked: true}, []int64{3, 250, 451}},
		{app.List{Limit: 2, Unacked: true, Subscription: "other"}, []int64{699, 700}},
		{app.List{Limit: 2}, []int64{699, 700}},
	} {
		c.list.Queue = "q"
		var got []int64
		h.must(h.List(context.Background(), c.list, func(v app.ItemView) error {
			got = append(got, v.ID)
			return nil
		}))
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, not %v", c.list, got, c.want)
		}
	}
	h.ack(3, "w")
	h.ack(250, "w")
	h.ack(451, "w")
	h.must(h.List(context.Background(), app.List{Queue: "q", Limit: 5, Unacked: true}, func(v app.ItemView) error {
		t.Errorf("%d is acked", v.ID)
		return nil
	}))
}
