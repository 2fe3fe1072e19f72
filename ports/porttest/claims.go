package porttest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

func claimTopics() []topic {
	return []topic{
		{"OBJ-4 ack", testAck},
		{"ACK-1 ack ends lease and marks", testAckClears},
		{"ACK-1 first ack stays", testFirstAck},
		{"ACK-2 claims of two subscriptions", testTwoSubscriptions},
		{"PULL-1 claimed", testClaimed},
		{"PULL-5 shown", testShown},
		{"SEEK-3 unmarked", testUnmark},
		{"ACK-3 notes", testNotes},
		{"PUB-3 dedupe", testDedupe},
		{"PUB-3 forgotten dedupes", testForget},
	}
}

func testAck(t *testing.T, f Factory) {
	s := settle(t, f)
	s.update(func(w storage.Writer) {
		ids := fill(w, "q", 4)
		join(w, "b", "q", "w")
		join(w, "B", "q", "w")
		join(w, "a", "q", "w")
		for _, id := range slices.Backward(ids[:3]) {
			done(w.PutAck(ack("b", id, "w")))
			done(w.PutAck(ack("a", id, "not even bound")))
		}
		done(w.PutAck(ack("B", ids[1], "w")))
	})
	s.reopen()
	s.view(func(r storage.Reader) {
		same(t, "ack", found(r.Ack("a", 2)), new(ack("a", 2, "not even bound")))
		same(t, "no ack of the item", found(r.Ack("a", 4)), nil)
		same(t, "no ack in the subscription", found(r.Ack("B", 1)), nil)
		same(t, "absent item", found(r.Ack("a", 99)), nil)
		same(t, "absent subscription", found(r.Ack("absent", 1)), nil)
		same(t, "by item, then subscription", one(r.Acks([]int64{4, 99, 2, 1, 2})), []inbox.Ack{
			ack("a", 1, "not even bound"), ack("b", 1, "w"),
			ack("B", 2, "w"), ack("a", 2, "not even bound"), ack("b", 2, "w"),
		})
		same(t, "of no item", one(r.Acks(nil)), nil)
		same(t, "of an item without", one(r.Acks([]int64{4})), nil)
	})
}

func testAckClears(t *testing.T, f Factory) {
	s := settle(t, f)
	s.update(func(w storage.Writer) {
		ids := fill(w, "q", 2)
		for _, sub := range []string{"s", "t"} {
			join(w, sub, "q", "v", "w")
			for _, id := range ids {
				done(w.PutLease(lease(sub, id, "w")))
			}
			done(w.MarkShown(sub, "v", ids))
			done(w.MarkShown(sub, "w", ids))
		}
		done(w.PutAck(ack("s", ids[0], "v")))
	})
	s.view(func(r storage.Reader) {
		same(t, "lease of the item", found(r.Lease("s", 1)), nil)
		same(t, "lease of another item", found(r.Lease("s", 2)), new(lease("s", 2, "w")))
		same(t, "leases of another subscription", one(r.CountLeases("t", storage.LeaseQuery{})), 2)
		for sub, want := range map[string]int64{"s": 1, "t": 2} {
			same(t, "shown to the owner in "+sub, one(r.CountShown(sub, "v")), want)
			same(t, "shown to another in "+sub, one(r.CountShown(sub, "w")), want)
		}
	})
}

// testFirstAck lets a second ack fail or do nothing, but never win.
func testFirstAck(t *testing.T, f Factory) {
	s := settle(t, f)
	s.update(func(w storage.Writer) {
		fill(w, "q", 1)
		join(w, "s", "q", "w")
		done(w.PutAck(ack("s", 1, "first")))
	})
	s.refuses("a second ack", func(w storage.Writer) error { return w.PutAck(ack("s", 1, "second")) })
	s.view(func(r storage.Reader) { same(t, "ack", found(r.Ack("s", 1)), new(ack("s", 1, "first"))) })
}

