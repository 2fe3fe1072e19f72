package porttest

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

func itemTopics() []topic {
	return []topic{
		{"OBJ-1 item", testItem},
		{"OBJ-1 ids", testIDs},
		{"OBJ-1 ids after removal", testIDsAfterRemoval},
		{"OBJ-1 ids of a batch", testBatch},
		{"OBJ-5 STO-6 odd names", testOddNames},
		{"PUB-1 big payload", testBigPayload},
		{"RET-2 older", testOlder},
		{"next after", testNextAfter},
		{"RET-2 remove", testRemove},
		{"remove many", testRemoveMany},
	}
}

func testItem(t *testing.T, f Factory) {
	s := settle(t, f)
	var plain, labelled inbox.Item
	s.update(func(w storage.Writer) {
		plain = insert(w, letter("q", `{"b":1e400,"a":[1.0,0.10]}`, noon))
		labelled = insert(w, keyed(letter("q", `"x"`, 0), "k"))
	})
	s.view(func(r storage.Reader) {
		same(t, "without a key", found(r.Item(plain.ID)), &plain)
		same(t, "with a key", found(r.Item(labelled.ID)), &labelled)
		for _, id := range []int64{0, -1, labelled.ID + 1, math.MaxInt64, math.MinInt64} {
			same(t, fmt.Sprintf("item %d", id), found(r.Item(id)), nil)
		}
	})
}

func testIDs(t *testing.T, f Factory) {
	s := settle(t, f)
	s.update(func(w storage.Writer) {
		ignored := letter("a", "1", noon)
		ignored.ID = 1000
		same(t, "first id", one(w.Insert(ignored)), 1)
		same(t, "second id", one(w.Insert(letter("b", "2", noon))), 2)
	})
	s.try(func(w storage.Writer) { same(t, "id that is rolled back", one(w.Insert(letter("a", "3", noon))), 3) })
	s.reopen()
	s.update(func(w storage.Writer) { same(t, "next id", one(w.Insert(letter("a", "4", noon-99))), 3) })
}

// testBatch has a batch meet what Insert stored, and what is removed: the counts of
// a queue depend on the numbers of its items.
func testBatch(t *testing.T, f Factory) {
	s := settle(t, f)
	batch := []inbox.Item{letter("q", "1", noon), keyed(letter("q", "2", noon-1), "k"), letter("q", "3", noon+1)}
	batch[2].ExpiresAt = noon + 5
	counts := func(r storage.Reader) []int64 {
		return []int64{one(r.Count("q")), one(r.Newest("q")), one(r.CountAfter("q", 0)), one(r.CountAfter("q", 2)), one(r.CountAfter("q", 4))}
	}
	s.update(func(w storage.Writer) {
		same(t, "ids of nothing", one(w.InsertAll(nil)), nil)
		same(t, "ids in a new queue", one(w.InsertAll(batch)), []int64{1, 2, 3})
		same(t, "an id behind a batch", one(w.Insert(letter("q", "4", noon))), 4)
		same(t, "ids behind an item", one(w.InsertAll(batch[:2])), []int64{5, 6})
		same(t, "counts", counts(w), []int64{6, 6, 6, 4, 2})
	})
	s.reopen()
	s.update(func(w storage.Writer) {
		batch[1].ID = 2
		same(t, "the second item", found(w.Item(2)), &batch[1])
		same(t, "what expires", one(w.Expired("q", noon+5, 9)), []int64{3})
		done(w.Remove("q", []int64{1, 2, 6}))
		same(t, "ids behind a gap", one(w.InsertAll(batch[:1])), []int64{7})
		same(t, "counts with gaps", counts(w), []int64{4, 7, 4, 4, 2})
	})
	s.try(func(w storage.Writer) {
		same(t, "ids that are rolled back", one(w.InsertAll(batch)), []int64{8, 9, 10})
	})
	s.view(func(r storage.Reader) { same(t, "counts in the end", counts(r), []int64{4, 7, 4, 4, 2}) })
}

