package app_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

// TestVIEW10_Parked finds what is parked, recorded or by the clock, in the overview
// and in lists, and counts what the overview leaves out.
func TestVIEW10_Parked(t *testing.T) {
	h := newHouse(t)
	ctx := context.Background()
	h.subscribe("jobs", "w", rules("share=one consume=on_ack lease=30 attempts=1"))
	h.subscribe("all", "x", rules("consume=on_ack"))
	h.subscribe("far", "w", rules("queue=p"))
	h.publish("q", "1")
	h.publish("q", "2")
	h.publish("q", "3")
	h.pull("jobs", "w")
	h.ack(2, "w")
	h.at(1010)
	_, err := h.Nack(ctx, app.Nack{Items: []int64{3}, Subscriber: "w", Subscription: "jobs"})
	h.must(err)
	parked := func(subscription string, limit int64) (ids []int64) {
		t.Helper()
		h.must(h.List(ctx, app.List{Queue: "q", Parked: true, Subscription: subscription, Limit: limit}, func(v app.ItemView) error {
			ids = append(ids, v.ID)
			return nil
		}))
		return ids
	}
	listed := func() app.SubscriptionStatus {
		t.Helper()
		all, err := h.Overview(ctx)
		h.must(err)
		at := slices.IndexFunc(all.Subscriptions, func(s app.SubscriptionStatus) bool { return s.Subscription == "jobs" })
		return all.Subscriptions[at]
	}
	third := inbox.Lease{Subscription: "jobs", Item: 3, Owner: "w", Granted: 1000, Until: 1010, Attempts: 1, Parked: true}
	first := inbox.Lease{Subscription: "jobs", Item: 1, Owner: "w", Granted: 1000, Until: 1030, Attempts: 1}
	for _, c := range []struct {
		now  int64
		want []inbox.Lease
	}{{1029, []inbox.Lease{third}}, {1030, []inbox.Lease{first, third}}} {
		h.at(c.now)
		var ids []int64
		for _, l := range c.want {
			ids = append(ids, l.Item)
		}
		if got := parked("jobs", -1); !slices.Equal(got, ids) {
			t.Errorf("at %d the list has %v, want %v", c.now, got, ids)
		}
		if diff := cmp.Diff(c.want, listed().ParkedItems); diff != "" {
			t.Errorf("at %d (-want +got):\n%s", c.now, diff)
		}
	}
	if got := parked("jobs", 1); !slices.Equal(got, []int64{3}) {
		t.Errorf("the newest one is %v", got)
	}
	if got := parked("all", -1); got != nil {
		t.Errorf("parked where everybody gets each item: %v", got)
	}
	for _, l := range []app.List{{Queue: "q"}, {Queue: "q", Subscription: "far"}, {Queue: "q", Subscription: "none"}} {
		l.Parked, l.Limit = true, -1
		h.code(h.List(ctx, l, func(app.ItemView) error { return nil }), domain.NotFound)
	}
	h.fill("q", 150)
	h.pullAs(app.Pull{Subscription: "jobs", Subscriber: "w", MaxBytes: 1 << 20})
	h.at(2000)
	got := listed()
	if n := int64(len(got.ParkedItems)); n != 100 || got.Parked != 152 || got.ParkedItems[0].Item != 1 || got.ParkedItems[99].Item != 101 {
		t.Errorf("%d of %d are listed: %+v", n, got.Parked, got.ParkedItems)
	}
	if n := len(parked("jobs", -1)); n != 152 {
		t.Errorf("the list has %d", n)
	}
}
