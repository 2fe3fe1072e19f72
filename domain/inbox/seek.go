package inbox

// Place says where a reader is put. The zero Place is in front of everything that
// is kept (SEEK-1).
type Place struct {
	Item  int64 // in front of this item; 0 for none
	Since int64 // in front of the first item created at this Unix second or later; 0 for none
	New   bool  // behind everything
}

// At is the position of a place in a queue: the id after which the next pull
// begins. First is the lowest id of an item that was created at Since or later,
// 0 when there is none. Nobody is put ahead of the newest item, so that what is
// published later is not skipped (SEEK-1).
func (p Place) At(first, newest int64) int64 {
	switch {
	case p.New, p.Since > 0 && first == 0:
		return newest
	case p.Since > 0:
		return first - 1
	case p.Item > 0:
		return min(p.Item-1, newest)
	}
	return 0
}

// Seek puts a subscriber at a position, and makes it due. Under share one that is
// the position of all; what their own ones still stand for is a later change of
// share, so none may stay ahead of it (SUB-2, SEEK-2). Claims and counts stay as
// they are.
func Seek(sub Subscription, bindings []Binding, subscriber string, position, now int64) (Subscription, []Binding) {
	moved := append([]Binding(nil), bindings...)
	one := sub.Rules.Share == One
	if one {
		sub.Scan = position
	}
	for i := range moved {
		b := &moved[i]
		if one {
			b.Position = min(b.Position, position)
		}
		if b.Subscriber != subscriber {
			continue
		}
		if !one {
			b.Position, b.Judged = position, Span{}
		}
		b.NextAt = min(b.NextAt, now)
	}
	return sub, moved
}
