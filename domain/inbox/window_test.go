package inbox

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// taken is what a window gave, in short.
type taken struct {
	Retries  []int64
	Items    []int64
	Texts    []string
	Bytes    int
	Stopped  bool
	Position int64
	Judged   Span
	Errors   int64
	LastErr  string
}

func short(s selection) taken {
	t := taken{
		Texts: s.texts, Bytes: s.bytes, Stopped: s.stopped, Position: s.position, Judged: s.judged, Errors: s.errors, LastErr: s.lastErr,
	}
	for _, r := range s.retries {
		t.Retries = append(t.Retries, r.Item)
	}
	for _, it := range s.items {
		t.Items = append(t.Items, it.ID)
	}
	return t
}

type takeTest struct {
	name   string
	window Window
	left   int
	later  bool // something was placed before
	want   taken
}

func runTake(t *testing.T, tests []takeTest) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := cmp.Diff(Window{}, tt.window)
			got := short(tt.window.take(tt.left, !tt.later))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if cmp.Diff(Window{}, tt.window) != before {
				t.Error("the window was changed")
			}
		})
	}
}

// PULL-1, PULL-2, PULL-3: new items, oldest first.
func TestPULL3_TakeOldest(t *testing.T) {
	all := boundWith(rulesWith(nil), 10)
	all.Binding.Judged = Span{After: 1, Through: 2} // of an earlier `latest`; only a rules change clears it
	two := boundWith(rulesWith(limited(2, nil)), 10)
	kept := all.Binding.Judged
	items := []Judged{match(11, "aa"), pass(12), match(13, "bbb"), fail(14, "e14"), match(16, "c")}
	runTake(t, []takeTest{
		{
			"everything fits exactly", Window{Bound: all, Items: items, Through: 16}, 9, false,
			taken{Items: []int64{11, 13, 16}, Texts: []string{"aa", "bbb", "c"}, Bytes: 9, Position: 16, Judged: kept, Errors: 1, LastErr: "e14"},
		},
		{
			"the last misses by a byte", Window{Bound: all, Items: items, Through: 16}, 8, false,
			taken{Items: []int64{11, 13}, Texts: []string{"aa", "bbb"}, Bytes: 7, Stopped: true, Position: 13, Judged: kept},
		},
		{
			"the position passes what was evaluated and did not match",
			Window{Bound: all, Items: []Judged{match(11, "a"), pass(12), fail(13, "e13")}, Through: 20}, 9, false,
			taken{Items: []int64{11}, Texts: []string{"a"}, Bytes: 2, Position: 20, Judged: kept, Errors: 1, LastErr: "e13"},
		},
		{
			"the limit, with one more", Window{Bound: two, Items: items, Through: 16}, 99, false,
			taken{Items: []int64{11, 13}, Texts: []string{"aa", "bbb"}, Bytes: 7, Stopped: true, Position: 13},
		},
		{
			"the limit, with nothing more", Window{Bound: two, Items: items[:4], Through: 14}, 99, false,
			taken{Items: []int64{11, 13}, Texts: []string{"aa", "bbb"}, Bytes: 7, Position: 14, Errors: 1, LastErr: "e14"},
		},
		{
			"errors before a delivered item count, those behind it wait",
			Window{Bound: two, Items: []Judged{fail(11, "e11"), match(12, "a"), fail(13, "e13"), match(14, "b"), fail(15, "e15"), match(16, "c")}, Through: 16},
			99, false,
			taken{Items: []int64{12, 14}, Texts: []string{"a", "b"}, Bytes: 4, Stopped: true, Position: 14, Errors: 2, LastErr: "e13"},
		},
		{
			"the first item of the output is cut", Window{Bound: all, Items: []Judged{match(11, strings.Repeat("x", 60)), match(12, "b")}, Through: 12}, 30, false,
			taken{Items: []int64{11}, Texts: []string{"xxxxxxxxx … tundish show 11"}, Bytes: 30, Stopped: true, Position: 11, Judged: kept},
		},
		{
			"a first item of just the room is whole", Window{Bound: all, Items: []Judged{match(11, strings.Repeat("x", 29))}, Through: 11}, 30, false,
			taken{Items: []int64{11}, Texts: []string{strings.Repeat("x", 29)}, Bytes: 30, Position: 11, Judged: kept},
		},
		{
			"a later first item waits whole", Window{Bound: all, Items: []Judged{pass(11), fail(12, "e"), match(13, strings.Repeat("x", 30))}, Through: 13}, 30, true,
			taken{Stopped: true, Position: 10, Judged: kept},
		},
		{
			"only the first is cut", Window{Bound: all, Items: []Judged{match(11, "a"), match(12, strings.Repeat("x", 60))}, Through: 12}, 40, false,
			taken{Items: []int64{11}, Texts: []string{"a"}, Bytes: 2, Stopped: true, Position: 11, Judged: kept},
		},
		{"nothing matched", Window{Bound: all, Items: []Judged{pass(11)}, Through: 15}, 99, false, taken{Position: 15, Judged: kept}},
		{"nothing new", Window{Bound: all, Through: 10}, 99, false, taken{Position: 10, Judged: kept}},
		{"the queue shrank behind the position", Window{Bound: all, Through: 4}, 99, false, taken{Position: 10, Judged: kept}},
		{
			"all and on-ack: an acked item is delivered all the same",
			Window{Bound: boundWith(rulesWith(allOnAck), 10), Items: []Judged{claimedItem(match(11, "a")), claimedItem(fail(12, "e"))}, Through: 12}, 99, false,
			taken{Items: []int64{11}, Texts: []string{"a"}, Bytes: 2, Position: 12, Errors: 1, LastErr: "e"},
		},
	})
}

