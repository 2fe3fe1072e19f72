package inbox

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tundish-go/tundish/domain"
)

// claimCase is a row of the table that nack and extend have in common.
type claimCase struct {
	name    string
	ack     *Ack
	lease   *Lease
	outcome string      // of a refusal because of another subscriber
	code    domain.Code // of any refusal; 0 when it is granted
	says    string      // in the error
}

// claimCases are at the second 1000, for the subscriber w and item 5, under rules
// that allow three attempts.
func claimCases() []claimCase {
	leased := func(owner string, until, attempts int64) *Lease {
		return &Lease{Subscription: "s", Item: 5, Owner: owner, Granted: 940, Until: until, Attempts: attempts}
	}
	parked := leased("w", 990, 3)
	parked.Parked = true
	ahead := leased("w", 2000, 1)
	ahead.Granted = 1061
	return []claimCase{
		{name: "own, live", lease: leased("w", 1001, 1)},
		{name: "own, live, granted a minute ahead", lease: &Lease{Subscription: "s", Item: 5, Owner: "w", Granted: 1060, Until: 1120, Attempts: 2}},
		{name: "own, ended this second", lease: leased("w", 1000, 1), code: domain.NotFound, says: "ended at 1000"},
		{name: "own, of another clock", lease: ahead, code: domain.NotFound, says: "has no lease in s any more"}, // STO-7
		{name: "own, last, ended", lease: leased("w", 1000, 3), code: domain.NotFound, says: "is parked in s"},
		{name: "own, parked", lease: parked, code: domain.NotFound, says: "is parked in s"},
		{name: "another's, live", lease: leased("x", 1001, 1), outcome: "leased by x until 1001", code: domain.Claimed},
		{name: "another's, ended", lease: leased("x", 1000, 1), code: domain.NotFound, says: "any more"},
		{name: "nobody's, in its delay", lease: leased("", 1001, 1), code: domain.NotFound, says: "belongs to nobody until 1001"},
		{name: "nobody's, after its delay", lease: leased("", 1000, 1), code: domain.NotFound, says: "any more"},
		{name: "none", code: domain.NotFound, says: "has no lease in s"},
		{name: "own ack", ack: &Ack{Owner: "w", At: 7}, code: domain.NotFound, says: "acked by w since 7"},
		{name: "another's ack", ack: &Ack{Owner: "x", At: 7}, code: domain.NotFound, says: "acked by x since 7"},
	}
}

func (c claimCase) facts() ClaimFacts {
	return ClaimFacts{Bound: boundWith(rulesWith(shareOneOnAck), 9), Item: 5, Ack: c.ack, Lease: c.lease}
}

// requireAnswer checks the answer to a row of the table.
func (c claimCase) requireAnswer(t *testing.T, got Lease, err error, want Lease) {
	t.Helper()
	if c.code == 0 {
		if err != nil || got != want {
			t.Errorf("%+v, want %+v; %v", got, want, err)
		}
		return
	}
	requireCode(t, err, c.code)
	if got != (Lease{}) {
		t.Errorf("a refusal decided %+v", got)
	}
	if !strings.Contains(err.Error(), "item 5 ") || !strings.Contains(err.Error(), c.says) {
		t.Errorf("%v does not say %q", err, c.says)
	}
	var claim *ClaimedError
	if errors.As(err, &claim) != (c.outcome != "") || claim != nil && claim.Outcome() != c.outcome {
		t.Errorf("outcome in %v, want %q", err, c.outcome)
	}
}

// ACK-3: what the holder gives back is nobody's, at once or after a delay.
func TestACK3_DecideNack(t *testing.T) {
	for _, c := range claimCases() {
		for _, delay := range []int64{0, 30} {
			var want Lease
			if c.lease != nil {
				want = *c.lease
				want.Owner, want.Granted, want.Until = "", 1000, 1000+delay
			}
			t.Run(c.name, func(t *testing.T) {
				got, err := DecideNack(c.facts(), delay, 1000)
				c.requireAnswer(t, got, err, want)
			})
		}
	}
}

// ACK-3, PULL-6: after the last attempt the item is parked at once, delay or not,
// and so it is when the rules allow fewer attempts than it has had.
func TestACK3_NackOfTheLastAttemptParks(t *testing.T) {
	for _, attempts := range []int64{1, 2, 3, 4} {
		for _, delay := range []int64{0, 30} {
			l := Lease{Subscription: "s", Item: 5, Owner: "w", Granted: 990, Until: 1050, Attempts: attempts}
			f := ClaimFacts{Bound: boundWith(rulesWith(shareOneOnAck), 9), Item: 5, Lease: &l}
			got, err := DecideNack(f, delay, 1000)
			if last := attempts >= 3; err != nil || got.Parked != last || got.Attempts != attempts || last && got.Owner != "w" {
				t.Errorf("attempt %d with delay %d: %+v, %v", attempts, delay, got, err)
			}
		}
	}
}

