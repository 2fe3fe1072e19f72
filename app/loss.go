package app

import (
	"context"
	"errors"
	"time"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// lossTime bounds what one publish spends on the filters of others (RET-4).
const lossTime = 20 * time.Millisecond

// errUnjudged stops a publish that would have to run filters under the lock.
var errUnjudged = errors.New("app: filters must be asked first")

// verdicts are answers of filters on items that retention removes. They are
// collected without the write lock and looked up under it (RET-4).
type verdicts struct {
	judges  map[string]*judge
	wanted  []inbox.Loss // asked for and unknown
	settled bool         // what is unknown now stays unknown
}

// check makes sure that the filters were asked about all losses, once.
func (v *verdicts) check(in *Inbox, now int64, readers []inbox.QueueReader, losses []inbox.Loss) error {
	for _, r := range readers {
		rules := r.Subscription.Rules
		rules.Template = "" // only the filter matters here
		if j := v.judges[r.Subscription.Name]; j == nil || j.rules != rules {
			v.judges[r.Subscription.Name] = in.newJudge(rules, now)
		}
	}
	v.wanted = v.wanted[:0]
	for _, l := range losses {
		j := v.judges[l.Subscription]
		if _, known := j.opinions[l.Item]; !known && !l.Certain && j.rules.Filter != "" {
			v.wanted = append(v.wanted, l)
		}
	}
	if len(v.wanted) > 0 && !v.settled {
		return errUnjudged
	}
	return nil
}

// matches answers for Drop: what was not evaluated counts, and a filter that
// failed is no match (RET-4).
func (v *verdicts) matches(subscription string, item int64) bool {
	o, known := v.judges[subscription].opinions[item]
	return !known || o.verdict == inbox.Matched || o.verdict == inbox.Lapsed
}

// ask evaluates the wanted filters on a snapshot, for a bounded time that begins
// once all is ready for it.
func (in *Inbox) ask(ctx context.Context, v *verdicts) error {
	v.settled = true
	return in.store.View(ctx, func(r storage.Reader) error {
		v.compile()
		part, cancel := context.WithTimeoutCause(ctx, lossTime, errOutOfTime)
		defer cancel()
		for _, l := range v.wanted {
			if part.Err() != nil {
				return nil
			}
			if err := v.judge(part, r, l); err != nil {
				return err
			}
		}
		return nil
	})
}

// compile readies the filters that are wanted. One that does not compile fails
// on every item.
func (v *verdicts) compile() {
	for _, l := range v.wanted {
		j := v.judges[l.Subscription]
		if _, known := j.opinions[l.Item]; !known && j.compile() != nil {
			j.opinions[l.Item] = opinion{verdict: inbox.Failed}
		}
	}
}

func (v *verdicts) judge(ctx context.Context, r storage.Reader, l inbox.Loss) error {
	j := v.judges[l.Subscription]
	if _, known := j.opinions[l.Item]; known {
		return nil
	}
	item, found, err := r.Item(l.Item)
	if err != nil || !found {
		return err
	}
	j.judge(ctx, item, false)
	return nil
}
