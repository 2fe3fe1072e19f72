package inbox

import (
	"slices"

	"pgregory.net/rapid"
)

// facts are what a call of b about an item finds.
func (w *world) facts(s *side, b Binding, id int64) ClaimFacts {
	f := ClaimFacts{Bound: w.bound(s, b), Item: id}
	if ack, ok := s.acks[id]; ok {
		f.Ack = &ack
	}
	if lease, ok := s.leases[id]; ok {
		f.Lease = &lease
	}
	return f
}

// relet gives a lease back or another length, and checks who may (ACK-3).
func (w *world) relet(t *rapid.T, s *side, b Binding, id int64, decide func(ClaimFacts) (Lease, error)) {
	f := w.facts(s, b, id)
	l, err := decide(f)
	before, leased := s.leases[id]
	if may := f.Ack == nil && leased && before.Held(w.now) && before.Owner == b.Subscriber; may != (err == nil) {
		t.Fatalf("ACK-3: %s may change %+v: %t, %v", b.Subscriber, before, may, err)
	}
	if err != nil {
		return
	}
	w.park(s)
	if l.Parked {
		s.sub.Unreported.Parked++
		s.owed[""] = s.owed[""].Plus(Counts{Parked: 1})
	}
	if l.Parked != (before.Attempts >= s.sub.Rules.MaxAttempts && l.Until == w.now) || l.Attempts != before.Attempts {
		t.Fatalf("ACK-3: %+v became %+v", before, l)
	}
	s.leases[id] = l
}

func (m *machine) Nack(t *rapid.T) {
	s, b, id := m.oneLeased(t)
	delay := rapid.SampledFrom([]int64{0, 0, 10, 200}).Draw(t, "delay")
	m.relet(t, s, b, id, func(f ClaimFacts) (Lease, error) { return DecideNack(f, delay, m.now) })
}

func (m *machine) Extend(t *rapid.T) {
	s, b, id := m.oneLeased(t)
	length := rapid.SampledFrom([]int64{1, 50, 300}).Draw(t, "length")
	m.relet(t, s, b, id, func(f ClaimFacts) (Lease, error) {
		l, err := DecideExtend(f, length, m.now)
		if err == nil && l.Until == m.now {
			t.Fatalf("ACK-3: %+v is over", l)
		}
		return l, err
	})
}

func (m *machine) Unpark(t *rapid.T) {
	s, _, id := m.oneLeased(t)
	m.park(s)
	before := s.leases[id]
	l, err := DecideUnpark(s.sub, id, &before, m.now)
	if may := before.Parked && s.sub.Rules.Share == One; may != (err == nil) {
		t.Fatalf("ACK-3: %+v may be unparked: %t, %v", before, may, err)
	}
	if err != nil {
		return
	}
	if !l.Retryable(s.sub.Rules, m.now) {
		t.Fatalf("ACK-3: unparked, and no pull gets %+v", l)
	}
	delete(s.parked, id)
	s.leases[id] = l
}

// oneLeased draws a binding and an item with a lease, mostly the holder's.
func (m *machine) oneLeased(t *rapid.T) (*side, Binding, int64) {
	s, b := m.oneBound(t)
	items := sorted(s.leases)
	if len(items) == 0 {
		t.Skip("nothing is leased")
	}
	id := rapid.SampledFrom(items).Draw(t, "item")
	if holder := s.binding(s.leases[id].Owner); holder != nil && rapid.IntRange(0, 3).Draw(t, "other") > 0 {
		b = *holder
	}
	return s, b, id
}

// Through acks what is shown or leased to a binding, which nothing may refuse
// (ACK-3).
func (m *machine) Through(t *rapid.T) {
	s, b := m.oneBound(t)
	through := rapid.Int64Range(0, int64(len(m.ever))).Draw(t, "through")
	var items []int64
	if s.sub.Rules.Share == All {
		items = sorted(s.shown[b.Subscriber])
	} else {
		var leases []Lease
		for _, id := range sorted(s.leases) {
			leases = append(leases, s.leases[id])
		}
		items = HeldBy(leases, b.Subscriber, through, m.now)
	}
	for _, id := range items {
		if id > through {
			break
		}
		decision, err := DecideAck(m.facts(s, b, id), "note", m.now)
		if err != nil || decision.Record == nil || decision.WasParked {
			t.Fatalf("ACK-3: item %d, shown or leased to %s: %+v, %v", id, b.Subscriber, decision, err)
		}
		m.park(s)
		s.put(*decision.Record)
	}
}

// Seek moves a reader, which begins a new book there (SEEK-1 to SEEK-3).
func (m *machine) Seek(t *rapid.T) {
	s, b := m.oneBound(t)
	newest := m.newest(s.sub.Rules.Queue)
	place := Place{Item: rapid.Int64Range(0, int64(len(m.ever))+3).Draw(t, "item"), New: rapid.IntRange(0, 5).Draw(t, "new") == 0}
	position := place.At(0, newest)
	if position > newest {
		t.Fatalf("SEEK-1: %+v is at %d, ahead of %d", place, position, newest)
	}
	m.park(s)
	before := slices.Clone(s.bindings)
	s.sub, s.bindings = Seek(s.sub, s.bindings, b.Subscriber, position, m.now)
	for i := range before {
		if s.sub.Rules.Share == All && s.bindings[i] != before[i] && before[i].Subscriber != b.Subscriber {
			t.Fatalf("SEEK-1: %+v became %+v", before[i], s.bindings[i])
		}
	}
	reader := s.reader(b)
	s.books[reader] = m.begin(position)
	if s.sub.Rules.Share == All {
		for id := range s.shown[b.Subscriber] {
			if id > position {
				delete(s.shown[b.Subscriber], id)
			}
		}
	}
}
