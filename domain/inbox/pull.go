package inbox

// Bounds of a pull's output in bytes (PULL-9).
const (
	DefaultMaxBytes = 1024
	MinMaxBytes     = 400
)

// minItemRoom is what must be left beside the longest status line for a due
// subscription to be looked at (PULL-10).
const minItemRoom = 64

// Batch is what a pull does with one binding: what it prints, and the state that
// a commit leaves behind.
type Batch struct {
	Status  Status
	Texts   []string
	Items   []int64 // whose Texts they are
	Printed bool    // the status line, and the texts if any, are part of the output

	Subscription        Subscription // as it is afterwards
	SubscriptionChanged bool
	Binding             Binding // as it is afterwards, but for LastPull
	BindingChanged      bool
	Park                bool    // ended last leases are to be parked
	Leases              []Lease // to be granted
	Lapsed              []int64 // items whose leases are to be removed (TIME-7)
	Acks                []Ack   // to be recorded
	Shown               []int64 // to be marked as shown to the binding
}

// Plan is what a pull prints and commits.
type Plan struct {
	Batches []Batch
}

// Output is the whole text of the pull; empty when there is nothing to say.
func (p Plan) Output() []byte {
	size := 0
	for _, batch := range p.Batches {
		size += batch.bytes()
	}
	out := make([]byte, 0, size)
	for _, batch := range p.Batches {
		if !batch.Printed {
			continue
		}
		out = append(append(out, batch.Status.String()...), '\n')
		for _, text := range batch.Texts {
			out = append(append(out, text...), '\n')
		}
	}
	return out
}

// bytes is how much of the output is the batch's.
func (b Batch) bytes() int {
	if !b.Printed {
		return 0
	}
	n := b.Status.Bytes()
	for _, text := range b.Texts {
		n += len(text) + 1
	}
	return n
}

// Delivered is the number of items in the output.
func (p Plan) Delivered() int64 {
	var n int64
	for _, batch := range p.Batches {
		n += batch.Status.Delivered
	}
	return n
}

// Empty tells whether there is nothing to print and nothing to commit (PULL-13).
func (p Plan) Empty() bool {
	for _, b := range p.Batches {
		if b.Printed || b.Park || b.SubscriptionChanged || b.BindingChanged {
			return false
		}
	}
	return true
}

// Planner plans one pull: windows are added in the order in which they are to be
// printed, and share one byte budget (PULL-9, PULL-10).
type Planner struct {
	now     int64
	left    int // bytes of the budget not placed yet
	placed  bool
	beside  bool // status lines stand beside items only
	windows []Window
	taken   []selection
}

// NewPlanner starts the plan of a pull at now with a budget in bytes.
func NewPlanner(budget int, now int64) *Planner {
	return &Planner{now: now, left: budget}
}

// ItemsOnly makes the plan print no status line unless it prints an item: what
// the lines would count stays counted, and comes with a later pull (HOOK-5).
func (p *Planner) ItemsOnly() { p.beside = true }

// Room tells whether a binding is looked at: its longest status line and a
// little text must fit in what is left, else it waits (PULL-10).
func (p *Planner) Room(b Bound) bool {
	return statusReserve(b.Binding.Subscription, b.Binding.Subscriber)+minItemRoom <= p.left
}

// Add places the window's items. Room must have been true.
func (p *Planner) Add(w Window) {
	reserve := statusReserve(w.Bound.Binding.Subscription, w.Bound.Binding.Subscriber)
	s := w.take(p.left-reserve, !p.placed)
	if len(s.texts) > 0 {
		p.placed = true
		p.left -= p.status(w, s).Bytes() + s.bytes
	}
	p.windows = append(p.windows, w)
	p.taken = append(p.taken, s)
}

