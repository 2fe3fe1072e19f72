package porttest

import (
	"math"
	"testing"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

func subscriptionTopics() []topic {
	return []topic{
		{"OBJ-2 subscription", testSubscription},
		{"OBJ-2 subscriptions in order", testSubscriptions},
		{"SUB-1 replaced subscription", testReplaced},
		{"PULL-3 progress", testProgress},
		{"SUB-3 reset claims", testResetClaims},
		{"PULL-10 broken rules", testBroken},
	}
}

func testSubscription(t *testing.T, f Factory) {
	s := settle(t, f)
	full := view("full", "q")
	plain := inbox.Subscription{Name: "plain", Rules: inbox.DefaultRules("q")}
	high := inbox.Subscription{
		Name: "high", Rules: inbox.DefaultRules("q"), Scan: math.MaxInt64,
		Unreported: inbox.Counts{Dropped: math.MaxInt64, Errors: math.MaxInt64, Parked: math.MaxInt64},
	}
	high.Rules.Limit, high.Rules.MaxAttempts = math.MaxInt64, math.MaxInt64
	s.update(func(w storage.Writer) {
		for _, sub := range []inbox.Subscription{full, plain, high} {
			done(w.PutSubscription(sub))
		}
	})
	s.reopen()
	s.view(func(r storage.Reader) {
		same(t, "with everything set", found(r.Subscription("full")), &full)
		same(t, "with defaults", found(r.Subscription("plain")), &plain)
		same(t, "with the highest numbers", found(r.Subscription("high")), &high)
		for _, name := range []string{"absent", "Full", "full ", ""} {
			same(t, "subscription "+name, found(r.Subscription(name)), nil)
		}
	})
	broken := full
	broken.Broken = "by somebody"
	s.refuses("PutSubscription of a broken one", func(w storage.Writer) error { return w.PutSubscription(broken) })
}

func testSubscriptions(t *testing.T, f Factory) {
	s := settle(t, f)
	names := []string{"-", ".", "0", "10", "2", ":", "A", "B", "_", "a", "a-b", "a.b", "a:b", "ab", "b"}
	var subs, onQ []inbox.Subscription
	s.update(func(w storage.Writer) {
		same(t, "no subscriptions", one(w.Subscriptions()), nil)
		for i, name := range names {
			subs = append(subs, view(name, []string{"q", "Q", "r"}[i%3]))
			if i%3 == 0 {
				onQ = append(onQ, subs[i])
			}
		}
		for i := range subs {
			done(w.PutSubscription(subs[(i*7)%len(subs)])) // in no order
		}
	})
	s.view(func(r storage.Reader) {
		same(t, "by name", one(r.Subscriptions()), subs)
		same(t, "on a queue", one(r.SubscriptionsOn("q")), onQ)
		same(t, "on an absent queue", one(r.SubscriptionsOn("absent")), nil)
	})
}

func testReplaced(t *testing.T, f Factory) {
	s := settle(t, f)
	changed := inbox.Subscription{Name: "s", Rules: inbox.DefaultRules("other"), Scan: 1}
	s.update(func(w storage.Writer) {
		ids := fill(w, "q", 3)
		join(w, "s", "q", "w")
		done(w.PutAck(ack("s", ids[0], "w")))
		done(w.PutLease(lease("s", ids[1], "w")))
		done(w.MarkShown("s", "w", ids[2:]))
		done(w.PutSubscription(changed))
	})
	s.view(func(r storage.Reader) {
		same(t, "subscription", found(r.Subscription("s")), &changed)
		same(t, "on the new queue", one(r.SubscriptionsOn("other")), []inbox.Subscription{changed})
		same(t, "on the old queue", one(r.SubscriptionsOn("q")), nil)
		same(t, "bindings", one(r.Bindings("s")), []inbox.Binding{bind("s", "w")})
		same(t, "claimed", one(r.Claimed("s", 0, 0)), []int64{1, 2})
		same(t, "shown", one(r.CountShown("s", "w")), 1)
	})
}

func testProgress(t *testing.T, f Factory) {
	s := settle(t, f)
	want := view("s", "q")
	s.update(func(w storage.Writer) {
		done(w.PutSubscription(want))
		done(w.PutSubscription(view("t", "q")))
		want.Scan, want.Unreported, want.LastError = 99, inbox.Counts{Errors: 1}, ""
		progress := want
		progress.Rules, progress.Broken = inbox.DefaultRules("elsewhere"), "ignored"
		done(w.PutProgress(progress))
	})
	s.view(func(r storage.Reader) {
		same(t, "after progress", one(r.Subscriptions()), []inbox.Subscription{want, view("t", "q")})
	})
	s.refuses("PutProgress of an absent subscription", func(w storage.Writer) error {
		return w.PutProgress(view("absent", "q"))
	})
}

func testResetClaims(t *testing.T, f Factory) {
	s := settle(t, f)
	s.update(func(w storage.Writer) {
		fill(w, "q", 4)
		for _, sub := range []string{"s", "kept"} {
			join(w, sub, "q", "v", "w")
			done(w.PutAck(ack(sub, 1, "w")))
			parked := lease(sub, 2, "w")
			parked.Parked = true
			done(w.PutLease(parked))
			done(w.PutLease(lease(sub, 3, "v")))
			done(w.MarkShown(sub, "v", []int64{4}))
			done(w.MarkShown(sub, "w", []int64{4}))
		}
		done(w.ResetClaims("s"))
		done(w.ResetClaims("absent"))
	})
	s.view(func(r storage.Reader) {
		same(t, "claimed", one(r.Claimed("s", 0, 0)), nil)
		same(t, "shown", one(r.CountShown("s", "v"))+one(r.CountShown("s", "w")), 0)
		same(t, "claimed in another", one(r.Claimed("kept", 0, 0)), []int64{1, 2, 3})
		same(t, "shown in another", one(r.CountShown("kept", "v"))+one(r.CountShown("kept", "w")), 2)
		same(t, "subscription", *found(r.Subscription("s")), view("s", "q"))
		same(t, "bindings", one(r.Bindings("s")), []inbox.Binding{bind("s", "v"), bind("s", "w")})
	})
}

func testBroken(t *testing.T, f Factory) {
	s := settle(t, f)
	place, ok := s.place.(Breaker)
	if !ok {
		t.Skip("the place cannot break rules")
	}
	s.update(func(w storage.Writer) {
		fill(w, "q", 2)
		join(w, "b", "q", "w")
		join(w, "sound", "q", "w")
	})
	place.Break(t, "b")
	want := view("b", "q")
	want.Rules = inbox.Rules{Queue: "q"}
	s.view(func(r storage.Reader) { checkBroken(t, r, want) })
	s.update(func(w storage.Writer) {
		want.Scan, want.Unreported, want.LastError = 2, inbox.Counts{Dropped: 1}, "other"
		progress := want
		progress.Rules = inbox.DefaultRules("q")
		done(w.PutProgress(progress))
	})
	s.reopen()
	s.view(func(r storage.Reader) { checkBroken(t, r, want) })
	s.update(func(w storage.Writer) { done(w.PutSubscription(view("b", "q"))) })
	s.view(func(r storage.Reader) {
		same(t, "repaired", found(r.Subscription("b")), new(view("b", "q")))
	})
}

// checkBroken looks for a broken subscription b in every answer that has one.
func checkBroken(t *testing.T, r storage.Reader, want inbox.Subscription) {
	t.Helper()
	got := found(r.Subscription("b"))
	if got == nil || got.Broken == "" {
		t.Fatalf("subscription %+v, want a broken one", got)
	}
	want.Broken = got.Broken
	same(t, "broken subscription", *got, want)
	both := []inbox.Subscription{want, view("sound", "q")}
	same(t, "all", one(r.Subscriptions()), both)
	same(t, "on the queue", one(r.SubscriptionsOn("q")), both)
	bound := inbox.Bound{Subscription: want, Binding: bind("b", "w"), Newest: 2}
	same(t, "bound", found(r.Bound("b", "w")), &bound)
	same(t, "bound by", one(r.BoundBy("w")), []inbox.Bound{
		bound, {Subscription: both[1], Binding: bind("sound", "w"), Newest: 2},
	})
}
