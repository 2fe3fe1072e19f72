package inbox

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const now = 1000

// named gives a bound other names.
func named(b Bound, subscription, subscriber string) Bound {
	b.Subscription.Name, b.Binding.Subscription, b.Binding.Subscriber = subscription, subscription, subscriber
	return b
}

// planOf plans windows as the application does: those without room wait.
func planOf(budget int, windows ...Window) Plan {
	p := NewPlanner(budget, now)
	for _, w := range windows {
		if p.Room(w.Bound) {
			p.Add(w)
		}
	}
	return p.Plan()
}

func wantOutput(t *testing.T, plan Plan, lines ...string) {
	t.Helper()
	want := strings.Join(append(lines, ""), "\n")
	if diff := cmp.Diff(want, string(plan.Output())); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

// line is a status line: subscription/subscriber, and the numbers in order.
func line(names, numbers string) string {
	sub, who, _ := strings.Cut(names, "/")
	text := "tundish: subscription=" + sub + " subscriber=" + who
	for i, number := range strings.Fields(numbers) {
		text += " " + []string{"delivered", "more", "unacked", "parked", "errors", "dropped", "lease"}[i] + "=" + number
	}
	return text
}

// Section 5, PULL-13: nothing to say and nothing to commit.
func TestPULL13_EmptyPlan(t *testing.T) {
	for name, w := range map[string]Window{
		"all, nothing new":         {Bound: boundWith(rulesWith(nil), 5), Through: 5},
		"one, nothing new":         {Bound: boundWith(rulesWith(shareOneOnAck), 5), Through: 5},
		"latest, nothing new":      {Bound: boundWith(rulesWith(latest(2)), 5), Through: 5},
		"unacked alone is no news": {Bound: boundWith(rulesWith(allOnAck), 5), Through: 5, Unacked: 3},
	} {
		plan := planOf(400, w)
		if !plan.Empty() || len(plan.Output()) != 0 || plan.Delivered() != 0 {
			t.Errorf("%s: %+v", name, plan)
		}
	}
	if plan := planOf(400); !plan.Empty() || len(plan.Output()) != 0 {
		t.Errorf("no window: %+v", plan)
	}
}

// PULL-13: each thing that a pull may print or store is a reason to commit.
func TestPULL13_EmptyMeansNothingAtAll(t *testing.T) {
	for name, b := range map[string]Batch{
		"printed":              {Printed: true},
		"parked":               {Park: true},
		"subscription changed": {SubscriptionChanged: true},
		"binding changed":      {BindingChanged: true},
	} {
		if (Plan{Batches: []Batch{{}, b}}).Empty() {
			t.Errorf("%s, and yet empty", name)
		}
	}
	if !(Plan{Batches: []Batch{{}, {}}}).Empty() {
		t.Error("nothing, and yet not empty")
	}
}

// PULL-14: progress over items that did not match is committed silently.
func TestPULL14_SilentProgress(t *testing.T) {
	all := Window{Bound: boundWith(rulesWith(nil), 5), Items: []Judged{pass(6)}, Through: 8, More: true}
	plan := planOf(400, all)
	if plan.Empty() || len(plan.Output()) != 0 {
		t.Fatalf("%+v", plan)
	}
	b := plan.Batches[0]
	if b.Binding.Position != 8 || !b.BindingChanged || b.SubscriptionChanged || b.Printed || b.Binding.NextAt != 0 {
		t.Errorf("all: %+v", b)
	}

	one := Window{Bound: boundWith(rulesWith(shareOne), 5), Through: 8}
	plan = planOf(400, one)
	if b = plan.Batches[0]; plan.Empty() || b.Subscription.Scan != 8 || b.BindingChanged || !b.SubscriptionChanged {
		t.Errorf("one: %+v", b)
	}

	span := Span{After: 6, Through: 8}
	some := Window{Bound: boundWith(rulesWith(latest(2)), 5), Items: []Judged{pass(8), pass(7)}, Through: 8, Judged: span, More: true}
	plan = planOf(400, some)
	if b = plan.Batches[0]; plan.Empty() || len(plan.Output()) != 0 || b.Binding.Judged != span || b.Binding.Position != 5 {
		t.Errorf("latest: %+v", b)
	}
}

// PULL-5: what each kind of delivery prints and records.
func TestPULL5_Deliveries(t *testing.T) {
	items := []Judged{match(11, "a"), claimedItem(match(12, "b")), match(13, "c")}
	fresh := []Judged{match(11, "a"), match(13, "c")}
	retries := []Retry{{Item: 3, Attempts: 2, Text: "r"}}
	ack := func(item int64) Ack { return Ack{Subscription: "s", Item: item, Owner: "w", At: now} }
	lease := func(item, attempts int64) Lease {
		return Lease{Subscription: "s", Item: item, Owner: "w", Granted: now, Until: now + 60, Attempts: attempts}
	}
	tests := []struct {
		name   string
		window Window
		line   string
		texts  []string
		leases []Lease
		acks   []Ack
		shown  []int64
	}{
		{
			"all, on-read", Window{Bound: boundWith(rulesWith(nil), 10), Items: fresh, Through: 13, Unacked: 9},
			"2 0 0 0 0 0 0", []string{"a", "c"}, nil, nil, nil,
		},
		{
			"all, on-ack", Window{Bound: boundWith(rulesWith(allOnAck), 10), Items: items, Through: 13, Unacked: 9},
			"3 0 9 0 0 0 0", []string{"a", "b", "c"}, nil, nil, []int64{11, 13},
		},
		{
			"one, on-read", Window{Bound: boundWith(rulesWith(shareOne), 10), Items: fresh, Through: 13, Unacked: 9},
			"2 0 0 0 0 0 0", []string{"a", "c"}, nil, []Ack{ack(11), ack(13)}, nil,
		},
		{
			"one, on-read, with leases of earlier rules", Window{Bound: boundWith(rulesWith(shareOne), 10), Retries: retries, Items: fresh, Through: 13},
			"3 0 0 0 0 0 0", []string{"r", "a", "c"}, nil, []Ack{ack(3), ack(11), ack(13)}, nil,
		},
		{
			"one, on-ack", Window{Bound: boundWith(rulesWith(shareOneOnAck), 10), Retries: retries, Items: fresh, Through: 13},
			"3 0 0 0 0 0 60", []string{"r", "a", "c"}, []Lease{lease(3, 3), lease(11, 1), lease(13, 1)}, nil, nil,
		},
		{
			"latest, on-ack", Window{
				Bound: boundWith(rulesWith(func(r *Rules) { latest(1)(r); allOnAck(r) }), 10), Items: []Judged{match(13, "c"), match(11, "a")}, Through: 13, Unacked: 1,
			},
			"1 0 1 0 0 0 0", []string{"c"}, nil, nil, []int64{13},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			plan := planOf(400, tt.window)
			wantOutput(t, plan, append([]string{line("s/w", tt.line)}, tt.texts...)...)
			b := plan.Batches[0]
			if diff := cmp.Diff([]any{tt.leases, tt.acks, tt.shown}, []any{b.Leases, b.Acks, b.Shown}); diff != "" {
				t.Error(diff)
			}
			if plan.Delivered() != int64(len(tt.texts)) || plan.Empty() {
				t.Errorf("delivered %d, empty %t", plan.Delivered(), plan.Empty())
			}
		})
	}
}

