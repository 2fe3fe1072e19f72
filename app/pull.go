package app

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// Pull asks for the next batch of a subscriber.
type Pull struct {
	Subscription string // the one to pull; empty with Due
	Due          bool   // all that are due (PULL-10)
	Subscriber   string
	MaxBytes     int // budget of the whole output; 0 means inbox.DefaultMaxBytes (PULL-9)
	// ItemsOnly prints nothing unless an item is delivered; what else there is to
	// report waits for the next pull (HOOK-5).
	ItemsOnly bool
	// Form spells what is printed in another form than text; nil means
	// inbox.Plan.Output. The budget stays that of the text. Under an error of it
	// nothing is written and nothing is marked. It may be called more than once.
	Form func(inbox.Plan) ([]byte, error) `json:"-"`
}

// Pulled is what a pull did.
type Pulled struct {
	Delivered int64  // items in the output
	Skipped   []Skip // due subscriptions that could not be used
}

// Skip is a due subscription whose rules cannot be used, and why (PULL-10).
type Skip struct {
	Subscription string
	Reason       string
}

// maxRaces bounds how often a pull starts again because others took what it had
// evaluated.
const maxRaces = 10

// errRaced tells that nothing of what was evaluated is left to deliver.
var errRaced = errors.New("app: other subscribers were faster")

// Pull prints the next batch to w and marks it delivered: everything is rendered
// in memory, written with one Write and, where w has a method Flush() error,
// flushed; only then the delivery is committed. An output that could not be
// written in full has code domain.Output, and nothing is marked. With nothing to
// say nothing is written, to w or to the store (PULL-13).
//
// ctx's deadline is the pull's: it bounds the wait for the lock, evaluation and
// writing, and a pull that is late does not commit (PULL-11). Where w has a
// method SetWriteDeadline(time.Time) error, the write is bounded by it and by
// 500 ms.
func (in *Inbox) Pull(ctx context.Context, p Pull, w io.Writer) (Pulled, error) {
	run, err := in.begin(p)
	if err != nil {
		return Pulled{}, err
	}
	run.watch = newWatch(ctx, in.clock)
	for race := 1; ; race++ {
		plan, err := run.look(ctx)
		if err != nil || plan.Empty() {
			return Pulled{Skipped: run.skipped}, err
		}
		delivered, err := run.deliver(ctx, plan, race, w)
		if !errors.Is(err, errRaced) {
			return Pulled{Delivered: delivered, Skipped: run.skipped}, err
		}
	}
}

// begin checks a pull and tells what it is about.
func (in *Inbox) begin(p Pull) (*pulling, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if p.MaxBytes == 0 {
		p.MaxBytes = inbox.DefaultMaxBytes
	}
	return &pulling{in: in, pull: p, now: in.now(), judges: map[string]*judge{}, releases: true}, nil
}

func (p Pull) check() error {
	if err := inbox.CheckSubscriber(p.Subscriber); err != nil {
		return err
	}
	if p.Due != (p.Subscription == "") {
		return &domain.Error{Code: domain.Invalid, Text: "a pull needs either a subscription or due, not both"}
	}
	if p.MaxBytes != 0 && p.MaxBytes < inbox.MinMaxBytes {
		return &domain.Error{
			Code: domain.Invalid, Text: fmt.Sprintf("a budget of %d bytes is too small", p.MaxBytes),
			Remedy: fmt.Sprintf("give at least %d", inbox.MinMaxBytes),
		}
	}
	if !p.Due {
		return inbox.CheckSubscription(p.Subscription)
	}
	return nil
}

// pulling is one pull under way.
type pulling struct {
	in      *Inbox
	pull    Pull
	now     int64
	judges  map[string]*judge // by subscription
	watch   watch
	skipped []Skip
	seen    any  // the version that the plan of look was made from
	more    bool // a window of the last plan does not hold all that waits

	releases bool     // ripe messages become items; else they are left alone
	notice   bool     // ripe messages are looked for, before anything else
	ripe     []string // the queues in which the last plan found some
}

// look evaluates on a snapshot, with no lock held. Where it comes upon a message
// whose time has come, that becomes an item before, once (TIME-1).
func (p *pulling) look(ctx context.Context) (inbox.Plan, error) {
	p.notice, p.ripe = p.releases, nil
	plan, err := p.see(ctx)
	if err == nil && len(p.ripe) > 0 {
		p.notice = false
		if err = p.release(ctx); err == nil {
			plan, err = p.see(ctx)
		}
	}
	return plan, lateOr(ctx, err)
}

