package mcp

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/tundish-go/tundish/app"
)

// delivery is one pull between the use case, which holds the write lock, and the
// connection, which writes the frame. It is the writer that the use case prints to:
// its Write returns when the frame is out, or will never be (MCP-4).
type delivery struct {
	offered chan string   // the text, once
	written chan error    // what became of the frame, once it was begun
	ended   chan struct{} // the use case has ended
	pulled  app.Pulled    // its result, then
	err     error

	over <-chan struct{} // the call has ended without its answer being written
	why  func() error    // why it has

	mu    sync.Mutex
	until time.Time
	state deliveryState
}

type deliveryState uint8

const (
	waiting deliveryState = iota // nobody has begun to write
	begun                        // the connection writes, and will say what became of it
	given                        // up: it must not be written any more
)

func newDelivery(ctx context.Context) *delivery {
	return &delivery{
		offered: make(chan string, 1), written: make(chan error, 1), ended: make(chan struct{}),
		over: ctx.Done(), why: func() error { return context.Cause(ctx) },
	}
}

// SetWriteDeadline bounds the Write that follows.
func (d *delivery) SetWriteDeadline(t time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.until = t
	return nil
}

// Write hands the text over and waits until it is out. It does not wait longer than
// the deadline: a frame that is begun then ends by itself, by the same deadline.
func (d *delivery) Write(text []byte) (int, error) {
	late := time.NewTimer(time.Until(d.deadline()))
	defer late.Stop()
	d.offered <- string(text)
	err := os.ErrDeadlineExceeded
	select {
	case err = <-d.written:
		return d.outcome(text, err)
	case <-late.C:
	case <-d.over:
		err = d.why()
	}
	if d.turn(given) {
		return 0, err
	}
	return d.outcome(text, <-d.written)
}

func (d *delivery) outcome(text []byte, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	return len(text), nil
}

func (d *delivery) deadline() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.until
}

// turn leaves the first state for another one, unless that was done before.
func (d *delivery) turn(to deliveryState) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.state != waiting {
		return false
	}
	d.state = to
	return true
}