func testIDsAfterRemoval(t *testing.T, f Factory) {
	s := settle(t, f)
	s.update(func(w storage.Writer) {
		done(w.Remove("a", fill(w, "a", 3)))
		same(t, "id after removal in one transaction", one(w.Insert(letter("b", "1", noon))), 4)
	})
	s.update(func(w storage.Writer) { done(w.Remove("b", []int64{4})) })
	s.reopen()
	s.view(func(r storage.Reader) { same(t, "queues", one(r.Queues()), nil) })
	s.update(func(w storage.Writer) {
		same(t, "id after everything was removed", one(w.Insert(letter("a", "1", noon))), 5)
	})
}

// oddNames are different names that collation, affinity, folding, patterns or
// quoting could confuse, in bytewise order.
func oddNames() []string {
	return []string{
		"", " ", "\"", "%", "'; DROP TABLE item; --", "0", "01", "1", "1.0", "1e0", "A", "NULL", "Z", "[x]",
		"_", "a", "a\tb", "a\nb", "a ", "b", "e\u0301", "null", "x'31'", "\u00e9", "\u0130", "\u202e\u0645", "\ufffd", "\U0001f600",
	}
}

func testOddNames(t *testing.T, f Factory) {
	s := settle(t, f)
	names := oddNames()
	if !slices.IsSorted(names) {
		t.Fatal("the names are out of order")
	}
	stored := map[string][]inbox.Item{}
	s.update(func(w storage.Writer) {
		for _, queue := range slices.Backward(names) {
			for _, key := range names {
				stored[queue] = append(stored[queue], insert(w, keyed(letter(queue, "1", noon), key)))
			}
			stored[queue] = append(stored[queue], insert(w, letter(queue, "2", noon)))
		}
	})
	s.reopen()
	s.view(func(r storage.Reader) {
		var counts []inbox.QueueCount
		for _, queue := range names {
			counts = append(counts, inbox.QueueCount{Queue: queue, Count: int64(len(names)) + 1})
			same(t, fmt.Sprintf("queue %q", queue), all(r, storage.Scan{Queue: queue}), stored[queue])
			for i, key := range names {
				same(t, fmt.Sprintf("queue %q key %q", queue, key),
					all(r, storage.Scan{Queue: queue, Key: &key}), stored[queue][i:i+1])
			}
		}
		same(t, "queues", one(r.Queues()), counts)
	})
}

func testBigPayload(t *testing.T, f Factory) {
	s := settle(t, f)
	text := `"` + strings.Repeat("0123456789abcdeü", 1<<20/17) + `"`
	var big inbox.Item
	s.update(func(w storage.Writer) {
		buffer := []byte(text)
		big = insert(w, inbox.Item{Queue: "q", Payload: buffer, CreatedAt: noon})
		clear(buffer) // the caller may use its buffer again
		big.Payload = []byte(text)
	})
	s.reopen()
	s.view(func(r storage.Reader) {
		same(t, "big item", found(r.Item(big.ID)), &big)
		same(t, "scanned", all(r, storage.Scan{Queue: "q"}), []inbox.Item{big})
	})
}

func testOlder(t *testing.T, f Factory) {
	s := settle(t, f)
	created := []int64{50, 10, 40, 10, 30, 20, 10, 60, 0}
	s.update(func(w storage.Writer) {
		for _, at := range created {
			insert(w, letter("q", "1", at))
		}
		insert(w, letter("other", "1", 5))
	})
	heads := func(ids ...int64) []inbox.Head {
		var heads []inbox.Head
		for _, id := range ids {
			heads = append(heads, inbox.Head{ID: id, CreatedAt: created[id-1]})
		}
		return heads
	}
	s.view(func(r storage.Reader) {
		same(t, "none is that old", one(r.Older("q", 0, 10)), nil)
		same(t, "before, not at", one(r.Older("q", 10, 10)), heads(9))
		same(t, "by id", one(r.Older("q", 41, 10)), heads(2, 3, 4, 5, 6, 7, 9))
		same(t, "oldest by creation, then by id", one(r.Older("q", 100, 5)), heads(2, 4, 6, 7, 9))
		same(t, "among equal times the lowest id", one(r.Older("q", 100, 3)), heads(2, 4, 9))
		same(t, "all", one(r.Older("q", math.MaxInt32, 100)), heads(1, 2, 3, 4, 5, 6, 7, 8, 9))
		same(t, "absent queue", one(r.Older("absent", 100, 10)), nil)
	})
}

