package inbox

import (
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// world is a small store in memory. It knows no rule: every decision is asked
// of the functions under test, and the books kept beside it say what should
// have come of them.
type world struct {
	now    int64
	ever   []Item         // everything published, by id
	kept   map[int64]bool // what retention has left
	limits Retention
	pulls  int64
	subs   []*side
	scraps []string // of hostile texts
}

// side is a subscription with all that belongs to it.
type side struct {
	sub      Subscription
	bindings []Binding // by subscriber
	acks     map[int64]Ack
	leases   map[int64]Lease
	shown    map[string]map[int64]bool
	books    map[string]*book  // by reader: the subscriber, or "" under share one
	owed     map[string]Counts // by reader, what nobody has printed yet
	parked   map[int64]bool    // items seen parked
}

// book is what became of each item of a reader since it began.
type book struct {
	from  int64 // its position then; earlier items are none of its business
	last  int64 // its position when last seen
	fates map[int64][]string
}

// begin opens a book at a position; what is gone by then is not missed.
func (w *world) begin(from int64) *book {
	b := &book{from: from, fates: map[int64][]string{}}
	for _, it := range w.ever {
		if !w.kept[it.ID] {
			b.note(it.ID, "gone")
		}
	}
	return b
}

func (b *book) note(id int64, fate string) { b.fates[id] = append(b.fates[id], fate) }

func newWorld(limits Retention, scraps []string) *world {
	return &world{now: 1000, kept: map[int64]bool{}, limits: limits, scraps: scraps}
}

func (w *world) add(sub Subscription) {
	s := &side{sub: sub, owed: map[string]Counts{}}
	w.reset(s)
	w.subs = append(w.subs, s)
}

// reset forgets all claims and books, as at creation and on a move.
func (w *world) reset(s *side) {
	s.acks, s.leases, s.shown, s.parked = map[int64]Ack{}, map[int64]Lease{}, map[string]map[int64]bool{}, map[int64]bool{}
	w.open(s)
}

// open begins new books where the readers stand.
func (w *world) open(s *side) {
	s.books = map[string]*book{}
	if s.sub.Rules.Share == One {
		s.books[""] = w.begin(s.sub.Scan)
		return
	}
	for _, b := range s.bindings {
		s.books[b.Subscriber] = w.begin(b.Position)
	}
}

// reader names who reads for a binding.
func (s *side) reader(b Binding) string {
	if s.sub.Rules.Share == One {
		return ""
	}
	return b.Subscriber
}

func (s *side) binding(who string) *Binding {
	for i := range s.bindings {
		if s.bindings[i].Subscriber == who {
			return &s.bindings[i]
		}
	}
	return nil
}

func (w *world) newest(queue string) int64 {
	for _, it := range slices.Backward(w.ever) {
		if it.Queue == queue && w.kept[it.ID] {
			return it.ID
		}
	}
	return 0
}

// unread lists the kept items of a queue after a position, ascending.
func (w *world) unread(queue string, position int64) (list []Item) {
	for _, it := range w.ever {
		if it.Queue == queue && w.kept[it.ID] && it.ID > position {
			list = append(list, it)
		}
	}
	return list
}

func (w *world) bound(s *side, b Binding) Bound {
	return Bound{Subscription: s.sub, Binding: b, Newest: w.newest(s.sub.Rules.Queue)}
}

// verdict stands for the expressions: what a filter says depends on the item's
// payload, which is one of four numbers.
func verdict(filter string, it Item) Verdict {
	kind := string(it.Payload)
	switch {
	case filter == "odd" && kind == "0", filter == "low" && kind == "3":
		return Failed
	case filter == "odd" && kind == "2", filter == "low" && kind == "1":
		return Passed
	}
	return Matched
}

// text stands for the template: the item's key is what it yields.
func text(rules Rules, it Item) string {
	if rules.Template == "" || it.Key == nil {
		return ItemText(it, rules.Consume, nil)
	}
	if rules.Template == "fails" {
		return ItemText(it, rules.Consume, &Rendering{Err: *it.Key + "!"})
	}
	return ItemText(it, rules.Consume, &Rendering{Text: *it.Key})
}

func (w *world) judge(s *side, it Item) Judged {
	j := Judged{ID: it.ID, Verdict: verdict(s.sub.Rules.Filter, it)}
	_, acked := s.acks[it.ID]
	_, leased := s.leases[it.ID]
	switch s.sub.Rules.Share {
	case One:
		j.Claimed = acked || leased
	case All:
		j.Claimed = acked && s.sub.Rules.tracksShown()
	}
	if j.Verdict == Matched {
		j.Text = text(s.sub.Rules, it)
	}
	if j.Verdict == Failed {
		j.Err = "failed on " + string(it.Payload)
	}
	return j
}

// park records what the clock has parked, before any other change (PULL-6).
func (w *world) park(s *side) {
	for id, l := range s.leases {
		if l.Spent(s.sub.Rules, w.now) && !l.Parked && s.sub.Rules.Share == One {
			l.Parked = true
			s.leases[id] = l
			s.sub.Unreported.Parked++
			s.owed[""] = s.owed[""].Plus(Counts{Parked: 1})
		}
	}
}

// window looks at the items of one binding; reach is how many of them the scan
// has time for.
func (w *world) window(s *side, b Bound, reach int) Window {
	win := Window{Bound: b, Through: b.Position(), Unacked: int64(len(s.shown[b.Binding.Subscriber]))}
	for _, id := range sorted(s.leases) {
		l := s.leases[id]
		switch {
		case s.sub.Rules.Share == All:
		case l.Spent(s.sub.Rules, w.now) && !l.Parked:
			win.Parked++
		case l.Retryable(s.sub.Rules, w.now) && reach < 1:
			win.More = true
		case l.Retryable(s.sub.Rules, w.now):
			reach--
			win.Retries = append(win.Retries, Retry{Item: id, Attempts: l.Attempts, Text: text(s.sub.Rules, w.ever[id-1])})
		}
	}
	unread := w.unread(s.sub.Rules.Queue, b.Position())
	switch {
	case len(unread) == 0 || win.More:
	case s.sub.Rules.Select == Latest:
		w.scanDown(s, &win, unread, reach)
	case reach < len(unread):
		win.More = true
		w.scanUp(s, &win, unread[:max(reach, 0)])
	default:
		w.scanUp(s, &win, unread)
		win.Through = max(win.Through, b.Newest)
	}
	return win
}

func (w *world) scanUp(s *side, win *Window, items []Item) {
	for _, it := range items {
		win.Items = append(win.Items, w.judge(s, it))
		win.Through = it.ID
	}
}

// scanDown goes down from the newest, around what is known not to match.
func (w *world) scanDown(s *side, win *Window, unread []Item, reach int) {
	known, position := win.Bound.Binding.Judged, win.Bound.Position()
	top := unread[len(unread)-1].ID
	win.Through, win.Judged = top, known
	var above, below []Item
	for _, it := range slices.Backward(unread) {
		switch {
		case it.ID > known.Through:
			above = append(above, it)
		case it.ID <= known.After:
			below = append(below, it)
		}
	}
	down := slices.Concat(above, below)
	win.More = reach < len(down)
	for n, it := range down[:min(max(reach, 0), len(down))] {
		win.Items = append(win.Items, w.judge(s, it))
		if n >= len(above) || known.Through <= position {
			win.Judged = Span{After: it.ID - 1, Through: top}
		}
	}
}

func sorted[T any](m map[int64]T) []int64 {
	ids := make([]int64, 0, len(m))
	for id := range m {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// scraps are what a hostile text is made of: pieces of frames, hidden
// characters, and plenty of length.
func scraps() []string {
	return append(forgeries(), "\n", "\n", "\n", " ", "\t", "x", "é", "日本", "🔥", "\r", "\u202e", "\u2028", "\x1b[2J", "\U000E0041", `\`, "#7]",
		"tundish", ": subscription=", "[", "#", "]", strings.Repeat("long ", 20), strings.Repeat("日", 50))
}

// hostile draws a text that a publisher might try.
func (w *world) hostile(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(w.scraps), 1, 12).Draw(t, "text"), "")
}
