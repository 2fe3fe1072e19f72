package memory

import (
	"maps"
	"slices"

	"github.com/tundish-go/tundish/domain/inbox"
)

// state is a whole database. One that was committed never changes again.
type state struct {
	lastItem      int64                       // the highest id given so far (OBJ-1)
	lastPull      int64                       // the number of the last delivering pull (OBJ-3)
	items         table[string, []inbox.Item] // by queue; never an empty list; by id
	subscriptions table[string, inbox.Subscription]
	bindings      table[pair, inbox.Binding]
	acks          table[claim, inbox.Ack]
	leases        table[claim, inbox.Lease]
	shown         table[mark, struct{}]
	dedupes       table[origin, inbox.Dedupe]
	lastScheduled int64 // the highest number given so far
	scheduled     table[int64, inbox.Scheduled]
	push          push // the other half
}

// The keys of the tables.
type (
	pair  struct{ subscription, subscriber string }
	claim struct {
		subscription string
		item         int64
	}
	mark struct {
		pair
		item int64
	}
	origin struct{ queue, id string }
)

// next is a copy to change.
func (s *state) next() *state {
	n := *s
	n.items.share()
	n.subscriptions.share()
	n.bindings.share()
	n.acks.share()
	n.leases.share()
	n.shown.share()
	n.dedupes.share()
	n.scheduled.share()
	n.push.share()
	return &n
}

// table is a map that states share until one of them changes it.
type table[K comparable, V any] struct {
	rows map[K]V
	own  bool // no other state has these rows
}

func (t *table[K, V]) share() { t.own = false }

func (t *table[K, V]) get(key K) (V, bool) {
	row, ok := t.rows[key]
	return row, ok
}

func (t *table[K, V]) put(key K, row V) {
	t.detach()
	t.rows[key] = row
}

// remove deletes the rows whose key is meant, and returns how many there were.
func (t *table[K, V]) remove(meant func(K) bool) int64 {
	var doomed []K
	for key := range t.rows {
		if meant(key) {
			doomed = append(doomed, key)
		}
	}
	if len(doomed) == 0 {
		return 0
	}
	t.detach()
	for _, key := range doomed {
		delete(t.rows, key)
	}
	return int64(len(doomed))
}

func (t *table[K, V]) detach() {
	if t.own {
		return
	}
	t.rows, t.own = maps.Clone(t.rows), true
	if t.rows == nil {
		t.rows = map[K]V{}
	}
}

// pick lists the rows that are wanted in the order of compare.
func (t *table[K, V]) pick(wanted func(V) bool, compare func(a, b V) int) []V {
	var rows []V
	for _, row := range t.rows {
		if wanted(row) {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, compare)
	return rows
}

// reader answers from one state, writer changes it as well.
type (
	reader struct{ *state }
	writer struct{ reader }
)

// set makes a set of ids.
func set(ids []int64) map[int64]bool {
	in := make(map[int64]bool, len(ids))
	for _, id := range ids {
		in[id] = true
	}
	return in
}
