package inbox

import (
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// publish stores an item and applies retention (RET-1 to RET-4).
func (w *world) publish(t *rapid.T, queue string) {
	it := Item{ID: int64(len(w.ever) + 1), Queue: queue, CreatedAt: w.now, Payload: []byte(rapid.SampledFrom([]string{"0", "1", "2", "3"}).Draw(t, "payload"))}
	if rapid.Bool().Draw(t, "with key") {
		it.Key = str(w.hostile(t))
	}
	w.ever = append(w.ever, it)
	w.kept[it.ID] = true
	w.retain(t, queue)
}

func (w *world) retain(t *rapid.T, queue string) {
	items := w.unread(queue, 0)
	removed := map[int64]bool{}
	if before, ok := w.limits.AgedBefore(w.now); ok {
		for _, it := range items {
			if it.CreatedAt < before {
				removed[it.ID] = true
			}
		}
	}
	excess := w.limits.Excess(int64(len(items) - len(removed)))
	if excess == 0 && len(removed) == 0 {
		return
	}
	var sides []*side
	var readers []QueueReader
	for _, s := range w.subs {
		if s.sub.Rules.Queue == queue {
			w.park(s)
			sides = append(sides, s)
			readers = append(readers, QueueReader{Subscription: s.sub, Bindings: slices.Clone(s.bindings), LowestOpen: s.lowestOpen()})
		}
	}
	hold := Hold(readers, w.newest(queue))
	for _, it := range items {
		if excess > 0 && it.ID <= hold && !removed[it.ID] {
			excess--
			removed[it.ID] = true
			for _, s := range sides {
				s.requireUnheld(t, it)
			}
		}
	}
	w.remove(queue, sides, readers, sorted(removed))
}

func (s *side) lowestOpen() int64 {
	for _, id := range sorted(s.leases) {
		if !s.leases[id].Parked {
			return id
		}
	}
	return 0
}

// requireUnheld checks RET-1 for an item that the count limit removes.
func (s *side) requireUnheld(t *rapid.T, it Item) {
	for _, b := range s.bindings {
		if position := (Bound{Subscription: s.sub, Binding: b}).Position(); it.ID > position {
			t.Fatalf("RET-1: item %d went before %s of %s at %d had passed it", it.ID, b.Subscriber, b.Subscription, position)
		}
	}
	if low := s.lowestOpen(); s.sub.Rules.Share == One && len(s.bindings) > 0 && low > 0 && it.ID >= low {
		t.Fatalf("RET-1: item %d went in spite of the open lease on %d", it.ID, low)
	}
}

func (w *world) remove(queue string, sides []*side, readers []QueueReader, removed []int64) {
	var acks []Ack
	var leases []Lease
	for _, s := range sides {
		for _, id := range removed {
			if a, ok := s.acks[id]; ok {
				acks = append(acks, a)
			}
			if l, ok := s.leases[id]; ok {
				leases = append(leases, l)
			}
		}
	}
	Drop(readers, Losses(readers, removed, acks, leases), func(name string, id int64) bool {
		i := slices.IndexFunc(sides, func(s *side) bool { return s.sub.Name == name })
		return verdict(sides[i].sub.Rules.Filter, w.ever[id-1]) == Matched
	})
	for i, s := range sides {
		for _, id := range removed {
			s.bury(w.ever[id-1])
		}
		s.sub, s.bindings = readers[i].Subscription, readers[i].Bindings
	}
	for _, id := range removed {
		delete(w.kept, id)
	}
	for _, s := range sides {
		advance := func(position *int64) {
			var next int64
			if left := w.unread(queue, *position); len(left) > 0 {
				next = left[0].ID
			}
			*position = Advance(*position, removed, next)
		}
		advance(&s.sub.Scan)
		for i := range s.bindings {
			advance(&s.bindings[i].Position)
		}
	}
}

// bury enters a removed item in the books, by the words of RET-2 and PULL-6.
func (s *side) bury(it Item) {
	ack, acked := s.acks[it.ID]
	lease, leased := s.leases[it.ID]
	lost := func(reader, fate string) {
		s.books[reader].note(it.ID, fate)
		if fate == "dropped" {
			s.owed[reader] = s.owed[reader].Plus(Counts{Dropped: 1})
		}
	}
	byFilter := "filtered"
	if verdict(s.sub.Rules.Filter, it) == Matched {
		byFilter = "dropped"
	}
	if s.sub.Rules.Share == One {
		switch {
		case acked:
			lost("", "acked")
		case leased && lease.Parked:
			lost("", "parked")
		case leased:
			lost("", "dropped")
		case it.ID > s.sub.Scan:
			lost("", byFilter)
		}
	} else {
		for _, b := range s.bindings {
			switch {
			case it.ID <= b.Position:
			case acked && ack.Owner == b.Subscriber:
				lost(b.Subscriber, "acked")
			default:
				lost(b.Subscriber, byFilter)
			}
		}
	}
	delete(s.acks, it.ID)
	delete(s.leases, it.ID)
	delete(s.parked, it.ID)
	for _, marks := range s.shown {
		delete(marks, it.ID)
	}
}

// ack lets somebody ack any kept item, and checks the table of ACK-1.
func (w *world) ack(t *rapid.T, s *side, b Binding, it Item) {
	facts := w.facts(s, b, it.ID)
	ack, acked := s.acks[it.ID]
	lease, leased := s.leases[it.ID]
	decision, err := DecideAck(facts, "", w.now)
	refused := acked && ack.Owner != b.Subscriber || !acked && leased && lease.Live(w.now) && lease.Owner != "" && lease.Owner != b.Subscriber
	if refused != (err != nil) {
		t.Fatalf("ACK-1: refused %t, %v", refused, err)
	}
	if decision.Record == nil {
		return
	}
	if acked {
		t.Fatalf("ACK-1: a second ack of %d", it.ID)
	}
	w.park(s)
	s.put(*decision.Record)
}

func (s *side) put(a Ack) {
	s.acks[a.Item] = a
	delete(s.leases, a.Item)
	delete(s.parked, a.Item)
	for _, marks := range s.shown {
		delete(marks, a.Item)
	}
}

// replace gives a subscription other rules (SUB-1 to SUB-4).
func (w *world) replace(t *rapid.T, s *side, rules Rules) {
	w.park(s)
	before, bindings := s.sub, slices.Clone(s.bindings)
	r := Replace(s.sub, s.bindings, rules, w.newest(rules.Queue))
	s.sub, s.bindings = r.Subscription, r.Bindings
	switch {
	case r.Moved:
		w.reset(s)
		s.owed = map[string]Counts{}
		return
	case before.Rules.Share == rules.Share:
		if s.sub.Scan != before.Scan {
			t.Fatalf("SUB-1: the scan went from %d to %d", before.Scan, s.sub.Scan)
		}
		requireSamePositions(t, bindings, s.bindings)
		return
	case rules.Share == All:
		for id, l := range s.leases {
			if !l.Parked {
				delete(s.leases, id)
				if s.binding(l.Owner) != nil {
					s.mark(l.Owner, id)
				}
			}
		}
		for i, b := range s.bindings {
			if b.Position != max(bindings[i].Position, before.Scan) {
				t.Fatalf("SUB-2: %s stands at %d", b.Subscriber, b.Position)
			}
		}
	default:
		requireSamePositions(t, bindings, s.bindings)
		for _, b := range s.bindings {
			if s.sub.Scan > b.Position {
				t.Fatalf("SUB-2: the scan stands at %d, ahead of %s at %d", s.sub.Scan, b.Subscriber, b.Position)
			}
		}
	}
	w.open(s)
}

func requireSamePositions(t *rapid.T, before, after []Binding) {
	for i := range before {
		if before[i].Position != after[i].Position || before[i].NextAt != after[i].NextAt {
			t.Fatalf("SUB-1: %+v became %+v", before[i], after[i])
		}
	}
}

func (s *side) mark(who string, id int64) {
	if s.shown[who] == nil {
		s.shown[who] = map[int64]bool{}
	}
	s.shown[who][id] = true
}

// bind and unbind (SUB-4, SUB-5).
func (w *world) bind(s *side, who string) {
	b := NewBinding(s.sub, who, w.newest(s.sub.Rules.Queue))
	s.bindings = append(s.bindings, b)
	slices.SortFunc(s.bindings, func(a, b Binding) int { return strings.Compare(a.Subscriber, b.Subscriber) })
	if s.sub.Rules.Share == All {
		s.books[who] = w.begin(b.Position)
	}
}

func (w *world) unbind(s *side, who string) {
	w.park(s)
	s.bindings = slices.DeleteFunc(s.bindings, func(b Binding) bool { return b.Subscriber == who })
	delete(s.shown, who)
	delete(s.owed, who)
	if s.sub.Rules.Share == All {
		delete(s.books, who)
	}
}