// ACK-3: the new end counts from now, whether it is later or sooner; the attempt is
// the same one.
func TestACK3_DecideExtend(t *testing.T) {
	for _, c := range claimCases() {
		for _, length := range []int64{1, 600} {
			var want Lease
			if c.lease != nil {
				want = *c.lease
				want.Granted, want.Until = 1000, 1000+length
			}
			t.Run(c.name, func(t *testing.T) {
				got, err := DecideExtend(c.facts(), length, 1000)
				c.requireAnswer(t, got, err, want)
			})
		}
	}
}

// STO-7: an extension under a clock that ran ahead ends when the clock is back.
func TestACK3_STO7_ExtendedByAnotherClock(t *testing.T) {
	l := Lease{Subscription: "s", Item: 5, Owner: "w", Granted: 1000, Until: 1060, Attempts: 1}
	f := ClaimFacts{Bound: boundWith(rulesWith(shareOneOnAck), 9), Item: 5, Lease: &l}
	ahead, err := DecideExtend(f, 100_000, 1050)
	if err != nil {
		t.Fatal(err)
	}
	for now, live := range map[int64]bool{1050: true, 990: true, 989: false} {
		if ahead.Live(now) != live {
			t.Errorf("at %d live %t", now, !live)
		}
	}
}

// ACK-3: in the delay no pull gets the item, and anybody may ack it.
func TestACK3_TheDelayIsNobodys(t *testing.T) {
	rules := rulesWith(shareOneOnAck)
	l := Lease{Subscription: "s", Item: 5, Granted: 1000, Until: 1030, Attempts: 1}
	for now, waits := range map[int64]bool{1000: true, 1029: true, 1030: false, 939: false} {
		if l.Held(now) {
			t.Errorf("at %d somebody holds it", now)
		}
		if l.Retryable(rules, now) == waits {
			t.Errorf("at %d retryable %t", now, waits)
		}
		for _, who := range []string{"w", "x"} {
			f := ClaimFacts{Bound: boundWith(rules, 9), Item: 5, Lease: &l}
			f.Bound.Binding.Subscriber = who
			got, err := DecideAck(f, "", now)
			if err != nil || got.Record == nil || got.Record.Owner != who || got.WasParked || got.NeverPulled {
				t.Errorf("at %d for %s: %+v, %v", now, who, got, err)
			}
		}
	}
}

// ACK-3: what is parked, recorded or by the clock, gets all its attempts again.
func TestACK3_DecideUnpark(t *testing.T) {
	one, all := rulesWith(shareOneOnAck), rulesWith(allOnAck)
	leased := func(until, attempts int64, parked bool) *Lease {
		return &Lease{Subscription: "s", Item: 5, Owner: "x", Granted: 940, Until: until, Attempts: attempts, Parked: parked}
	}
	tests := []struct {
		name  string
		rules Rules
		lease *Lease
		code  domain.Code // of a refusal
	}{
		{"parked", one, leased(990, 3, true), 0},
		{"parked, more allowed since", one, leased(990, 1, true), 0},
		{"last lease ended, not recorded", one, leased(1000, 3, false), 0},
		{"last lease live", one, leased(1001, 3, false), domain.NotFound},
		{"ended, attempts left", one, leased(1000, 2, false), domain.NotFound},
		{"no lease", one, nil, domain.NotFound},
		{"parked before a change to all", all, leased(990, 3, true), domain.Invalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := DecideUnpark(Subscription{Name: "s", Rules: tt.rules}, 5, tt.lease, 1000)
			if tt.code != 0 {
				requireCode(t, err, tt.code)
				return
			}
			want := Lease{Subscription: "s", Item: 5, Granted: 1000, Until: 1000}
			if err != nil || got != want || !got.Retryable(one, 1000) || got.Spent(one, 1000) {
				t.Errorf("%+v, want %+v; %v", got, want, err)
			}
		})
	}
}

