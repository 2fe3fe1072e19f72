package faultdrv

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"slices"
	"sync"
)

// Fault says which operation fails, and how. Operations are what database/sql
// asks of a driver: to connect, prepare, exec, query, read the next row, begin,
// commit, roll back, and close what it has.
type Fault struct {
	// At is the place of the operation among those since [Plan.Arm], from 0; a
	// negative one is none.
	At int
	// Err is what the operation answers.
	Err error
	// After lets the operation take effect first, or fail by itself: then this
	// error comes in the place of its own. A close takes effect in any case, as in
	// SQLite.
	After bool
	// Ended ends the open transaction first, as SQLite does by itself after some
	// failures.
	Ended bool
	// Dead lets no later operation take effect either, and none of them frees
	// anything: so a process leaves its files when it dies.
	Dead bool
	// Strike, if not nil, is called at the moment of the fault.
	Strike func()
}

// Plan is what is to go wrong on all connections of the connectors that share
// it. It is safe for concurrent use.
type Plan struct {
	mu     sync.Mutex
	fault  Fault
	count  int
	struck string
	dead   bool
	open   []io.Closer // of the wrapped driver, oldest first
}

// New makes a plan by which nothing fails.
func New() *Plan { return &Plan{fault: Fault{At: -1}} }

// Connector wraps a connector of the driver.
func (p *Plan) Connector(inner driver.Connector) driver.Connector { return connector{inner, p} }

// Arm sets the fault and counts operations from 0 again.
func (p *Plan) Arm(f Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault, p.count, p.struck = f, 0, ""
}

// Disarm lets all that follows succeed, unless the fault was a death.
func (p *Plan) Disarm() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault.At = -1
}

// Count is the number of operations since Arm.
func (p *Plan) Count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count
}

// Struck names the operation that failed, such as "exec COMMIT"; empty when none
// did since Arm.
func (p *Plan) Struck() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.struck
}

// Bury frees what a death left open. Files that count must be copied before:
// it ends transactions and may fold a log.
func (p *Plan) Bury() error {
	p.mu.Lock()
	open := p.open
	p.open = nil
	p.mu.Unlock()
	var err error
	for _, c := range slices.Backward(open) {
		err = errors.Join(err, c.Close())
	}
	return err
}

// hold remembers what has to be closed.
func (p *Plan) hold(c io.Closer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = append(p.open, c)
}

// release closes what was held, unless the process is dead.
func (p *Plan) release(name string, c io.Closer) error {
	var err error
	failed := p.do(context.Background(), name, nil, true, func() error {
		p.mu.Lock()
		p.open = slices.DeleteFunc(p.open, func(held io.Closer) bool { return held == c })
		p.mu.Unlock()
		err = c.Close()
		return nil
	})
	return errors.Join(failed, err)
}

// do counts an operation on c, and lets it happen or fail; always lets it take
// effect, except in death.
func (p *Plan) do(ctx context.Context, name string, c *conn, always bool, act func() error) error {
	f, now, dead := p.next()
	switch {
	case dead:
		return f.Err
	case now && !f.After && (!always || f.Dead):
		return p.fail(ctx, f, name, c)
	}
	err := act()
	if failed := err != nil && !errors.Is(err, io.EOF); !now || failed && !f.After {
		return err
	}
	return p.fail(ctx, f, name, c)
}

// drop frees what an operation made and did not hand out, as a driver does that
// fails; a dead one frees nothing.
func (p *Plan) drop(made io.Closer) {
	p.mu.Lock()
	i := slices.Index(p.open, made)
	if i < 0 || p.dead {
		p.mu.Unlock()
		return
	}
	p.open = slices.Delete(p.open, i, i+1)
	p.mu.Unlock()
	_ = made.Close() // the fault is the error
}

// next counts an operation and tells whether it is the one.
func (p *Plan) next() (f Fault, now, dead bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead {
		return p.fault, false, true
	}
	now = p.count == p.fault.At
	p.count++
	return p.fault, now, false
}

func (p *Plan) fail(ctx context.Context, f Fault, name string, c *conn) error {
	if f.Ended && c != nil {
		c.end(context.WithoutCancel(ctx))
	}
	if f.Strike != nil {
		f.Strike()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.struck, p.dead = name, f.Dead
	return f.Err
}

// connector makes connections that fail by plan.
type connector struct {
	driver.Connector
	plan *Plan
}

// Connect implements [driver.Connector].
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	var made driver.Conn
	err := c.plan.do(ctx, "connect", nil, false, func() (err error) {
		if made, err = c.Connector.Connect(ctx); err == nil {
			c.plan.hold(made)
		}
		return err
	})
	if err != nil {
		c.plan.drop(made)
		return nil, err
	}
	return &conn{made, c.plan}, nil
}
