//go:build unix

package interop_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// TIME-1, TIME-4, STO-9: while eight processes of both builds publish and pull at
// once, nothing that waits is delivered before its time, and each message becomes
// one item, which one of the pullers gets.
func TestTIME1_ReleasedOnceUnderRace(t *testing.T) {
	const messages, racers, start, step = 48, 8, 1000, 10
	s := newSite(t)
	s.configure("format: 1\nqueues: {q: {max_items: 1000000}}\n")
	s.ok(mixed(0), "--now", strconv.Itoa(start), "subscribe", "s", "--as", "w0", "--queue", "q", "--share", "one")
	for i := 1; i < racers; i++ {
		s.ok(mixed(i), "subscribe", "s", "--as", fmt.Sprint("w", i))
	}
	var group sync.WaitGroup
	for i := range racers { // the n-th message comes n+1 seconds after the start
		group.Go(func() {
			for n := i; n < messages; n += racers {
				out := s.ok(mixed(n), "--now", strconv.Itoa(start), "publish", "q", strconv.Itoa(n), "--delay", strconv.Itoa(n+1))
				if !strings.HasPrefix(out, "scheduled ") {
					t.Errorf("publish printed %q", out)
				}
			}
		})
	}
	group.Wait()
	times := map[string]int{}
	var lock sync.Mutex
	for now := start; now <= start+messages+step; now += step {
		for i := range racers {
			group.Go(func() {
				if i%4 == 3 {
					s.ok(mixed(i), "--now", strconv.Itoa(now), "publish", "q", `"other"`)
				}
				out := s.ok(mixed(i), "--now", strconv.Itoa(now), "pull", "s", "--as", fmt.Sprint("w", i), "--max-bytes", "100000")
				lock.Lock()
				defer lock.Unlock()
				for _, b := range parsePull(t, out) {
					for _, item := range b.items {
						text := item.text
						if n, err := strconv.Atoi(text); err == nil && start+n+1 > now {
							t.Errorf("message %d was delivered at %d", n, now)
						}
						times[text]++
					}
				}
			})
		}
		group.Wait()
	}
	for n := range messages {
		if got := times[strconv.Itoa(n)]; got != 1 {
			t.Errorf("message %d was delivered %d times: %v", n, got, times)
		}
	}
	if out := s.ok(mixed(0), "list", "--scheduled"); out != "" {
		t.Errorf("still waiting: %s", out)
	}
	if out := s.ok(mixed(1), "check"); out != "ok\n" {
		t.Errorf("check printed %q", out)
	}
}
