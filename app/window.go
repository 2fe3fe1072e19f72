package app

import (
	"context"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// stepItems is how many items a scan looks at before it asks whether it has
// something to deliver (PULL-14).
const stepItems = 1000

// look builds the window of one binding: it reads the facts from a reader and
// has the items judged. With evaluate false it only repeats what the judge
// remembers, and an item that was not judged ends the window (PULL-12).
type look struct {
	ctx      context.Context // ends with the time for expressions
	reader   storage.Reader
	judge    *judge
	watch    watch
	budget   int // bytes of the whole output
	evaluate bool

	window inbox.Window
	claims claims // under share one
	ready  int64
	bytes  int
	scans  int  // items handed to the judge in this look
	done   bool // nothing further may enter the window
}

func (l *look) rules() *inbox.Rules { return &l.window.Bound.Subscription.Rules }
func (l *look) name() string        { return l.window.Bound.Subscription.Name }

// build fills the window.
func (l *look) build() (inbox.Window, error) {
	l.window.Through = l.window.Bound.Position()
	if err := l.retries(); err != nil {
		return l.window, err
	}
	if !l.done && l.window.Bound.Newest > l.window.Bound.Position() {
		if err := l.scan(); err != nil {
			return l.window, err
		}
	}
	return l.window, l.unacked()
}

// retries adds ended leases, and counts those to be parked (PULL-1, PULL-6).
func (l *look) retries() error {
	if l.rules().Share != inbox.One {
		return nil
	}
	expiry := inbox.ExpiryAt(l.judge.now)
	ended := storage.LeaseQuery{State: storage.OpenLease, Ended: &expiry, Limit: stepItems + 1}
	leases, err := l.reader.Leases(l.name(), ended)
	if err != nil || len(leases) == 0 {
		return err
	}
	if l.window.Parked, err = l.reader.CountLeases(l.name(), parking(*l.rules(), expiry)); err != nil {
		return err
	}
	if l.window.Parked > 0 && len(leases) > stepItems {
		ended.BelowAttempts = l.rules().MaxAttempts // those to be parked must not crowd out the others
		if leases, err = l.reader.Leases(l.name(), ended); err != nil {
			return err
		}
	}
	if leases, err = l.lapsedRetries(leases); err != nil {
		return err
	}
	for _, lease := range leases {
		if !lease.Retryable(*l.rules(), l.judge.now) {
			continue
		}
		text, ok, err := l.retryText(lease.Item)
		if err != nil {
			return err
		}
		if !ok {
			l.window.More, l.done = true, true
			return nil
		}
		l.window.Retries = append(l.window.Retries, inbox.Retry{Item: lease.Item, Attempts: lease.Attempts, Text: text})
		if l.full(text) {
			return nil
		}
	}
	return nil
}

// parking selects the leases that have ended for the last time (PULL-6).
func parking(rules inbox.Rules, expiry inbox.Expiry) storage.LeaseQuery {
	return storage.LeaseQuery{State: storage.OpenLease, Ended: &expiry, MinAttempts: rules.MaxAttempts}
}

func (l *look) retryText(id int64) (text string, ok bool, err error) {
	if text, ok = l.judge.texts[id]; ok || !l.evaluate {
		return text, ok, nil
	}
	item, found, err := l.reader.Item(id)
	if err != nil || !found {
		return "", false, err
	}
	if err := l.judge.compile(); err != nil {
		return "", false, err
	}
	l.scans++
	if text, ok = l.judge.text(l.ctx, item, l.scans == 1); ok {
		l.judge.texts[id] = text
	}
	return text, ok, nil
}

// full notes a deliverable text and tells whether the window holds all that any
// plan could use: one more than the limit, or than the budget.
func (l *look) full(text string) bool {
	l.ready++
	l.bytes += len(text) + 1
	limit := l.rules().Limit
	l.done = limit > 0 && l.ready > limit || l.bytes > l.budget && l.ready > 1
	return l.done
}

// late tells whether the scan time is over. Repeating what is remembered takes
// no scan time.
func (l *look) late() bool { return l.evaluate && l.watch.over() }

func (l *look) scan() error {
	if err := l.judge.compile(); err != nil {
		return err
	}
	if l.rules().Select == inbox.Latest {
		return l.scanLatest()
	}
	return l.scanOldest()
}

// scanOldest goes up from the position, step by step (PULL-14).
func (l *look) scanOldest() error {
	scan := storage.Scan{Queue: l.rules().Queue, Key: l.judge.key(), HeadsOnly: !l.evaluate}
	for {
		if blank := l.judge.blank; l.window.Through >= blank.After {
			l.window.Through = max(l.window.Through, blank.Through)
		}
		scan.After = l.window.Through
		ended, err := l.step(scan, func(id int64) { l.window.Through = id })
		if err != nil {
			return err
		}
		if ended {
			l.window.Through = max(l.window.Through, l.window.Bound.Newest)
			return nil
		}
		if l.done || l.ready > 0 || l.late() {
			l.window.More = true
			return nil
		}
	}
}

// step looks at up to stepItems items and reports those it has passed. ended
// tells that nothing of the scan is left.
func (l *look) step(scan storage.Scan, passed func(id int64)) (ended bool, err error) {
	scan.Limit = stepItems + 1
	n := 0
	ended = true
	err = l.reader.Scan(scan, func(item inbox.Item) (bool, error) {
		if n++; n > stepItems {
			ended = false
			return false, nil
		}
		ok, err := l.add(item)
		if err != nil || !ok {
			ended, l.done = false, true
			return false, err
		}
		passed(item.ID)
		if l.enough() {
			ended = false
			return false, nil
		}
		return true, nil
	})
	return ended, err
}

// enough tells whether the scan may stop inside a step: the window is full, or
// under latest, where nothing older counts, has as many as the limit.
func (l *look) enough() bool {
	rules := l.rules()
	if rules.Select == inbox.Latest && l.ready >= rules.Limit {
		l.done = true
	}
	return l.done
}

// add judges an item; ok is false when it could not be judged.
func (l *look) add(item inbox.Item) (ok bool, err error) {
	entry := inbox.Judged{ID: item.ID}
	if l.rules().Share == inbox.One {
		if entry.Claimed, err = l.claims.hold(l.reader, l.name(), item.ID); err != nil {
			return false, err
		}
	}
	if !entry.Claimed {
		o, ok := l.judge.opinions[item.ID]
		if !ok {
			if !l.evaluate {
				return false, nil
			}
			l.scans++
			if o, ok = l.judge.judge(l.ctx, item, l.scans == 1); !ok {
				return false, nil
			}
		}
		entry.Verdict, entry.Err, entry.Text = o.verdict, o.err, o.text
		if err := l.lapse(item, &entry); err != nil {
			return false, err
		}
		switch entry.Verdict {
		case inbox.Passed:
			l.pass(item.ID)
			return true, nil
		case inbox.Matched:
			if err := l.markAcked(&entry); err != nil {
				return false, err
			}
			l.full(o.text)
		}
	}
	l.window.Items = append(l.window.Items, entry)
	return true, nil
}

// pass notes an item that the filter does not match. Of a scan that began with
// nothing but such items, the next look goes past them without reading them: no
// other item can come to lie between them.
func (l *look) pass(id int64) {
	blank := &l.judge.blank
	switch {
	case l.rules().Select == inbox.Latest:
		return
	case blank.Through == 0 && l.window.Through == l.window.Bound.Position():
		*blank = inbox.Span{After: l.window.Through, Through: id}
	case blank.Through > 0 && blank.Through == l.window.Through:
		blank.Through = id
	default:
		return
	}
	delete(l.judge.opinions, id) // the stretch tells the same
}

// markAcked notes under all and on-ack that somebody has acked an item already,
// so that it does not count as waiting for an ack (PULL-5).
func (l *look) markAcked(entry *inbox.Judged) (err error) {
	if l.rules().Share == inbox.All && l.rules().Consume == inbox.OnAck {
		_, entry.Claimed, err = l.reader.Ack(l.name(), entry.ID)
	}
	return err
}

func (l *look) unacked() (err error) {
	if l.ready > 0 && l.rules().Share == inbox.All && l.rules().Consume == inbox.OnAck {
		l.window.Unacked, err = l.reader.CountShown(l.name(), l.window.Bound.Binding.Subscriber)
	}
	return err
}
