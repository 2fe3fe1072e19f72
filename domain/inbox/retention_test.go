package inbox

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// RET-2: older than the age goes, exactly of the age stays.
func TestRET2_AgedBefore(t *testing.T) {
	if before, ok := (Retention{MaxAge: 60}).AgedBefore(1060); !ok || before != 1000 {
		t.Errorf("before %d, %t: an item of 1000 is 60 s old and stays", before, ok)
	}
	if _, ok := (Retention{MaxAge: 1}).AgedBefore(1060); !ok {
		t.Error("an age of a second is none")
	}
	if _, ok := (Retention{MaxItems: 1}).AgedBefore(1060); ok {
		t.Error("an age out of nothing")
	}
}

// RET-1, CFG-2: zero is no limit.
func TestRET1_Excess(t *testing.T) {
	tests := []struct{ limit, count, want int64 }{
		{0, 0, 0}, {0, 1_000_000, 0}, {2, 0, 0}, {2, 1, 0}, {2, 2, 0}, {2, 3, 1}, {1, 3, 2}, {10000, 10001, 1},
	}
	for _, tt := range tests {
		if got := (Retention{MaxItems: tt.limit}).Excess(tt.count); got != tt.want {
			t.Errorf("limit %d, %d items: %d", tt.limit, tt.count, got)
		}
	}
	if DefaultRetention() != (Retention{MaxItems: 10000}) {
		t.Errorf("CFG-2 default: %+v", DefaultRetention())
	}
}

func reader(share Share, scan, lowestOpen int64, positions ...int64) QueueReader {
	r := QueueReader{Subscription: Subscription{Name: "s", Rules: rulesWith(nil), Scan: scan}, LowestOpen: lowestOpen}
	r.Subscription.Rules.Share = share
	if share == "" {
		r.Subscription.Rules, r.Subscription.Broken = Rules{Queue: "q"}, "unreadable"
	}
	for i, p := range positions {
		r.Bindings = append(r.Bindings, Binding{Subscription: "s", Subscriber: string(rune('a' + i)), Position: p})
	}
	return r
}

// RET-1, RET-3: who holds what against the count limit.
func TestRET1_Hold(t *testing.T) {
	const top = 100
	tests := []struct {
		name    string
		readers []QueueReader
		want    int64
	}{
		{"nobody", nil, top},
		{"all, lowest position", []QueueReader{reader(All, 0, 0, 9, 5, 7)}, 5},
		{"all, nothing read", []QueueReader{reader(All, 50, 0, 0)}, 0},
		{"all, everything read", []QueueReader{reader(All, 0, 0, 100)}, top},
		{"all, the scan means nothing", []QueueReader{reader(All, 2, 0, 9)}, 9},
		{"all, a lease left over means nothing", []QueueReader{reader(All, 0, 3, 9)}, 9},
		{"all, unbound", []QueueReader{reader(All, 0, 0)}, top},
		{"one, scan", []QueueReader{reader(One, 8, 0, 2)}, 8},
		{"one, lease below the scan", []QueueReader{reader(One, 8, 4, 2)}, 3},
		{"one, lease of the first item", []QueueReader{reader(One, 8, 1, 2)}, 0},
		{"one, lease above the scan", []QueueReader{reader(One, 8, 12, 2)}, 8},
		{"one, unbound", []QueueReader{reader(One, 8, 4)}, top}, // RET-3
		{"two subscriptions", []QueueReader{reader(One, 8, 0, 0), reader(All, 0, 0, 6)}, 6},
		{"an unbound one before a bound one", []QueueReader{reader(All, 0, 0), reader(All, 0, 0, 6)}, 6},
		{"an all before a one", []QueueReader{reader(All, 0, 0, 7), reader(One, 6, 0, 0)}, 6},
		{"unreadable, the position is lower", []QueueReader{reader("", 8, 0, 4)}, 4},
		{"unreadable, the scan is lower", []QueueReader{reader("", 3, 0, 4)}, 3},
		{"unreadable, a lease is lower", []QueueReader{reader("", 8, 3, 4)}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Hold(tt.readers, top); got != tt.want {
				t.Errorf("Hold = %d, want %d", got, tt.want)
			}
		})
	}
}

