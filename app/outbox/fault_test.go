package outbox

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

// troubled makes the receiver store and answer nothing certain the first time that it
// sees an entry of the session a, refuse the first of b, and take the rest.
func (p *peer) troubled(gone func() bool) {
	refused := false
	p.before = func(e Entry) error {
		switch {
		case gone():
			return errCut // a dead worker sends nothing
		case e.SessionID == "b" && !refused:
			refused = true
			return errCut
		}
		return nil
	}
	p.act = func(e Entry) error {
		if e.SessionID == "a" {
			return Ambiguous(errCut)
		}
		return nil
	}
}

// persist accepts as a client does that asks again until it knows.
func (r *rig) persist(s *Service, session, id string) string {
	r.Helper()
	for range 5 {
		e, err := s.Accept(r.Context(), "w", session, "", id, id, nil)
		if err == nil {
			return e.ID
		}
		if duplicate, ok := errors.AsType[*Duplicate](err); ok {
			return duplicate.AcceptedID
		}
	}
	r.Fatal("it is not accepted")
	return ""
}

// calls is how many calls of the store the scenarios below are failed at: as many as
// they make until everything is delivered.
const calls = 60

// TestOUT6_FaultAtEachCall: whichever one call of the store fails, before it took
// effect or after, each entry arrives once and has its hook once.
func TestOUT6_FaultAtEachCall(t *testing.T) {
	for n := range 2 * calls {
		bubble(t, func(r *rig) {
			s := r.service(Options{Config: Config{Tick: 3 * time.Second}})
			var hooks tally
			s.SetOnDelivered(hooks.hook)
			r.peer.troubled(func() bool { return false })
			r.store.fail(opAny, failure{skip: n / 2, times: 1, late: n%2 == 1})
			stop := r.run(s)
			var ids []string
			for m := range 6 {
				ids = append(ids, r.persist(s, string(rune('a'+m%3)), fmt.Sprint(m)))
			}
			wait(130 * time.Second)
			stop()
			for _, id := range ids {
				if r.peer.times(id) != 1 || hooks.of(id) != 1 {
					r.Errorf("fault %d: %d sends, %d hooks", n, r.peer.times(id), hooks.of(id))
				}
			}
			if r.left(s) != 0 || r.leases(s) != 0 || r.unhooked() != 0 {
				r.Errorf("fault %d: %d entries, %d leases, %d hooks are left", n, r.left(s), r.leases(s), r.unhooked())
			}
		})
	}
}

// TestOUT5_CrashAtEachCall: whichever call of the store is the last of a worker, before
// it took effect or after, each entry arrives once and has its hook; those whose mark
// was not set have it twice, which are one of each lane at most.
func TestOUT5_CrashAtEachCall(t *testing.T) {
	for n := range 2 * calls {
		bubble(t, func(r *rig) {
			config := Config{Tick: 3 * time.Second}
			dying, s := r.service(Options{Drain: -1, Config: config}), r.service(Options{Store: r.other(), Config: config})
			var hooks tally
			dying.SetOnDelivered(func(ws, ses string, e Entry) {
				if !r.store.dead() {
					hooks.hook(ws, ses, e)
				}
			})
			s.SetOnDelivered(hooks.hook)
			r.peer.troubled(func() bool { return false })
			var ids []string
			for m := range 6 {
				ids = append(ids, r.persist(s, string(rune('a'+m%3)), fmt.Sprint(m)))
			}
			r.store.fail(opAny, failure{skip: n / 2, times: 1, late: n%2 == 1, forever: true})
			stopDying := r.runBy(dying, func(ctx ctx, ws, ses string, e Entry) error {
				if r.store.dead() {
					return errCut
				}
				return r.peer.deliver(ctx, ws, ses, e)
			})
			wait(10 * time.Second)
			stop := r.run(s)
			wait(4 * time.Minute)
			stopDying()
			stop()
			twice := 0
			for _, id := range ids {
				if r.peer.times(id) != 1 || hooks.of(id) < 1 || hooks.of(id) > 2 {
					r.Errorf("crash %d: %d sends, %d hooks", n, r.peer.times(id), hooks.of(id))
				}
				twice += hooks.of(id) - 1
			}
			if r.left(s) != 0 || r.leases(s) != 0 || r.unhooked() != 0 || twice > 3 {
				r.Errorf("crash %d: %d entries, %d leases, %d hooks are left, %d ran twice", n, r.left(s), r.leases(s), r.unhooked(), twice)
			}
		})
	}
}
