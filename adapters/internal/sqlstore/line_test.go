//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package sqlstore

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// inLine makes a log, and stores that could stand in its line.
func inLine(t *testing.T, stores int) []*Store {
	path := filepath.Join(t.TempDir(), "t.db")
	if err := os.WriteFile(path+"-wal", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	all := make([]*Store, stores)
	for i := range all {
		all[i] = &Store{path: path}
	}
	return all
}

// until waits for what happens in another goroutine.
func until(t *testing.T, what string, happened func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); !happened(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("in a minute it did not happen that %s", what)
		}
	}
}

// STO-8: one after the other is the first in the line.
func TestSTO8_OneIsFirstInLine(t *testing.T) {
	stores := inLine(t, 5)
	leave, first := stores[0].lineUp(t.Context())
	if !first {
		t.Fatal("an empty line made somebody wait")
	}
	turns := make(chan func(), len(stores))
	for _, s := range stores[1:] {
		go func() {
			leave, first := s.lineUp(t.Context())
			if !first {
				leave = nil
			}
			turns <- leave
		}()
	}
	for range stores[1:] {
		select {
		case <-turns:
			t.Fatal("two are first")
		case <-time.After(10 * time.Millisecond):
		}
		leave()
		if leave = <-turns; leave == nil {
			t.Fatal("somebody gave up")
		}
	}
	leave()
}

// STO-8: who gives up holds up neither those behind nor its own later waits.
func TestSTO8_APlaceInLineIsGivenUp(t *testing.T) {
	stores := inLine(t, 3)
	leave, _ := stores[0].lineUp(t.Context())
	if _, first := stores[1].lineUp(t.Context()); first { // after lineTime
		t.Fatal("two are first")
	}
	if !stores[1].inLine.Load() {
		t.Fatal("the kernel gave up the place by itself")
	}
	if _, first := stores[1].lineUp(t.Context()); first {
		t.Fatal("two are first")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, first := stores[2].lineUp(ended); first {
		t.Fatal("two are first")
	}
	leave()
	for i, s := range stores {
		until(t, "a place that was given up was left", func() bool { return !s.inLine.Load() })
		leave, first := s.lineUp(t.Context())
		if !first {
			t.Fatalf("store %d was not first in an empty line", i)
		}
		leave()
	}
}

// STO-8: a deadline leaves time for what comes after the line.
func TestSTO8_TheLineLeavesTime(t *testing.T) {
	stores := inLine(t, 2)
	leave, _ := stores[0].lineUp(t.Context())
	defer leave()
	ctx, cancel := context.WithTimeout(t.Context(), lineTime*3/2)
	defer cancel()
	if _, first := stores[1].lineUp(ctx); first || ctx.Err() != nil {
		t.Errorf("first %v, %v", first, ctx.Err())
	}
	if _, first := (&Store{path: filepath.Join(t.TempDir(), "none")}).lineUp(t.Context()); first {
		t.Error("somebody is first in the line of a log that is missing")
	}
}
