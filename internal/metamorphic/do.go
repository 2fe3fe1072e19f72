package metamorphic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

// errEnded is the cause of contexts that a fate ends.
var errEnded = errors.New("the context was ended")

// Do runs an operation and tells what came of it.
func (s *Site) Do(ctx context.Context, op Operation) Answer {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if op.Fate == Ended {
		cancel(errEnded)
	}
	s.clock.now, s.limits = op.Now, op.Limits
	s.engine.reset()
	d := &doing{site: s, op: op, cancel: cancel}
	if err := d.run(ctx); err != nil {
		d.failed(err)
	}
	d.answer.Late = s.engine.late(op.Kind == Publish || op.Kind == PublishAll)
	return d.answer
}

// doing is an operation under way.
type doing struct {
	site   *Site
	op     Operation
	cancel context.CancelCauseFunc
	answer Answer
}

// note adds a line. An output that is cut short may end inside a character, which
// would not survive the way from a worker.
func (d *doing) note(format string, args ...any) {
	d.answer.Lines = append(d.answer.Lines, strings.ToValidUTF8(fmt.Sprintf(format, args...), "�"))
}

// failed writes an error down: its code, and the text where that does not depend
// on the store. Some codes should never come up.
func (d *doing) failed(err error) {
	code := domain.CodeOf(err)
	switch code {
	case domain.Invalid, domain.NotFound, domain.Claimed, domain.Payload, domain.Expression, domain.Output:
		d.note("error %d: %v", code, err)
	case domain.Deadline:
		d.note("error %d", code)
	default:
		d.note("error %d", code)
		d.answer.Fault = err.Error()
	}
}

func (d *doing) run(ctx context.Context) error {
	in, op := d.site.inbox, d.op
	switch op.Kind {
	case Publish:
		return d.publish(ctx)
	case PublishAll:
		return d.publishAll(ctx)
	case Subscribe:
		done, err := in.Subscribe(ctx, op.Subscribe)
		return d.say(done, err)
	case Unsubscribe:
		return d.say("unbound", in.Unsubscribe(ctx, op.Subscribe.Name, op.Subscribe.Subscriber))
	case Pull:
		return d.pull(ctx)
	case Ack:
		done, err := in.Ack(ctx, op.Ack)
		return d.say(done, err)
	case AckThrough, Nack, Extend, Unpark:
		done, err := d.claim(ctx)
		return d.say(done, err)
	case Seek:
		done, err := in.Seek(ctx, op.Seek)
		return d.say(done, err)
	case Unschedule:
		return d.say("taken back", in.Unschedule(ctx, op.Ack.Item))
	case Reopen:
		return d.site.reopen(ctx)
	default:
		return d.look(ctx)
	}
}

// look runs what changes nothing.
func (d *doing) look(ctx context.Context) error {
	in, op := d.site.inbox, d.op
	switch op.Kind {
	case Item:
		view, err := in.Item(ctx, op.Ack.Item)
		return d.say(json.RawMessage(view.JSON()), err)
	case List:
		return in.List(ctx, op.List, func(v app.ItemView) error { return d.say(json.RawMessage(v.JSON()), nil) })
	case Queues:
		done, err := in.Queues(ctx)
		return d.say(append([]inbox.QueueCount{}, done...), err) // none is an empty list
	case Status:
		return d.status(ctx)
	case Scheduled:
		return in.ListScheduled(ctx, app.Scheduled{Limit: -1}, func(m inbox.Scheduled) error {
			return d.say(json.RawMessage(app.ScheduledJSON(m)), nil)
		})
	case Overview:
		done, err := in.Overview(ctx)
		return d.say(done, err)
	case Check:
		done, err := in.Check(ctx)
		return d.say(append([]string{}, done...), err)
	case State:
		return d.state(ctx)
	default:
		return fmt.Errorf("no operation is called %q", op.Kind)
	}
}

// say writes a result down, unless there is none.
func (d *doing) say(result any, err error) error {
	if err != nil {
		return err
	}
	line, err := json.Marshal(result)
	d.note("%s", line)
	return err
}

func (d *doing) publish(ctx context.Context) error {
	done, err := d.site.inbox.Publish(ctx, d.op.Messages[0])
	if err == nil && done.ID != 0 {
		d.answer.IDs = append(d.answer.IDs, done.ID)
	}
	return d.say(done, err)
}

func (d *doing) publishAll(ctx context.Context) error {
	drafts := make([]app.Draft, 0, len(d.op.Messages))
	for _, m := range d.op.Messages {
		draft, err := d.site.inbox.Prepare(ctx, m)
		if err != nil {
			return err
		}
		drafts = append(drafts, draft)
	}
	ids, err := d.site.inbox.PublishAll(ctx, d.op.Messages[0].Queue, drafts)
	d.answer.IDs = append(d.answer.IDs, ids...)
	return d.say(d.answer.IDs, err)
}

func (d *doing) pull(ctx context.Context) error {
	out := &output{fate: d.op.Fate, cancel: d.cancel}
	done, err := d.site.inbox.Pull(ctx, d.op.Pull, out)
	for _, line := range out.lines() {
		d.note("| %s", line)
	}
	if err != nil {
		return err
	}
	if err := out.within(d.op.Pull); err != nil {
		return err
	}
	d.answer.IDs = printed(out.lines())
	return d.say(done, nil)
}

func (d *doing) status(ctx context.Context) error {
	lines, err := d.site.inbox.Status(ctx)
	for _, line := range lines {
		if err := d.say(line, nil); err != nil {
			return err
		}
	}
	return err
}
