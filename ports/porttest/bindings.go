package porttest

import (
	"math"
	"testing"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

func bindingTopics() []topic {
	return []topic{
		{"OBJ-3 binding", testBinding},
		{"OBJ-3 bindings in order", testBindings},
		{"OBJ-3 newest of the bound queue", testBoundNewest},
		{"SUB-5 removed binding", testRemovedBinding},
		{"OBJ-3 number of the pull", testNextPull},
	}
}

func testBinding(t *testing.T, f Factory) {
	s := settle(t, f)
	high := bind("s", "high")
	high.Position, high.LastPull, high.Judged = math.MaxInt64, math.MaxInt64, inbox.Span{After: math.MaxInt64 - 1, Through: math.MaxInt64}
	zero := inbox.Binding{Subscription: "s", Subscriber: "zero"}
	s.update(func(w storage.Writer) {
		join(w, "s", "q", "w")
		done(w.PutBinding(high))
		done(w.PutBinding(zero))
	})
	s.reopen()
	s.view(func(r storage.Reader) {
		for _, want := range []inbox.Binding{bind("s", "w"), high, zero} {
			same(t, want.Subscriber, found(r.Bound("s", want.Subscriber)),
				&inbox.Bound{Subscription: view("s", "q"), Binding: want})
		}
		same(t, "absent subscriber", found(r.Bound("s", "absent")), nil)
		same(t, "absent subscription", found(r.Bound("absent", "w")), nil)
	})
	changed := inbox.Binding{Subscription: "s", Subscriber: "w", NextAt: 1, Judged: inbox.Span{After: 2, Through: 3}}
	s.update(func(w storage.Writer) {
		done(w.MarkShown("s", "w", fill(w, "q", 2)))
		done(w.PutBinding(changed))
		same(t, "replaced", found(w.Bound("s", "w")),
			&inbox.Bound{Subscription: view("s", "q"), Binding: changed, Newest: 2})
		same(t, "shown to the replaced", one(w.CountShown("s", "w")), 2)
	})
	s.refuses("PutBinding of an absent subscription", func(w storage.Writer) error {
		return w.PutBinding(bind("absent", "w"))
	})
}

func testBindings(t *testing.T, f Factory) {
	s := settle(t, f)
	subs := []string{"-s", "A", "a", "a.b", "b"}
	subscribers := []string{".w", "10", "9", "W", "w"}
	s.update(func(w storage.Writer) {
		for i := range subs {
			done(w.PutSubscription(view(subs[(i*2)%len(subs)], "q")))
		}
		for i := range subs {
			for j := range subscribers {
				done(w.PutBinding(bind(subs[(i*3)%len(subs)], subscribers[(j*2)%len(subscribers)])))
			}
		}
		done(w.RemoveBinding("a", "w"))
		done(w.RemoveBinding("b", "W"))
	})
	s.view(func(r storage.Reader) {
		var bound []inbox.Bound
		for _, sub := range []string{"-s", "A", "a.b", "b"} {
			bound = append(bound, inbox.Bound{Subscription: view(sub, "q"), Binding: bind(sub, "w")})
		}
		same(t, "by subscription", one(r.BoundBy("w")), bound)
		var bindings []inbox.Binding
		for _, subscriber := range []string{".w", "10", "9", "w"} {
			bindings = append(bindings, bind("b", subscriber))
		}
		same(t, "by subscriber", one(r.Bindings("b")), bindings)
		same(t, "of an absent subscriber", one(r.BoundBy("absent")), nil)
		same(t, "of an absent subscription", one(r.Bindings("absent")), nil)
	})
}

func testBoundNewest(t *testing.T, f Factory) {
	s := settle(t, f)
	newest := func(r storage.Reader) []int64 {
		var ids []int64
		for _, bound := range one(r.BoundBy("w")) {
			ids = append(ids, bound.Newest)
		}
		return ids
	}
	s.update(func(w storage.Writer) {
		join(w, "a", "q", "w")
		join(w, "b", "other", "w")
		join(w, "c", "q", "w")
		same(t, "empty queues", newest(w), []int64{0, 0, 0})
		fill(w, "q", 3)
		fill(w, "other", 1)
		same(t, "filled queues", newest(w), []int64{3, 4, 3})
		done(w.Remove("q", []int64{3}))
		done(w.Remove("other", []int64{4}))
	})
	s.view(func(r storage.Reader) {
		same(t, "after a removal", newest(r), []int64{2, 0, 2})
		same(t, "one of them", found(r.Bound("c", "w")).Newest, 2)
	})
}

func testRemovedBinding(t *testing.T, f Factory) {
	s := settle(t, f)
	s.update(func(w storage.Writer) {
		ids := fill(w, "q", 3)
		join(w, "s", "q", "v", "w")
		join(w, "t", "q", "w")
		done(w.PutAck(ack("s", ids[0], "w")))
		done(w.PutLease(lease("s", ids[1], "w")))
		for _, p := range [][2]string{{"s", "v"}, {"s", "w"}, {"t", "w"}} {
			done(w.MarkShown(p[0], p[1], ids[1:]))
		}
		done(w.RemoveBinding("s", "w"))
	})
	s.view(func(r storage.Reader) {
		same(t, "removed", found(r.Bound("s", "w")), nil)
		same(t, "bindings left", one(r.Bindings("s")), []inbox.Binding{bind("s", "v")})
		same(t, "shown to the removed", one(r.CountShown("s", "w")), 0)
		same(t, "shown to another", one(r.CountShown("s", "v")), 2)
		same(t, "shown by another subscription", one(r.CountShown("t", "w")), 2)
		same(t, "subscription", *found(r.Subscription("s")), view("s", "q"))
		same(t, "claimed", one(r.Claimed("s", 0, 0)), []int64{1, 2})
	})
	s.update(func(w storage.Writer) {
		done(w.PutBinding(bind("s", "w")))
		same(t, "shown after binding again", one(w.CountShown("s", "w")), 0)
	})
}

func testNextPull(t *testing.T, f Factory) {
	s := settle(t, f)
	s.update(func(w storage.Writer) {
		same(t, "first pull", one(w.NextPull()), 1)
		same(t, "second pull", one(w.NextPull()), 2)
	})
	s.try(func(w storage.Writer) { same(t, "pull that is rolled back", one(w.NextPull()), 3) })
	s.reopen()
	s.update(func(w storage.Writer) { same(t, "next pull", one(w.NextPull()), 3) })
}