// PULL-1, PULL-3: retries come first, inside the limit, and move nothing.
func TestPULL1_TakeRetriesFirst(t *testing.T) {
	one := boundWith(rulesWith(shareOneOnAck), 10)
	two := boundWith(rulesWith(limited(2, shareOneOnAck)), 10)
	retries := []Retry{{Item: 3, Attempts: 1, Text: "r3"}, {Item: 5, Attempts: 2, Text: "r5"}}
	runTake(t, []takeTest{
		{
			"retries, then new ones", Window{Bound: one, Retries: retries, Items: []Judged{match(11, "n")}, Through: 11}, 99, false,
			taken{Retries: []int64{3, 5}, Items: []int64{11}, Texts: []string{"r3", "r5", "n"}, Bytes: 8, Position: 11},
		},
		{
			"retries fill the limit", Window{Bound: two, Retries: retries, Items: []Judged{pass(11), match(12, "n")}, Through: 12}, 99, false,
			taken{Retries: []int64{3, 5}, Texts: []string{"r3", "r5"}, Bytes: 6, Stopped: true, Position: 10},
		},
		{
			"retries fill the limit, and nothing is behind them", Window{Bound: two, Retries: retries, Items: []Judged{pass(11)}, Through: 12}, 99, false,
			taken{Retries: []int64{3, 5}, Texts: []string{"r3", "r5"}, Bytes: 6, Position: 12},
		},
		{
			"a retry beyond the room", Window{Bound: one, Retries: retries, Items: []Judged{match(11, "n")}, Through: 11}, 5, false,
			taken{Retries: []int64{3}, Texts: []string{"r3"}, Bytes: 3, Stopped: true, Position: 10},
		},
		{
			"a retry beyond the limit", Window{Bound: boundWith(rulesWith(limited(1, shareOneOnAck)), 10), Retries: retries, Through: 10}, 99, false,
			taken{Retries: []int64{3}, Texts: []string{"r3"}, Bytes: 3, Stopped: true, Position: 10},
		},
		{
			"the first retry is cut", Window{Bound: one, Retries: []Retry{{Item: 3, Attempts: 1, Text: strings.Repeat("x", 60)}}, Through: 10}, 30, false,
			taken{Retries: []int64{3}, Texts: []string{"xxxxxxxxxx … tundish show 3"}, Bytes: 30, Position: 10},
		},
		{
			"claimed items are no candidates, and their errors none of ours",
			Window{Bound: one, Items: []Judged{claimedItem(match(11, "a")), claimedItem(fail(12, "e")), match(13, "n")}, Through: 13}, 99, false,
			taken{Items: []int64{13}, Texts: []string{"n"}, Bytes: 2, Position: 13},
		},
	})
}

