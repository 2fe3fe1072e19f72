package inbox

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tundish-go/tundish/domain"
)

// TIME-6: an item is over from the second that was named.
func TestTIME6_Expired(t *testing.T) {
	for _, c := range []struct {
		expires, now int64
		want         bool
	}{{0, 1 << 40, false}, {100, 99, false}, {100, 100, true}, {100, 101, true}} {
		if got := (Item{ExpiresAt: c.expires}).Expired(c.now); got != c.want {
			t.Errorf("%d at %d: %v", c.expires, c.now, got)
		}
	}
}

// TIME-6: what nobody could read is refused.
func TestTIME6_CheckExpiry(t *testing.T) {
	for _, c := range []struct {
		expires, release, now int64
		ok                    bool
	}{
		{0, 0, 100, true}, {0, 500, 100, true}, {101, 0, 100, true}, {100, 0, 100, false}, {99, 0, 100, false},
		{501, 500, 100, true}, {500, 500, 100, false}, {400, 500, 100, false}, {101, 50, 100, true},
	} {
		err := CheckExpiry(c.expires, c.release, c.now)
		if (err == nil) != c.ok || err != nil && domain.CodeOf(err) != domain.Invalid {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TIME-8: retention leaves what somebody holds.
func TestTIME8_Overdue(t *testing.T) {
	const now = 1000
	hold := func(item int64, owner string, until int64, parked bool) Lease {
		return Lease{Subscription: "s", Item: item, Owner: owner, Granted: now - 10, Until: until, Parked: parked}
	}
	leases := []Lease{
		hold(2, "w", now+1, false), hold(3, "w", now, false), hold(4, "w", now+1, true),
		hold(5, "", now+1, false), // given back for later: nobody holds it
		hold(6, "w", now-5, false), hold(6, "v", now+5, false), hold(7, "w", now+5, false), hold(7, "v", now-5, false),
	}
	items := []int64{1, 2, 3, 4, 5, 6, 7}
	if got := Overdue(items, leases, now); !slices.Equal(got, []int64{1, 3, 4, 5}) {
		t.Errorf("overdue: %v", got)
	}
	if got := Overdue(nil, nil, now); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
	if !slices.Equal(items, []int64{1, 2, 3, 4, 5, 6, 7}) {
		t.Errorf("the argument was changed: %v", items)
	}
}

// gone is an item that has expired.
func gone(id int64) Judged { return Judged{ID: id, Verdict: Lapsed} }

// TIME-7: what has expired counts when the position passes it, and is not printed.
func TestTIME7_Take(t *testing.T) {
	all, one := boundWith(rulesWith(limited(1, nil)), 10), boundWith(rulesWith(shareOneOnAck), 10)
	last := boundWith(rulesWith(latest(1)), 10)
	for _, c := range []struct {
		name     string
		window   Window
		dropped  int64
		texts    []string
		position int64
	}{
		{"before and behind", Window{Bound: all, Items: []Judged{gone(11), match(12, "a"), gone(13)}, Through: 13}, 2, []string{"a"}, 13},
		{"behind the limit", Window{Bound: all, Items: []Judged{gone(11), match(12, "a"), gone(13), match(14, "b")}, Through: 14}, 1, []string{"a"}, 12},
		{"nothing else", Window{Bound: all, Items: []Judged{gone(11), gone(12)}, Through: 15}, 2, nil, 15},
		{"claimed under one", Window{Bound: one, Items: []Judged{claimedItem(gone(11)), gone(12)}, Through: 12}, 1, nil, 12},
		{"latest", Window{Bound: last, Items: []Judged{gone(14), match(13, "c")}, Through: 14}, 1, []string{"c"}, 14},
		{
			"latest, unfinished", Window{Bound: last, Items: []Judged{gone(14), gone(12)}, Through: 14, Judged: Span{After: 13, Through: 14}, More: true},
			1, nil, 10,
		},
	} {
		s := c.window.take(99, true)
		if s.dropped != c.dropped || s.position != c.position || !slices.Equal(s.texts, c.texts) {
			t.Errorf("%s: dropped %d, position %d, %q", c.name, s.dropped, s.position, s.texts)
		}
	}
}

// TIME-7: the counts stand in the status line, or wait for one; leases that are over
// count and go.
func TestTIME7_Batch(t *testing.T) {
	one := boundWith(rulesWith(shareOneOnAck), 10)
	one.Subscription.Unreported.Dropped = 3
	w := Window{Bound: one, Lapsed: []int64{4, 5}, Items: []Judged{gone(11)}, Through: 11}
	p := NewPlanner(MinMaxBytes, 1000)
	p.Add(w)
	plan := p.Plan()
	b := plan.Batches[0]
	if b.Status.Counts.Dropped != 6 || !b.Printed || b.Subscription.Unreported != (Counts{}) || b.Subscription.Scan != 11 {
		t.Errorf("printed: %+v", b)
	}
	if diff := cmp.Diff([]int64{4, 5}, b.Lapsed); diff != "" || plan.Empty() {
		t.Error(diff)
	}
	p = NewPlanner(MinMaxBytes, 1000)
	p.left = 1 // no room for the line
	p.windows, p.taken = []Window{w}, []selection{w.take(1, true)}
	b = p.Plan().Batches[0]
	if b.Printed || b.Subscription.Unreported.Dropped != 6 || !b.SubscriptionChanged {
		t.Errorf("not printed: %+v", b)
	}
}

// TIME-7: of a window every item is printed, counted, filtered out, claimed or left
// for later, and never two of these.
func TestTIME7_EachOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var items []Judged
		for id := int64(11); id < 11+rapid.Int64Range(0, 12).Draw(t, "items"); id++ {
			v := rapid.SampledFrom([]Verdict{Matched, Lapsed, Failed, Passed}).Draw(t, "verdict")
			items = append(items, Judged{ID: id, Verdict: v, Text: "text"})
		}
		limit := rapid.Int64Range(0, 4).Draw(t, "limit")
		w := Window{Bound: boundWith(rulesWith(limited(limit, nil)), 10), Items: items, Through: 10 + int64(len(items))}
		left := rapid.IntRange(0, 60).Draw(t, "left")
		s := w.take(left, false)
		var dropped, errors, matched int64
		for _, it := range items {
			if it.ID > s.position {
				break
			}
			switch it.Verdict {
			case Lapsed:
				dropped++
			case Failed:
				errors++
			case Matched:
				matched++
			}
		}
		if s.dropped != dropped || s.errors != errors || int64(len(s.texts)) != matched {
			t.Fatalf("up to %d: dropped %d, errors %d, texts %d; want %d, %d, %d", s.position, s.dropped, s.errors, len(s.texts), dropped, errors, matched)
		}
	})
}
