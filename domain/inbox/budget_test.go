package inbox

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// PULL-9: the room for items is the budget less the longest status line of the
// names; the expected texts are those of the reference scripts.
func TestPULL9_BudgetOfOne(t *testing.T) {
	n64 := func(c string) string { return strings.Repeat(c, 64) }
	payload := strings.Repeat("abcdefghij", 50)
	text := `[logs#1] {"line":"` + payload + `"}`
	tests := []struct {
		sub, who string
		budget   int
		want     string
	}{
		{"tail", "bot", 400, `[logs#1] {"line":"` + strings.Repeat("abcdefghij", 14) + `abcdefg … tundish show 1`},
		{n64("s"), n64("w"), 400, `[logs#1] {"line":"abcdefghijabcdefghijabcdef … tundish show 1`},
		{"tail", "bot", 215 + len(text) + 1, text},
		{"tail", "bot", 215 + len(text), text[:len(text)-1-len(" … tundish show 1")] + " … tundish show 1"},
	}
	for _, tt := range tests {
		w := Window{Bound: named(boundWith(rulesWith(nil), 0), tt.sub, tt.who), Items: []Judged{match(1, text), match(2, "x")}, Through: 2}
		plan := planOf(tt.budget, w)
		wantOutput(t, plan, line(tt.sub+"/"+tt.who, "1 1 0 0 0 0 0"), tt.want)
		if len(plan.Output()) > tt.budget {
			t.Errorf("%d bytes of %d", len(plan.Output()), tt.budget)
		}
	}
}

// PULL-10: one budget for all; what is left is the budget less what is printed.
func TestPULL10_SharedBudget(t *testing.T) {
	of := func(name, text string) Window {
		return Window{Bound: named(boundWith(rulesWith(nil), 0), name, "bot"), Items: []Judged{match(1, text)}, Through: 1}
	}
	long := strings.Repeat("x", 250)
	first := of("first", long)
	printed := len(line("first/bot", "1 0 0 0 0 0 0")) + 1 + len(long) + 1
	enough := statusReserve("second", "bot") + minItemRoom

	plan := planOf(printed+enough, first, of("second", strings.Repeat("y", 63)))
	wantOutput(t, plan, line("first/bot", "1 0 0 0 0 0 0"), long, line("second/bot", "1 0 0 0 0 0 0"), strings.Repeat("y", 63))
	if plan.Delivered() != 2 {
		t.Errorf("delivered %d", plan.Delivered())
	}

	// a byte less: it waits, is not even looked at, and says nothing
	plan = planOf(printed+enough-1, first, of("second", "y"))
	wantOutput(t, plan, line("first/bot", "1 0 0 0 0 0 0"), long)
	if len(plan.Batches) != 1 {
		t.Errorf("%d batches", len(plan.Batches))
	}

	// one that needs less room for its names still gets its turn
	plan = planOf(printed+enough-1, first, of("second", "y"), of("third", "z"))
	wantOutput(t, plan, line("first/bot", "1 0 0 0 0 0 0"), long, line("third/bot", "1 0 0 0 0 0 0"), "z")
}

// PULL-10: a first item that does not fit after other output says so and waits.
func TestPULL10_FirstItemTooBig(t *testing.T) {
	first := Window{Bound: named(boundWith(rulesWith(nil), 0), "first", "bot"), Items: []Judged{match(1, "short")}, Through: 1}
	big := Window{Bound: named(boundWith(rulesWith(func(r *Rules) { r.Every = 600 }), 0), "second", "bot"), Items: []Judged{match(2, strings.Repeat("y", 400))}, Through: 2}
	plan := planOf(600, first, big)
	wantOutput(t, plan, line("first/bot", "1 0 0 0 0 0 0"), "short", line("second/bot", "0 1 0 0 0 0 0"))
	if b := plan.Batches[1]; b.BindingChanged || b.SubscriptionChanged || !b.Printed {
		t.Errorf("it moved: %+v", b)
	}
	// latest likewise: not even one fits, and nothing moves (PULL-4)
	newest := Window{Bound: named(boundWith(rulesWith(latest(2)), 0), "second", "bot"), Items: []Judged{match(3, strings.Repeat("y", 400)), match(2, "y")}, Through: 3}
	plan = planOf(600, first, newest)
	wantOutput(t, plan, line("first/bot", "1 0 0 0 0 0 0"), "short", line("second/bot", "0 1 0 0 0 0 0"))
	if plan.Batches[1].BindingChanged {
		t.Error("latest moved")
	}
}