func testTwoSubscriptions(t *testing.T, f Factory) {
	s := settle(t, f)
	s.update(func(w storage.Writer) {
		fill(w, "q", 1)
		join(w, "s", "q", "w")
		join(w, "t", "q", "w")
		done(w.PutAck(ack("s", 1, "v")))
		done(w.PutLease(lease("t", 1, "w")))
	})
	s.view(func(r storage.Reader) {
		same(t, "ack", found(r.Ack("s", 1)), new(ack("s", 1, "v")))
		same(t, "no lease beside it", found(r.Lease("s", 1)), nil)
		same(t, "lease", found(r.Lease("t", 1)), new(lease("t", 1, "w")))
		same(t, "no ack beside it", found(r.Ack("t", 1)), nil)
	})
}

func testClaimed(t *testing.T, f Factory) {
	s := settle(t, f)
	s.update(func(w storage.Writer) {
		fill(w, "q", 9)
		join(w, "s", "q", "w")
		join(w, "other", "q", "w")
		for _, id := range []int64{8, 2, 5} {
			done(w.PutAck(ack("s", id, "w")))
		}
		for _, id := range []int64{6, 3} {
			parked := lease("s", id, "w")
			parked.Parked = id == 3
			done(w.PutLease(parked))
		}
		done(w.PutLease(lease("s", 8, "w"))) // beside its ack
		done(w.PutAck(ack("other", 1, "w")))
		done(w.PutLease(lease("other", 4, "w")))
		done(w.MarkShown("s", "w", []int64{7})) // a mark is no claim
	})
	claimed := []int64{2, 3, 5, 6, 8}
	s.view(func(r storage.Reader) {
		for _, after := range []int64{-1, 0, 1, 2, 4, 5, 8, 9, math.MaxInt64} {
			for _, through := range []int64{0, 1, 2, 5, 6, 7, 8, 100, math.MaxInt64} {
				want := slices.DeleteFunc(slices.Clone(claimed), func(id int64) bool {
					return id <= after || through != 0 && id > through
				})
				same(t, fmt.Sprintf("after %d through %d", after, through), one(r.Claimed("s", after, through)), want)
			}
		}
		same(t, "absent subscription", one(r.Claimed("absent", 0, 0)), nil)
	})
}

func testShown(t *testing.T, f Factory) {
	s := settle(t, f)
	s.update(func(w storage.Writer) {
		ids := fill(w, "q", 5)
		join(w, "s", "q", "v", "w")
		join(w, "t", "q", "w")
		done(w.MarkShown("s", "w", ids[:3]))
		done(w.MarkShown("s", "w", ids[1:4])) // two of them again
		done(w.MarkShown("s", "w", nil))
		done(w.MarkShown("s", "v", ids[:1]))
	})
	s.reopen()
	s.view(func(r storage.Reader) {
		same(t, "shown", one(r.CountShown("s", "w")), 4)
		same(t, "shown to another", one(r.CountShown("s", "v")), 1)
		same(t, "shown in another", one(r.CountShown("t", "w")), 0)
		same(t, "shown to an absent binding", one(r.CountShown("s", "absent")), 0)
		same(t, "which", one(r.ShownTo("s", "w", math.MaxInt64)), []int64{1, 2, 3, 4})
		same(t, "up to one", one(r.ShownTo("s", "w", 3)), []int64{1, 2, 3})
		same(t, "up to none", one(r.ShownTo("s", "w", 0)), nil)
		same(t, "which to another", one(r.ShownTo("s", "v", 99)), []int64{1})
		same(t, "which in another", one(r.ShownTo("t", "w", 99)), nil)
		same(t, "claimed", one(r.Claimed("s", 0, 0)), nil)
	})
}

func testUnmark(t *testing.T, f Factory) {
	s := settle(t, f)
	s.update(func(w storage.Writer) {
		ids := fill(w, "q", 5)
		join(w, "s", "q", "v", "w")
		join(w, "t", "q", "w")
		done(w.MarkShown("s", "w", ids))
		done(w.MarkShown("s", "v", ids))
		done(w.MarkShown("t", "w", ids))
		done(w.Unmark("s", "w", 3))
		done(w.Unmark("s", "v", 5))
		done(w.Unmark("absent", "w", 0))
		done(w.Unmark("s", "absent", 0))
	})
	s.view(func(r storage.Reader) {
		same(t, "unmarked", one(r.ShownTo("s", "w", 99)), []int64{1, 2, 3})
		same(t, "another's", one(r.CountShown("s", "v")), 5)
		same(t, "in another", one(r.CountShown("t", "w")), 5)
	})
}

