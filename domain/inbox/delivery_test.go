package inbox

import (
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// pull plans one output over several subscriptions, checks it against the words
// of the contract, and commits it.
func (m *machine) pull(t *rapid.T, sides []*side, who string, budget int) Plan {
	planner := NewPlanner(budget, m.now)
	windows := map[string]Window{}
	for _, s := range sides {
		b := m.bound(s, *s.binding(who))
		if planner.Room(b) {
			w := m.window(s, b, rapid.IntRange(0, 8).Draw(t, "reach"))
			windows[s.sub.Name] = w
			planner.Add(w)
		}
	}
	plan := planner.Plan()
	m.checkOutput(t, plan, budget)
	if plan.Delivered() > 0 {
		m.pulls++
	}
	var delivered int64
	for _, b := range plan.Batches {
		i := slices.IndexFunc(sides, func(s *side) bool { return s.sub.Name == b.Subscription.Name })
		m.checkBatch(t, sides[i], windows[b.Subscription.Name], b)
		m.commit(t, sides[i], windows[b.Subscription.Name], b)
		delivered += b.Status.Delivered
	}
	if delivered != plan.Delivered() {
		t.Fatalf("%d items in all, %d by their batches", plan.Delivered(), delivered)
	}
	if delivered == 0 {
		m.checkFirst(t, windows)
	}
	return plan
}

// checkFirst: the first item of an output is always delivered (PULL-9).
func (m *machine) checkFirst(t *rapid.T, windows map[string]Window) {
	for name, w := range windows {
		if w.Ready() > 0 {
			t.Fatalf("PULL-9: %s had %d items, and none was delivered", name, w.Ready())
		}
	}
}

// checkOutput parses the output again: it keeps to its budget, its status lines
// are ours, and so are its tags (PULL-9, PULL-16).
func (m *machine) checkOutput(t *rapid.T, plan Plan, budget int) {
	out := string(plan.Output())
	if len(out) > budget {
		t.Fatalf("PULL-9: %d bytes of %d:\n%s", len(out), budget, out)
	}
	if Strip(out) != out {
		t.Fatalf("PULL-16: hidden characters in %q", out)
	}
	ours := map[int]string{} // by line: how it may begin
	n := 0
	for _, b := range plan.Batches {
		if !b.Printed {
			if len(b.Texts) > 0 {
				t.Fatalf("%s: texts without a status line", b.Subscription.Name)
			}
			continue
		}
		ours[n] = b.Status.String()
		n++
		for _, id := range deliveredIDs(m, b) {
			ours[n] = Tag(b.Subscription.Rules.Queue, id)
			n += strings.Count(b.Texts[0], "\n") + 1
			b.Texts = b.Texts[1:]
		}
	}
	lines := strings.Split(out, "\n")
	if len(lines) != n+1 || lines[n] != "" {
		t.Fatalf("%d lines, want %d and an empty one:\n%s", len(lines), n, out)
	}
	for i, line := range lines {
		if begin, ok := ours[i]; m.framed.MatchString(line) && (!ok || !strings.HasPrefix(line, begin)) {
			t.Fatalf("PULL-16: line %d is not ours: %q in\n%s", i, line, out)
		}
		if begin := ours[i]; strings.HasPrefix(begin, statusPrefix) && line != begin {
			t.Fatalf("line %d is %q, want %q", i, line, begin)
		}
	}
}

// deliveredIDs are the items of a batch in the order of its texts, as the texts
// themselves tell.
func deliveredIDs(m *machine, b Batch) (ids []int64) {
	for _, l := range b.Leases {
		ids = append(ids, l.Item)
	}
	for _, a := range b.Acks {
		ids = append(ids, a.Item)
	}
	if len(ids) > 0 || len(b.Texts) == 0 {
		return ids
	}
	i := slices.IndexFunc(m.subs, func(s *side) bool { return s.sub.Name == b.Subscription.Name })
	before := m.subs[i].binding(b.Binding.Subscriber).Position
	for _, it := range m.unread(b.Subscription.Rules.Queue, before) {
		if it.ID <= b.Binding.Position && verdict(b.Subscription.Rules.Filter, it) == Matched {
			ids = append(ids, it.ID)
		}
	}
	return ids[max(0, len(ids)-len(b.Texts)):] // latest prints the newest of them
}

// checkBatch compares what a batch delivers with what lay between the positions.
func (m *machine) checkBatch(t *rapid.T, s *side, w Window, b Batch) {
	rules, from, to := s.sub.Rules, w.Bound.Position(), after(b).Position()
	if to < from {
		t.Fatalf("the position of %s went from %d to %d", s.sub.Name, from, to)
	}
	if rules.Share == One && b.Binding.Position != w.Bound.Binding.Position || rules.Share == All && b.Subscription.Scan != w.Bound.Subscription.Scan {
		t.Fatalf("the wrong position moved: %+v", b)
	}
	var texts []string
	for _, r := range w.Retries {
		texts = append(texts, r.Text)
	}
	for _, it := range m.unread(rules.Queue, from) {
		if j := m.judge(s, it); it.ID <= to && w.deliverable(j) {
			texts = append(texts, j.Text)
		}
	}
	n := len(b.Texts)
	if rules.Limit > 0 && int64(n) > rules.Limit {
		t.Fatalf("%d items over the limit of %d", n, rules.Limit)
	}
	switch {
	case rules.Select == Latest: // the newest, a whole stretch of them, if any
		texts = texts[max(0, len(texts)-n):]
	case n < len(w.Retries): // a retry was left, and nothing after it came (PULL-3)
		if to != from {
			t.Fatalf("retries moved %s from %d to %d", s.sub.Name, from, to)
		}
		texts = texts[:n]
	}
	requireTexts(t, b.Texts, texts)
	m.checkStatus(t, s, w, b)
}

func requireTexts(t *rapid.T, got, want []string) {
	if len(got) != len(want) {
		t.Fatalf("delivered %q, want %q", got, want)
	}
	for i := range got {
		head, _, cut := strings.Cut(got[i], " … tundish show ")
		if got[i] != want[i] && (!cut || !strings.HasPrefix(want[i], head)) {
			t.Fatalf("text %d is %q, want %q", i, got[i], want[i])
		}
	}
}

// checkStatus: every number of the status line says what it should.
func (m *machine) checkStatus(t *rapid.T, s *side, w Window, b Batch) {
	rules, n, got := s.sub.Rules, int64(len(b.Texts)), b.Status
	counts := s.owed[""].Plus(s.owed[b.Binding.Subscriber])
	errors := m.settle(s, w, b, false)
	want := Status{
		Subscription: s.sub.Name, Subscriber: b.Binding.Subscriber, Delivered: n, More: got.More,
		Counts: counts.Plus(Counts{Errors: errors, Parked: w.Parked}),
	}
	if n > 0 && rules.Share == All && rules.Consume == OnAck {
		want.Unacked = w.Unacked
	}
	if n > 0 && rules.Share == One && rules.Consume == OnAck {
		want.Lease = rules.Lease
	}
	if got != want {
		t.Fatalf("status %+v, want %+v", got, want)
	}
	left := n < int64(len(w.Retries))
	for _, it := range m.unread(rules.Queue, after(b).Position()) {
		known := slices.ContainsFunc(w.Items, func(j Judged) bool { return j.ID == it.ID })
		left = left || known && w.deliverable(m.judge(s, it))
	}
	if b.Printed && got.More != (left || w.More && rules.Select != Latest) {
		t.Fatalf("PULL-3: more=%t, with items left %t, window %+v", got.More, left, w)
	}
	if n > 0 && !b.Printed || got.Silent() && b.Printed {
		t.Fatalf("printed %t, silent %t", b.Printed, got.Silent())
	}
}

// settle enters what a pull did with the items it looked at in the books, and
// returns how many filter errors the pull has to count (PULL-2).
func (m *machine) settle(s *side, w Window, b Batch, write bool) (errors int64) {
	book := s.books[s.reader(b.Binding)]
	note := func(id int64, fate string) {
		if write {
			book.note(id, fate)
		}
	}
	delivered := map[int64]bool{}
	for _, id := range deliveredIDs(m, b) {
		delivered[id] = true
		note(id, "delivered")
	}
	from, to := w.Bound.Position(), after(b).Position()
	looked := map[int64]bool{}
	for _, j := range w.Items {
		looked[j.ID] = true
	}
	for _, it := range m.unread(s.sub.Rules.Queue, from) {
		j := m.judge(s, it)
		passed := it.ID <= to
		switch {
		case delivered[it.ID]:
		case j.Verdict == Failed && !w.hides(j) && looked[it.ID] && (passed || to == from && b.Binding.Judged.Has(it.ID)):
			errors++
			note(it.ID, "error")
		case !passed:
		case w.hides(j):
			note(it.ID, "claimed")
		case j.Verdict == Passed:
			note(it.ID, "filtered")
		case s.sub.Rules.Select == Latest:
			note(it.ID, "skipped")
		}
	}
	return errors
}

// commit stores a batch as the application does.
func (m *machine) commit(t *rapid.T, s *side, w Window, b Batch) {
	reader := s.reader(b.Binding)
	s.owed[reader] = s.owed[reader].Plus(Counts{Errors: m.settle(s, w, b, true)})
	s.owed[""] = s.owed[""].Plus(Counts{Parked: w.Parked})
	if b.Printed {
		delete(s.owed, "")
		delete(s.owed, b.Binding.Subscriber)
	}
	if b.Park {
		for id, l := range s.leases {
			if l.Spent(s.sub.Rules, m.now) {
				l.Parked = true
				s.leases[id] = l
			}
		}
	}
	if b.SubscriptionChanged {
		s.sub = b.Subscription
	}
	if b.BindingChanged || len(b.Texts) > 0 {
		if len(b.Texts) > 0 {
			b.Binding.LastPull = m.pulls
		}
		*s.binding(b.Binding.Subscriber) = b.Binding
	}
	for _, l := range b.Leases {
		old := s.leases[l.Item]
		if old.Parked || old.Attempts+1 != l.Attempts || old.Attempts > 0 && old.Live(m.now) || l.Attempts > s.sub.Rules.MaxAttempts {
			t.Fatalf("PULL-5, PULL-6: %+v was granted after %+v", l, old)
		}
		s.leases[l.Item] = l
	}
	for _, a := range b.Acks {
		if _, twice := s.acks[a.Item]; twice {
			t.Fatalf("PULL-5: item %d was consumed twice", a.Item)
		}
		s.put(a)
	}
	for _, id := range b.Shown {
		s.mark(b.Binding.Subscriber, id)
	}
}
