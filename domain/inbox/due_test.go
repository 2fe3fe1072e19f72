package inbox

import (
	"slices"
	"testing"
)

// PULL-10, STO-7: when a binding is due, a second to either side.
func TestPULL10_Due(t *testing.T) {
	tests := []struct {
		name               string
		nextAt, every, now int64
		want               bool
	}{
		{"never delivered", 0, 600, 1000, true},
		{"a second early", 1001, 600, 1000, false},
		{"on time", 1000, 600, 1000, true},
		{"late", 999, 600, 1000, true},
		{"just delivered", 1600, 600, 1000, false},
		{"clock a minute back", 1660, 600, 1000, false},
		{"clock further back", 1661, 600, 1000, true},
		{"no interval, clock a minute back", 1060, 0, 1000, false},
		{"no interval, clock further back", 1061, 0, 1000, true},
	}
	for _, tt := range tests {
		if got := Due(tt.nextAt, tt.every, tt.now); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}

// PULL-10: due time, then the pull that last delivered, then the name.
func TestPULL10_DueOrder(t *testing.T) {
	of := func(name string, nextAt, lastPull int64) Bound {
		b := boundWith(rulesWith(func(r *Rules) { r.Every = 600 }), 0)
		b.Subscription.Name, b.Binding.Subscription = name, name
		b.Binding.NextAt, b.Binding.LastPull = nextAt, lastPull
		return b
	}
	broken := func(name string, nextAt int64) Bound {
		b := of(name, nextAt, 0)
		b.Subscription.Rules, b.Subscription.Broken = Rules{Queue: "q"}, "unreadable"
		return b
	}
	all := []Bound{
		of("zeta", 0, 0), of("alpha", 0, 0), of("late", 900, 1), of("early", 500, 9), of("b", 900, 3), of("a", 900, 3), of("c", 900, 2),
		of("not yet", 1001, 0), of("ahead", 1661, 0), broken("broken", 700), broken("broken later", 1500), broken("broken far", 1000+MaxDuration+61),
	}
	want := []string{"alpha", "zeta", "early", "broken", "late", "c", "a", "b", "ahead", "broken far"}
	given := slices.Clone(all)
	for range 2 {
		var got []string
		for _, b := range DueOrder(given, 1000) {
			got = append(got, b.Subscription.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("order %v, want %v", got, want)
		}
		slices.Reverse(given)
	}
	slices.Reverse(given)
	slices.Reverse(given)
	if !slices.Equal(given, all) {
		t.Error("the argument was changed")
	}
	if got := DueOrder(nil, 1000); len(got) != 0 {
		t.Errorf("due out of nothing: %v", got)
	}
}
