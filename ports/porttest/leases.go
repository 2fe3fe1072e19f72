package porttest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

func leaseTopics() []topic {
	return []topic{
		{"OBJ-4 lease", testLease},
		{"PULL-6 lease queries", testLeaseQueries},
		{"PULL-6 park", testPark},
		{"SUB-2 remove leases", testRemoveLeases},
	}
}

func testLease(t *testing.T, f Factory) {
	s := settle(t, f)
	parked := inbox.Lease{Subscription: "s", Item: 2, Owner: "v", Granted: noon + 9, Until: noon, Attempts: 1 << 40, Parked: true}
	s.update(func(w storage.Writer) {
		fill(w, "q", 3)
		join(w, "s", "q", "w")
		join(w, "S", "q", "w")
		done(w.PutLease(lease("s", 1, "w")))
		done(w.PutLease(parked))
		done(w.PutLease(lease("S", 2, "w")))
	})
	s.reopen()
	s.view(func(r storage.Reader) {
		same(t, "lease", found(r.Lease("s", 1)), new(lease("s", 1, "w")))
		same(t, "parked lease", found(r.Lease("s", 2)), &parked)
		same(t, "no lease on the item", found(r.Lease("s", 3)), nil)
		same(t, "no lease in the subscription", found(r.Lease("S", 1)), nil)
		same(t, "absent item", found(r.Lease("s", 99)), nil)
		same(t, "absent subscription", found(r.Lease("absent", 1)), nil)
		same(t, "by item, then subscription", one(r.LeasesOn([]int64{2, 99, 3, 1, 2})),
			[]inbox.Lease{lease("s", 1, "w"), lease("S", 2, "w"), parked})
		same(t, "on no item", one(r.LeasesOn(nil)), nil)
	})
	s.update(func(w storage.Writer) {
		again := lease("s", 2, "x")
		again.Attempts = 2
		done(w.PutLease(again)) // not parked any more
		same(t, "replaced", found(w.Lease("s", 2)), &again)
		same(t, "all", one(w.Leases("s", storage.LeaseQuery{})), []inbox.Lease{lease("s", 1, "w"), again})
	})
}

// manyLeases has every combination of parked, attempts, and times around the
// thresholds of queries, in no order.
func manyLeases() []inbox.Lease {
	var leases []inbox.Lease
	for _, parked := range []bool{false, true} {
		for attempts := range int64(4) {
			for _, until := range []int64{noon - 1, noon, noon + 1} {
				for _, granted := range []int64{noon + 59, noon + 60, noon + 61} {
					leases = append(leases, inbox.Lease{
						Subscription: "s", Item: int64(len(leases)*7%72) + 1, Owner: fmt.Sprint("w", attempts),
						Granted: granted, Until: until, Attempts: attempts, Parked: parked,
					})
				}
			}
		}
	}
	return leases
}

// leaseQueries are all combinations of the fields of a query.
func leaseQueries() []storage.LeaseQuery {
	ended := inbox.ExpiryAt(noon)
	var queries []storage.LeaseQuery
	for _, state := range []storage.LeaseState{storage.AnyLease, storage.OpenLease, storage.ParkedLease} {
		for _, expiry := range []*inbox.Expiry{nil, &ended, {UntilAtMost: noon - 1, GrantedAfter: noon + 61}, {UntilAtMost: 0, GrantedAfter: noon + 999}} {
			for _, least := range []int64{0, 1, 2, 3, 4} {
				for _, below := range []int64{0, 1, 2, 4} {
					for _, limit := range []int{0, 1, 5, 1000} {
						queries = append(queries, storage.LeaseQuery{
							State: state, Ended: expiry, MinAttempts: least, BelowAttempts: below, Limit: limit,
						})
					}
				}
			}
		}
	}
	return queries
}

// picked is what a query must select but for its limit, lowest item first.
func picked(leases []inbox.Lease, q storage.LeaseQuery) []inbox.Lease {
	chosen := slices.DeleteFunc(slices.Clone(leases), func(l inbox.Lease) bool {
		state := q.State == storage.AnyLease || l.Parked == (q.State == storage.ParkedLease)
		ended := q.Ended == nil || l.Until <= q.Ended.UntilAtMost || l.Granted > q.Ended.GrantedAfter
		return !state || !ended || l.Attempts < q.MinAttempts || q.BelowAttempts != 0 && l.Attempts >= q.BelowAttempts
	})
	slices.SortFunc(chosen, func(a, b inbox.Lease) int { return int(a.Item - b.Item) })
	return chosen
}