// testNotes: a note comes and goes with its ack.
func testNotes(t *testing.T, f Factory) {
	s := settle(t, f)
	noted := func(sub string, item int64, note string) inbox.Ack {
		a := ack(sub, item, "w")
		a.Note = note
		return a
	}
	first, second := noted("s", 1, "ü\nand 'more'"), noted("t", 1, "other")
	s.update(func(w storage.Writer) {
		fill(w, "q", 3)
		join(w, "s", "q", "w")
		join(w, "t", "q", "w")
		done(w.PutAck(ack("s", 2, "w")))
		done(w.PutAck(first))
		same(t, "in the same unit of work", found(w.Ack("s", 1)), &first)
		done(w.PutAck(second))
		done(w.PutAck(noted("s", 3, "goes")))
	})
	s.reopen()
	s.view(func(r storage.Reader) {
		same(t, "note", found(r.Ack("s", 1)), &first)
		same(t, "none", found(r.Ack("s", 2)), new(ack("s", 2, "w")))
		same(t, "of several", one(r.Acks([]int64{1, 2})), []inbox.Ack{first, second, ack("s", 2, "w")})
	})
	s.update(func(w storage.Writer) {
		done(w.Remove("q", []int64{3}))
		done(w.ResetClaims("s"))
		done(w.PutAck(ack("s", 1, "w")))
	})
	s.view(func(r storage.Reader) {
		same(t, "anew", found(r.Ack("s", 1)), new(ack("s", 1, "w")))
		same(t, "of another subscription", found(r.Ack("t", 1)), &second)
		same(t, "of a removed item", found(r.Ack("s", 3)), nil)
	})
	same(t, "damage", one(s.store.Check(t.Context())), nil)
}

func testDedupe(t *testing.T, f Factory) {
	s := settle(t, f)
	first := inbox.Dedupe{Queue: "q", ID: "ü", Item: 1, At: noon}
	other := inbox.Dedupe{Queue: "r", ID: "ü", Item: 2, At: noon + 1}
	second := inbox.Dedupe{Queue: "q", ID: "Ü", Item: 3, At: noon + 2}
	s.update(func(w storage.Writer) {
		fill(w, "q", 3)
		for _, record := range []inbox.Dedupe{first, other, second} {
			done(w.PutDedupe(record))
		}
		done(w.Remove("q", []int64{1, 3})) // the ids outlive the items
	})
	s.reopen()
	s.view(func(r storage.Reader) {
		for _, want := range []inbox.Dedupe{first, other, second} {
			same(t, want.ID+" in "+want.Queue, found(r.Dedupe(want.Queue, want.ID)), &want)
		}
		same(t, "absent id", found(r.Dedupe("q", "absent")), nil)
		same(t, "absent queue", found(r.Dedupe("absent", "ü")), nil)
	})
	s.update(func(w storage.Writer) {
		first.Item, first.At = 9, noon+3
		done(w.PutDedupe(first))
		same(t, "replaced", found(w.Dedupe("q", "ü")), &first)
		same(t, "the other queue's", found(w.Dedupe("r", "ü")), &other)
	})
}

func testForget(t *testing.T, f Factory) {
	s := settle(t, f)
	const n = 6
	kept := func(r storage.Reader) (kept []int) {
		for i := range n {
			if found(r.Dedupe([]string{"q", "r"}[i%2], fmt.Sprint(i))) != nil {
				kept = append(kept, i)
			}
		}
		return kept
	}
	s.update(func(w storage.Writer) {
		for i := range n {
			done(w.PutDedupe(inbox.Dedupe{Queue: []string{"q", "r"}[i%2], ID: fmt.Sprint(i), Item: 1, At: noon + int64(i)}))
		}
		done(w.ForgetDedupes(noon, n))
		same(t, "none made before", len(kept(w)), n)
		done(w.ForgetDedupes(noon+4, 3))
		same(t, "at most so many", len(kept(w)), n-3)
		if left := kept(w); !slices.Contains(left, 4) || !slices.Contains(left, 5) {
			t.Errorf("kept %v, want 4 and 5 among them", left)
		}
		done(w.ForgetDedupes(noon+4, n))
		same(t, "made before, not at", kept(w), []int{4, 5})
	})
	s.view(func(r storage.Reader) { same(t, "after the commit", kept(r), []int{4, 5}) })
}
