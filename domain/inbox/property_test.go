package inbox

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// machine drives a world with random programs.
type machine struct {
	*world
	rules  func(t *rapid.T) Rules
	framed *regexp.Regexp
}

// frames matches a line that starts, after anything blank, like one of ours.
func frames() *regexp.Regexp {
	return regexp.MustCompile(`^[\s\p{Z}\p{Cf}]*(tundish: subscription=|\[.*#[0-9]+\])`)
}

func subscriptionNames() []string { return []string{"s", "t:2", strings.Repeat("n", MaxNameBytes)} }
func subscriberNames() []string {
	return []string{"w", "agent.1", strings.Repeat("m", MaxNameBytes)}
}
func queueNames() []string { return []string{"q", "a]b\n#7] [x"} } // the second was taken over (STO-6)

// anyRules draws rules that Check accepts but for the queue's name.
func anyRules(t *rapid.T) Rules {
	r := DefaultRules(rapid.SampledFrom([]string{queueNames()[0], queueNames()[0], queueNames()[0], queueNames()[1]}).Draw(t, "queue"))
	r.Filter = rapid.SampledFrom([]string{"", "odd", "low"}).Draw(t, "filter")
	r.Template = rapid.SampledFrom([]string{"", "key", "key", "fails"}).Draw(t, "template")
	r.Limit = rapid.Int64Range(0, 3).Draw(t, "limit")
	r.Consume = rapid.SampledFrom([]Consume{OnRead, OnAck}).Draw(t, "consume")
	r.Share = rapid.SampledFrom([]Share{All, One}).Draw(t, "share")
	r.Start = rapid.SampledFrom([]Start{StartAll, StartAll, StartNew}).Draw(t, "start")
	r.Every = rapid.SampledFrom([]int64{0, 30}).Draw(t, "every")
	r.Lease = rapid.SampledFrom([]int64{1, 20, 100}).Draw(t, "lease")
	r.MaxAttempts = rapid.Int64Range(1, 3).Draw(t, "max attempts")
	if r.Share == All && r.Limit > 0 && rapid.Bool().Draw(t, "latest") {
		r.Select = Latest
	}
	return r
}

// Check runs after every step.
func (m *machine) Check(t *rapid.T) {
	for _, s := range m.subs {
		m.checkBooks(t, s)
		m.checkCounts(t, s)
		m.checkLeases(t, s)
	}
}

// checkBooks: a position never goes back but by a move, a seek, a change of share
// or a new binding, each of which begins a new book, and every item is delivered, filtered out, counted, skipped, acked,
// claimed, or still ahead (PULL-1 to PULL-6, RET-2).
func (m *machine) checkBooks(t *rapid.T, s *side) {
	for reader, book := range s.books {
		position := s.sub.Scan
		if b := s.binding(reader); b != nil {
			position = b.Position
		}
		if position < book.last {
			t.Fatalf("the position of %s/%s went back from %d to %d", s.sub.Name, reader, book.last, position)
		}
		book.last = position
		for _, it := range m.ever {
			if it.Queue != s.sub.Rules.Queue || it.ID <= book.from {
				continue
			}
			if done := it.ID <= position || !m.kept[it.ID]; done && len(book.fates[it.ID]) == 0 {
				t.Fatalf("%s/%s at %d: nobody knows what became of item %d", s.sub.Name, reader, position, it.ID)
			}
		}
	}
}

// checkCounts: what is not reported yet is exactly what happened since the last
// report (PULL-7).
func (m *machine) checkCounts(t *rapid.T, s *side) {
	if got, want := s.sub.Unreported, s.owed[""]; got != want {
		t.Fatalf("%s: unreported %+v, want %+v", s.sub.Name, got, want)
	}
	for _, b := range s.bindings {
		if got, want := b.Unreported, s.owed[b.Subscriber]; got != want {
			t.Fatalf("%s/%s: unreported %+v, want %+v", s.sub.Name, b.Subscriber, got, want)
		}
	}
}

// checkLeases: parked ends only by an ack, unpark, removal or a move, an item is acked
// or leased but not both (PULL-6, ACK-1).
func (m *machine) checkLeases(t *rapid.T, s *side) {
	for id := range s.parked {
		if l, ok := s.leases[id]; !ok || !l.Parked {
			t.Fatalf("PULL-6: item %d of %s is no longer parked: %+v", id, s.sub.Name, l)
		}
	}
	for id, l := range s.leases {
		if l.Parked {
			s.parked[id] = true
		}
		if _, acked := s.acks[id]; acked {
			t.Fatalf("ACK-1: item %d of %s is acked and leased", id, s.sub.Name)
		}
	}
}

func (m *machine) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"":            m.Check,
		"publish":     m.Publish,
		"publish two": func(t *rapid.T) { m.Publish(t); m.Publish(t) },
		"subscribe":   m.Subscribe,
		"unsubscribe": m.Unsubscribe,
		"rules":       m.Rules,
		"pull":        m.Pull,
		"pull again":  m.Pull,
		"due":         m.Due,
		"due again":   m.Due,
		"ack":         m.Ack,
		"through":     m.Through,
		"nack":        m.Nack,
		"extend":      m.Extend,
		"unpark":      m.Unpark,
		"seek":        m.Seek,
		"clock":       m.Clock,
	}
}

func (m *machine) Publish(t *rapid.T) {
	m.publish(t, rapid.SampledFrom([]string{"q", "q", "q", queueNames()[1]}).Draw(t, "queue"))
}

func (m *machine) Clock(t *rapid.T) {
	m.now += rapid.SampledFrom([]int64{1, 5, 20, 100, 500, -50, -200}).Draw(t, "seconds")
}

