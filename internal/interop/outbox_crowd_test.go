//go:build unix

package interop_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// OUT-1: eight processes fill a lane of 25 to exactly 25.
func TestOUT1_CapUnderManyProcesses(t *testing.T) {
	p := newPost(t)
	var wg sync.WaitGroup
	codes := make([]int, 64)
	for worker := range 8 {
		wg.Go(func() {
			for i := worker; i < len(codes); i += 8 {
				codes[i] = p.run(mixed(i), "outbox", "accept", "w", "s", fmt.Sprint("text ", i)).code
			}
		})
	}
	wg.Wait()
	count := map[int]int{}
	for _, code := range codes {
		count[code]++
	}
	if count[0] != 25 || count[4] != len(codes)-25 {
		t.Errorf("exit codes: %v", count)
	}
	if n := len(p.list(binaries[0])); n != 25 {
		t.Errorf("%d entries", n)
	}
}

// OUT-1: accepts that are killed at any moment: no entry is missing whose id was
// printed, and a client message id leads to one entry.
func TestOUT1_KillNine(t *testing.T) {
	p := newPost(t)
	p.configure("format: 1\noutbox:\n  cap: 100000\n")
	printed := map[string]bool{}
	kills, runs := 0, 0
	for kills < scale(20, 200) {
		id := fmt.Sprint("m", runs)
		cmd := p.command(mixed(runs), "outbox", "accept", "w", "s", "text", "--id", id)
		var stdout lines
		cmd.Stdout = &stdout
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(rand.N(12*time.Millisecond), func() { _ = cmd.Process.Kill() }) // it may have ended
		_ = cmd.Wait()                                                                         // the state tells
		kill.Stop()
		if cmd.ProcessState.ExitCode() < 0 {
			kills++
		}
		if got := stdout.String(); strings.HasSuffix(got, "\n") {
			printed[strings.TrimSpace(got)] = true
		}
		if runs++; kills > 0 && runs > 100*kills+1000 {
			t.Fatalf("%d kills of %d processes", kills, runs)
		}
	}
	entries := p.list(binaries[0])
	for _, e := range entries {
		delete(printed, e.ID)
	}
	if len(printed) > 0 {
		t.Errorf("accepted and missing: %v", printed)
	}
	for i := range runs {
		if out := p.ok(mixed(i), "outbox", "accept", "w", "s", "text", "--id", fmt.Sprint("m", i)); !strings.HasPrefix(out, "duplicate ") {
			entries = append(entries, listed{})
		}
	}
	if len(entries) != runs {
		t.Errorf("%d entries from %d message ids", len(entries), runs)
	}
	t.Logf("%d kills of %d processes", kills, runs)
}

// OUT-2 to OUT-6: workers of both builds on one file are killed, stopped and
// restarted at random: each entry is delivered once, and none is stuck.
func TestOUT5_WorkersThatDieAtRandom(t *testing.T) {
	p := newPost(t)
	lanes, each := scale(30, 200), 3
	var want []string
	for i := range lanes * each {
		text := fmt.Sprint("text-", i)
		p.ok(mixed(i), "outbox", "accept", "w", fmt.Sprint("s", i%lanes), text)
		want = append(want, text)
	}
	stop := time.Now().Add(scale(6*time.Second, time.Minute))
	kills, stops, ends := 0, 0, 0
	var asleep []*worker
	for i := 0; time.Now().Before(stop); i++ {
		pair := []*worker{p.work(mixed(i)), p.work(mixed(i + 1))}
		pause(t, rand.N(2*time.Second)+100*time.Millisecond)
		for _, w := range asleep { // past its lease or not, it goes on beside the new pair for a moment
			w.wake()
		}
		asleep = nil
		for _, w := range pair {
			switch rand.IntN(3) {
			case 0:
				kills++
				_ = w.cmd.Process.Kill()
			case 1:
				stops++
				_ = w.cmd.Process.Signal(syscall.SIGSTOP)
				asleep = append(asleep, w)
			default:
				ends++
				_ = w.cmd.Process.Signal(syscall.SIGTERM)
			}
		}
	}
	for _, w := range asleep { // one may have been stopped inside a transaction, and keeps the lock
		w.wake()
	}
	last := []*worker{p.work(mixed(0)), p.work(mixed(1))}
	p.empty(binaries[0])
	for _, w := range last {
		w.stop()
	}
	got := p.stored()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%d texts were stored, %d accepted", len(got), len(want))
	}
	t.Logf("%d lanes, %d kills, %d stops, %d ends", lanes, kills, stops, ends)
}

// wake lets a stopped worker go on, and end in order.
func (w *worker) wake() {
	_ = w.cmd.Process.Signal(syscall.SIGTERM)
	_ = w.cmd.Process.Signal(syscall.SIGCONT)
}

// pause lets processes work for a while.
func pause(t *testing.T, d time.Duration) {
	t.Helper()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
	}
}
