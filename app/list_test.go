package app_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain/inbox"
)

// TestVIEW6_VIEW8_Lists narrows a list by key, time and text, and by all at once.
func TestVIEW6_VIEW8_Lists(t *testing.T) {
	h := newHouse(t)
	for n := range 1000 {
		h.at(1000 + int64(n))
		key := fmt.Sprint("k", n%3)
		_, err := h.Publish(context.Background(), app.Message{Queue: "q", Key: &key, Payload: fmt.Appendf(nil, `{"n":%d}`, n)})
		h.must(err)
	}
	h.subscribe("s", "w", rules("consume=on_ack"))
	h.ack(997, "w") // n 996, key k0
	key := "k0"
	for _, c := range []struct {
		list app.List
		want []int64
	}{
		{app.List{Key: &key, Limit: 2}, []int64{997, 1000}},
		{app.List{Key: &key, Limit: 2, Unacked: true}, []int64{994, 1000}},
		{app.List{Since: 1998, Limit: -1}, []int64{999, 1000}},
		{app.List{Since: 1998, Limit: 1}, []int64{1000}},
		{app.List{Since: 1998, Limit: 50}, []int64{999, 1000}},
		{app.List{Since: 2000, Limit: -1}, nil},
		{app.List{Text: `"n":7}`, Limit: -1}, []int64{8}},
		{app.List{Text: `"n":7}`, Limit: 5}, []int64{8}},
		{app.List{Text: `99}`, Limit: 2}, []int64{900, 1000}},
		{app.List{Text: `99}`, Key: &key, Limit: -1}, []int64{100, 400, 700, 1000}},
		{app.List{Text: `9}`, Key: &key, Since: 1990, Limit: 9}, []int64{1000}},
		{app.List{Text: `nothing`, Limit: 9}, nil},
	} {
		c.list.Queue = "q"
		var got []int64
		h.must(h.List(context.Background(), c.list, func(v app.ItemView) error {
			got = append(got, v.ID)
			return nil
		}))
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v lists %v, want %v", c.list, got, c.want)
		}
	}
}

// TestVIEW9_Overview tells lag, holders and what waits, for subscriptions without
// subscribers too.
func TestVIEW9_Overview(t *testing.T) {
	h := newHouse(t)
	h.subscribe("all", "a", rules(""))
	h.subscribe("all", "b", nil)
	h.subscribe("jobs", "w", rules("share=one consume=on_ack lease=30 limit=1 attempts=2"))
	h.subscribe("left", "x", rules("share=one"))
	h.must(h.Unsubscribe(context.Background(), "left", "x"))
	h.publish("q", "1")
	h.at(1010)
	h.publish("q", "2")
	h.pull("all", "a")
	h.pull("jobs", "w")
	h.delay("3", 40)
	_, err := h.Publish(context.Background(), app.Message{Queue: "p", Payload: []byte("4"), Release: inbox.Moment{At: 9000}})
	h.must(err)
	h.at(1020)
	got, err := h.Overview(context.Background())
	h.must(err)
	want := app.Overview{
		Subscriptions: []app.SubscriptionStatus{
			{
				Subscription: "all", Queue: "q", Share: inbox.All, Unread: 2, Age: 20,
				Subscribers: []app.Lag{{Subscriber: "a"}, {Subscriber: "b", Unread: 2, Age: 20}},
			},
			{
				Subscription: "jobs", Queue: "q", Share: inbox.One, Unread: 1, Age: 10, Leased: 1,
				Subscribers: []app.Lag{{Subscriber: "w", Unread: 1, Age: 10}},
				Leases:      []inbox.Lease{{Subscription: "jobs", Item: 1, Owner: "w", Granted: 1010, Until: 1040, Attempts: 1}},
			},
			{Subscription: "left", Queue: "q", Share: inbox.One, Unread: 2, Age: 20},
		},
		Queues: []app.QueueStatus{{Queue: "p", Scheduled: 1, NextAt: 9000}, {Queue: "q", Items: 2, Scheduled: 1, NextAt: 1050}},
	}
	for i := range got.Subscriptions {
		for j := range got.Subscriptions[i].Subscribers {
			got.Subscriptions[i].Subscribers[j].NextAt = 0
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	h.at(1040) // the lease is to be granted again, and is what is oldest
	got, err = h.Overview(context.Background())
	h.must(err)
	if jobs := got.Subscriptions[1]; jobs.Unread != 2 || jobs.Age != 40 || jobs.Leased != 0 || len(jobs.Leases) != 0 {
		t.Errorf("after the lease: %+v", jobs)
	}
	h.pull("jobs", "w")
	h.at(1070)
	got, err = h.Overview(context.Background())
	h.must(err)
	if jobs := got.Subscriptions[1]; jobs.Unread != 1 || jobs.Parked != 1 {
		t.Errorf("after the last lease: %+v", jobs)
	}
}
