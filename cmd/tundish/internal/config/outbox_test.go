package config

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestOUT16_Outbox(t *testing.T) {
	got, err := load(t, `format: 1
outbox:
  max_attempts: 1
  cap: 2
  dedupe_ttl: 3s
  delivery_timeout: 4s
  retry_backoff: 5s
  max_backoff: 6s
  verify_delay: 7s
  verify_backoff: 8s
  max_verify_backoff: 9s
  max_verify_attempts: 10
  max_transient_failures: 11
  parked_sweep_interval: 12s
  lease_ttl: 13s
  verify_timeout: 14s
  probe_timeout: 15s
  bookkeeping_timeout: 16s
  tick: 17ms
  workers: 18
  drain: 19s
  routes:
    - {workspace: 'a*', deliver: 'exec:x y', verify: 'exec:v', ledger: 'exec:l', idempotent: true, order: strict}
    - {deliver: 'http://h/?a=b', idempotent: false, order: due, workspace: , verify: ~}
`)
	if err != nil {
		t.Fatal(err)
	}
	const s = time.Second
	want := &Outbox{
		MaxAttempts: 1, Cap: 2, DedupeTTL: 3 * s, DeliveryTimeout: 4 * s, RetryBackoff: 5 * s, MaxBackoff: 6 * s, VerifyDelay: 7 * s,
		VerifyBackoff: 8 * s, MaxVerifyBackoff: 9 * s, MaxVerifyAttempts: 10, MaxTransientFailures: 11, ParkedSweepInterval: 12 * s,
		LeaseTTL: 13 * s, VerifyTimeout: 14 * s, ProbeTimeout: 15 * s, BookkeepingTimeout: 16 * s, Tick: 17 * time.Millisecond, Workers: 18,
		Drain: 19 * s,
		Routes: []Route{
			{Workspace: "a*", Deliver: "exec:x y", Verify: "exec:v", Ledger: "exec:l", Idempotent: true, Order: "strict"},
			{Deliver: "http://h/?a=b", Order: "due"},
		},
	}
	if diff := cmp.Diff(want, got.Outbox, cmpopts.IgnoreUnexported(Outbox{})); diff != "" {
		t.Error(diff)
	}
	for key, line := range map[string]int{"max_attempts": 3, "drain": 21, "routes[0].ledger": 23, "routes[1].deliver": 24, "none": 0} {
		var fault *FileError
		if !errors.As(got.Outbox.Fault(key, "reason"), &fault) || fault.Line != line || fault.Key != "outbox."+key || fault.Path == "" {
			t.Errorf("the fault of %s is %+v, want line %d", key, fault, line)
		}
	}
	for _, text := range []string{"format: 1\n", "format: 1\noutbox:\n"} {
		if got, err := load(t, text); err != nil || got.Outbox != nil {
			t.Errorf("%q gives %+v, %v", text, got.Outbox, err)
		}
	}
	got, err = load(t, "format: 1\noutbox: {cap: , tick: ~, routes: }\n")
	if diff := cmp.Diff(&Outbox{}, got.Outbox, cmpopts.IgnoreUnexported(Outbox{})); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// OUT-16: an error names line and key.
func TestOUT16_OutboxRefused(t *testing.T) {
	for name, test := range map[string]struct {
		text string // below outbox:
		line int
		key  string
		says string
	}{
		"a list":              {"[cap]", 2, "", "a list"},
		"unknown key":         {"\n  caps: 5", 3, ".caps", "known here are max_attempts, cap,"},
		"key twice":           {"\n  cap: 5\n  cap: 5", 4, ".cap", "line 3"},
		"count zero":          {"{cap: 0}", 2, ".cap", "below 1"},
		"count as text":       {"{cap: '5'}", 2, ".cap", `"5"`},
		"count as a fraction": {"{workers: 1.5}", 2, ".workers", "1.5"},
		"count too large":     {"{workers: 3000000000}", 2, ".workers", "3000000000"},
		"count as a list":     {"{workers: [1]}", 2, ".workers", "a list"},
		"duration of words":   {"\n  tick: a second", 3, ".tick", "a second"},
		"duration as a list":  {"\n  tick: [1]", 3, ".tick", "a list"},
		"alias":               {"{cap: &c 5, workers: *c}", 2, ".workers", "*c"},
		"routes as a mapping": {"\n  routes: {deliver: x}", 3, ".routes", "a mapping"},
		"a route as text":     {"\n  routes:\n    - exec:x", 4, ".routes[0]", `"exec:x"`},
		"an alias as a route": {"\n  routes:\n    - &r {deliver: x}\n    - *r", 5, ".routes[1]", "*r"},
		"no receiver":         {"\n  routes:\n    - {deliver: x}\n    - {workspace: a}", 5, ".routes[1].deliver", "missing"},
		"unknown route key":   {"\n  routes:\n    - {to: x}", 4, ".routes[0].to", "known here are workspace, deliver"},
		"empty receiver":      {"\n  routes: [{deliver: ''}]", 3, ".routes[0].deliver", "empty"},
		"receiver as a list":  {"\n  routes: [{deliver: [x]}]", 3, ".routes[0].deliver", "a list"},
		"empty pattern":       {"\n  routes: [{deliver: x, workspace: ''}]", 3, ".routes[0].workspace", "empty"},
		"verifier as a list":  {"\n  routes: [{deliver: x, verify: []}]", 3, ".routes[0].verify", "a list"},
		"ledger as a list":    {"\n  routes: [{deliver: x, ledger: []}]", 3, ".routes[0].ledger", "a list"},
		"idempotent as text":  {"\n  routes: [{deliver: x, idempotent: 'true'}]", 3, ".routes[0].idempotent", "neither true nor false"},
		"idempotent yes":      {"\n  routes: [{deliver: x, idempotent: yes}]", 3, ".routes[0].idempotent", "neither true nor false"},
		"another order":       {"\n  routes: [{deliver: x, order: fifo}]", 3, ".routes[0].order", "due or strict"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, "format: 1\noutbox: "+test.text+"\n")
			var fault *FileError
			if !errors.As(err, &fault) {
				t.Fatalf("error is %v, not a FileError", err)
			}
			if fault.Line != test.line || fault.Key != "outbox"+test.key || !strings.Contains(fault.Reason, test.says) {
				t.Errorf("line %d, key %q, reason %q; want line %d, key %q and %q", fault.Line, fault.Key, fault.Reason, test.line, "outbox"+test.key, test.says)
			}
		})
	}
}
