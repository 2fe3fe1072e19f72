package inbox

// Verdict is what a filter said about an item.
type Verdict uint8

// The verdicts.
const (
	Passed  Verdict = iota // no output, or only false and null (PULL-1)
	Matched                // deliverable
	Failed                 // the filter failed: skipped and counted (PULL-2)
	Lapsed                 // matched, but it has expired: skipped and counted (TIME-7)
)

// Judged is an unread item with what the expressions made of it.
type Judged struct {
	ID      int64
	Claimed bool // has an ack or a lease in the subscription
	Verdict Verdict
	Err     string // why the filter failed
	Text    string // the item's text, when it matched
}

// Retry is an item whose lease has ended, with the text to print for it.
type Retry struct {
	Item     int64
	Attempts int64 // leases granted so far
	Text     string
}

// Window is all that a pull knows about one binding: facts of one moment, and
// the verdicts on the items that were evaluated.
type Window struct {
	Bound   Bound
	Retries []Retry  // ended leases with attempts left, lowest item first
	Lapsed  []int64  // items under such leases that have expired: they count, and the leases go (TIME-7)
	Items   []Judged // unread items in scan order: ascending, under latest descending
	// Through is the id up to which the items are known once all of Items are
	// passed: the last of Items, or the newest of the queue when the scan came
	// to its end. Under latest it is the newest id that was looked at.
	Through int64
	// Judged is, under latest, the stretch down from Through in which every item
	// has been evaluated, by this scan or by earlier ones.
	Judged Span
	// More tells that unread items, or retries, were left out of the window.
	More    bool
	Parked  int64 // items whose last lease has ended and that no write has parked yet
	Unacked int64 // items shown to the binding before and not acked (PULL-5)
}

// Ready tells how far a window has come: the number of items it could deliver.
func (w Window) Ready() int64 {
	n := int64(len(w.Retries))
	for _, it := range w.Items {
		if w.deliverable(it) {
			n++
		}
	}
	return n
}

// deliverable tells whether a new item is a candidate that matched (PULL-1).
func (w Window) deliverable(it Judged) bool {
	return it.Verdict == Matched && !w.hides(it)
}

// hides tells whether an item is no candidate because it is claimed (PULL-1).
func (w Window) hides(it Judged) bool {
	return it.Claimed && w.Bound.Subscription.Rules.Share == One
}

// selection is what a window gives within its limit and some room.
type selection struct {
	retries  []Retry
	items    []Judged
	texts    []string
	bytes    int   // of texts, newlines included
	stopped  bool  // limit or room stopped it with one more item ready
	position int64 // where the binding stands afterwards
	judged   Span
	errors   int64
	lastErr  string
	dropped  int64 // items that have expired
}

// ids are the items of the texts, in their order.
func (s selection) ids() []int64 {
	if len(s.texts) == 0 {
		return nil
	}
	ids := make([]int64, 0, len(s.texts))
	for _, r := range s.retries {
		ids = append(ids, r.Item)
	}
	for _, it := range s.items {
		ids = append(ids, it.ID)
	}
	return ids
}

// room measures the texts of one window.
type room struct {
	left  int   // bytes for texts and newlines
	limit int64 // items; 0 is no limit
	first bool  // nothing was placed in the whole output yet
}

// admit adds a text to s if limit and room allow it. The first item of the whole
// output is cut to fit (PULL-9).
func (r *room) admit(s *selection, text string, id int64) bool {
	if r.limit > 0 && int64(len(s.texts)) == r.limit {
		return false
	}
	if r.first && len(s.texts) == 0 {
		text = Cut(text, r.left-1, id)
	}
	if len(text)+1 > r.left {
		return false
	}
	r.left -= len(text) + 1
	s.bytes += len(text) + 1
	s.texts = append(s.texts, text)
	return true
}

// take selects what the window delivers within left bytes.
func (w Window) take(left int, first bool) selection {
	r := &room{left: left, limit: w.Bound.Subscription.Rules.Limit, first: first}
	if w.Bound.Subscription.Rules.Select == Latest {
		return w.takeLatest(r)
	}
	return w.takeOldest(r)
}

// takeOldest takes retries, then new items in order (PULL-1, PULL-3).
func (w Window) takeOldest(r *room) selection {
	s := selection{position: w.Bound.Position(), judged: w.Bound.Binding.Judged}
	s.items = make([]Judged, 0, len(w.Items))
	for _, retry := range w.Retries {
		if !r.admit(&s, retry.Text, retry.Item) {
			s.stopped = true
			return s
		}
		s.retries = append(s.retries, retry)
	}
	passed := s
	for _, it := range w.Items {
		switch {
		case w.deliverable(it):
			if !r.admit(&s, it.Text, it.ID) {
				s.stopped = true
				return s
			}
			s.items = append(s.items, it)
			s.position, s.errors, s.lastErr, s.dropped = it.ID, passed.errors, passed.lastErr, passed.dropped
		case it.Verdict == Failed && !w.hides(it):
			passed.errors++
			passed.lastErr = it.Err
		case it.Verdict == Lapsed && !w.hides(it):
			passed.dropped++
		}
	}
	s.position, s.errors, s.lastErr = max(s.position, w.Through), passed.errors, passed.lastErr
	s.dropped = passed.dropped
	return s
}

// takeLatest takes the newest items that fit and prints them oldest first; what
// is older is skipped for good (PULL-4).
func (w Window) takeLatest(r *room) selection {
	s := selection{position: w.Bound.Position(), judged: w.Bound.Binding.Judged}
	untouched := s
	unfinished := w.More && w.Ready() == 0 // only what Judged records is not evaluated again
	for _, it := range w.Items {
		switch {
		case (it.Verdict == Failed || it.Verdict == Lapsed) && unfinished && !w.Judged.Has(it.ID):
		case it.Verdict == Failed:
			if s.errors == 0 {
				s.lastErr = it.Err // the newest one
			}
			s.errors++
		case it.Verdict == Lapsed:
			s.dropped++
		case it.Verdict == Matched:
			if r.admit(&s, it.Text, it.ID) {
				s.items = append(s.items, it)
			} else if len(s.items) == 0 {
				untouched.stopped = true
				return untouched
			} else {
				r.limit = int64(len(s.items)) // nothing older gets in
			}
		}
	}
	if unfinished {
		s.judged = w.Judged
		return s
	}
	reverse(s.items)
	reverse(s.texts)
	s.position, s.judged = max(s.position, w.Through), Span{}
	return s
}

func reverse[T any](list []T) {
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
}
