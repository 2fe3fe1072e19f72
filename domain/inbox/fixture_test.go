package inbox

import (
	"testing"

	"github.com/tundish-go/tundish/domain"
)

// rulesWith are the default rules of the queue q, changed.
func rulesWith(change func(*Rules)) Rules {
	r := DefaultRules("q")
	if change != nil {
		change(&r)
	}
	return r
}

func shareOne(r *Rules)      { r.Share = One }
func shareOneOnAck(r *Rules) { r.Share, r.Consume, r.Lease = One, OnAck, 60 }
func allOnAck(r *Rules)      { r.Consume = OnAck }

func latest(limit int64) func(*Rules) {
	return func(r *Rules) { r.Select, r.Limit = Latest, limit }
}

func limited(limit int64, change func(*Rules)) func(*Rules) {
	return func(r *Rules) {
		if change != nil {
			change(r)
		}
		r.Limit = limit
	}
}

// boundWith is a binding of w to s under rules, at a position.
func boundWith(rules Rules, position int64) Bound {
	b := Bound{
		Subscription: Subscription{Name: "s", Rules: rules},
		Binding:      Binding{Subscription: "s", Subscriber: "w"},
	}
	if rules.Share == One {
		b.Subscription.Scan = position
	} else {
		b.Binding.Position = position
	}
	return b
}

// match, pass and fail are judged items.
func match(id int64, text string) Judged { return Judged{ID: id, Verdict: Matched, Text: text} }
func pass(id int64) Judged               { return Judged{ID: id, Verdict: Passed} }
func fail(id int64, err string) Judged   { return Judged{ID: id, Verdict: Failed, Err: err} }

func claimedItem(it Judged) Judged {
	it.Claimed = true
	return it
}

func requireCode(t *testing.T, err error, want domain.Code) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	if got := domain.CodeOf(err); got != want {
		t.Fatalf("code %d, want %d: %v", got, want, err)
	}
}

func str(s string) *string { return &s }

// after is the state that a batch leaves behind.
func after(b Batch) Bound { return Bound{Subscription: b.Subscription, Binding: b.Binding} }