// PULL-10: items are placed first, then mere status lines at their real length,
// all in due order; counts that do not fit stay, and nobody waits for them.
func TestPULL10_ItemsBeforeMereStatusLines(t *testing.T) {
	counts := func(name string, dropped int64) Window {
		w := Window{Bound: named(boundWith(rulesWith(nil), 10), name, "bot"), Items: []Judged{fail(11, "e")}, Through: 12}
		w.Bound.Binding.Unreported.Dropped = dropped
		return w
	}
	items := func(name, text string) Window {
		return Window{Bound: named(boundWith(rulesWith(nil), 10), name, "bot"), Items: []Judged{match(11, text)}, Through: 11}
	}
	// the item fills its room, which leaves 108 bytes: the reserve less the line
	text := strings.Repeat("x", 400)
	budget := statusReserve("bbb", "bot") + len(text) + 1
	lineB := line("bbb/bot", "1 0 0 0 0 0 0")

	// the mere line comes first in due order, and the item is placed first; the
	// second mere line waits, though its position moves
	plan := planOf(budget, counts("aaa", 1), counts("ccc", 9), items("bbb", text))
	wantOutput(t, plan, line("aaa/bot", "0 0 0 0 1 1 0"), lineB, text)
	b := plan.Batches[1]
	if b.Printed || !b.BindingChanged || b.Binding.Position != 12 || b.Binding.Unreported != (Counts{Dropped: 9, Errors: 1}) || b.Binding.LastError != "e" {
		t.Errorf("%+v", b)
	}

	// to the byte
	plan = planOf(budget, counts("aaaaa", 1), items("bbb", text))
	wantOutput(t, plan, line("aaaaa/bot", "0 0 0 0 1 1 0"), lineB, text)
	if len(plan.Output()) != budget {
		t.Errorf("%d bytes, want all %d", len(plan.Output()), budget)
	}

	// a byte more, and a line that does not fit keeps no shorter one away
	plan = planOf(budget, counts("aaaaaa", 1), counts("ccc", 9), items("bbb", text))
	wantOutput(t, plan, line("ccc/bot", "0 0 0 0 1 9 0"), lineB, text)

	// lines alone share the budget too
	wantOutput(t, planOf(400, counts("aaa", 1), counts("bbb", 2), counts("ccc", 3), counts("ddd", 4)),
		line("aaa/bot", "0 0 0 0 1 1 0"), line("bbb/bot", "0 0 0 0 1 2 0"), line("ccc/bot", "0 0 0 0 1 3 0"))
}

// PULL-10: under one, counts without room stay with the subscription, parked
// ones included.
func TestPULL10_CountsOfOneWithoutRoomStay(t *testing.T) {
	w := Window{Bound: named(boundWith(rulesWith(shareOneOnAck), 10), "aaaaaa", "bot"), Items: []Judged{fail(11, "e")}, Through: 12, Parked: 2}
	w.Bound.Subscription.Unreported = Counts{Dropped: 1, Parked: 1}
	text := strings.Repeat("x", 400)
	other := Window{Bound: named(boundWith(rulesWith(nil), 10), "bbb", "bot"), Items: []Judged{match(11, text)}, Through: 11}
	plan := planOf(statusReserve("bbb", "bot")+len(text)+1, w, other)
	wantOutput(t, plan, line("bbb/bot", "1 0 0 0 0 0 0"), text)
	b := plan.Batches[0]
	want := Subscription{Name: "aaaaaa", Rules: w.Bound.Subscription.Rules, Scan: 12, Unreported: Counts{Dropped: 1, Errors: 1, Parked: 3}, LastError: "e"}
	if diff := cmp.Diff(want, b.Subscription); diff != "" {
		t.Error(diff)
	}
	if !b.Park || b.BindingChanged {
		t.Errorf("%+v", b)
	}
}

// PULL-9, better: the first item is delivered also after mere status lines.
func TestPULL9_FirstItemAfterMereStatusLines(t *testing.T) {
	n64 := strings.Repeat("n", 64)
	counts := Window{Bound: named(boundWith(rulesWith(nil), 10), n64, n64), Through: 10}
	counts.Bound.Binding.Unreported.Dropped = 1
	item := Window{Bound: named(boundWith(rulesWith(nil), 10), n64, n64), Items: []Judged{match(11, strings.Repeat("x", 500))}, Through: 11}
	plan := planOf(400, counts, item)
	wantOutput(t, plan, line(n64+"/"+n64, "1 0 0 0 0 0 0"), strings.Repeat("x", 63-20)+" … tundish show 11")
}

func TestPULL9_Bounds(t *testing.T) {
	if DefaultMaxBytes != 1024 || MinMaxBytes != 400 {
		t.Errorf("default %d, least %d", DefaultMaxBytes, MinMaxBytes)
	}
}
