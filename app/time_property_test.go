package app_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain/inbox"
)

// timed is a message of a random program.
type timed struct{ at, expires int64 }

// TestTIME1_TIME7_Property runs random programs under a clock that goes ahead: no
// message is delivered before its time or when it has expired, none twice; and in
// the end each was delivered, or had expired and was counted, once.
func TestTIME1_TIME7_Property(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		h := newHouse(t)
		share := rapid.SampledFrom([]string{"", "share=one", "share=one consume=on_ack lease=15 attempts=9", "consume=on_ack"}).Draw(r, "rules")
		h.subscribe("s", "w", rules(share+" limit="+rapid.SampledFrom([]string{"0", "1", "3"}).Draw(r, "limit")))
		now, dropped := int64(1000), 0
		messages, delivered := []timed{}, map[int]int{}
		pull := func() bool {
			out := h.pull("s", "w")
			for line := range strings.Lines(out) {
				if _, counts, ok := strings.Cut(line, " dropped="); ok {
					n, _, _ := strings.Cut(counts, " ")
					count, err := strconv.Atoi(n)
					h.must(err)
					dropped += count
					continue
				}
				tag, text, _ := strings.Cut(strings.TrimSpace(line), "] ")
				n, err := strconv.Atoi(text)
				h.must(err)
				m := messages[n]
				if m.at > now || m.expires != 0 && m.expires <= now || delivered[n] > 0 {
					r.Fatalf("at %d message %d, %+v, was delivered for the time %d", now, n, m, delivered[n]+1)
				}
				delivered[n]++
				if strings.Contains(share, "on_ack") {
					id, err := strconv.ParseInt(tag[len("[q#"):], 10, 64)
					h.must(err)
					h.ack(id, "w")
				}
			}
			return out != ""
		}
		for range rapid.IntRange(1, 25).Draw(r, "steps") {
			now += rapid.SampledFrom([]int64{0, 0, 1, 5, 20}).Draw(r, "ahead")
			h.at(now)
			if rapid.Bool().Draw(r, "pull") {
				pull()
				continue
			}
			message := app.Message{Queue: "q", Payload: fmt.Append(nil, len(messages))}
			m := timed{at: now}
			if delay := rapid.SampledFrom([]int64{0, 0, 1, 7, 30}).Draw(r, "delay"); delay > 0 {
				message.Release.In, m.at = delay, now+delay
			}
			if ends := rapid.SampledFrom([]int64{0, 0, 1, 10}).Draw(r, "expires"); ends > 0 {
				message.Expires, m.expires = inbox.Moment{At: m.at + ends}, m.at+ends
			}
			_, err := h.Publish(context.Background(), message)
			h.must(err)
			messages = append(messages, m)
		}
		now += 1000
		h.at(now)
		for pull() {
		}
		for n, m := range messages {
			if m.expires == 0 && delivered[n] != 1 {
				r.Fatalf("message %d, %+v, was never delivered", n, m)
			}
		}
		if len(delivered)+dropped != len(messages) {
			r.Fatalf("%d messages, of which %d were delivered and %d dropped", len(messages), len(delivered), dropped)
		}
	})
}