// PULL-10: a delivery sets next_at; what only prints a line leaves it alone.
func TestPULL10_NextAt(t *testing.T) {
	rules := rulesWith(func(r *Rules) { r.Every = 600 })
	bound := boundWith(rules, 10)
	bound.Binding.NextAt = 400
	got := planOf(400, Window{Bound: bound, Items: []Judged{match(11, "a")}, Through: 11}).Batches[0]
	if got.Binding.NextAt != now+600 || !got.BindingChanged {
		t.Errorf("after a delivery: %+v", got.Binding)
	}
	got = planOf(400, Window{Bound: bound, Items: []Judged{fail(11, "e")}, Through: 11}).Batches[0]
	if got.Binding.NextAt != 400 || !got.Printed {
		t.Errorf("after a mere status line: %+v", got.Binding)
	}
	rules.Every = 0
	bound = boundWith(rules, 10)
	if got = planOf(400, Window{Bound: bound, Items: []Judged{match(11, "a")}, Through: 11}).Batches[0]; got.Binding.NextAt != now {
		t.Errorf("without an interval: %+v", got.Binding)
	}
}

// PULL-2, PULL-6, PULL-7: counts are printed once, even alone, and reset.
func TestPULL7_CountsAreReportedOnce(t *testing.T) {
	loaded := func(change func(*Rules)) Bound {
		b := boundWith(rulesWith(change), 10)
		b.Subscription.Unreported = Counts{Dropped: 1, Errors: 2, Parked: 4}
		b.Binding.Unreported = Counts{Dropped: 10, Errors: 20}
		b.Subscription.LastError, b.Binding.LastError = "sub", "binding"
		return b
	}
	for _, share := range []Share{All, One} {
		change := func(r *Rules) { r.Share, r.Consume = share, OnAck }
		plan := planOf(400, Window{Bound: loaded(change), Items: []Judged{fail(11, "e11"), fail(12, "e12")}, Through: 12, Parked: 100})
		wantOutput(t, plan, line("s/w", "0 0 0 104 24 11 0"))
		b := plan.Batches[0]
		if b.Subscription.Unreported != (Counts{}) || b.Binding.Unreported != (Counts{}) {
			t.Errorf("%s: not reset: %+v %+v", share, b.Subscription, b.Binding)
		}
		if !b.Park || !b.SubscriptionChanged || !b.BindingChanged || after(b).Position() != 12 {
			t.Errorf("%s: %+v", share, b)
		}
		wantSub, wantBinding := "sub", "e12"
		if share == One {
			wantSub, wantBinding = "e12", "binding"
		}
		if b.Subscription.LastError != wantSub || b.Binding.LastError != wantBinding {
			t.Errorf("%s: last errors %q, %q", share, b.Subscription.LastError, b.Binding.LastError)
		}
		if again := planOf(400, Window{Bound: after(b), Through: 12}); !again.Empty() {
			t.Errorf("%s: reported again: %q", share, again.Output())
		}
	}
	// the last error stays when there is no new one
	b := planOf(400, Window{Bound: loaded(nil), Items: []Judged{match(11, "a")}, Through: 11}).Batches[0]
	if b.Binding.LastError != "binding" {
		t.Errorf("last error %q", b.Binding.LastError)
	}
}

