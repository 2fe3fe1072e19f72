package inbox

import (
	"math"
	"strings"
	"testing"
)

func TestPULL9_StatusLine(t *testing.T) {
	tests := []struct {
		status Status
		want   string
	}{
		{
			Status{Subscription: "s", Subscriber: "w"},
			"tundish: subscription=s subscriber=w delivered=0 more=0 unacked=0 parked=0 errors=0 dropped=0 lease=0",
		},
		{
			Status{
				Subscription: "pool", Subscriber: "w1", Delivered: 1, More: true, Unacked: 2,
				Counts: Counts{Parked: 3, Errors: 4, Dropped: 5}, Lease: 600,
			},
			"tundish: subscription=pool subscriber=w1 delivered=1 more=1 unacked=2 parked=3 errors=4 dropped=5 lease=600",
		},
	}
	for _, tt := range tests {
		if got := tt.status.String(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
		if got := tt.status.Bytes(); got != len(tt.want)+1 {
			t.Errorf("Bytes() = %d, want %d", got, len(tt.want)+1)
		}
	}
}

// PULL-9: the reserve is exactly the longest line that the names can have: 94
// bytes of fixed text, and six numbers of 19 digits.
func TestPULL9_ReserveIsTheLongestLine(t *testing.T) {
	const most = math.MaxInt64
	for _, n := range []int{1, 2, 63, 64} {
		s := Status{
			Subscription: strings.Repeat("s", n), Subscriber: strings.Repeat("w", 65-n), Delivered: most, More: true,
			Unacked: most, Counts: Counts{Parked: most, Errors: most, Dropped: most}, Lease: most,
		}
		if got := statusReserve(s.Subscription, s.Subscriber); got != s.Bytes() || got != 94+65+6*19 {
			t.Errorf("reserve %d, longest line %d", got, s.Bytes())
		}
	}
	long := strings.Repeat("n", MaxNameBytes)
	if got := statusReserve(long, long) + minItemRoom; got != MinMaxBytes {
		t.Errorf("the smallest budget is %d, and the longest names need %d", MinMaxBytes, got)
	}
}

// PULL-10, section 5: what counts as having something to say.
func TestPULL7_SilentStatus(t *testing.T) {
	tests := []struct {
		status Status
		want   bool
	}{
		{Status{Subscription: "s", Subscriber: "w"}, true},
		{Status{Unacked: 3, Lease: 60}, true},
		{Status{Delivered: 1}, false},
		{Status{More: true}, false},
		{Status{Counts: Counts{Parked: 1}}, false},
		{Status{Counts: Counts{Errors: 1}}, false},
		{Status{Counts: Counts{Dropped: 1}}, false},
	}
	for _, tt := range tests {
		if got := tt.status.Silent(); got != tt.want {
			t.Errorf("%+v silent: %t", tt.status, got)
		}
	}
}