// RET-2, PULL-6: which removed items are a loss to whom.
func TestRET2_Losses(t *testing.T) {
	s := func(item int64, certain bool) Loss { return Loss{Subscription: "s", Item: item, Certain: certain} }
	of := func(who string, item int64) Loss { return Loss{Subscription: "s", Subscriber: who, Item: item} }
	judged := reader(All, 0, 0, 0)
	judged.Bindings[0].Judged = Span{After: 1, Through: 2}
	tests := []struct {
		name   string
		reader QueueReader
		acks   []Ack
		leases []Lease
		want   []Loss
	}{
		{"all, nothing read", reader(All, 99, 0, 0), nil, nil, []Loss{of("a", 1), of("a", 2), of("a", 3)}},
		{"all, each for itself", reader(All, 0, 0, 2, 1), nil, nil, []Loss{of("b", 2), of("a", 3), of("b", 3)}},
		{"all, everything read", reader(All, 0, 0, 3), nil, nil, nil},
		{"all, unbound", reader(All, 0, 0), nil, nil, nil},
		{
			"all, except for the one that acked it", reader(All, 0, 0, 2, 2), []Ack{{Subscription: "s", Item: 3, Owner: "a"}}, nil,
			[]Loss{of("b", 3)},
		},
		{
			"all, an ack in another subscription", reader(All, 0, 0, 2), []Ack{{Subscription: "t", Item: 3, Owner: "a"}}, nil,
			[]Loss{of("a", 3)}, // ACK-2
		},
		{"all, known not to match", judged, nil, nil, []Loss{of("a", 1), of("a", 3)}}, // PULL-14
		{"one, beyond the scan", reader(One, 1, 0, 0, 0), nil, nil, []Loss{s(2, false), s(3, false)}},
		{"one, unbound", reader(One, 2, 0), nil, nil, []Loss{s(3, false)}}, // RET-3
		{"one, all passed", reader(One, 3, 0, 0), nil, nil, nil},
		{
			"one, under an open lease", reader(One, 3, 2, 0), nil, []Lease{{Subscription: "s", Item: 2, Owner: "a"}},
			[]Loss{s(2, true)},
		},
		{
			"one, unbound, under an open lease", reader(One, 3, 2), nil, []Lease{{Subscription: "s", Item: 2, Owner: "a"}},
			[]Loss{s(2, true)}, // RET-3
		},
		{
			"one, open lease beyond the scan", reader(One, 1, 0, 0), nil, []Lease{{Subscription: "s", Item: 2, Owner: "a"}},
			[]Loss{s(2, true), s(3, false)},
		},
		{
			"one, parked counts as parked", reader(One, 1, 0, 0), nil, []Lease{{Subscription: "s", Item: 2, Owner: "a", Parked: true}},
			[]Loss{s(3, false)}, // PULL-6
		},
		{
			"one, acked", reader(One, 1, 0, 0), []Ack{{Subscription: "s", Item: 2, Owner: "x"}}, []Lease{{Subscription: "s", Item: 2, Owner: "a"}},
			[]Loss{s(3, false)},
		},
		{
			"one, claims of another subscription", reader(One, 2, 0, 0), []Ack{{Subscription: "t", Item: 3, Owner: "a"}},
			[]Lease{{Subscription: "t", Item: 1, Owner: "a"}, {Subscription: "t", Item: 3, Owner: "a", Parked: true}},
			[]Loss{s(3, false)}, // ACK-2
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Losses([]QueueReader{tt.reader}, []int64{1, 2, 3}, tt.acks, tt.leases)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// RET-2, RET-4: a loss counts if the filter matches; what was under an open
// lease counts anyway.
func TestRET2_Drop(t *testing.T) {
	one, all := reader(One, 0, 0, 0), reader(All, 0, 0, 0, 0)
	one.Subscription.Name = "pool"
	for i := range one.Bindings {
		one.Bindings[i].Subscription = "pool"
	}
	one.Subscription.Unreported = Counts{Dropped: 5, Errors: 1, Parked: 2}
	all.Bindings[1].Unreported = Counts{Dropped: 7}
	readers := []QueueReader{one, all}
	losses := []Loss{
		{Subscription: "pool", Item: 1}, {Subscription: "pool", Item: 2, Certain: true}, {Subscription: "pool", Item: 3},
		{Subscription: "s", Subscriber: "a", Item: 1}, {Subscription: "s", Subscriber: "b", Item: 1}, {Subscription: "s", Subscriber: "b", Item: 3},
	}
	asked := map[string][]int64{}
	Drop(readers, losses, func(subscription string, item int64) bool {
		asked[subscription] = append(asked[subscription], item)
		return item == 3
	})
	if got, want := readers[0].Subscription.Unreported, (Counts{Dropped: 7, Errors: 1, Parked: 2}); got != want {
		t.Errorf("pool: %+v, want %+v", got, want)
	}
	if got := readers[0].Bindings[0].Unreported; got != (Counts{}) {
		t.Errorf("the loss of a pool is not the subscriber's: %+v", got)
	}
	if got := readers[1].Subscription.Unreported; got != (Counts{}) {
		t.Errorf("the loss of a subscriber is not the subscription's: %+v", got)
	}
	a, b := readers[1].Bindings[0].Unreported, readers[1].Bindings[1].Unreported
	if a != (Counts{}) || b != (Counts{Dropped: 8}) {
		t.Errorf("a %+v, b %+v", a, b)
	}
	if !slices.Equal(asked["pool"], []int64{1, 3}) || !slices.Equal(asked["s"], []int64{1, 1, 3}) {
		t.Errorf("asked %v", asked)
	}
}

// RET-2: the position moves up to the item before the first one kept.
func TestRET2_Advance(t *testing.T) {
	tests := []struct {
		name           string
		position, next int64
		removed        []int64
		want           int64
	}{
		{"everything before the first kept", 0, 4, []int64{1, 2, 3}, 3},
		{"nothing is kept", 0, 0, []int64{1, 2, 3}, 3},
		{"a kept item in between", 0, 2, []int64{1, 3}, 1}, // RET-2: clocks and ids disagree
		{"a kept item before all", 0, 1, []int64{2, 3}, 0},
		{"already further", 9, 0, []int64{1, 2}, 9},
		{"already further, with more kept", 2, 8, []int64{1, 2, 5}, 5},
		{"stands on a removed one", 2, 4, []int64{2}, 2},
		{"nothing removed", 3, 0, nil, 3},
	}
	for _, tt := range tests {
		if got := Advance(tt.position, tt.removed, tt.next); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// RET-4
func TestRET4_RemovalIsBounded(t *testing.T) {
	if MaxRemoval != 1000 {
		t.Errorf("one publish removes up to %d items", MaxRemoval)
	}
	for stored, want := range map[int]int{1: 251, 500: 750, 750: 1000, 751: 1000, 1 << 30: 1000} {
		if got := Removal(stored); got != want {
			t.Errorf("a publish of %d items removes up to %d, want %d", stored, got, want)
		}
	}
}