// PULL-6: parking alone is worth a commit and a line.
func TestPULL6_ParkingAlone(t *testing.T) {
	plan := planOf(400, Window{Bound: boundWith(rulesWith(shareOneOnAck), 10), Through: 10, Parked: 2})
	wantOutput(t, plan, line("s/w", "0 0 0 2 0 0 0"))
	if b := plan.Batches[0]; !b.Park || plan.Empty() || b.SubscriptionChanged || b.BindingChanged {
		t.Errorf("%+v", b)
	}
}

// PULL-3, PULL-14: more=1 when something was left, and a line to say it on.
func TestPULL3_More(t *testing.T) {
	bound := boundWith(rulesWith(nil), 10)
	counted := bound
	counted.Binding.Unreported.Dropped = 3
	newest := boundWith(rulesWith(latest(1)), 10)
	countedNewest := newest
	countedNewest.Binding.Unreported.Dropped = 3
	tests := []struct {
		name   string
		window Window
		want   string
	}{
		{"nothing left", Window{Bound: bound, Items: []Judged{match(11, "a")}, Through: 11}, "1 0 0 0 0 0 0"},
		{"the scan was not finished", Window{Bound: bound, Items: []Judged{match(11, "a")}, Through: 11, More: true}, "1 1 0 0 0 0 0"},
		{"counts, and the scan was not finished", Window{Bound: counted, Through: 11, More: true}, "0 1 0 0 0 3 0"},
		{"errors, and the scan was not finished", Window{Bound: bound, Items: []Judged{fail(11, "e")}, Through: 11, More: true}, "0 1 0 0 1 0 0"},
		{"latest leaves nothing", Window{Bound: newest, Items: []Judged{match(12, "a"), match(11, "b")}, Through: 12, More: true}, "1 0 0 0 0 0 0"},
		{"latest with counts", Window{Bound: countedNewest, Items: []Judged{pass(12)}, Through: 12, Judged: Span{11, 12}, More: true}, "0 0 0 0 0 3 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, _ := strings.Cut(string(planOf(400, tt.window).Output()), "\n")
			if want := line("s/w", tt.want); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}
