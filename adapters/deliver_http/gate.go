package deliverhttp

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"
)

// gate is what stands between a request and its one connection. It asks whether
// the send is still ours before the first byte of the request, lets none pass
// once the send is over, and knows whether any has passed.
type gate struct {
	held func() error

	asking  sync.Mutex // locked while held runs
	mu      sync.Mutex
	conn    net.Conn // the only one; nil before
	dialed  bool
	state   passage
	refusal error // why held kept the first byte back
}

// errOver keeps back a byte of a send whose outcome was already told.
var errOver = errors.New("the send is over")

// passage is how far the request got.
type passage uint8

const (
	still  passage = iota // no byte has left
	moving                // the first write goes on
	sent                  // at least one byte may have left
	closed                // none has left, and none will
)

// dial makes the connection of an http address.
func (g *gate) dial(ctx context.Context, network, address string) (net.Conn, error) {
	g.mu.Lock()
	again := g.dialed
	g.dialed = true
	g.mu.Unlock()
	if again {
		return nil, errors.New("a send has one connection")
	}
	conn, err := (&net.Dialer{Timeout: dialTime}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return g.guard(conn), nil
}

// dialTLS makes the connection of an https address. The gate lies above TLS: the
// bytes of the handshake are no part of the request.
func (g *gate) dialTLS(config *tls.Config) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		raw, err := g.dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		inner, ok := raw.(*guarded)
		if !ok {
			return nil, errors.New("the connection has no gate")
		}
		ctx, cancel := context.WithTimeout(ctx, handshakeTime)
		defer cancel()
		conn := tls.Client(inner.Conn, config)
		if err := conn.HandshakeContext(ctx); err != nil {
			return nil, errors.Join(err, inner.Close())
		}
		return g.guard(conn), nil
	}
}

func (g *gate) guard(conn net.Conn) *guarded {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.conn = conn
	return &guarded{Conn: conn, gate: g}
}

// limit bounds the time for reading the rest of an answer.
func (g *gate) limit(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.conn != nil {
		// A connection without a deadline is bounded by the context of the send.
		_ = g.conn.SetReadDeadline(time.Now().Add(d))
	}
}

// shut lets no first byte pass any more, and waits for held. It tells whether one
// may have passed, and why held kept it back.
func (g *gate) shut() (bool, error) {
	g.mu.Lock()
	if g.state == still {
		g.state = closed
	}
	g.mu.Unlock()
	g.asking.Lock()
	defer g.asking.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.state != closed, g.refusal
}

// open lets the first byte pass, or not.
func (g *gate) open() error {
	g.mu.Lock()
	state := g.state
	g.mu.Unlock()
	switch state {
	case moving, sent:
		return nil
	case closed:
		return errOver
	case still:
	}
	g.asking.Lock()
	defer g.asking.Unlock()
	err := g.held()
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.state == closed:
		return errOver
	case err != nil:
		g.state, g.refusal = closed, err
		return err
	}
	g.state = moving
	return nil
}

// passed notes how a write went. A first one that took no byte leaves none
// behind, so that it was not one.
func (g *gate) passed(n int, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.state == moving && n == 0 && err != nil {
		g.state = closed
	} else {
		g.state = sent
	}
}

// guarded is a connection behind the gate. One goroutine writes to it.
type guarded struct {
	net.Conn
	gate *gate
}

func (c *guarded) Write(p []byte) (int, error) {
	if err := c.gate.open(); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(p)
	c.gate.passed(n, err)
	return n, err
}
