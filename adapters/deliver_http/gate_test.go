package deliverhttp

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
)

// silent accepts connections and gives all that each of them brings.
func silent(t *testing.T) (address string, brought <-chan string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	all, done := make(chan string, 8), make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			data, _ := io.ReadAll(conn)
			conn.Close()
			all <- string(data)
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return l.Addr().String(), all
}

// OUT-15, OUT-4: the lease is asked for once, right before the first byte: without
// it none leaves, and neither does one after the time is up.
func TestOUT15_NothingIsSentWithoutTheLease(t *testing.T) {
	fault := errors.New("no answer")
	for _, want := range []error{outbox.ErrLeaseLost, fault, nil} {
		address, brought := silent(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		send := mine(sample())
		asked := 0
		send.Held = func(ctx context.Context) error {
			asked++
			if want == nil { // ours, but the answer comes too late
				cancel()
				<-ctx.Done()
			}
			return want
		}
		err := deliverer(t, "http://"+address, Options{}).Deliver(ctx, send)
		wantOutcome(t, err, outbox.TransientOutcome)
		if want != nil && !errors.Is(err, want) || asked != 1 {
			t.Errorf("asked %d times: %v", asked, err)
		}
		if got := <-brought; got != "" {
			t.Errorf("%q was sent", got)
		}
	}
}

// OUT-15: a long entry needs many writes and one question.
func TestOUT15_TheLeaseIsAskedForOnce(t *testing.T) {
	p := newPeer(t, say(reply(204)))
	entry, asked := sample(), 0
	entry.Text = strings.Repeat("<", outbox.MaxTextBytes)
	send := mine(entry)
	send.Held = func(context.Context) error {
		if requests, _ := p.seen(); len(requests) > 0 {
			t.Error("asked too late")
		}
		asked++
		return nil
	}
	err := deliverer(t, p.url(), Options{}).Deliver(t.Context(), send)
	requests, _ := p.seen()
	if err != nil || asked != 1 || len(requests) != 1 || len(requests[0].body) < outbox.MaxTextBytes {
		t.Errorf("asked %d times, %d requests, %v", asked, len(requests), err)
	}
}

// OUT-15: what fails before the first byte is transient.
func TestOUT15_NoConnection(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	for _, address := range []string{"http://" + l.Addr().String(), "https://" + l.Addr().String(), "http://no-such-host.invalid:1/"} {
		send := mine(sample())
		send.Held = func(context.Context) error { t.Error("asked without a connection"); return nil }
		wantOutcome(t, deliverer(t, address, Options{}).Deliver(t.Context(), send), outbox.TransientOutcome)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	p := newPeer(t, say(reply(200)))
	wantOutcome(t, deliverer(t, p.url(), Options{}).Deliver(over, mine(sample())), outbox.TransientOutcome)
}

// OUT-15: certificates are verified, and bytes of TLS are none of the request.
func TestOUT15_TLS(t *testing.T) {
	var requests atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if r.ProtoMajor != 1 {
			t.Errorf("spoken is %s", r.Proto)
		}
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	held := 0
	send := mine(sample())
	send.Held = func(context.Context) error { held++; return nil }

	d := deliverer(t, server.URL, Options{})
	wantOutcome(t, d.Deliver(t.Context(), send), outbox.TransientOutcome)
	if requests.Load() != 0 || held != 0 {
		t.Errorf("an unknown server got %d requests, asked %d times", requests.Load(), held)
	}
	d.tls.RootCAs = x509.NewCertPool()
	d.tls.RootCAs.AddCert(server.Certificate())
	wantOutcome(t, d.Deliver(t.Context(), send), outbox.Delivered)
	if requests.Load() != 1 || held != 1 {
		t.Errorf("%d requests, asked %d times", requests.Load(), held)
	}

	plain := newPeer(t, say(reply(200)))
	d = deliverer(t, strings.Replace(plain.url(), "http:", "https:", 1), Options{})
	wantOutcome(t, d.Deliver(t.Context(), send), outbox.TransientOutcome)

	address, _ := silent(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	d = deliverer(t, "https://"+address, Options{})
	wantOutcome(t, d.Deliver(ctx, send), outbox.TransientOutcome)
	if held != 1 {
		t.Errorf("asked %d times, the last without TLS", held)
	}
}

// OUT-15: once the send is over no first byte leaves, even if the answer to the
// question is still on its way then.
func TestOUT15_TheGateStaysShut(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	answer := make(chan error)
	asked := make(chan struct{})
	g := &gate{held: func() error { close(asked); return <-answer }}
	conn := g.guard(near)
	wrote := make(chan error, 1)
	go func() {
		_, err := conn.Write([]byte("x"))
		wrote <- err
	}()
	<-asked
	shut := make(chan bool, 1)
	go func() {
		sent, _ := g.shut()
		shut <- sent
	}()
	for over := false; !over; {
		g.mu.Lock()
		over = g.state == closed
		g.mu.Unlock()
	}
	answer <- nil
	if err := <-wrote; !errors.Is(err, errOver) {
		t.Errorf("the byte was let through: %v", err)
	}
	if <-shut {
		t.Error("a byte is said to have left")
	}
	if _, err := conn.Write([]byte("y")); !errors.Is(err, errOver) {
		t.Errorf("the next byte was let through: %v", err)
	}
}

// OUT-15: a first write that takes no byte leaves the entry unsent, and one that
// has not ended may have sent it.
func TestOUT15_TheFirstWrite(t *testing.T) {
	yes := func() error { return nil }
	near, far := net.Pipe()
	near.Close()
	g := &gate{held: yes}
	if _, err := g.guard(near).Write([]byte("x")); err == nil {
		t.Error("wrote to a closed connection")
	}
	if sent, _ := g.shut(); sent {
		t.Error("a byte is said to have left")
	}
	far.Close()

	near, far = net.Pipe()
	g = &gate{held: yes}
	conn := g.guard(near)
	wrote := make(chan error, 1)
	go func() {
		_, err := conn.Write([]byte("xy"))
		wrote <- err
	}()
	if _, err := far.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if sent, _ := g.shut(); !sent {
		t.Error("no byte is said to have left during a write")
	}
	far.Close()
	if err := <-wrote; err == nil {
		t.Error("wrote in full")
	}
	if sent, _ := g.shut(); !sent {
		t.Error("no byte is said to have left after a part of them")
	}
}

// OUT-15: a send has one connection.
func TestOUT15_OneConnection(t *testing.T) {
	address, _ := silent(t)
	g := &gate{}
	conn, err := g.dial(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := g.dial(t.Context(), "tcp", address); err == nil {
		t.Error("dialed twice")
	}
}