func storeLeases(w storage.Writer) []inbox.Lease {
	leases := manyLeases()
	fill(w, "q", len(leases))
	join(w, "s", "q", "w")
	join(w, "other", "q", "w")
	for _, l := range leases {
		done(w.PutLease(l))
	}
	done(w.PutLease(lease("other", 1, "w")))
	return leases
}

func named(q storage.LeaseQuery) string {
	ended := "any"
	if q.Ended != nil {
		ended = fmt.Sprintf("%+v", *q.Ended)
	}
	return fmt.Sprintf("state %d, ended %s, attempts from %d to below %d, limit %d", q.State, ended, q.MinAttempts, q.BelowAttempts, q.Limit)
}

func testLeaseQueries(t *testing.T, f Factory) {
	s := settle(t, f)
	var leases []inbox.Lease
	s.update(func(w storage.Writer) { leases = storeLeases(w) })
	s.view(func(r storage.Reader) {
		for _, q := range leaseQueries() {
			want := picked(leases, q)
			same(t, "count, "+named(q), one(r.CountLeases("s", q)), int64(len(want)))
			if q.Limit > 0 {
				want = want[:min(q.Limit, len(want))]
			}
			same(t, "list, "+named(q), one(r.Leases("s", q)), want)
		}
		same(t, "absent subscription", one(r.Leases("absent", storage.LeaseQuery{})), nil)
		same(t, "count in an absent subscription", one(r.CountLeases("absent", storage.LeaseQuery{})), 0)
	})
}

func testPark(t *testing.T, f Factory) {
	s := settle(t, f)
	var leases []inbox.Lease
	s.update(func(w storage.Writer) { leases = storeLeases(w) })
	for _, q := range leaseQueries() {
		if q.Limit > 1 {
			continue // one limit shows that it is ignored
		}
		s.try(func(w storage.Writer) {
			selected := picked(leases, q)
			same(t, "parked, "+named(q), one(w.Park("s", q)), int64(len(selected)))
			want := picked(leases, storage.LeaseQuery{})
			for i, l := range want {
				want[i].Parked = l.Parked || slices.Contains(selected, l)
			}
			same(t, "after parking, "+named(q), one(w.Leases("s", storage.LeaseQuery{})), want)
			same(t, "in another", found(w.Lease("other", 1)), new(lease("other", 1, "w")))
		})
	}
	s.update(func(w storage.Writer) {
		same(t, "parked in an absent subscription", one(w.Park("absent", storage.LeaseQuery{})), 0)
		one(w.Park("s", storage.LeaseQuery{}))
	})
	s.view(func(r storage.Reader) {
		same(t, "parked", one(r.CountLeases("s", storage.LeaseQuery{State: storage.ParkedLease})), int64(len(leases)))
	})
}

func testRemoveLeases(t *testing.T, f Factory) {
	s := settle(t, f)
	var leases []inbox.Lease
	s.update(func(w storage.Writer) { leases = storeLeases(w) })
	for _, q := range leaseQueries() {
		if q.Limit > 1 {
			continue // one limit shows that it is ignored
		}
		s.try(func(w storage.Writer) {
			removed := picked(leases, q)
			want := slices.DeleteFunc(picked(leases, storage.LeaseQuery{}), func(l inbox.Lease) bool {
				return slices.Contains(removed, l)
			})
			done(w.RemoveLeases("s", q))
			same(t, "after removing, "+named(q), one(w.Leases("s", storage.LeaseQuery{})), want)
			same(t, "in another", found(w.Lease("other", 1)), new(lease("other", 1, "w")))
		})
	}
	s.update(func(w storage.Writer) {
		done(w.RemoveLeases("absent", storage.LeaseQuery{}))
		done(w.RemoveLeases("s", storage.LeaseQuery{}))
	})
	s.view(func(r storage.Reader) { same(t, "removed", one(r.CountLeases("s", storage.LeaseQuery{})), 0) })
}
