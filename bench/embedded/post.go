package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	acceptors = 16 // goroutines that accept at the same time
	perLane   = 10 // entries of a lane
	perTurn   = 20 // of a lane whose entries are delivered
)

// prompt is what is accepted. An empty messageID means no dedupe.
type prompt struct{ workspace, session, messageID, text string }

// numbered is the i-th prompt of n, spread over the lanes so that neighbours are in
// different ones.
func numbered(i, lanes int, named bool) prompt {
	p := prompt{workspace: "w", session: "ses_" + strconv.Itoa(i%lanes), text: strings.Repeat("x", 200)}
	if named {
		p.messageID = "msg_" + strconv.Itoa(i)
	}
	return p
}

// post accepts prompts in one of the two ways, safe for concurrent use.
type post interface {
	accept(ctx context.Context, p prompt) error
	close() error
}

// outbox does one of the works of the push half and prints its seconds: several
// of them for ticks.
func outbox(ctx context.Context, side, what, path string, n int) (err error) {
	var took []time.Duration
	switch {
	case what == "accept" || what == "accept-named":
		took, err = accepts(ctx, side, path, n, what == "accept-named")
	case side != "app":
		err = errors.New("the driver alone only accepts")
	case what == "fill":
		err = fill(ctx, path, n)
	case what == "tick":
		took, err = ticks(ctx, path, n)
	default:
		took, err = deliveries(ctx, path, n)
	}
	for _, t := range took {
		_, printErr := fmt.Fprintln(os.Stdout, t.Seconds())
		err = errors.Join(err, printErr)
	}
	return err
}

// accepts stores n prompts, each in a commit of its own. The first one, which makes
// the tables, comes before the time is taken.
func accepts(ctx context.Context, side, path string, n int, named bool) (took []time.Duration, err error) {
	open := openBarePost
	if side == "app" {
		open = openService
	}
	p, err := open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	lanes := max(1, n/perLane)
	if err := p.accept(ctx, numbered(0, lanes, named)); err != nil {
		return nil, err
	}
	begun := time.Now()
	err = together(n-1, func(i int) error { return p.accept(ctx, numbered(i+1, lanes, named)) })
	return []time.Duration{time.Since(begun)}, err
}

// together calls do for 0 to n-1 from all acceptors, and returns their first errors.
func together(n int, do func(i int) error) error {
	var next atomic.Int64
	var all sync.WaitGroup
	errs := make([]error, acceptors)
	for a := range acceptors {
		all.Go(func() {
			for errs[a] == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				errs[a] = do(i)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}
