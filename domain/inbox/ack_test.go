package inbox

import (
	"errors"
	"testing"

	"github.com/tundish-go/tundish/domain"
)

// ACK-1: every cell of the table of acks, leases and owners.
func TestACK1_Decide(t *testing.T) {
	const now, scan = 1000, 5
	live := Lease{Subscription: "s", Item: 5, Granted: 990, Until: 1001, Attempts: 1}
	last := Lease{Subscription: "s", Item: 5, Granted: 940, Until: 1000, Attempts: 3}
	ended := Lease{Subscription: "s", Item: 5, Granted: 940, Until: 1000, Attempts: 1}
	ahead := Lease{Subscription: "s", Item: 5, Granted: 1061, Until: 1121, Attempts: 1}
	parked := Lease{Subscription: "s", Item: 5, Granted: 990, Until: 1001, Attempts: 1, Parked: true}
	by := func(owner string, l Lease) *Lease { l.Owner = owner; return &l }
	acked := func(owner string) *Ack { return &Ack{Subscription: "s", Item: 5, Owner: owner, At: 700} }

	tests := []struct {
		name    string
		item    int64
		ack     *Ack
		lease   *Lease
		outcome string // of a refusal
		repeat  bool
		parked  bool
		never   bool
	}{
		{name: "free, passed", item: 5},
		{name: "free, not passed", item: 6, never: true},
		{name: "own ack", item: 5, ack: acked("w"), repeat: true},
		{name: "own ack of an item ahead", item: 6, ack: acked("w"), repeat: true},
		{name: "another's ack", item: 5, ack: acked("x"), outcome: "already acked by x at 700"},
		{name: "another's ack beside an own live lease", item: 5, ack: acked("x"), lease: by("w", live), outcome: "already acked by x at 700"},
		{name: "own ack beside another's live lease", item: 5, ack: acked("w"), lease: by("x", live), repeat: true},
		{name: "own live lease", item: 5, lease: by("w", live)},
		{name: "own live lease ahead", item: 6, lease: by("w", live)},
		{name: "another's live lease", item: 5, lease: by("x", live), outcome: "leased by x until 1001"},
		{name: "another's ended lease", item: 5, lease: by("x", ended)},
		{name: "own ended lease", item: 5, lease: by("w", ended)},
		{name: "another's lease of another clock", item: 5, lease: by("x", ahead)}, // STO-7
		{name: "another's ended last lease", item: 5, lease: by("x", last), parked: true},
		{name: "own ended last lease", item: 5, lease: by("w", last), parked: true},
		{name: "parked", item: 5, lease: by("x", parked), parked: true},
		{name: "parked ahead", item: 6, lease: by("x", parked), parked: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			facts := ClaimFacts{Bound: boundWith(rulesWith(shareOneOnAck), scan), Item: tt.item, Ack: tt.ack, Lease: tt.lease}
			got, err := DecideAck(facts, "", now)
			if tt.outcome != "" {
				requireRefused(t, got, err, tt.item, tt.outcome)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if repeat := got.Record == nil; repeat != tt.repeat || got.WasParked != tt.parked || got.NeverPulled != tt.never {
				t.Errorf("repeat %t, parked %t, never pulled %t", repeat, got.WasParked, got.NeverPulled)
			}
			if want := (Ack{Subscription: "s", Item: tt.item, Owner: "w", At: now}); got.Record != nil && *got.Record != want {
				t.Errorf("records %+v", *got.Record)
			}
		})
	}
}

func requireRefused(t *testing.T, got AckDecision, err error, item int64, outcome string) {
	t.Helper()
	requireCode(t, err, domain.Claimed)
	var claim *ClaimedError
	if !errors.As(err, &claim) {
		t.Fatalf("no ClaimedError in %v", err)
	}
	if claim.Outcome() != outcome || claim.Item != item {
		t.Errorf("outcome %q of item %d", claim.Outcome(), claim.Item)
	}
	if got != (AckDecision{}) {
		t.Errorf("a refusal decided %+v", got)
	}
}

// ACK-1: under share all it is the binding's own position that counts.
func TestACK1_NeverPulledUnderShareAll(t *testing.T) {
	for item, want := range map[int64]bool{4: false, 5: false, 6: true} {
		b := boundWith(rulesWith(allOnAck), 5)
		b.Subscription.Scan = 100
		got, err := DecideAck(ClaimFacts{Bound: b, Item: item}, "", 1000)
		if err != nil || got.NeverPulled != want {
			t.Errorf("item %d: never pulled %t, %v", item, got.NeverPulled, err)
		}
	}
}

func TestACK1_RefusalNamesTheItem(t *testing.T) {
	_, err := DecideAck(ClaimFacts{Bound: boundWith(rulesWith(nil), 0), Item: 12, Ack: &Ack{Owner: "x", At: 7}}, "", 1000)
	if want := "the ack was refused: item 12 is already acked by x at 7; leave the item to its owner"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
