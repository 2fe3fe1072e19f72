//go:build unix

package interop_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
)

// TestSTO3_TwentyProcessesCreateTheDatabase starts twenty publishers at once,
// where neither the file nor its folders exist.
func TestSTO3_TwentyProcessesCreateTheDatabase(t *testing.T) {
	const processes = 20
	for round := range scale(5, 50) {
		s := newSite(t)
		got := make([]int64, processes)
		var group sync.WaitGroup
		start := make(chan struct{})
		for i := range processes {
			cmd := s.command(mixed(i+round), "publish", "q", fmt.Sprint(i))
			group.Go(func() {
				<-start
				got[i] = id(t, s.expect(cmd))
			})
		}
		close(start)
		group.Wait()
		slices.Sort(got)
		for i, n := range got {
			if n != int64(i+1) {
				t.Fatalf("round %d: the ids are %v", round, got)
			}
		}
		if out := s.ok(mixed(round), "check"); out != "ok\n" {
			t.Errorf("check printed %q", out)
		}
	}
}
