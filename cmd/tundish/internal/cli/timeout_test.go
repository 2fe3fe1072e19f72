package cli

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain/inbox"
)

func TestPULL11_Milliseconds(t *testing.T) {
	for text, want := range map[string]time.Duration{"0": 0, "1": time.Millisecond, "007": 7 * time.Millisecond, "400": 400 * time.Millisecond} {
		if got, ok := milliseconds(text); !ok || got != want {
			t.Errorf("milliseconds(%q) = %v, %t", text, got, ok)
		}
	}
	for _, text := range []string{"", " 5", "5 ", "+5", "-5", "5ms", "1e3", "0x10", "1.0", "٣", "soon"} {
		if got, ok := milliseconds(text); ok {
			t.Errorf("milliseconds(%q) = %v", text, got)
		}
	}
	for _, text := range []string{"99999999999999", "9223372036854775807", "99999999999999999999999999"} {
		got, ok := milliseconds(text)
		if !ok || got < 10*365*24*time.Hour || time.Now().Add(got).Before(time.Now()) {
			t.Errorf("milliseconds(%q) = %v, %t: not clamped", text, got, ok)
		}
	}
}

func TestPULL11_Flag(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"1ms": time.Millisecond, "2": 2 * time.Second, "2s": 2 * time.Second, "3m": 3 * time.Minute,
		"9999999999999999ms": inbox.MaxDuration * time.Second, "36500d": inbox.MaxDuration * time.Second,
	} {
		if got, err := parseTimeout(text); err != nil || got != want {
			t.Errorf("parseTimeout(%q) = %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "0ms", "ms", "-1ms", "+1ms", "1.5s", "1 ms", "36501d", "5us"} {
		if got, err := parseTimeout(text); exitCode(err) != 2 || !strings.Contains(err.Error(), "--timeout") || !strings.Contains(err.Error(), text) {
			t.Errorf("parseTimeout(%q) = %v, %v", text, got, err)
		}
	}
}

// A quarter, and at most 100 ms, is kept for the exit.
func TestPULL11_Usable(t *testing.T) {
	for given, want := range map[time.Duration]time.Duration{
		0: 0, 4: 3, 200 * time.Millisecond: 150 * time.Millisecond, 400 * time.Millisecond: 300 * time.Millisecond,
		time.Second: 900 * time.Millisecond, math.MaxInt64: math.MaxInt64 - 100*time.Millisecond,
	} {
		if got := (timeLimit{given: given}).usable(); got != want {
			t.Errorf("of %v, %v is usable; want %v", given, got, want)
		}
	}
}

func TestPULL11_SmallerWins(t *testing.T) {
	for _, test := range []struct {
		env, flag string
		want      time.Duration
		by        string
		note      string
	}{
		{"", "", 0, "", ""},
		{"400", "", 400 * time.Millisecond, "GAFF_TIMEOUT_MS=400", ""},
		{"", "2s", 2 * time.Second, "--timeout 2s", ""},
		{"400", "2s", 400 * time.Millisecond, "GAFF_TIMEOUT_MS=400", ""},
		{"400", "399ms", 399 * time.Millisecond, "--timeout 399ms", ""},
		{"soon", "", 300 * time.Millisecond, "GAFF_TIMEOUT_MS=soon", "300 ms"},
		{"0", "2s", 0, "GAFF_TIMEOUT_MS=0", ""},
	} {
		stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
		if err != nil {
			t.Fatal(err)
		}
		s := newSession()
		s.Stderr = stderr
		s.Getenv = func(string) string { return test.env }
		got, err := s.timeLimit(test.flag, test.flag != "")
		if err != nil || got.given != test.want || got.by != test.by || got.set != (test.by != "") {
			t.Errorf("%q and %q give %+v, %v", test.env, test.flag, got, err)
		}
		note, err := os.ReadFile(stderr.Name())
		if err != nil || !strings.Contains(string(note), test.note) || (test.note == "") != (len(note) == 0) {
			t.Errorf("%q: standard error is %q", test.env, note)
		}
		if err := stderr.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestPULL11_Bound(t *testing.T) {
	begun := time.Now()
	ctx, cancel := timeLimit{set: true, given: time.Hour, by: "--timeout 1h"}.bound(t.Context(), begun)
	defer cancel()
	if at, ok := ctx.Deadline(); !ok || !at.Equal(begun.Add(time.Hour-100*time.Millisecond)) {
		t.Errorf("deadline %v", at)
	}
	late, cancel := timeLimit{set: true, by: "GAFF_TIMEOUT_MS=0"}.bound(t.Context(), begun)
	defer cancel()
	if cause := context.Cause(late); cause == nil || !strings.Contains(cause.Error(), "GAFF_TIMEOUT_MS=0") {
		t.Errorf("the cause is %v", cause)
	}
	free, cancel := timeLimit{}.bound(t.Context(), begun)
	defer cancel()
	if _, ok := free.Deadline(); ok {
		t.Error("no limit is a limit")
	}
}