func (p *pulling) see(ctx context.Context) (plan inbox.Plan, err error) {
	err = p.in.store.View(ctx, func(r storage.Reader) error {
		if plan, err = p.plan(ctx, r, true); err == nil && !plan.Empty() {
			p.seen, err = versionOf(r)
		}
		return err
	})
	return plan, err
}

// deliver makes the plan again under the lock, prints it, and commits.
func (p *pulling) deliver(ctx context.Context, plan inbox.Plan, race int, w io.Writer) (delivered int64, err error) {
	expects := plan.Delivered() > 0 && race < maxRaces
	err = p.in.store.Update(ctx, func(tx storage.Writer) error {
		if plan, err = p.again(ctx, tx, plan); err != nil {
			return err
		}
		delivered = plan.Delivered()
		if expects && delivered == 0 {
			return errRaced
		}
		if err := p.apply(tx, plan); err != nil {
			return err
		}
		return p.print(ctx, w, plan)
	})
	if err != nil {
		return 0, lateOr(ctx, err)
	}
	return delivered, nil
}

// plan builds the windows in due order and lets the domain decide.
func (p *pulling) plan(ctx context.Context, r storage.Reader, evaluate bool) (inbox.Plan, error) {
	bound, err := p.bound(r)
	if err != nil {
		return inbox.Plan{}, err
	}
	if evaluate && p.notice {
		if p.ripe, err = ripeQueues(r, bound, p.now); err != nil || len(p.ripe) > 0 {
			return inbox.Plan{}, err
		}
	}
	planner := inbox.NewPlanner(p.pull.MaxBytes, p.now)
	if p.pull.ItemsOnly {
		planner.ItemsOnly()
	}
	p.more = false
	for i, b := range bound {
		if !planner.Room(b) {
			continue
		}
		window, err := p.window(ctx, r, b, len(bound)-i, evaluate)
		if p.pull.Due && domain.CodeOf(err) == domain.Expression {
			p.skip(b.Subscription.Name, err.Error())
			continue
		}
		if err != nil {
			return inbox.Plan{}, err
		}
		p.more = p.more || window.More
		planner.Add(window)
	}
	return planner.Plan(), nil
}

// bound reads the bindings that the pull is about.
func (p *pulling) bound(r storage.Reader) ([]inbox.Bound, error) {
	if !p.pull.Due {
		b, err := requireBound(r, p.pull.Subscription, p.pull.Subscriber)
		if err != nil {
			return nil, err
		}
		return []inbox.Bound{b}, usable(b.Subscription)
	}
	all, err := r.BoundBy(p.pull.Subscriber)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, &domain.Error{
			Code: domain.NotFound, Text: fmt.Sprintf("the subscriber %q has no subscription", p.pull.Subscriber),
			Remedy: "bind it with tundish subscribe NAME --as " + p.pull.Subscriber,
		}
	}
	due := inbox.DueOrder(all, p.now)
	usables := due[:0]
	for _, b := range due {
		if b.Subscription.Broken != "" {
			p.skip(b.Subscription.Name, b.Subscription.Broken)
			continue
		}
		usables = append(usables, b)
	}
	return usables, nil
}

func (p *pulling) skip(name, reason string) {
	for _, s := range p.skipped {
		if s.Subscription == name {
			return
		}
	}
	p.skipped = append(p.skipped, Skip{Subscription: name, Reason: reason})
}

func (p *pulling) window(ctx context.Context, r storage.Reader, b inbox.Bound, waiting int, evaluate bool) (inbox.Window, error) {
	l := &look{
		reader: r, judge: p.judge(b.Subscription), watch: p.watch, budget: p.pull.MaxBytes, evaluate: evaluate,
		window: inbox.Window{Bound: b},
	}
	part, cancel, left := p.watch.share(ctx, waiting)
	defer cancel()
	l.ctx = part
	if !left {
		l.scans = 1 // a scan that begins without time blames no item (PULL-15)
	}
	return l.build()
}

// judge finds the judge of a subscription. Other rules make a new one, which has
// judged nothing.
func (p *pulling) judge(sub inbox.Subscription) *judge {
	j := p.judges[sub.Name]
	if j == nil || j.rules != sub.Rules {
		j = p.in.newJudge(sub.Rules, p.now)
		j.limit = p.pull.MaxBytes
		p.judges[sub.Name] = j
	}
	j.now = p.now
	return j
}
