package inbox

import (
	"testing"

	"pgregory.net/rapid"
)

// TIME-3: when a message's time has come.
func TestTIME3_Ripe(t *testing.T) {
	const now = 1_000_000
	for _, c := range []struct {
		name string
		s    Scheduled
		want bool
	}{
		{"a second too early", Scheduled{At: now + 1}, false},
		{"at the second", Scheduled{At: now}, true},
		{"long ago", Scheduled{At: 1}, true},
		{"a delay that is under way", Scheduled{At: now + 50, MadeAt: now - 10, Delayed: true}, false},
		{"a delay from a clock that was a minute ahead", Scheduled{At: now + 120, MadeAt: now + 60, Delayed: true}, false},
		{"a delay from a clock that was further ahead", Scheduled{At: now + 121, MadeAt: now + 61, Delayed: true}, true},
		{"a named time, from such a clock", Scheduled{At: now + 121, MadeAt: now + 61}, false},
	} {
		if got := RipeAt(now).Has(c.s); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TIME-1, TIME-3: under a clock that never steps back nothing is ripe before its
// time, and everything from then on.
func TestTIME3_RipeProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		made := rapid.Int64Range(-1<<40, 1<<40).Draw(t, "made")
		delay := rapid.Int64Range(1, MaxDuration).Draw(t, "delay")
		s := Scheduled{At: made + delay, MadeAt: made, Delayed: rapid.Bool().Draw(t, "delayed")}
		now := made + rapid.Int64Range(0, 2*delay).Draw(t, "passed")
		if got := RipeAt(now).Has(s); got != (now >= s.At) {
			t.Fatalf("%+v at %d: %v", s, now, got)
		}
		// Whatever a clock has done, a delay is over once its own length and a minute
		// have passed on the clock of today.
		back := made - rapid.Int64Range(0, 1<<40).Draw(t, "back")
		if s.Delayed && !RipeAt(back).Has(s) && s.At > back+delay+clockSlack {
			t.Fatalf("%+v at %d: waits for longer than its delay", s, back)
		}
	})
}

// TIME-2, TIME-6: an item keeps everything of its message, and is as new as its
// release.
func TestTIME2_Released(t *testing.T) {
	key := "k"
	s := Scheduled{Number: 9, Queue: "q", Key: &key, Payload: []byte("1"), Dedupe: "d", At: 5, ExpiresAt: 70}
	got := s.Released(60)
	if got.ID != 0 || got.Queue != "q" || got.Key != &key || string(got.Payload) != "1" || got.CreatedAt != 60 || got.ExpiresAt != 70 {
		t.Errorf("%+v", got)
	}
}

func TestMoment(t *testing.T) {
	for m, want := range map[Moment]int64{{}: 0, {In: 5}: 105, {At: 7}: 7} {
		if got := m.From(100); got != want {
			t.Errorf("%+v from 100 is %d, want %d", m, got, want)
		}
	}
}
