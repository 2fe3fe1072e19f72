package porttest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

func scanTopics() []topic {
	return []topic{
		{"scan", testScan},
		{"scan stops", testScanStops},
		{"scan nested", testScanNested},
		{"scan long", testScanLong},
	}
}

func testScan(t *testing.T, f Factory) {
	s := settle(t, f)
	var items []inbox.Item // of queue q, with holes and neighbours in another queue
	s.update(func(w storage.Writer) {
		for i := range 9 {
			item := letter("q", fmt.Sprint(i), noon-int64(i))
			if i%3 != 0 {
				item = keyed(item, []string{"x", "y"}[i%2])
			}
			items = append(items, insert(w, item))
			insert(w, keyed(letter("other", "0", noon), "x"))
		}
		done(w.Remove("q", []int64{items[4].ID}))
		items = slices.Delete(items, 4, 5)
	})
	s.view(func(r storage.Reader) {
		for _, scan := range scans() {
			same(t, fmt.Sprintf("%+v key %v", scan, text(scan.Key)), all(r, scan), expected(items, scan))
		}
	})
}

// scans are all combinations of the fields of a scan.
func scans() []storage.Scan {
	x, y, none := "x", "y", "z"
	var scans []storage.Scan
	for _, after := range []int64{-1, 0, 1, 4, 8, 17, 99} {
		for _, through := range []int64{0, 1, 4, 9, 12, math.MaxInt64} {
			for _, key := range []*string{nil, &x, &y, &none} {
				for _, limit := range []int{0, 1, 3, 100} {
					for i := range 4 {
						scans = append(scans, storage.Scan{
							Queue: "q", After: after, Through: through, Key: key,
							Limit: limit, Descending: i&1 != 0, HeadsOnly: i&2 != 0,
						})
					}
				}
			}
		}
	}
	return append(scans, storage.Scan{Queue: "absent"}, storage.Scan{})
}

// expected is what a scan must select among the items of queue q.
func expected(items []inbox.Item, scan storage.Scan) []inbox.Item {
	var kept []inbox.Item
	for _, item := range items {
		bounded := item.ID > scan.After && (scan.Through == 0 || item.ID <= scan.Through)
		if item.Queue != scan.Queue || !bounded || scan.Key != nil && text(item.Key) != text(scan.Key) {
			continue
		}
		if scan.HeadsOnly {
			item.Key, item.Payload = nil, nil
		}
		kept = append(kept, item)
	}
	if scan.Descending {
		slices.Reverse(kept)
	}
	if scan.Limit > 0 {
		kept = kept[:min(scan.Limit, len(kept))]
	}
	return kept
}

// text is a key for reading; none when there is no key.
func text(key *string) string {
	if key == nil {
		return "none"
	}
	return *key
}

func testScanStops(t *testing.T, f Factory) {
	s := settle(t, f)
	s.update(func(w storage.Writer) { fill(w, "q", 5) })
	errStop := errors.New("stop")
	check := func(r storage.Reader) {
		calls := 0
		err := r.Scan(storage.Scan{Queue: "q"}, func(inbox.Item) (bool, error) { calls++; return calls < 2, nil })
		same(t, "error after false", err, nil)
		same(t, "calls until false", calls, 2)
		for _, more := range []bool{true, false} {
			calls = 0
			err = r.Scan(storage.Scan{Queue: "q"}, func(inbox.Item) (bool, error) { calls++; return more, errStop })
			if !errors.Is(err, errStop) {
				t.Errorf("Scan: %v, want the error of yield", err)
			}
			same(t, "calls until an error", calls, 1)
		}
		same(t, "a scan afterwards", len(all(r, storage.Scan{Queue: "q"})), 5)
	}
	s.view(check)
	s.update(func(w storage.Writer) { check(w) })
}

// testScanNested calls every other method of the reader inside yield, scans in
// scans too, and keeps items.
func testScanNested(t *testing.T, f Factory) {
	s := settle(t, f)
	var items []inbox.Item
	s.update(func(w storage.Writer) {
		for i := range 5 {
			items = append(items, insert(w, keyed(letter("q", fmt.Sprintf(`"payload %d"`, i), noon), fmt.Sprint(i))))
		}
		join(w, "s", "q", "w")
		done(w.PutAck(ack("s", 1, "w")))
		done(w.PutLease(lease("s", 2, "w")))
		done(w.MarkShown("s", "w", []int64{3}))
		done(w.PutDedupe(inbox.Dedupe{Queue: "q", ID: "d", Item: 1, At: noon}))
	})
	check := func(r storage.Reader) {
		var kept []inbox.Item
		want := dump(r, "q")
		done(r.Scan(storage.Scan{Queue: "q"}, func(item inbox.Item) (bool, error) {
			kept = append(kept, item)
			same(t, "inside a scan", dump(r, "q"), want)
			return true, nil
		}))
		same(t, "kept items", kept, items)
	}
	s.view(check)
	s.update(func(w storage.Writer) { check(w) })
}

// testScanLong crosses whatever pages a store may read in.
func testScanLong(t *testing.T, f Factory) {
	const n = 2500
	s := settle(t, f)
	var ids []int64
	s.update(func(w storage.Writer) { ids = fill(w, "q", n) })
	s.view(func(r storage.Reader) {
		same(t, "all", idsOf(r, storage.Scan{Queue: "q"}), ids)
		same(t, "limit", idsOf(r, storage.Scan{Queue: "q", After: ids[9], Limit: 1500}), ids[10:1510])
		back := slices.Clone(ids)
		slices.Reverse(back)
		same(t, "backwards", idsOf(r, storage.Scan{Queue: "q", Descending: true}), back)
		same(t, "backwards to a bound", idsOf(r, storage.Scan{Queue: "q", Descending: true, After: ids[99], Through: ids[2399]}), back[100:n-100])
	})
}
