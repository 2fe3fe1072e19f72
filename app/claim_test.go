package app_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// ACK-3: of several items the first refused one, in the order given, decides, and
// nothing is changed.
func TestACK3_AllOrNothing(t *testing.T) {
	ctx := context.Background()
	h := newHouse(t)
	h.at(1000)
	h.fill("q", 4)
	h.subscribe("s", "w", rules("share=one consume=on_ack limit=2 lease=100 attempts=1"))
	h.subscribe("s", "v", nil)
	h.pull("s", "w") // 1 and 2
	h.pull("s", "v") // 3 and 4
	refused := map[string]func(items []int64) error{
		"ack": func(items []int64) error {
			_, err := h.AckMany(ctx, app.AckMany{Items: items, Subscriber: "w"})
			return err
		},
		"nack": func(items []int64) error {
			_, err := h.Nack(ctx, app.Nack{Items: items, Subscriber: "w"})
			return err
		},
		"extend": func(items []int64) error {
			_, err := h.Extend(ctx, app.Extend{Items: items, Subscriber: "w", Lease: 9})
			return err
		},
	}
	for name, call := range refused {
		for want, items := range map[int64][]int64{3: {1, 3, 99}, 4: {2, 4, 3}} {
			err := call(items)
			var claim *inbox.ClaimedError
			if !errors.As(err, &claim) || claim.Item != want {
				t.Errorf("%s of %v: %v", name, items, err)
			}
		}
		h.code(call([]int64{1, 99, 3}), domain.NotFound)
		h.code(call(nil), domain.Invalid)
	}
	if line := h.line("s", "w"); line.Counts.Parked != 0 {
		t.Errorf("a refused nack has parked: %+v", line)
	}
	if done, err := h.Nack(ctx, app.Nack{Items: []int64{2, 1, 2}, Subscriber: "w"}); err != nil || len(done) != 2 || !done[0].Parked || done[0].Item != 2 {
		t.Errorf("%+v, %v", done, err)
	}
}

// ACK-3, PULL-6, PULL-7: what a nack parks is reported once, also with what the clock
// has parked, and to whoever pulls.
func TestACK3_ParkedByANackIsReportedOnce(t *testing.T) {
	ctx := context.Background()
	h := newHouse(t)
	h.at(1000)
	h.fill("q", 3)
	h.subscribe("s", "w", rules("share=one consume=on_ack lease=100 attempts=1"))
	h.subscribe("s", "v", nil)
	h.pull("s", "w")
	if _, err := h.Extend(ctx, app.Extend{Items: []int64{3}, Subscriber: "w", Lease: 10}); err != nil {
		t.Fatal(err)
	}
	h.at(1010) // 3 is parked by the clock
	_, err := h.Nack(ctx, app.Nack{Items: []int64{1, 2}, Subscriber: "w", Delay: 500})
	h.must(err)
	h.want(h.pull("s", "v"), line("s", "v", 0, 0, 0, 3, 0, 0, 0))
	h.want(h.pull("s", "w"))
	_, err = h.Unpark(ctx, app.Unpark{Items: []int64{1, 2, 3}, Subscription: "s"})
	h.must(err)
	if got := h.line("s", "w"); got.Counts.Parked != 0 || got.Unread != 3 {
		t.Errorf("unparked: %+v", got)
	}
	h.want(h.pull("s", "v"), line("s", "v", 3, 0, 0, 0, 0, 0, 100), "[q#1] k1 1", "[q#2] k2 2", "[q#3] k3 3")
}

// ACK-3: with a subscription that cannot be used nothing is decided by its rules.
func TestACK3_BrokenRulesDecideNothing(t *testing.T) {
	ctx := context.Background()
	h := newHouse(t)
	h.fill("q", 1)
	h.subscribe("s", "w", rules("share=one consume=on_ack lease=100"))
	h.pull("s", "w")
	h.must(h.place.Break("s", "a newer version"))
	_, err := h.Nack(ctx, app.Nack{Items: []int64{1}, Subscriber: "w"})
	h.code(err, domain.Corrupt)
	_, err = h.Unpark(ctx, app.Unpark{Items: []int64{1}, Subscription: "s"})
	h.code(err, domain.Corrupt)
	_, err = h.Seek(ctx, app.Seek{Subscription: "s", Subscriber: "w"})
	h.code(err, domain.Corrupt)
}

// ACK-3: --through takes under share all what was shown, under one what is leased
// to the caller now.
func TestACK3_Through(t *testing.T) {
	ctx := context.Background()
	h := newHouse(t)
	h.at(1000)
	h.fill("q", 4)
	h.subscribe("all", "w", rules("consume=on_ack limit=3"))
	h.subscribe("all", "v", nil)
	h.subscribe("one", "w", rules("share=one consume=on_ack limit=2 lease=100"))
	h.subscribe("one", "v", nil)
	h.pull("all", "w") // 1 to 3
	h.pull("one", "v") // 1 and 2
	h.pull("one", "w") // 3 and 4
	_, err := h.Ack(ctx, app.Ack{Item: 2, Subscriber: "v", Subscription: "all"})
	h.must(err)
	for _, tt := range []struct {
		who, subscription string
		through           int64
		want              []int64
	}{
		{"w", "all", 2, []int64{1}}, {"w", "all", 99, []int64{3}}, {"w", "all", 99, nil}, {"v", "all", 99, nil},
		{"w", "one", 2, nil}, {"w", "one", 3, []int64{3}}, {"v", "one", 99, []int64{1, 2}}, {"w", "one", 99, []int64{4}},
	} {
		done, err := h.AckMany(ctx, app.AckMany{Through: tt.through, Subscriber: tt.who, Subscription: tt.subscription})
		h.must(err)
		var got []int64
		for _, d := range done {
			got = append(got, d.Item)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%+v: %v", tt, got)
		}
	}
	_, err = h.AckMany(ctx, app.AckMany{Through: 1, Items: []int64{1}, Subscriber: "w"})
	h.code(err, domain.Invalid)
	_, err = h.AckMany(ctx, app.AckMany{Through: 1, Subscriber: "w"}) // several on the queue
	h.code(err, domain.Invalid)
}

