package app

import (
	"context"
	"errors"
	"time"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports"
)

// errOutOfTime is the cause of an evaluation's context when its share of the
// scan time is over, while the pull itself still has time.
var errOutOfTime = errors.New("not finished in time")

// opinion is what the expressions made of one item.
type opinion struct {
	verdict inbox.Verdict
	err     string
	text    string
}

// judge evaluates the expressions of one subscription and remembers the
// answers, so that the plan can be made again under the write lock without
// running any (PULL-12). It compiles only once an item is waiting.
type judge struct {
	in       *Inbox
	rules    inbox.Rules
	now      int64
	limit    int // bytes of the whole output
	compiled bool
	filter   ports.Matcher  // nil when everything matches
	template ports.Renderer // nil for the default form
	opinions map[int64]opinion
	texts    map[int64]string // of retries
	top      int64            // under latest, the newest item that was looked at
	blank    inbox.Span       // from where a scan began, items that the filter does not match
}

func (in *Inbox) newJudge(rules inbox.Rules, now int64) *judge {
	return &judge{in: in, rules: rules, now: now, opinions: map[int64]opinion{}, texts: map[int64]string{}}
}

func (j *judge) compile() error {
	if j.compiled {
		return nil
	}
	var err error
	if j.rules.Filter != "" {
		if j.filter, err = j.in.expressions.Filter(j.rules.Filter); err != nil {
			return expressionError("filter", err)
		}
	}
	if j.rules.Template != "" {
		if j.template, err = j.in.expressions.Template(j.rules.Template); err != nil {
			return expressionError("template", err)
		}
	}
	j.compiled = true
	return nil
}

func expressionError(what string, err error) error {
	return &domain.Error{Code: domain.Expression, Text: "the " + what + " cannot be used", Err: err}
}

// key is the key that an item must have to match at all (PULL-14).
func (j *judge) key() *string {
	if j.filter == nil {
		return nil
	}
	if key, ok := j.filter.Key(); ok {
		return &key
	}
	return nil
}

// judge gives the opinion on an item. first tells that the item is the first of
// its scan: running out of time there counts as the expression's fault, since
// it would otherwise stay in the way for ever (PULL-15). ok is false when the
// item could not be judged in time.
func (j *judge) judge(ctx context.Context, item inbox.Item, first bool) (o opinion, ok bool) {
	o.verdict = inbox.Matched
	if j.filter != nil {
		matched, err := j.filter.Match(ctx, j.document(item))
		switch {
		case err == nil && !matched:
			o.verdict = inbox.Passed
		case err != nil && timedOut(ctx) && !first:
			return o, false
		case err != nil:
			o.verdict, o.err = inbox.Failed, err.Error()
		}
	}
	if o.verdict == inbox.Matched && item.Expired(j.now) {
		o.verdict = inbox.Lapsed
	}
	if o.verdict == inbox.Matched {
		if o.text, ok = j.text(ctx, item, first); !ok {
			return o, false
		}
	}
	j.opinions[item.ID] = o
	return o, true
}

// text renders an item; ok is false when that could not be done in time.
func (j *judge) text(ctx context.Context, item inbox.Item, first bool) (text string, ok bool) {
	if j.template == nil {
		return inbox.ItemTextWithin(item, j.rules.Consume, nil, j.limit), true
	}
	text, err := j.template.Render(ctx, j.document(item))
	if err == nil {
		return inbox.ItemTextWithin(item, j.rules.Consume, &inbox.Rendering{Text: text}, j.limit), true
	}
	if timedOut(ctx) && !first {
		return "", false
	}
	return inbox.ItemTextWithin(item, j.rules.Consume, &inbox.Rendering{Err: err.Error()}, j.limit), true
}

func (j *judge) document(item inbox.Item) ports.Document {
	return ports.Document{
		ID: item.ID, Queue: item.Queue, Key: item.Key, Payload: item.Payload, CreatedAt: item.CreatedAt, Now: j.now,
	}
}

func timedOut(ctx context.Context) bool { return ctx.Err() != nil }

// Bounds of evaluation (PULL-14).
const (
	scanTime  = 100 * time.Millisecond // of a whole pull, for all but first steps
	firstTime = 2 * time.Second        // of a first step
)

// watch measures the time that one pull may spend on expressions.
type watch struct {
	clock ports.Clock
	soft  time.Duration // on clock.Elapsed: no further step begins after it
	hard  time.Duration // on clock.Elapsed: no evaluation goes on after it
}

func newWatch(ctx context.Context, clock ports.Clock) watch {
	soft, hard := scanTime, firstTime
	if deadline, ok := ctx.Deadline(); ok {
		half := time.Until(deadline) / 2
		soft, hard = min(soft, half), min(hard, half)
	}
	start := clock.Elapsed()
	return watch{clock: clock, soft: start + soft, hard: start + hard}
}

// over tells whether the scan time is used up.
func (w watch) over() bool { return w.clock.Elapsed() >= w.soft }

// share gives the next of several waiting subscriptions its part of the time,
// so that none of them can use up everyone's. left is false when there is none.
func (w watch) share(ctx context.Context, waiting int) (part context.Context, cancel context.CancelFunc, left bool) {
	span := (w.hard - w.clock.Elapsed()) / time.Duration(max(1, waiting))
	part, cancel = context.WithTimeoutCause(ctx, span, errOutOfTime)
	return part, cancel, span > 0
}
