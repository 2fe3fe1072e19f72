package deliverhttp

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tundish-go/tundish/domain/outbox"
)

// OUT-15: one POST of the entry as JSON, which names the entry as its key.
func TestOUT15_TheRequest(t *testing.T) {
	want, err := json.Marshal(sample())
	if err != nil {
		t.Fatal(err)
	}
	var requests int
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != string(want) || r.ContentLength != int64(len(want)) {
			t.Errorf("body %s of %d bytes, %v", body, r.ContentLength, err)
		}
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Idempotency-Key": "ob_1", "Authorization": "Bearer t0ken", "Connection": "close",
		} {
			if got := r.Header.Get(name); got != value {
				t.Errorf("%s is %q, want %q", name, got, value)
			}
		}
		if r.Method != http.MethodPost || r.URL.String() != "/a/b?c=d" || r.Proto != "HTTP/1.1" {
			t.Errorf("%s %s %s", r.Method, r.URL, r.Proto)
		}
		w.WriteHeader(http.StatusAccepted)
	}))
	defer server.Close()
	d := deliverer(t, server.URL+"/a/b?c=d", Options{Token: func() (string, error) { return "t0ken", nil }})
	if err := d.Deliver(t.Context(), mine(sample())); err != nil || requests != 1 {
		t.Errorf("%d requests, %v", requests, err)
	}
}

// OUT-15: every status has its class.
func TestOUT15_StatusClasses(t *testing.T) {
	class := func(code int) outbox.Outcome {
		switch {
		case code >= 200 && code < 300:
			return outbox.Delivered
		case code >= 300 && code < 400:
			return outbox.PointlessOutcome
		}
		switch code {
		case 400, 401, 403, 404, 405, 410, 413, 415, 422:
			return outbox.PointlessOutcome
		case 425, 429, 503:
			return outbox.TransientOutcome
		case 408:
			return outbox.UnknownOutcome
		}
		if code >= 400 && code < 500 {
			return outbox.Definitive
		}
		return outbox.UnknownOutcome
	}
	answers := make(chan int, 1)
	p := newPeer(t, func(conn net.Conn, r *http.Request) { sayAndCut(reply(<-answers))(conn, r) })
	d := deliverer(t, p.url(), Options{})
	codes := []int{0, 99, 600, 999}
	for code := 100; code <= 599; code++ {
		codes = append(codes, code)
	}
	for _, code := range codes {
		answers <- code
		err := d.Deliver(t.Context(), mine(sample()))
		if got, _ := outbox.OutcomeOf(err); got != class(code) {
			t.Errorf("status %d: outcome %d, want %d: %v", code, got, class(code), err)
		}
	}
	if requests, conns := p.seen(); len(requests) != len(codes) || conns != len(codes) {
		t.Errorf("%d requests over %d connections, want %d", len(requests), conns, len(codes))
	}
}

// OUT-15: an answer that comes in pieces, or not in full.
func TestOUT15_Answers(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer func(net.Conn, *http.Request)
		want   outbox.Outcome
	}{
		{"none", sayAndCut(""), outbox.UnknownOutcome},
		{"half a status", sayAndCut("HTTP/1.1 20"), outbox.UnknownOutcome},
		{"half a header", sayAndCut("HTTP/1.1 200 OK\r\nContent-Le"), outbox.UnknownOutcome},
		{"half a body", sayAndCut("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), outbox.Delivered},
		{"half a refusal", sayAndCut("HTTP/1.1 422 No\r\nContent-Length: 10\r\n\r\nhalf"), outbox.PointlessOutcome},
		{"another protocol", sayAndCut("SSH-2.0-x\r\n"), outbox.UnknownOutcome},
		{"HTTP/1.0", sayAndCut("HTTP/1.0 200 OK\r\n\r\nall"), outbox.Delivered},
		{"hints first", say("HTTP/1.1 103 Early Hints\r\n\r\n" + reply(200)), outbox.Delivered},
		{"a header without end", sayAndCut("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20)), outbox.UnknownOutcome},
		{"a body without end", endless("HTTP/1.1 200 OK\r\n\r\n"), outbox.Delivered},
		{"an error without end", endless("HTTP/1.1 500 No\r\n\r\n"), outbox.UnknownOutcome},
		{"reset", func(conn net.Conn, _ *http.Request) {
			conn.(*net.TCPConn).SetLinger(0)
			conn.Close()
		}, outbox.UnknownOutcome},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPeer(t, tt.answer)
			wantOutcome(t, deliverer(t, p.url(), Options{}).Deliver(t.Context(), mine(sample())), tt.want)
			if requests, conns := p.seen(); len(requests) != 1 || conns != 1 {
				t.Errorf("%d requests over %d connections", len(requests), conns)
			}
		})
	}
}

// endless goes on writing until nobody listens.
func endless(text string) func(net.Conn, *http.Request) {
	return func(conn net.Conn, _ *http.Request) {
		for ; ; text = strings.Repeat("x", 1<<10) {
			if _, err := io.WriteString(conn, text); err != nil {
				return
			}
		}
	}
}

// OUT-15: a peer that keeps a connection open, stores the next request and cuts
// gets each entry once.
func TestOUT15_NoRequestIsRepeated(t *testing.T) {
	first := true
	p := newPeer(t, func(conn net.Conn, r *http.Request) {
		if !first {
			conn.Close()
			return
		}
		first = false
		say("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n")(conn, r)
	})
	d := deliverer(t, p.url(), Options{})
	one, two := sample(), sample()
	two.ID = "ob_2"
	wantOutcome(t, d.Deliver(t.Context(), mine(one)), outbox.Delivered)
	wantOutcome(t, d.Deliver(t.Context(), mine(two)), outbox.UnknownOutcome)
	requests, conns := p.seen()
	if len(requests) != 2 || requests[0].id != "ob_1" || requests[1].id != "ob_2" || conns != 2 {
		t.Errorf("%d connections brought %q", conns, requests)
	}
}

// OUT-15: a peer that stores and then says nothing leaves the outcome open when
// the time is up, and one that says no without an end is left after its status.
func TestOUT15_APeerThatHangs(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := newPeer(t, func(net.Conn, *http.Request) { cancel() })
	wantOutcome(t, deliverer(t, p.url(), Options{}).Deliver(ctx, mine(sample())), outbox.UnknownOutcome)

	p = newPeer(t, say("HTTP/1.1 404 No\r\nContent-Length: 10\r\n\r\nhalf"))
	d := deliverer(t, p.url(), Options{})
	d.bodyTime = 1
	wantOutcome(t, d.Deliver(t.Context(), mine(sample())), outbox.PointlessOutcome)
}

// OUT-15: no redirect is followed.
func TestOUT15_RedirectsAreRefused(t *testing.T) {
	away := newPeer(t, say(reply(200)))
	for _, code := range []string{"301", "302", "303", "307", "308"} {
		p := newPeer(t, say("HTTP/1.1 "+code+" Away\r\nLocation: "+away.url()+"\r\nContent-Length: 0\r\n\r\n"))
		wantOutcome(t, deliverer(t, p.url(), Options{}).Deliver(t.Context(), mine(sample())), outbox.PointlessOutcome)
	}
	if requests, conns := away.seen(); conns != 0 {
		t.Errorf("%q went elsewhere", requests)
	}
}

// OUT-15: the environment names no proxy.
func TestOUT15_NoProxy(t *testing.T) {
	d := deliverer(t, "http://192.0.2.1/", Options{})
	if d.transport(&gate{}).Proxy != nil {
		t.Error("a proxy would be asked")
	}
}
