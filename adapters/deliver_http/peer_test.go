package deliverhttp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/delivery"
)

// peer is a receiver that stores each request it has read in full, before it
// answers with raw bytes, or not at all. It never dedupes.
type peer struct {
	l      net.Listener
	answer func(conn net.Conn, r *http.Request)
	work   sync.WaitGroup

	mu     sync.Mutex
	stored []stored
	conns  []net.Conn
}

type stored struct {
	id, body string
}

func newPeer(t *testing.T, answer func(conn net.Conn, r *http.Request)) *peer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{l: l, answer: answer}
	p.work.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			p.mu.Lock()
			p.conns = append(p.conns, conn)
			p.mu.Unlock()
			p.work.Go(func() { p.serve(conn) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		p.mu.Lock()
		for _, c := range p.conns {
			c.Close()
		}
		p.mu.Unlock()
		p.work.Wait()
	})
	return p
}

// serve answers the requests of a connection until it is closed.
func (p *peer) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		p.mu.Lock()
		p.stored = append(p.stored, stored{r.Header.Get("Idempotency-Key"), string(body)})
		p.mu.Unlock()
		p.answer(conn, r)
	}
}

func (p *peer) url() string { return "http://" + p.l.Addr().String() + "/in" }

// seen gives what was stored, and how many connections were made.
func (p *peer) seen() ([]stored, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stored, len(p.conns)
}

func say(text string) func(net.Conn, *http.Request) {
	return func(conn net.Conn, _ *http.Request) { io.WriteString(conn, text) }
}

// sayAndCut answers with what may be too little, and closes.
func sayAndCut(text string) func(net.Conn, *http.Request) {
	return func(conn net.Conn, _ *http.Request) {
		io.WriteString(conn, text)
		conn.Close()
	}
}

func reply(code int) string {
	return fmt.Sprintf("HTTP/1.1 %03d Some Text\r\nContent-Length: 0\r\n\r\n", code)
}

func sample() outbox.Entry {
	return outbox.Entry{
		ID: "ob_1", WorkspaceID: "ws", SessionID: "ses", UserID: "ann", Text: "two\nlines <é>",
		Model: json.RawMessage(`{"id":"m"}`), AcceptedAt: time.UnixMilli(1_700_000_000_123).UTC(),
		Status: outbox.StatusDelivering, AttemptNo: 3, Deliverer: Kind,
	}
}

// mine is a send whose lane stays ours.
func mine(e outbox.Entry) delivery.Send {
	return delivery.Send{
		Entry: e,
		Held:  func(context.Context) error { return nil },
		Note:  func(context.Context, string) error { return nil },
	}
}

func deliverer(t *testing.T, address string, options Options) *Deliverer {
	t.Helper()
	d, err := New(address, options)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func wantOutcome(t *testing.T, err error, want outbox.Outcome) {
	t.Helper()
	if got, _ := outbox.OutcomeOf(err); got != want {
		t.Errorf("outcome %d, want %d: %v", got, want, err)
	}
}
