package inbox

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// SUB-4: where a subscription and its bindings begin.
func TestSUB4_Start(t *testing.T) {
	tests := []struct {
		name           string
		share          Share
		start          Start
		scan, position int64
	}{
		{"all from the beginning", All, StartAll, 0, 0},
		{"all after the newest", All, StartNew, 7, 9},
		{"one from the beginning", One, StartAll, 0, 0},
		{"one after the newest", One, StartNew, 7, 7},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rules := rulesWith(func(r *Rules) { r.Share, r.Start = tt.share, tt.start })
			sub := NewSubscription("s", rules, 7)
			if want := (Subscription{Name: "s", Rules: rules, Scan: tt.scan}); sub != want {
				t.Errorf("subscription %+v", sub)
			}
			// two more items have come since
			if got, want := NewBinding(sub, "w", 9), (Binding{Subscription: "s", Subscriber: "w", Position: tt.position}); got != want {
				t.Errorf("binding %+v, want %+v", got, want)
			}
		})
	}
}

// SUB-4, SUB-5: a binding made under one stands at the scan, wherever that is.
func TestSUB5_BindingUnderOneGoesOnFromTheScan(t *testing.T) {
	for _, start := range []Start{StartAll, StartNew} {
		sub := Subscription{Name: "s", Rules: rulesWith(func(r *Rules) { r.Share, r.Start = One, start }), Scan: 4}
		if got := NewBinding(sub, "late", 9); got.Position != 4 {
			t.Errorf("start %s: position %d", start, got.Position)
		}
	}
}

func pairOf() []Binding {
	return []Binding{
		{
			Subscription: "s", Subscriber: "a", Position: 3, NextAt: 500, LastPull: 2,
			Unreported: Counts{Dropped: 1, Errors: 2}, LastError: "old", Judged: Span{After: 5, Through: 8},
		},
		{Subscription: "s", Subscriber: "b", Position: 6, NextAt: 700, LastPull: 4},
	}
}

func without(bindings []Binding) []Binding {
	for i := range bindings {
		bindings[i].LastError, bindings[i].Judged = "", Span{}
	}
	return bindings
}

func at(bindings []Binding, positions ...int64) []Binding {
	for i := range bindings {
		bindings[i].Position = positions[i]
	}
	return bindings
}

// SUB-1, SUB-2, PULL-2, PULL-7: what a change of rules does on the same queue.
func TestSUB1_SUB2_Replace(t *testing.T) {
	counts := Counts{Dropped: 4, Errors: 5, Parked: 6}
	sub := func(scan int64, lastError string, change func(*Rules)) Subscription {
		return Subscription{Name: "s", Rules: rulesWith(change), Scan: scan, Unreported: counts, LastError: lastError}
	}
	filtered := func(change func(*Rules)) func(*Rules) {
		return func(r *Rules) { change(r); r.Filter = ".x" }
	}
	startNew := func(r *Rules) { r.Start = StartNew }
	tests := []struct {
		name     string
		sub      Subscription
		bindings []Binding
		change   func(*Rules)
		want     Replacement
	}{
		{
			"the same rules leave even the last error", sub(9, "old", nil), pairOf(), nil,
			Replacement{Subscription: sub(9, "old", nil), Bindings: pairOf()},
		},
		{
			"another filter moves nothing", sub(9, "old", nil), pairOf(), func(r *Rules) { r.Filter = ".x" },
			Replacement{Subscription: sub(9, "", func(r *Rules) { r.Filter = ".x" }), Bindings: without(pairOf())},
		},
		{
			"the start rule moves nothing", sub(9, "", nil), pairOf(), startNew,
			Replacement{Subscription: sub(9, "", startNew), Bindings: without(pairOf())},
		},
		{
			"one stays one", sub(5, "old", shareOne), pairOf(), filtered(shareOne),
			Replacement{Subscription: sub(5, "", filtered(shareOne)), Bindings: without(pairOf())},
		},
		{
			"one to all takes the larger position", sub(5, "old", shareOne), pairOf(), nil,
			Replacement{Subscription: sub(5, "", nil), Bindings: at(without(pairOf()), 5, 6), Unlease: true},
		},
		{
			"all to one takes the lowest position", sub(5, "", nil), pairOf(), shareOne,
			Replacement{Subscription: sub(3, "", shareOne), Bindings: without(pairOf())},
		},
		{
			"all to one without bindings keeps the scan", sub(5, "", nil), nil, func(r *Rules) { r.Share, r.Start = One, StartNew },
			Replacement{Subscription: sub(5, "", func(r *Rules) { r.Share, r.Start = One, StartNew })},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			given := pairOf()[:len(tt.bindings)]
			got := Replace(tt.sub, tt.bindings, rulesWith(tt.change), 99)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(given, tt.bindings); len(given) > 0 && diff != "" {
				t.Errorf("the argument was changed: %s", diff)
			}
		})
	}
}

// SUB-2: the lowest position is found wherever it stands.
func TestSUB2_LowestPosition(t *testing.T) {
	for _, positions := range [][]int64{{3, 6}, {6, 3}} {
		r := Replace(Subscription{Name: "s", Rules: rulesWith(nil)}, at(pairOf(), positions...), rulesWith(shareOne), 99)
		if r.Subscription.Scan != 3 {
			t.Errorf("positions %v: scan %d", positions, r.Subscription.Scan)
		}
	}
}

// SUB-3: a move resets everything and applies the start rule anew.
func TestSUB3_Move(t *testing.T) {
	tests := []struct {
		name           string
		change         func(*Rules)
		scan, position int64
	}{
		{"all", nil, 0, 0},
		{"all, new", func(r *Rules) { r.Start = StartNew }, 42, 42},
		{"one", shareOne, 0, 0},
		{"one, new", func(r *Rules) { r.Share, r.Start = One, StartNew }, 42, 42},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rules := rulesWith(tt.change)
			rules.Queue = "other"
			old := Subscription{
				Name: "s", Rules: rulesWith(shareOneOnAck), Scan: 9, Unreported: Counts{Dropped: 1, Errors: 2, Parked: 3}, LastError: "old",
			}
			want := Replacement{
				Subscription: Subscription{Name: "s", Rules: rules, Scan: tt.scan}, Moved: true,
				Bindings: []Binding{
					{Subscription: "s", Subscriber: "a", Position: tt.position}, {Subscription: "s", Subscriber: "b", Position: tt.position},
				},
			}
			if diff := cmp.Diff(want, Replace(old, pairOf(), rules, 42)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// PULL-10: new rules make a broken subscription usable again, where it stood.
func TestPULL10_ReplaceMendsBrokenRules(t *testing.T) {
	broken := Subscription{Name: "s", Rules: Rules{Queue: "q"}, Broken: "unreadable", Scan: 5, LastError: "old"}
	got := Replace(broken, pairOf(), rulesWith(nil), 99)
	want := Replacement{Subscription: Subscription{Name: "s", Rules: rulesWith(nil), Scan: 5}, Bindings: without(pairOf())}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// even with rules that look the same
	got = Replace(broken, pairOf(), broken.Rules, 99)
	if got.Subscription.Broken != "" || got.Subscription.LastError != "" {
		t.Errorf("still broken: %+v", got.Subscription)
	}
}