// Plan finishes: items stand, and mere status lines get what is left (PULL-10).
func (p *Planner) Plan() Plan {
	var plan Plan
	for i, w := range p.windows {
		s := p.taken[i]
		status := p.status(w, s)
		printed := len(s.texts) > 0
		if !printed && !status.Silent() && status.Bytes() <= p.left && (p.placed || !p.beside) {
			p.left -= status.Bytes()
			printed = true
		}
		plan.Batches = append(plan.Batches, p.batch(w, s, status, printed))
	}
	return plan
}

// status is the line for what was selected (PULL-3, PULL-5, PULL-7).
func (p *Planner) status(w Window, s selection) Status {
	rules := w.Bound.Subscription.Rules
	st := Status{
		Subscription: w.Bound.Binding.Subscription,
		Subscriber:   w.Bound.Binding.Subscriber,
		Delivered:    int64(len(s.texts)),
		Counts: w.Bound.Subscription.Unreported.Plus(w.Bound.Binding.Unreported).
			Plus(w.passed(s)).Plus(Counts{Parked: w.Parked}),
	}
	worthALine := st.Delivered > 0 || st.Counts != Counts{}
	st.More = s.stopped || w.More && worthALine && rules.Select != Latest
	if st.Delivered > 0 {
		if rules.tracksShown() {
			st.Unacked = w.Unacked
		}
		if rules.leases() {
			st.Lease = rules.Lease
		}
	}
	return st
}

// batch turns a selection into the state after the commit.
func (p *Planner) batch(w Window, s selection, status Status, printed bool) Batch {
	b := Batch{
		Status: status, Texts: s.texts, Items: s.ids(), Printed: printed, Park: w.Parked > 0,
		Subscription: w.Bound.Subscription, Binding: w.Bound.Binding, Lapsed: w.Lapsed,
	}
	fresh := w.passed(s)
	if b.Subscription.Rules.Share == One {
		b.Subscription.Scan = s.position
		note(&b.Subscription.Unreported, &b.Subscription.LastError, fresh, s.lastErr)
	} else {
		b.Binding.Position, b.Binding.Judged = s.position, s.judged
		note(&b.Binding.Unreported, &b.Binding.LastError, fresh, s.lastErr)
	}
	b.Subscription.Unreported.Parked += w.Parked
	if printed {
		b.Subscription.Unreported, b.Binding.Unreported = Counts{}, Counts{}
	}
	if len(s.texts) > 0 {
		b.Binding.NextAt = p.now + b.Subscription.Rules.Every
		p.claim(&b, s)
	}
	b.SubscriptionChanged = b.Subscription != w.Bound.Subscription
	b.BindingChanged = b.Binding != w.Bound.Binding
	return b
}

// passed counts what a selection has passed without delivering it: errors, and
// what has expired, of which what was leased counts in any case.
func (w Window) passed(s selection) Counts {
	return Counts{Errors: s.errors, Dropped: s.dropped + int64(len(w.Lapsed))}
}

func note(counts *Counts, lastError *string, fresh Counts, text string) {
	*counts = counts.Plus(fresh)
	if fresh.Errors > 0 {
		*lastError = text
	}
}

// claim records what delivery means under the rules (PULL-5).
func (p *Planner) claim(b *Batch, s selection) {
	rules, name, who := b.Subscription.Rules, b.Binding.Subscription, b.Binding.Subscriber
	one := func(item, attempts int64) {
		if rules.leases() {
			b.Leases = append(b.Leases, Grant(rules, name, who, item, attempts, p.now))
		} else {
			b.Acks = append(b.Acks, Ack{Subscription: name, Item: item, Owner: who, At: p.now})
		}
	}
	switch {
	case rules.Share == One:
		for _, r := range s.retries {
			one(r.Item, r.Attempts)
		}
		for _, it := range s.items {
			one(it.ID, 0)
		}
	case rules.tracksShown():
		for _, it := range s.items {
			if !it.Claimed {
				b.Shown = append(b.Shown, it.ID)
			}
		}
	}
}
