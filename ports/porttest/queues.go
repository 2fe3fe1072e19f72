package porttest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

func queueTopics() []topic {
	return []topic{
		{"queues", testQueues},
		{"queue counts", testCounts},
		{"queue counts with holes", testHoles},
	}
}

func testQueues(t *testing.T, f Factory) {
	s := settle(t, f)
	s.view(func(r storage.Reader) { same(t, "no queues", one(r.Queues()), nil) })
	s.update(func(w storage.Writer) {
		fill(w, "b", 2)
		fill(w, "B", 1)
		done(w.Remove("gone", fill(w, "gone", 2)))
		join(w, "s", "read but empty", "w")
		want := []inbox.QueueCount{{Queue: "B", Count: 1}, {Queue: "b", Count: 2}}
		same(t, "queues", one(w.Queues()), want)
		fill(w, "gone", 1)
		same(t, "queues", one(w.Queues()), append(want, inbox.QueueCount{Queue: "gone", Count: 1}))
	})
}

func testCounts(t *testing.T, f Factory) {
	s := settle(t, f)
	s.update(func(w storage.Writer) {
		fill(w, "q", 3)     // 1 2 3
		fill(w, "other", 2) // 4 5
		fill(w, "q", 1)     // 6
	})
	s.view(func(r storage.Reader) {
		same(t, "count", one(r.Count("q")), 4)
		same(t, "newest", one(r.Newest("q")), 6)
		same(t, "newest of another queue", one(r.Newest("other")), 5)
		for id, want := range map[int64]int64{-1: 4, 0: 4, 1: 3, 3: 1, 4: 1, 5: 1, 6: 0, 7: 0} {
			same(t, fmt.Sprintf("count after %d", id), one(r.CountAfter("q", id)), want)
		}
		same(t, "count of an absent queue", one(r.Count("absent")), 0)
		same(t, "count after in an absent queue", one(r.CountAfter("absent", 0)), 0)
		same(t, "newest of an absent queue", one(r.Newest("absent")), 0)
	})
	s.update(func(w storage.Writer) {
		done(w.Remove("q", []int64{6}))
		same(t, "newest after its removal", one(w.Newest("q")), 3)
		done(w.Remove("q", []int64{1, 2, 3}))
		same(t, "newest of an emptied queue", one(w.Newest("q")), 0)
		same(t, "count of an emptied queue", one(w.Count("q")), 0)
	})
}

// testHoles removes items in the middle and items that are young by their time,
// as retention by age may, and counts after each step.
func testHoles(t *testing.T, f Factory) {
	s := settle(t, f)
	rng := rand.New(rand.NewPCG(1, 2))
	kept := map[string][]int64{"q": nil, "r": nil}
	for range 12 {
		s.update(func(w storage.Writer) {
			for range 1 + rng.IntN(30) {
				queue := []string{"q", "r"}[rng.IntN(2)]
				kept[queue] = append(kept[queue], one(w.Insert(letter(queue, "1", noon+rng.Int64N(9)))))
			}
			for queue, ids := range sortedQueues(kept) {
				var gone []int64
				for _, id := range ids {
					if rng.IntN(3) == 0 {
						gone = append(gone, id)
					}
				}
				kept[queue] = slices.DeleteFunc(ids, func(id int64) bool { return slices.Contains(gone, id) })
				rng.Shuffle(len(gone), func(i, j int) { gone[i], gone[j] = gone[j], gone[i] })
				done(w.Remove(queue, gone))
			}
			checkCounts(t, w, kept)
		})
		s.view(func(r storage.Reader) { checkCounts(t, r, kept) })
	}
}

// sortedQueues walks in an order that does not change from run to run.
func sortedQueues(kept map[string][]int64) func(func(string, []int64) bool) {
	return func(yield func(string, []int64) bool) {
		for _, queue := range []string{"q", "r"} {
			if !yield(queue, slices.Clone(kept[queue])) {
				return
			}
		}
	}
}

func checkCounts(t *testing.T, r storage.Reader, kept map[string][]int64) {
	t.Helper()
	for queue, ids := range kept {
		same(t, "count of "+queue, one(r.Count(queue)), int64(len(ids)))
		newest := int64(0)
		if len(ids) > 0 {
			newest = slices.Max(ids)
		}
		same(t, "newest of "+queue, one(r.Newest(queue)), newest)
		for id := int64(0); id <= newest+1; id++ {
			above := 0
			for _, other := range ids {
				if other > id {
					above++
				}
			}
			same(t, fmt.Sprintf("count of %s after %d", queue, id), one(r.CountAfter(queue, id)), int64(above))
		}
	}
}
