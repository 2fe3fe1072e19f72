package app

import (
	"context"
	"io"
	"time"
)

// Peek prints to w what a pull at this moment would print, and marks nothing: it
// looks at a snapshot, takes no lock, and writes nothing to the store (VIEW-1). So
// it leaves out what is only about to become an item (TIME-1).
// Pulled.Delivered is the number of items that the pull would deliver. Writing and
// errors are as in [Inbox.Pull].
func (in *Inbox) Peek(ctx context.Context, p Pull, w io.Writer) (Pulled, error) {
	run, err := in.begin(p)
	if err != nil {
		return Pulled{}, err
	}
	run.watch = newWatch(ctx, in.clock)
	run.releases = false
	plan, err := run.look(ctx)
	if err == nil && !plan.Empty() {
		err = run.print(ctx, w, plan)
	}
	if err != nil {
		return Pulled{Skipped: run.skipped}, err
	}
	return Pulled{Delivered: plan.Delivered(), Skipped: run.skipped}, nil
}

// Lookout tells again and again whether a pull has something to deliver, for
// those who wait (WAIT-1). It remembers what expressions said of the items that
// it has seen, so that a look costs little where nothing is new, and one that was
// cut short is gone on with. It belongs to one goroutine.
type Lookout struct {
	run   *pulling
	fresh time.Duration // on the clock's Elapsed: from then on all is judged anew
}

// memory is how long a Lookout relies on what it remembers: expressions may ask
// for the time.
const memory = time.Minute

// Sight is what a look found.
type Sight struct {
	Items   int64 // that a pull would deliver now
	Partial bool  // there was no time for all that is unread: look again
	Skipped []Skip
}

// Lookout makes a lookout for a pull; its Form counts for nothing.
func (in *Inbox) Lookout(p Pull) (*Lookout, error) {
	run, err := in.begin(p)
	if err != nil {
		return nil, err
	}
	return &Lookout{run: run, fresh: in.clock.Elapsed() + memory}, nil
}

// Look looks at a snapshot, for as long as a pull would; it marks nothing. Only
// messages whose time has come become items, as in a pull (TIME-1). Errors are as
// in [Inbox.Pull].
func (l *Lookout) Look(ctx context.Context) (Sight, error) {
	in, run := l.run.in, l.run
	if elapsed := in.clock.Elapsed(); elapsed >= l.fresh {
		run.judges, l.fresh = map[string]*judge{}, elapsed+memory
	}
	run.now, run.watch, run.skipped = in.now(), newWatch(ctx, in.clock), nil
	plan, err := run.look(ctx)
	if err != nil {
		return Sight{}, err
	}
	items := plan.Delivered()
	return Sight{Items: items, Partial: run.more && items == 0, Skipped: run.skipped}, nil
}