// ACK-3: ack --through takes what is leased to one now, and no more.
func TestACK3_HeldBy(t *testing.T) {
	leases := []Lease{
		{Item: 1, Owner: "w", Granted: 990, Until: 1001},
		{Item: 2, Owner: "w", Granted: 940, Until: 1000}, // ended
		{Item: 3, Owner: "x", Granted: 990, Until: 1001}, // another's
		{Item: 4, Granted: 990, Until: 1001},             // nobody's
		{Item: 5, Owner: "w", Granted: 990, Until: 1001, Parked: true},
		{Item: 6, Owner: "w", Granted: 1000, Until: 1060},
		{Item: 7, Owner: "w", Granted: 1000, Until: 1060},
	}
	for through, want := range map[int64][]int64{0: nil, 1: {1}, 5: {1}, 6: {1, 6}, 99: {1, 6, 7}} {
		if got := HeldBy(leases, "w", through, 1000); !slices.Equal(got, want) {
			t.Errorf("through %d: %v, want %v", through, got, want)
		}
	}
	if got := HeldBy(leases, "", 99, 1000); got != nil {
		t.Errorf("nobody holds %v", got)
	}
}

// ACK-3: bounds and content of a note.
func TestACK3_CheckNote(t *testing.T) {
	for note, ok := range map[string]bool{
		"done": true, " ": true, "two\nlines\tand 日本": true, "": false, "\x1b[2J": false, "\r": false, "\u202e": false,
		"\xff": false, "\U000E0041": false, strings.Repeat("é", MaxNoteBytes/2): true, strings.Repeat("é", MaxNoteBytes/2) + "x": false,
	} {
		err := CheckNote(note)
		if (err == nil) != ok {
			t.Errorf("%.20q: %v", note, err)
		}
		if err != nil {
			requireCode(t, err, domain.Invalid)
		}
	}
}

// ACK-3: a note stays with the first ack; a repeat tells when it would be another.
func TestACK3_NoteOfTheFirstAck(t *testing.T) {
	f := ClaimFacts{Bound: boundWith(rulesWith(allOnAck), 9), Item: 5}
	got, err := DecideAck(f, "mine", 1000)
	if err != nil || got.Record.Note != "mine" || got.NoteLost {
		t.Fatalf("%+v, %v", got, err)
	}
	f.Ack = got.Record
	for note, lost := range map[string]bool{"": false, "mine": false, "other": true} {
		if again, err := DecideAck(f, note, 1001); err != nil || again.Record != nil || again.NoteLost != lost {
			t.Errorf("%q: %+v, %v", note, again, err)
		}
	}
}

// ACK-3, PULL-6: whatever is done to a lease, it is live, retryable or spent, and
// never two of them; nacked, extended or unparked it has no more attempts than before.
func TestACK3_LeasesStaySound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := rulesWith(shareOneOnAck)
		rules.MaxAttempts = rapid.Int64Range(1, 4).Draw(t, "max attempts")
		now, length := rapid.Int64Range(900, 1100).Draw(t, "now"), rapid.Int64Range(0, 200).Draw(t, "length")
		l := Lease{
			Subscription: "s", Item: 5, Owner: rapid.SampledFrom([]string{"w", "w", "x", ""}).Draw(t, "owner"),
			Granted: rapid.Int64Range(900, 1100).Draw(t, "granted"), Until: rapid.Int64Range(900, 1200).Draw(t, "until"),
			Attempts: rapid.Int64Range(1, 4).Draw(t, "attempts"), Parked: rapid.Bool().Draw(t, "parked"),
		}
		f := ClaimFacts{Bound: boundWith(rules, 9), Item: 5, Lease: &l}
		nacked, errNack := DecideNack(f, length, now)
		extended, errExtend := DecideExtend(f, length+1, now)
		unparked, errUnpark := DecideUnpark(f.Bound.Subscription, 5, &l, now)
		mine := l.Held(now) && l.Owner == "w"
		if (errNack == nil) != mine || (errExtend == nil) != mine || (errUnpark == nil) != l.Spent(rules, now) {
			t.Fatalf("%+v: %v, %v, %v", l, errNack, errExtend, errUnpark)
		}
		for _, next := range []Lease{nacked, extended, unparked} {
			if next == (Lease{}) {
				continue
			}
			requireOneState(t, next, rules, now)
			requireOneState(t, next, rules, now+length)
			if next.Attempts > l.Attempts || next.Item != l.Item {
				t.Fatalf("%+v became %+v", l, next)
			}
		}
	})
}

func requireOneState(t *rapid.T, l Lease, rules Rules, now int64) {
	n := 0
	for _, holds := range []bool{l.Live(now), l.Retryable(rules, now), l.Spent(rules, now)} {
		if holds {
			n++
		}
	}
	if n != 1 {
		t.Fatalf("%+v at %d is in %d states", l, now, n)
	}
}
