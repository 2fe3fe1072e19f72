//go:build unix

package main_test

import (
	"bytes"
	"os/exec"
	"testing"
	"time"
)

// WAIT-2: a wait that has nothing to do costs next to nothing: not much more time of
// the processor than one that ends at once.
func TestWAIT2_WaitingCostsNothing(t *testing.T) {
	eachDriver(t, func(t *testing.T, b build) {
		dir := t.TempDir()
		run(t, b, dir, "", "subscribe", "s", "--as", "a", "--queue", "q")
		cost := func(timeout string) time.Duration {
			cmd := command(t, b, dir, "wait", "s", "--as", "a", "--timeout", timeout)
			if err := cmd.Run(); cmd.ProcessState.ExitCode() != 1 {
				t.Fatalf("the wait ended with %v", err)
			}
			return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		}
		if short, long := cost("1ms"), cost("2s"); long > short+50*time.Millisecond {
			t.Errorf("2 seconds cost %v, and an instant %v", long, short)
		}
	})
}

// WAIT-1: one item wakes all who wait for it, of both builds on one file, and is
// still there for each of them.
func TestWAIT1_AllAreWoken(t *testing.T) {
	const crowd = 6
	dir := t.TempDir()
	run(t, builds[0], dir, "", "subscribe", "s", "--as", "a", "--queue", "q", "--filter", ".payload == 7")
	var waits, publishes []*exec.Cmd // all made before one runs: each writes the configuration
	for range crowd {
		for _, b := range builds {
			if b.driver != "turns" {
				waits = append(waits, command(t, b, dir, "wait", "s", "--as", "a", "--timeout", "60s", "--json"))
			}
		}
	}
	for _, payload := range []string{"1", "2", "7"} {
		publishes = append(publishes, command(t, builds[0], dir, "publish", "q", payload))
	}
	for _, cmd := range waits {
		cmd.Stdout, cmd.Stderr = &bytes.Buffer{}, &bytes.Buffer{}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for _, cmd := range publishes {
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	for _, cmd := range waits {
		if err := cmd.Wait(); err != nil {
			t.Errorf("a wait ended with %v: %v", err, cmd.Stderr)
		}
		if got := cmd.Stdout.(*bytes.Buffer).String(); got != `{"subscription":"s","subscriber":"a","deliverable":true,"items":1}`+"\n" {
			t.Errorf("it says %q", got)
		}
	}
}
