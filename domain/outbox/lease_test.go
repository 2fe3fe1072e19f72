package outbox

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// OUT-5: a lane is free when its lease has lapsed, and was seen unchanged for a
// third of its length.
func TestOUT5_See(t *testing.T) {
	c := DefaultConfig()
	const third = 20 * time.Second // of LeaseTTL
	lease := Lease{Token: "a", Until: at(), Length: time.Minute, Renewals: 3}
	renewed, other, short, long, none, negative := lease, lease, lease, lease, lease, lease
	renewed.Renewals++
	other.Token = "b"
	short.Length, long.Length, none.Length, negative.Length = 3*time.Second, time.Hour, 0, -time.Second
	seen := Sighting{Token: "a", Renewals: 3, Since: time.Minute}
	tests := []struct {
		name    string
		before  Sighting
		lease   Lease
		now     time.Time
		elapsed time.Duration
		after   Sighting
		free    bool
	}{
		{"first seen, long lapsed", Sighting{}, lease, at().Add(hour), time.Minute, seen, false},
		{"first seen, on an old clock", Sighting{}, lease, at().Add(hour), 99 * hour, Sighting{"a", 3, 99 * hour}, false},
		{"a moment before a third", seen, lease, at(), time.Minute + third - 1, seen, false},
		{"after a third", seen, lease, at(), time.Minute + third, seen, true},
		{"after a third, alive", seen, lease, at().Add(-1), time.Minute + third, seen, false},
		{"renewed", seen, renewed, at().Add(hour), time.Minute + hour, Sighting{"a", 4, time.Minute + hour}, false},
		{"shorter than ours, a moment before its third", seen, short, at(), time.Minute + time.Second - 1, seen, false},
		{"shorter than ours, after its third", seen, short, at(), time.Minute + time.Second, seen, true},
		{"longer than ours, after a third of ours", seen, long, at(), time.Minute + third, seen, false},
		{"longer than ours, a moment before its third", seen, long, at(), time.Minute + 20*time.Minute - 1, seen, false},
		{"longer than ours, after its third", seen, long, at(), time.Minute + 20*time.Minute, seen, true},
		{"without a length, a moment before a third", seen, none, at(), time.Minute + third - 1, seen, false},
		{"without a length, after a third", seen, none, at(), time.Minute + third, seen, true},
		{"of less than nothing, a moment before a third", seen, negative, at(), time.Minute + third - 1, seen, false},
		{"of less than nothing, after a third", seen, negative, at(), time.Minute + third, seen, true},
		{"taken by another", seen, other, at().Add(hour), time.Minute + hour, Sighting{"b", 3, time.Minute + hour}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if after, free := c.See(tt.before, tt.lease, tt.now, tt.elapsed); after != tt.after || free != tt.free {
				t.Errorf("%+v, free %t", after, free)
			}
		})
	}
}

// OUT-5: whatever the wall clock does, steps and sleeps too, a lease that its
// holder renews in time is never free, and one that nobody renews becomes free.
func TestOUT5_StepsAndSleepsFreeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := DefaultConfig()
		length := time.Duration(rapid.Int64Range(int64(MinLeaseTTL), int64(time.Hour)).Draw(t, "length")) // the taker's is another
		third := length / 3
		var elapsed, renewedAt time.Duration // on the clock that never steps
		now := at()
		lease := Lease{Token: "a", Until: now.Add(length), Length: length}
		var seen Sighting
		for range rapid.IntRange(1, 60).Draw(t, "looks") {
			if rapid.IntRange(0, 3).Draw(t, "steps") == 0 { // the wall clock alone: a step, or a sleep
				now = now.Add(time.Duration(rapid.Int64Range(-48, 48).Draw(t, "hours")) * time.Hour)
			}
			pass := time.Duration(rapid.Int64Range(1, int64(third)).Draw(t, "passes"))
			if elapsed+pass-renewedAt >= third { // its holder is in time
				lease.Renewals, lease.Until, renewedAt = lease.Renewals+1, now.Add(length), elapsed
				pass = min(pass, third-1)
			}
			elapsed, now = elapsed+pass, now.Add(pass)
			var free bool
			if seen, free = c.See(seen, lease, now, elapsed); free {
				t.Fatalf("free %v after its renewal", elapsed-renewedAt)
			}
		}
		seen, _ = c.See(seen, lease, now, elapsed)
		if now = lease.Until; lease.Lapsed(now.Add(-1)) || !lease.Lapsed(now) {
			t.Fatal("it lapses at its end")
		}
		if _, free := c.See(seen, lease, now, seen.Since+third-1); free {
			t.Fatal("free before a third")
		}
		if _, free := c.See(seen, lease, now, seen.Since+third); !free {
			t.Fatal("its dead holder keeps it")
		}
	})
}
