package inbox

import "testing"

// HOOK-5: where status lines stand beside items only, they wait until there is
// one; nothing that they would count is lost, and progress is kept all the same.
func TestHOOK5_StatusLinesWaitForItems(t *testing.T) {
	plan := func(beside bool, windows ...Window) Plan {
		p := NewPlanner(1024, now)
		if beside {
			p.ItemsOnly()
		}
		for _, w := range windows {
			p.Add(w)
		}
		return p.Plan()
	}
	all := boundWith(rulesWith(nil), 0)
	failed := Window{Bound: all, Items: []Judged{fail(1, "no"), fail(2, "worse")}, Through: 2}
	wantOutput(t, plan(false, failed), line("s/w", "0 0 0 0 2 0 0"))
	held := plan(true, failed)
	wantOutput(t, held)
	then := after(held.Batches[0])
	if held.Empty() || then.Binding.Position != 2 || then.Binding.Unreported.Errors != 2 || then.Binding.LastError != "worse" {
		t.Errorf("held back: %+v", held.Batches[0])
	}
	// the same again is nothing at all, so that a turn cannot go on for ever
	if again := plan(true, Window{Bound: then, Through: 2}); !again.Empty() {
		t.Errorf("held back twice: %+v", again)
	}
	wantOutput(t, plan(true, Window{Bound: then, Items: []Judged{match(3, "hello")}, Through: 3}), line("s/w", "1 0 0 0 2 0 0"), "hello")
	wantOutput(t, plan(false, Window{Bound: then, Through: 2}), line("s/w", "0 0 0 0 2 0 0"))

	// beside another subscription's items mere lines are printed, before and behind
	other := Window{Bound: named(all, "t", "w"), Items: []Judged{match(1, "hello")}, Through: 1}
	wantOutput(t, plan(true, failed, other), line("s/w", "0 0 0 0 2 0 0"), line("t/w", "1 0 0 0 0 0 0"), "hello")
	wantOutput(t, plan(true, other, failed), line("t/w", "1 0 0 0 0 0 0"), "hello", line("s/w", "0 0 0 0 2 0 0"))

	// parking happens, and is told later
	one := boundWith(rulesWith(shareOneOnAck), 0)
	parked := plan(true, Window{Bound: one, Parked: 1})
	wantOutput(t, parked)
	if b := parked.Batches[0]; !b.Park || b.Subscription.Unreported.Parked != 1 {
		t.Errorf("parked: %+v", b)
	}
}
