package inbox

// NewSubscription is a subscription at its creation or after a move; newest is
// the newest id of its queue (SUB-3, SUB-4).
func NewSubscription(name string, rules Rules, newest int64) Subscription {
	return Subscription{Name: name, Rules: rules, Scan: startAt(rules, newest)}
}

// NewBinding is a fresh binding to sub. Under share all the start rule says
// where it stands; under share one it stands at the scan (SUB-4, SUB-5).
func NewBinding(sub Subscription, subscriber string, newest int64) Binding {
	b := Binding{Subscription: sub.Name, Subscriber: subscriber, Position: sub.Scan}
	if sub.Rules.Share == All {
		b.Position = startAt(sub.Rules, newest)
	}
	return b
}

func startAt(rules Rules, newest int64) int64 {
	if rules.Start == StartNew {
		return newest
	}
	return 0
}

// Replacement is a subscription with its bindings after a change of rules.
type Replacement struct {
	Subscription Subscription
	Bindings     []Binding
	Moved        bool // another queue: acks, leases and shown marks are to be reset too (SUB-3)
	// Unlease tells that open leases are to be cleared, and their items to be
	// marked as shown to the holders that are bound (SUB-2, PULL-5).
	Unlease bool
}

// Replace gives sub other rules. Ended last leases must have been parked under
// the old ones (PULL-6).
func Replace(sub Subscription, bindings []Binding, rules Rules, newest int64) Replacement {
	if rules.Queue != sub.Rules.Queue {
		return move(sub, bindings, rules, newest)
	}
	r := Replacement{Subscription: sub, Bindings: append([]Binding(nil), bindings...)}
	r.Subscription.Rules, r.Subscription.Broken = rules, ""
	if rules == sub.Rules && sub.Broken == "" {
		return r
	}
	r.Subscription.LastError = ""
	for i := range r.Bindings {
		r.Bindings[i].LastError, r.Bindings[i].Judged = "", Span{}
	}
	switch was := sub.Rules.Share; {
	case was == One && rules.Share == All:
		r.Unlease = true
		for i := range r.Bindings {
			r.Bindings[i].Position = max(r.Bindings[i].Position, sub.Scan)
		}
	case was == All && rules.Share == One:
		r.Subscription.Scan = lowest(bindings, sub.Scan) // without bindings its own goes on (SUB-4, SUB-5)
	}
	return r
}

func move(sub Subscription, bindings []Binding, rules Rules, newest int64) Replacement {
	r := Replacement{Subscription: NewSubscription(sub.Name, rules, newest), Moved: true}
	for _, b := range bindings {
		r.Bindings = append(r.Bindings, NewBinding(r.Subscription, b.Subscriber, newest))
	}
	return r
}

// lowest is the lowest position of the bindings, or none when there are none.
func lowest(bindings []Binding, none int64) int64 {
	if len(bindings) == 0 {
		return none
	}
	low := bindings[0].Position
	for _, b := range bindings[1:] {
		low = min(low, b.Position)
	}
	return low
}
