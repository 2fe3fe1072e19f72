package outbox

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/outbox"
)

// TestOUT9_FrozenLane: what waits behind a send shows it, for how long, and whether
// the lease is past its time. Nothing of it is stored.
func TestOUT9_FrozenLane(t *testing.T) {
	bubble(t, func(r *rig) {
		dead, s := r.service(Options{}), r.service(Options{})
		first, second := r.accept(dead, "s", "first"), r.accept(dead, "s", "second")
		other := r.accept(dead, "other", "other")
		r.crash(dead, "s")
		version := r.entry(s, second).Version
		for _, c := range []struct {
			after time.Duration
			stale bool
		}{{0, false}, {59 * time.Second, false}, {60 * time.Second, true}, {time.Hour, true}} {
			wait(c.after - r.entry(s, second).InFlightFor)
			if e := r.entry(s, second); !e.BlockedByInFlight || e.InFlightFor != c.after || e.StaleLease != c.stale || e.Version != version {
				r.Errorf("after %s: blocked %t for %s, stale %t", c.after, e.BlockedByInFlight, e.InFlightFor, e.StaleLease)
			}
		}
		for _, id := range []string{first, other} {
			if e := r.entry(s, id); e.BlockedByInFlight || e.InFlightFor != 0 || e.BlockedBy != "" {
				r.Errorf("the one that is %s is blocked", e.Status)
			}
		}
		entries, err := s.List(r.Context(), "w", "s")
		r.must(err)
		if len(entries) != 2 || entries[0].ID != first || entries[1].ID != second {
			r.Errorf("the session's list is %v", entries)
		}
		s.Recover(r.Context())
		s.Recover(r.Context())
		if e := r.entry(s, second); e.BlockedByInFlight || e.InFlightFor != 0 {
			r.Error("it stays blocked in a free lane")
		}
		r.store.fail(opView, failure{times: 1})
		if _, err := s.List(r.Context(), "", ""); err == nil {
			r.Error("an error of the store lists nothing")
		}
	})
}

// TestOUT9_JSON writes the names that a list has, and times to the millisecond.
func TestOUT9_JSON(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		_, err := s.Accept(r.Context(), "w", "s", "u", "m1", "first", json.RawMessage(`{"a": 1}`))
		r.must(err)
		r.accept(s, "s", "second")
		r.crash(s, "s")
		wait(1500 * time.Millisecond)
		entries, err := s.List(r.Context(), "w", "s")
		r.must(err)
		first, err := json.Marshal(entries[0])
		r.must(err)
		second, err := json.Marshal(entries[1])
		r.must(err)
		for _, part := range []string{
			`"workspaceID":"w"`, `"sessionID":"s"`, `"userID":"u"`, `"clientMessageID":"m1"`, `"text":"first"`, `"model":{"a":1}`,
			`"acceptedAt":"2000-01-01T00:00:00.000Z"`, `"lastAttemptAt":"2000-01-01T00:00:00.000Z"`, `"status":"delivering"`, `"attemptNo":1`,
		} {
			if !strings.Contains(string(first), part) {
				r.Errorf("%s has no %s", first, part)
			}
		}
		if text := string(second); !strings.Contains(text, `"blockedByInFlight":true,"inFlightFor":1500000000`) ||
			strings.Contains(text, "lastAttemptAt") || strings.Contains(text, "token") {
			r.Errorf("the second is %s", text)
		}
	})
}

// TestOUT9_Status counts entries, sweeps, leases and shows when a worker was last seen.
func TestOUT9_Status(t *testing.T) {
	bubble(t, func(r *rig) {
		plain, s := r.service(Options{}), r.service(Options{Owner: "me", Routes: []Route{{Workspace: "x", Deliverer: Deliverer(r.peer.deliver)}}})
		states := map[string]string{"ledgered": "LEDGERED", "failed": "FAILED", "none": "", "admitted": "ADMITTED"}
		s.SetLedgerProbe(func(_ ctx, _, ses, _ string, _ uint32) (string, error) {
			state, ok := states[ses]
			if !ok {
				return "", errCut
			}
			return state, nil
		})
		r.peer.refuse(Pointless(errCut))
		var ids []string
		for _, session := range []string{"down", "ledgered", "failed", "none", "admitted"} {
			ids = append(ids, r.accept(plain, session, "text"))
			r.once(plain, session)
			wait(time.Second)
		}
		_, err := s.SweepWorkspace(r.Context(), "w")
		r.must(err)
		id := r.accept(s, "busy", "text")
		j := r.crash(s, "busy")
		parked, err := s.ParkWorkspace(r.Context(), "empty", "a typo")
		r.must(err)
		wait(time.Second)
		got, err := s.Status(r.Context())
		r.must(err)
		want := Status{
			Entries:  map[string]int64{StatusError: 2, StatusPending: 2, StatusDelivering: 1},
			OldestID: ids[0], OldestAt: r.entry(s, ids[0]).AcceptedAt,
			Sweeps: map[string]int64{"completed": 1, "rearmed": 2, "unchanged": 1, "indeterminate": 1},
			Leases: []Holding{{"w", "busy", id, j.lease.Owner, time.Second, false}},
			Holds:  []Aside{{"empty", "a typo", time.Second}},
		}
		if parked != 0 || !reflect.DeepEqual(got, want) || !strings.HasPrefix(j.lease.Owner, "me:") {
			r.Errorf("the state is\n%+v, not\n%+v", got, want)
		}
		stop := r.runBy(s, nil) // on another workspace
		wait(90 * time.Second)
		stop()
		got, err = s.Status(r.Context())
		r.must(err)
		if got.LastLoopAt != time.Now().UTC().Add(-30*time.Second) || !got.Leases[0].Stale || got.Leases[0].For != 91*time.Second {
			r.Errorf("later the state is %+v", got)
		}
	})
}

// TestOUT13_NewNamesTheField that cannot work.
func TestOUT13_NewNamesTheField(t *testing.T) {
	bubble(t, func(r *rig) {
		for name, o := range map[string]Options{
			"LeaseTTL":    {Config: Config{LeaseTTL: time.Second}},
			"MaxAttempts": {Config: Config{MaxAttempts: -1}},
			"MaxBackoff":  {Config: Config{RetryBackoff: time.Hour, MaxBackoff: time.Minute}},
			"malformed":   {Routes: []Route{{Workspace: "[a"}}},
			"order":       {Routes: []Route{{Order: "random"}}},
		} {
			o.Store = r.store
			if _, err := New(o); domain.CodeOf(err) != domain.Invalid || !strings.Contains(err.Error(), name) {
				r.Errorf("%s: %v", name, err)
			}
		}
		if _, err := New(Options{}); err == nil {
			r.Error("it works without a store")
		}
		if DefaultConfig() != outbox.DefaultConfig() || DefaultConfig().Workers != 32 {
			r.Error("the defaults are others")
		}
	})
}