// ACK-3: very many items are acked in several transactions, and what was acked or
// removed since the first look is passed over.
func TestACK3_ThroughManyItems(t *testing.T) {
	ctx := context.Background()
	h := newHouse(t)
	h.fill("q", 700)
	h.subscribe("s", "w", rules("consume=on_ack limit=1000"))
	h.subscribe("s", "v", nil)
	for _, who := range []string{"w", "v"} {
		h.pullAs(app.Pull{Subscription: "s", Subscriber: who, MaxBytes: 1 << 20})
	}
	h.store.between = func() {
		for _, a := range []app.Ack{{Item: 3, Subscriber: "v"}, {Item: 700, Subscriber: "w"}} {
			_, err := h.Ack(ctx, a)
			h.must(err)
		}
		h.must(h.store.Update(ctx, func(tx storage.Writer) error { return tx.Remove("q", []int64{2, 600}) }))
	}
	before := h.store.updates.Load()
	done, err := h.AckMany(ctx, app.AckMany{Through: 700, Subscriber: "w", Subscription: "s"})
	h.must(err)
	for i, want := 0, int64(1); want < 700; want++ {
		if want == 2 || want == 3 || want == 600 {
			continue
		}
		if i >= len(done) || done[i].Item != want {
			t.Fatalf("item %d is not number %d of %d", want, i, len(done))
		}
		i++
	}
	if n := h.store.updates.Load() - before; len(done) != 696 || n != 3+3 {
		t.Errorf("%d items in %d transactions", len(done), n)
	}
	before = h.store.updates.Load()
	done, err = h.AckMany(ctx, app.AckMany{Through: 700, Subscriber: "w", Subscription: "s"})
	h.must(err)
	if n := h.store.updates.Load() - before; len(done) != 0 || n != 0 {
		t.Errorf("%d items were left, in %d transactions", len(done), n)
	}
}

// SEEK-1, SEEK-3: going back delivers again and marks again; nothing but the place and the due
// time has changed.
func TestSEEK3_BackUnderShareAll(t *testing.T) {
	ctx := context.Background()
	h := newHouse(t)
	h.at(1000)
	h.fill("q", 4)
	h.subscribe("s", "w", rules("consume=on_ack every=3600"))
	h.pull("s", "w")
	h.ack(2, "w")
	h.want(h.due("w"))
	done, err := h.Seek(ctx, app.Seek{Subscription: "s", Subscriber: "w", To: inbox.Place{Item: 2}})
	if err != nil || done != (app.Sought{Position: 1, From: 4}) {
		t.Fatalf("%+v, %v", done, err)
	}
	h.want(h.due("w"), line("s", "w", 3, 0, 1, 0, 0, 0, 0), "[q#2] k2 2", "[q#3] k3 3", "[q#4] k4 4") // 1 is unacked from before
	h.publish("q", "5")
	h.want(h.pull("s", "w"), line("s", "w", 1, 0, 3, 0, 0, 0, 0), "[q#5] 5")
}

// SEEK-2: under share one the place is everybody's, claims stand, and a later change
// of share keeps it.
func TestSEEK2_UnderShareOne(t *testing.T) {
	ctx := context.Background()
	h := newHouse(t)
	h.at(1000)
	h.fill("q", 4)
	h.subscribe("s", "w", rules("share=one consume=on_ack limit=1 lease=100 filter=.payload!=3"))
	h.pull("s", "w") // 1
	h.ack(2, "w")
	h.pull("s", "w") // 4
	h.subscribe("s", "v", nil)
	done, err := h.Seek(ctx, app.Seek{Subscription: "s", Subscriber: "v"})
	if err != nil || done != (app.Sought{From: 4, Shared: true}) {
		t.Fatalf("%+v, %v", done, err)
	}
	h.subscribe("s", "w", rules("share=one consume=on_ack limit=1 lease=100"))
	h.want(h.pull("s", "w"), line("s", "w", 1, 0, 0, 0, 0, 0, 100), "[q#3] k3 3") // which the filter had passed over
	if _, err = h.Seek(ctx, app.Seek{Subscription: "s", Subscriber: "w"}); err != nil {
		t.Fatal(err)
	}
	h.subscribe("s", "v", rules("consume=on_ack"))
	if out := h.pull("s", "v"); !strings.Contains(out, "delivered=4") {
		t.Errorf("SUB-2: after the change to all: %s", out)
	}
}