func testNextAfter(t *testing.T, f Factory) {
	s := settle(t, f)
	s.update(func(w storage.Writer) {
		fill(w, "q", 2)     // 1 2
		fill(w, "other", 2) // 3 4
		fill(w, "q", 2)     // 5 6
		done(w.Remove("q", []int64{2}))
	})
	s.view(func(r storage.Reader) {
		for id, want := range map[int64]int64{-5: 1, 0: 1, 1: 5, 2: 5, 4: 5, 5: 6, 6: 0, 7: 0, math.MaxInt64: 0} {
			same(t, fmt.Sprintf("after %d", id), one(r.NextAfter("q", id)), want)
		}
		same(t, "absent queue", one(r.NextAfter("absent", 0)), 0)
	})
}

func testRemove(t *testing.T, f Factory) {
	s := settle(t, f)
	s.update(func(w storage.Writer) {
		fill(w, "q", 4)
		other := fill(w, "other", 1)[0]
		join(w, "a", "q", "w", "v")
		join(w, "b", "q", "w")
		for _, sub := range []string{"a", "b"} {
			done(w.PutAck(ack(sub, 1, "w")))
			done(w.PutAck(ack(sub, 2, "w")))
			done(w.PutLease(lease(sub, 3, "w")))
			done(w.PutLease(lease(sub, 4, "w")))
			done(w.MarkShown(sub, "w", []int64{3, 4}))
		}
		done(w.MarkShown("a", "v", []int64{1, 3}))
		join(w, "o", "other", "w")
		done(w.PutLease(lease("o", other, "w")))
		done(w.MarkShown("o", "w", []int64{other}))
		done(w.Remove("q", []int64{1, 3, other, 99, -1, 3}))
		done(w.Remove("absent", []int64{2}))
		done(w.Remove("q", nil))
	})
	s.view(func(r storage.Reader) {
		everything := []int64{1, 2, 3, 4, 5}
		same(t, "items", idsOf(r, storage.Scan{Queue: "q"}), []int64{2, 4})
		same(t, "items of another queue", idsOf(r, storage.Scan{Queue: "other"}), []int64{5})
		same(t, "acks", one(r.Acks(everything)), []inbox.Ack{ack("a", 2, "w"), ack("b", 2, "w")})
		same(t, "leases", one(r.LeasesOn(everything)), []inbox.Lease{
			lease("a", 4, "w"), lease("b", 4, "w"), lease("o", 5, "w"),
		})
		same(t, "shown of another queue", one(r.CountShown("o", "w")), 1)
		same(t, "claimed", one(r.Claimed("a", 0, 0)), []int64{2, 4})
		same(t, "shown", one(r.CountShown("a", "w")), 1)
		same(t, "shown in another subscription", one(r.CountShown("b", "w")), 1)
		same(t, "shown to another", one(r.CountShown("a", "v")), 0)
	})
}

// testRemoveMany gives more ids than one statement may have parameters.
func testRemoveMany(t *testing.T, f Factory) {
	s := settle(t, f)
	many := make([]int64, 40_000)
	for i := range many {
		many[i] = int64(i) + 2
	}
	s.update(func(w storage.Writer) {
		ids := fill(w, "q", 5)
		join(w, "s", "q", "w")
		done(w.PutAck(ack("s", 1, "w")))
		done(w.PutAck(ack("s", 4, "w")))
		done(w.PutLease(lease("s", 5, "w")))
		done(w.MarkShown("s", "w", ids[1:3]))
		same(t, "acks", one(w.Acks(many)), []inbox.Ack{ack("s", 4, "w")})
		same(t, "leases", one(w.LeasesOn(many)), []inbox.Lease{lease("s", 5, "w")})
		done(w.Remove("q", many))
	})
	s.view(func(r storage.Reader) {
		same(t, "items", idsOf(r, storage.Scan{Queue: "q"}), []int64{1})
		same(t, "acks", one(r.Acks(many)), nil)
		same(t, "acks of what is kept", one(r.Acks([]int64{1})), []inbox.Ack{ack("s", 1, "w")})
		same(t, "leases", one(r.LeasesOn(many)), nil)
		same(t, "shown", one(r.CountShown("s", "w")), 0)
	})
}
