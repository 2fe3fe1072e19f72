package inbox

import "testing"

// PULL-6, STO-7: both ends of a lease's life, a second to either side.
func TestPULL6_Expiry(t *testing.T) {
	const granted, until = 1000, 1600
	lease := Lease{Granted: granted, Until: until, Attempts: 1}
	tests := []struct {
		name  string
		now   int64
		ended bool
	}{
		{"granted", granted, false},
		{"last second", until - 1, false},
		{"the second it ends", until, true},
		{"after", until + 1, true},
		{"clock a minute back", granted - 60, false},
		{"clock further back", granted - 61, true}, // STO-7
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := ExpiryAt(tt.now).Ended(lease); got != tt.ended {
				t.Errorf("Ended = %t", got)
			}
			if got := lease.Live(tt.now); got == tt.ended {
				t.Errorf("Live = %t", got)
			}
			// STO-7 in its own words: it ends later than now, its length and a minute
			if far := lease.Until > tt.now+(until-granted)+60; far && !tt.ended {
				t.Error("a lease from far ahead is still taken for live")
			}
			parked := lease
			parked.Parked = true
			if parked.Live(tt.now) {
				t.Error("a parked lease is live")
			}
		})
	}
	if got := ExpiryAt(1000); got != (Expiry{UntilAtMost: 1000, GrantedAfter: 1060}) {
		t.Errorf("thresholds %+v", got)
	}
}

// PULL-1, PULL-6: an ended lease is either retried or parked, never both.
func TestPULL6_RetryableOrSpent(t *testing.T) {
	rules := rulesWith(func(r *Rules) { shareOneOnAck(r); r.MaxAttempts = 3 })
	tests := []struct {
		name             string
		lease            Lease
		retryable, spent bool
	}{
		{"live", Lease{Granted: 990, Until: 1001, Attempts: 1}, false, false},
		{"live, last", Lease{Granted: 990, Until: 1001, Attempts: 3}, false, false},
		{"ended, first", Lease{Granted: 990, Until: 1000, Attempts: 1}, true, false},
		{"ended, last but one", Lease{Granted: 990, Until: 1000, Attempts: 2}, true, false},
		{"ended, last", Lease{Granted: 990, Until: 1000, Attempts: 3}, false, true},
		{"ended, maximum lowered", Lease{Granted: 990, Until: 1000, Attempts: 5}, false, true},
		{"other clock", Lease{Granted: 1061, Until: 1121, Attempts: 1}, true, false},
		{"other clock, last", Lease{Granted: 1061, Until: 1121, Attempts: 3}, false, true},
		{"parked", Lease{Granted: 100, Until: 160, Attempts: 1, Parked: true}, false, true},
		{"parked, as if live", Lease{Granted: 990, Until: 2000, Attempts: 1, Parked: true}, false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.lease.Retryable(rules, 1000); got != tt.retryable {
				t.Errorf("Retryable = %t", got)
			}
			if got := tt.lease.Spent(rules, 1000); got != tt.spent {
				t.Errorf("Spent = %t", got)
			}
		})
	}
}

// PULL-5: attempt 1, 2, … for the length of the rules.
func TestPULL5_Grant(t *testing.T) {
	rules := rulesWith(shareOneOnAck)
	want := Lease{Subscription: "s", Item: 9, Owner: "w", Granted: 1000, Until: 1060, Attempts: 1}
	if got := Grant(rules, "s", "w", 9, 0, 1000); got != want {
		t.Errorf("first: %+v", got)
	}
	want.Attempts = 3
	if got := Grant(rules, "s", "w", 9, 2, 1000); got != want {
		t.Errorf("third: %+v", got)
	}
}
