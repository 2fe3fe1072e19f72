package inbox

import (
	"testing"

	"pgregory.net/rapid"
)

// SEEK-1: where a place is, in a queue whose newest item is 20 and whose first
// item of the time asked for is 12.
func TestSEEK1_PlaceAt(t *testing.T) {
	tests := []struct {
		name          string
		place         Place
		first, newest int64
		want          int64
	}{
		{"all", Place{}, 0, 20, 0},
		{"new", Place{New: true}, 0, 20, 20},
		{"new in an empty queue", Place{New: true}, 0, 0, 0},
		{"the first item there can be", Place{Item: 1}, 0, 20, 0},
		{"an item", Place{Item: 17}, 0, 20, 16},
		{"the newest", Place{Item: 20}, 0, 20, 19},
		{"the next one", Place{Item: 21}, 0, 20, 20},
		{"one far ahead", Place{Item: 1000}, 0, 20, 20}, // 21 is not to be skipped
		{"an item of an empty queue", Place{Item: 17}, 0, 0, 0},
		{"a time", Place{Since: 500}, 12, 20, 11},
		{"a time after all", Place{Since: 500}, 0, 20, 20},
		{"a time in an empty queue", Place{Since: 500}, 0, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.place.At(tt.first, tt.newest); got != tt.want {
				t.Errorf("%d, want %d", got, tt.want)
			}
		})
	}
}

// SEEK-1, SEEK-2: only positions, what latest has judged, and due times change, each
// as the share says.
func TestSEEK1_SEEK2_Seek(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := rulesWith(nil)
		rules.Share = rapid.SampledFrom([]Share{All, One}).Draw(t, "share")
		counts := Counts{Dropped: 1, Errors: 2, Parked: 3}
		sub := Subscription{Name: "s", Rules: rules, Scan: rapid.Int64Range(0, 30).Draw(t, "scan"), Unreported: counts, LastError: "x"}
		bindings := []Binding{}
		for _, who := range []string{"v", "w"} {
			bindings = append(bindings, Binding{
				Subscription: "s", Subscriber: who, Position: rapid.Int64Range(0, 30).Draw(t, "position"),
				NextAt: rapid.Int64Range(0, 2000).Draw(t, "next at"), LastPull: 4, Unreported: counts, LastError: "y", Judged: Span{After: 3, Through: 5},
			})
		}
		p, now := rapid.Int64Range(0, 30).Draw(t, "to"), int64(1000)
		gotSub, got := Seek(sub, bindings, "w", p, now)
		wantSub, other, moved := sub, bindings[0], bindings[1]
		moved.NextAt = min(moved.NextAt, now)
		if rules.Share == One {
			wantSub.Scan = p
			other.Position, moved.Position = min(other.Position, p), min(moved.Position, p)
		} else {
			moved.Position, moved.Judged = p, Span{}
		}
		if gotSub != wantSub || got[0] != other || got[1] != moved {
			t.Fatalf("%+v %+v, want %+v %+v %+v", gotSub, got, wantSub, other, moved)
		}
		if b := (Bound{Subscription: gotSub, Binding: got[1]}); b.Position() != p || !Due(b.Binding.NextAt, 0, now) {
			t.Fatalf("stands at %d, due %d", b.Position(), b.Binding.NextAt)
		}
		if all := Replace(gotSub, got, rulesWith(nil), 30); rules.Share == One && all.Bindings[1].Position != p {
			t.Fatalf("SUB-2: under all it stands at %d, want %d", all.Bindings[1].Position, p)
		}
	})
}
