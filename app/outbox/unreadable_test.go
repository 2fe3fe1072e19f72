package outbox

import (
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// TestOUT12_UnreadableSendOfADeadWorker: the token of a row that cannot be read
// fails no recovery, and keeps back only those of a strict lane.
func TestOUT12_UnreadableSendOfADeadWorker(t *testing.T) {
	for order, sent := range map[Order]int{OrderDue: 1, OrderStrict: 0} {
		bubble(t, func(r *rig) {
			dead, s := r.service(Options{}), r.service(Options{Store: r.other()})
			id := r.accept(dead, "s", "head")
			r.crash(dead, "s")
			next := r.accept(dead, "s", "rest")
			r.must(r.place.BreakEntry(id))
			s.Recover(r.Context()) // sees the lease
			wait(time.Hour)
			lane, route := outbox.Lane{Workspace: "w", Session: "s"}, Route{Deliverer: Deliverer(r.peer.deliver), Order: order}
			j, recovered, err := s.take(r.Context(), lane, route)
			if err != nil || recovered != 0 || (j != nil) != (sent == 1) {
				r.Fatalf("%s: took %v, recovered %d: %v", order, j, recovered, err)
			}
			if j != nil {
				j.run(r.Context())
			}
			if r.peer.times(next) != sent || r.peer.times(id) != 0 || r.entry(s, id).Status != StatusUnreadable {
				r.Errorf("%s: %v arrived", order, r.peer.texts())
			}
			if _, held, err := s.Holder(r.Context(), "w", "s"); held || err != nil {
				r.Errorf("%s: the lane is held: %v", order, err)
			}
		})
	}
}

// TestOUT12_ParkingLeavesUnreadableRows alone, and parks the others.
func TestOUT12_ParkingLeavesUnreadableRows(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.service(Options{})
		id := r.accept(s, "s", "head")
		next := r.accept(s, "s", "rest")
		r.must(r.place.BreakEntry(id))
		before := r.entry(s, id)
		parked, err := s.ParkWorkspace(r.Context(), "w", "flip")
		r.must(err)
		if parked != 1 || r.entry(s, next).Status != StatusParked {
			r.Errorf("%d were parked", parked)
		}
		unparked, err := s.UnparkWorkspace(r.Context(), "w")
		r.must(err)
		if after := r.entry(s, id); unparked != 1 || after.Version != before.Version || after.Status != StatusUnreadable {
			r.Errorf("%d were unparked, and it is %+v", unparked, after)
		}
	})
}

// TestOUT5_ForeignLeasesHaveTheirOwnLength: whoever waits for the lane of a dead
// worker waits a third of the lease that the dead one set.
func TestOUT5_ForeignLeasesHaveTheirOwnLength(t *testing.T) {
	for _, length := range []time.Duration{3 * time.Second, 9 * time.Minute} {
		bubble(t, func(r *rig) {
			dead, s := r.service(Options{Config: Config{LeaseTTL: length}}), r.service(Options{Store: r.other()})
			r.accept(dead, "s", "text")
			r.crash(dead, "s")
			r.must(s.store.ViewOutbox(r.Context(), func(o storage.OutboxReader) error {
				leases, err := o.Leases()
				if len(leases) != 1 || leases[0].Length != length {
					r.Errorf("%s: the leases are %+v", length, leases)
				}
				return err
			}))
			wait(time.Hour)
			began := time.Now()
			round, err := s.RunOnce(r.Context(), r.peer.deliver)
			r.must(err)
			if round != (Round{Verified: 1, Recovered: 1}) || time.Since(began) != length/3 {
				r.Errorf("%s: it did %+v in %s", length, round, time.Since(began))
			}
		})
	}
}
