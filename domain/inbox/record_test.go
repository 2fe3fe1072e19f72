package inbox

import "testing"

// PULL-7: counts add up field by field.
func TestPULL7_CountsPlus(t *testing.T) {
	got := Counts{Dropped: 1, Errors: 2, Parked: 3}.Plus(Counts{Dropped: 10, Errors: 20, Parked: 30})
	if want := (Counts{Dropped: 11, Errors: 22, Parked: 33}); got != want {
		t.Errorf("%+v", got)
	}
}

// CMD-1: the scan under one, the binding's own position under all.
func TestCMD1_Position(t *testing.T) {
	b := Bound{Subscription: Subscription{Rules: rulesWith(nil), Scan: 7}, Binding: Binding{Position: 3}}
	if got := b.Position(); got != 3 {
		t.Errorf("all: %d", got)
	}
	b.Subscription.Rules.Share = One
	if got := b.Position(); got != 7 {
		t.Errorf("one: %d", got)
	}
}

// PULL-14: a span is open below and closed above.
func TestPULL14_SpanHas(t *testing.T) {
	s := Span{After: 3, Through: 5}
	for id, want := range map[int64]bool{2: false, 3: false, 4: true, 5: true, 6: false} {
		if s.Has(id) != want {
			t.Errorf("%d: %t", id, s.Has(id))
		}
	}
	if (Span{}).Has(1) {
		t.Error("an empty span has 1")
	}
}