// PULL-4, PULL-14: the newest few, printed oldest first.
func TestPULL4_TakeLatest(t *testing.T) {
	of := func(limit int64) Bound { return boundWith(rulesWith(latest(limit)), 10) }
	known := of(2)
	known.Binding.Judged = Span{After: 14, Through: 17}
	down := []Judged{match(20, "dd"), fail(19, "e19"), match(18, "ccc"), fail(17, "e17"), match(16, "b"), match(15, "a")}
	wide := strings.Repeat("x", 60)
	runTake(t, []takeTest{
		{
			"the limit is dropped to silently", Window{Bound: of(2), Items: down, Through: 20}, 99, false,
			taken{Items: []int64{18, 20}, Texts: []string{"ccc", "dd"}, Bytes: 7, Position: 20, Errors: 2, LastErr: "e19"},
		},
		{
			"fewer than the limit", Window{Bound: of(9), Items: down, Through: 20}, 99, false,
			taken{Items: []int64{15, 16, 18, 20}, Texts: []string{"a", "b", "ccc", "dd"}, Bytes: 11, Position: 20, Errors: 2, LastErr: "e19"},
		},
		{
			"three match and the room is for two: nothing older slips in",
			Window{Bound: of(9), Items: []Judged{match(20, "dd"), match(18, wide), match(15, "a")}, Through: 20}, 40, false,
			taken{Items: []int64{20}, Texts: []string{"dd"}, Bytes: 3, Position: 20},
		},
		{
			"a byte short of the second", Window{Bound: of(9), Items: down, Through: 20}, 6, false,
			taken{Items: []int64{20}, Texts: []string{"dd"}, Bytes: 3, Position: 20, Errors: 2, LastErr: "e19"},
		},
		{
			"room for exactly two", Window{Bound: of(9), Items: down, Through: 20}, 7, false,
			taken{Items: []int64{18, 20}, Texts: []string{"ccc", "dd"}, Bytes: 7, Position: 20, Errors: 2, LastErr: "e19"},
		},
		{
			"not even one fits: nothing moves", Window{Bound: known, Items: []Judged{fail(21, "e"), match(20, wide)}, Through: 21}, 30, true,
			taken{Stopped: true, Position: 10, Judged: known.Binding.Judged},
		},
		{
			"the first of the output is cut", Window{Bound: of(9), Items: []Judged{match(20, wide), match(15, "a")}, Through: 21}, 30, false,
			taken{Items: []int64{20}, Texts: []string{"xxxxxxxxx … tundish show 20"}, Bytes: 30, Position: 21},
		},
		{
			"nothing matches down to the position", Window{Bound: known, Items: []Judged{pass(20), fail(19, "e19"), fail(18, "e18")}, Through: 20}, 99, false,
			taken{Position: 20, Errors: 2, LastErr: "e19"},
		},
		{
			"time is over before anything matched", Window{
				Bound: of(2), Items: []Judged{pass(20), fail(19, "e19")}, Through: 20, Judged: Span{After: 18, Through: 20}, More: true,
			}, 99, false,
			taken{Position: 10, Judged: Span{After: 18, Through: 20}, Errors: 1, LastErr: "e19"},
		},
		{
			"time is over above the judged stretch: what will be judged again does not count", Window{
				Bound: known, Items: []Judged{pass(20), fail(19, "e19")}, Through: 20, Judged: known.Binding.Judged, More: true,
			}, 99, false,
			taken{Position: 10, Judged: known.Binding.Judged},
		},
		{
			"time is over after something matched: it is delivered, and the older are skipped", Window{
				Bound: known, Items: []Judged{fail(20, "e20"), match(19, "a")}, Through: 20, Judged: known.Binding.Judged, More: true,
			}, 99, false,
			taken{Items: []int64{19}, Texts: []string{"a"}, Bytes: 2, Position: 20, Errors: 1, LastErr: "e20"},
		},
		{
			"already past", Window{Bound: of(2), Through: 4}, 99, false,
			taken{Position: 10},
		},
	})
}

// PULL-14: how far a scan has come.
func TestPULL14_Ready(t *testing.T) {
	items := []Judged{match(1, ""), pass(2), fail(3, ""), claimedItem(match(4, ""))}
	one := Window{Bound: boundWith(rulesWith(shareOneOnAck), 0), Retries: []Retry{{Item: 9}}, Items: items}
	if got := one.Ready(); got != 2 {
		t.Errorf("one: %d", got)
	}
	all := Window{Bound: boundWith(rulesWith(allOnAck), 0), Items: items}
	if got := all.Ready(); got != 2 {
		t.Errorf("all: %d", got)
	}
	if got := (Window{Bound: one.Bound}).Ready(); got != 0 {
		t.Errorf("empty: %d", got)
	}
}
