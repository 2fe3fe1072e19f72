package porttest

import (
	"fmt"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

func dueTopics() []outboxTopic {
	return []outboxTopic{
		{"OUT-3 due lanes", testDueLanes},
		{"OUT-3 due lanes wait their turn", testDueFair},
		{"OUT-3 due lanes in order", testDueOrder},
		{"OUT-3 due lanes that wait equally long", testDueTies},
		{"OUT-3 due lanes follow changes", testDueChanges},
	}
}

// due lists due lanes at moment 0, when an hour is the longest delay.
func due(r storage.OutboxReader) []storage.DueLane {
	var lanes []storage.DueLane
	done(r.DueLanes(moment(0), moment(3_600_000), func(l storage.DueLane) bool {
		lanes = append(lanes, l)
		return true
	}))
	return lanes
}

// testDueLanes has a lane for each reason to be due or not.
func testDueLanes(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	const never = -1
	for _, lane := range []struct {
		session string
		status  string
		at      []int64 // due times, milliseconds from now; 1 << 62 for none
		sending bool
		since   int64 // milliseconds from now; never for a lane that is not due
	}{
		{"at once", outbox.StatusPending, []int64{1 << 62}, false, 1}, // when it was accepted, on a clock that stepped back
		{"verifying at once", outbox.StatusVerifying, []int64{1 << 62, -2}, false, -2},
		{"asking again at once", outbox.StatusDelivering, []int64{5, 1 << 62, 3_600_001}, false, 1},
		{"sending at once", outbox.StatusDelivering, []int64{1 << 62}, true, never},
		{"parked at once", outbox.StatusParked, []int64{1 << 62}, false, never},
		{"leased at once", outbox.StatusPending, []int64{1 << 62}, false, never},
		{"past", outbox.StatusPending, []int64{-5000}, false, -5000},
		{"just now", outbox.StatusPending, []int64{0}, false, 0},
		{"in a moment", outbox.StatusPending, []int64{1}, false, never},
		{"as late as can be", outbox.StatusPending, []int64{3_600_000}, false, never},
		{"too late", outbox.StatusPending, []int64{3_600_001}, false, 3_600_001},
		{"verifying", outbox.StatusVerifying, []int64{-4000}, false, -4000},
		{"verifying later", outbox.StatusVerifying, []int64{4000}, false, never},
		{"asking again", outbox.StatusDelivering, []int64{-3000}, false, -3000},
		{"sending", outbox.StatusDelivering, []int64{-9000}, true, never},
		{"error", outbox.StatusError, []int64{-9000}, false, never},
		{"error at once", outbox.StatusError, []int64{1 << 62}, false, never},
		{"parked", outbox.StatusParked, []int64{-9000}, false, never},
		{"several", outbox.StatusPending, []int64{-1000, -2000, 5000, 3_600_002}, false, -2000},
		{"waiting and too late", outbox.StatusPending, []int64{1, 3_600_002}, false, 3_600_002},
		{"leased", outbox.StatusPending, []int64{-9000}, false, never},
		{"leased and lapsed", outbox.StatusPending, []int64{-9000}, false, never},
	} {
		l := outbox.Lane{Workspace: "w", Session: lane.session}
		for i, ms := range lane.at {
			e := ripe(l, fmt.Sprint(lane.session, i), lane.status, when(ms))
			if lane.sending {
				e.SendToken = "t"
			}
			if lane.status == outbox.StatusParked {
				e.ParkedFrom = outbox.StatusPending
			}
			p.insert(e)
		}
		switch lane.session {
		case "leased", "leased at once":
			p.lane(l, func(w storage.LaneWriter) { done(w.PutLease(turn("t"))) })
		case "leased and lapsed":
			lapsed := turn("t")
			lapsed.Until = moment(-5000)
			p.lane(l, func(w storage.LaneWriter) { done(w.PutLease(lapsed)) })
		}
		p.view(func(r storage.OutboxReader) {
			var got *storage.DueLane
			for _, d := range due(r) {
				if d.Lane == l {
					got = &d
				}
			}
			if lane.since == never {
				same(t, lane.session, got, nil)
				return
			}
			same(t, lane.session, got, &storage.DueLane{Lane: l, Since: moment(lane.since)})
		})
	}
}

func when(ms int64) time.Time {
	if ms == 1<<62 {
		return time.Time{}
	}
	return moment(ms)
}

// testDueFair has lanes that wait since they were accepted beside lanes that wait
// since a time that they had to wait for.
func testDueFair(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	for _, lane := range []struct {
		session       string
		accepted, due int64 // milliseconds from now; 1 << 62 for none
	}{
		{"fresh", -60_000, 1 << 62},
		{"retry", -900_000, -600_000},
		{"accepted far ahead", 3_600_002, 1 << 62},
		{"under another clock", 1, 3_600_001},
		{"old", -800_000, 1 << 62},
		{"accepted ahead", 50_000, 1 << 62},
		{"several", -30_000, 1 << 62},
		{"just now", -950_000, 0},
		{"several", -990_000, -90_000},
		{"backs off", -999_000, 1},
	} {
		e := ripe(outbox.Lane{Workspace: "w", Session: lane.session}, "ob_"+fmt.Sprint(lane.accepted), outbox.StatusPending, when(lane.due))
		e.AcceptedAt = moment(lane.accepted)
		p.insert(e)
	}
	var want []storage.DueLane
	for _, l := range []struct {
		session string
		since   int64
	}{
		{"old", -800_000}, {"retry", -600_000}, {"several", -90_000}, {"fresh", -60_000}, {"just now", 0},
		{"accepted ahead", 50_000}, {"under another clock", 3_600_001}, {"accepted far ahead", 3_600_002},
	} {
		want = append(want, storage.DueLane{Lane: outbox.Lane{Workspace: "w", Session: l.session}, Since: moment(l.since)})
	}
	p.view(func(r storage.OutboxReader) {
		same(t, "all", due(r), want)
		var got []storage.DueLane
		done(r.DueLanes(moment(0), moment(3_600_000), func(l storage.DueLane) bool {
			got = append(got, l)
			same(t, "asked between", due(r), want)
			return true
		}))
		same(t, "with others between", got, want)
	})
}

// testDueOrder has many lanes, stored in another order than they wait, with more
// entries each. Every third lane waits since its entry was accepted.
func testDueOrder(t *testing.T, f OutboxFactory) {
	const n = 120
	p := staff(t, f)
	want := make([]storage.DueLane, n)
	for i := range n {
		place := i * 77 % n
		lane := outbox.Lane{Workspace: fmt.Sprint("w", i%3), Session: fmt.Sprint("s", i/3)}
		at := moment(int64(place) - n)
		want[place] = storage.DueLane{Lane: lane, Since: at}
		first := ripe(lane, fmt.Sprint("ob_", i), outbox.StatusPending, at)
		if place%3 == 0 {
			first.AcceptedAt, first.NextAttemptAt = at, time.Time{}
		}
		p.lane(lane, func(w storage.LaneWriter) {
			done(w.Insert(ripe(lane, fmt.Sprint("late", i), outbox.StatusPending, moment(5))))
			done(w.Insert(first))
			done(w.Insert(ripe(lane, fmt.Sprint("also", i), outbox.StatusVerifying, moment(0))))
			done(w.Insert(ripe(lane, fmt.Sprint("new", i), outbox.StatusPending, time.Time{})))
		})
	}
	p.view(func(r storage.OutboxReader) {
		same(t, "all", due(r), want)
		for _, most := range []int{1, 2, 50} {
			var got []storage.DueLane
			done(r.DueLanes(moment(0), moment(3_600_000), func(l storage.DueLane) bool {
				got = append(got, l)
				return len(got) < most
			}))
			same(t, fmt.Sprint("the first ", most), got, want[:most])
		}
		same(t, "after a stop", one(r.Leases()), nil)
	})
}

// testDueTies has lanes that wait since the same time, by several entries each, so
// that their names say nothing about who comes first.
func testDueTies(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	var want []storage.DueLane
	for i := range 20 {
		lane := outbox.Lane{Workspace: fmt.Sprint("w", i*7%3), Session: fmt.Sprint("s", i*13%20)}
		p.lane(lane, func(w storage.LaneWriter) {
			done(w.Insert(ripe(lane, fmt.Sprint("late", 99-i), outbox.StatusPending, moment(0))))
			for n := range 8 {
				e := ripe(lane, fmt.Sprintf("ob_%d_%d", 99-i, n), outbox.StatusPending, moment(-1))
				if i%2 == 0 {
					e.AcceptedAt, e.NextAttemptAt = moment(-1), time.Time{}
				}
				done(w.Insert(e))
			}
		})
		want = append(want, storage.DueLane{Lane: lane, Since: moment(-1)})
	}
	p.view(func(r storage.OutboxReader) { same(t, "in order of acceptance", due(r), want) })
}

// testDueChanges lets a lane become due and stop being so.
func testDueChanges(t *testing.T, f OutboxFactory) {
	p := staff(t, f)
	check := func(after string, since ...int64) {
		t.Helper()
		p.view(func(r storage.OutboxReader) {
			var want []storage.DueLane
			for _, ms := range since {
				want = append(want, storage.DueLane{Lane: home(), Since: moment(ms)})
			}
			same(t, after, due(r), want)
		})
	}
	put := func(e outbox.Entry) { p.lane(home(), func(w storage.LaneWriter) { done(w.Put(e, true)) }) }
	first := ripe(home(), "ob_1", outbox.StatusPending, time.Time{})
	first.AcceptedAt = moment(-5)
	p.insert(first, ripe(home(), "ob_2", outbox.StatusPending, moment(-3)))
	check("insert", -5)
	p.lane(home(), func(w storage.LaneWriter) { done(w.PutLease(turn("t"))) })
	check("lease")
	p.lane(home(), func(w storage.LaneWriter) { done(w.DropLease()) })
	check("end of the lease", -5)
	sending := ripe(home(), "ob_1", outbox.StatusDelivering, time.Time{})
	sending.SendToken = "t"
	put(sending)
	check("stage out", -3)
	put(ripe(home(), "ob_1", outbox.StatusVerifying, moment(-7)))
	check("ambiguous outcome", -7)
	put(ripe(home(), "ob_1", outbox.StatusError, moment(-7)))
	check("error", -3)
	put(ripe(home(), "ob_2", outbox.StatusPending, moment(3)))
	check("backoff")
	put(ripe(home(), "ob_2", outbox.StatusPending, time.Time{}))
	check("due at once", 1)
	put(ripe(home(), "ob_2", outbox.StatusDelivering, moment(-1)))
	check("prior attempt pending", -1)
	p.must(p.store.Hold(t.Context(), "w", outbox.Hold{Reason: "no rule of a store"}))
	check("hold", -1)
	p.lane(home(), func(w storage.LaneWriter) { done(w.Remove("ob_2", outbox.StatusDelivered)) })
	check("removal")
}