func (m *machine) Subscribe(t *rapid.T) {
	name := rapid.SampledFrom(subscriptionNames()).Draw(t, "subscription")
	i := slices.IndexFunc(m.subs, func(s *side) bool { return s.sub.Name == name })
	if i < 0 {
		rules := m.rules(t)
		i = len(m.subs)
		m.add(NewSubscription(name, rules, m.newest(rules.Queue)))
	}
	who := rapid.SampledFrom(subscriberNames()).Draw(t, "subscriber")
	if m.subs[i].binding(who) == nil {
		m.bind(m.subs[i], who)
	}
}

// oneBound draws a binding.
func (m *machine) oneBound(t *rapid.T) (*side, Binding) {
	var sides []*side
	for _, s := range m.subs {
		if len(s.bindings) > 0 {
			sides = append(sides, s)
		}
	}
	if len(sides) == 0 {
		t.Skip("nobody is bound")
	}
	s := rapid.SampledFrom(sides).Draw(t, "side")
	return s, rapid.SampledFrom(s.bindings).Draw(t, "binding")
}

func (s *side) String() string { return s.sub.Name }

func (m *machine) Unsubscribe(t *rapid.T) {
	if s, b := m.oneBound(t); rapid.IntRange(0, 2).Draw(t, "leave") == 0 {
		m.unbind(s, b.Subscriber)
	}
}

func (m *machine) Rules(t *rapid.T) {
	if len(m.subs) == 0 {
		t.Skip("no subscription")
	}
	m.replace(t, rapid.SampledFrom(m.subs).Draw(t, "side"), m.rules(t))
}

func (m *machine) Ack(t *rapid.T) {
	s, b := m.oneBound(t)
	items := m.unread(s.sub.Rules.Queue, 0)
	if len(items) == 0 {
		t.Skip("nothing to ack")
	}
	m.ack(t, s, b, items[rapid.IntRange(0, len(items)-1).Draw(t, "item")])
}

func (m *machine) Pull(t *rapid.T) {
	s, b := m.oneBound(t)
	m.pull(t, []*side{s}, b.Subscriber, rapid.IntRange(MinMaxBytes, 1500).Draw(t, "budget"))
}

func (m *machine) Due(t *rapid.T) {
	who := rapid.SampledFrom(subscriberNames()).Draw(t, "subscriber")
	var bound []Bound
	for _, s := range m.subs {
		if b := s.binding(who); b != nil {
			bound = append(bound, m.bound(s, *b))
		}
	}
	var due []*side
	for _, b := range DueOrder(bound, m.now) {
		i := slices.IndexFunc(m.subs, func(s *side) bool { return s.sub.Name == b.Subscription.Name })
		due = append(due, m.subs[i])
	}
	m.pull(t, due, who, rapid.IntRange(MinMaxBytes, 1500).Draw(t, "budget"))
}

// Nothing is lost, repeated, forged or over budget, whatever the program.
func TestPULL_RandomPrograms(t *testing.T) {
	scraps, framed := scraps(), frames()
	rapid.Check(t, func(t *rapid.T) {
		limits := Retention{
			MaxItems: rapid.SampledFrom([]int64{0, 1, 4}).Draw(t, "max items"),
			MaxAge:   rapid.SampledFrom([]int64{0, 60, 300}).Draw(t, "max age"),
		}
		m := &machine{world: newWorld(limits, scraps), rules: anyRules, framed: framed}
		t.Repeat(m.actions())
	})
}

// PULL-5: under one and on-read, every item is delivered exactly once, whoever
// pulls, unless the filter or retention takes it.
func TestPULL5_ExactlyOnce(t *testing.T) {
	scraps, framed := scraps(), frames()
	rapid.Check(t, func(t *rapid.T) {
		pool := func(t *rapid.T) Rules {
			r := anyRules(t)
			r.Queue, r.Share, r.Consume, r.Select, r.Start, r.Filter = "q", One, OnRead, SinceLastRead, StartAll, "odd"
			return r
		}
		limits := Retention{MaxAge: rapid.SampledFrom([]int64{0, 300}).Draw(t, "max age")}
		m := &machine{world: newWorld(limits, scraps), rules: pool, framed: framed}
		actions := m.actions()
		for _, other := range []string{"ack", "through", "seek"} {
			delete(actions, other)
		}
		t.Repeat(actions)
		for _, s := range m.subs {
			if s.binding("w") == nil {
				m.bind(s, "w")
			}
			m.drain(t, s, "w")
			m.Check(t)
			requireOnce(t, m.world, s)
		}
	})
}

func requireOnce(t *rapid.T, w *world, s *side) {
	for _, it := range w.unread("q", 0) {
		want := map[Verdict]string{Matched: "delivered", Passed: "filtered", Failed: "error"}[verdict("odd", it)]
		if fates := s.books[""].fates[it.ID]; !slices.Equal(fates, []string{want}) {
			t.Fatalf("item %d: %v, want %s", it.ID, fates, want)
		}
	}
	for id, fates := range s.books[""].fates {
		if n := slices.Index(fates, "delivered"); n >= 0 && slices.Contains(fates[n+1:], "delivered") {
			t.Fatalf("item %d was delivered twice: %v", id, fates)
		}
	}
}

// drain pulls until there is nothing more.
func (m *machine) drain(t *rapid.T, s *side, who string) {
	for range 4*len(m.ever) + 4 {
		if plan := m.pull(t, []*side{s}, who, 400); plan.Empty() && s.sub.Scan >= m.newest("q") {
			return
		}
	}
	t.Fatalf("the queue does not come to its end: scan %d of %d", s.sub.Scan, m.newest("q"))
}
