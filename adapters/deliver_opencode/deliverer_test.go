package deliveropencode

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/outbox"
)

// The answer to the post is not delivery: only the whole message is.
func TestOUT15_DeliveredOnceStored(t *testing.T) {
	p := startPeer(t, httptest.NewServer)
	p.message = []page{missing(), {500, "later"}, {200, "<html>"}, whole("msg_other"), bare(theMessage), whole(theMessage)}
	d := mustDeliverer(t, p.URL+"/", Options{})
	entry := anEntry()
	entry.Model = json.RawMessage(`{"providerID":"p","modelID":"m"}`)
	if err := d.Deliver(t.Context(), sendOf(entry)); err != nil {
		t.Fatal(err)
	}
	if posts, looks := p.count("POST"), p.count("GET"); posts != 1 || looks != 6 {
		t.Errorf("%d posts and %d looks, want 1 and 6", posts, looks)
	}
	want := `{"messageID":"msg_22f2b0caf0044a1b2c3d4e5f60","model":{"providerID":"p","modelID":"m"},` +
		`"parts":[{"id":"prt_22f2b0caf0044a1b2c3d4e5f60","type":"text","text":"say \"hello\"\n\u003cb\u003e"}]}`
	if p.bodies[0] != want {
		t.Errorf("posted %s, want %s", p.bodies[0], want)
	}
	if path := p.seen[1].URL.Path; path != "/session/ses_1/message/"+theMessage {
		t.Errorf("looked at %s", path)
	}
}

func TestOUT15_TakenButNotShown(t *testing.T) {
	for name, looks := range map[string]page{"absent": missing(), "hollow": bare(theMessage), "refused": {401, ""}, "broken": {200, `{"info":`}} {
		t.Run(name, func(t *testing.T) {
			p := startPeer(t, httptest.NewServer)
			p.message = []page{looks}
			d := mustDeliverer(t, p.URL, Options{})
			d.seenTime = 300 * time.Millisecond
			outcome(t, d.Deliver(t.Context(), sendOf(anEntry())), outbox.UnknownOutcome)
			if p.count("POST") != 1 || p.count("GET") < 2 {
				t.Errorf("%d posts and %d looks", p.count("POST"), p.count("GET"))
			}
		})
	}
}

func TestOUT15_StatusClasses(t *testing.T) {
	classes := map[outbox.Outcome][]int{
		outbox.PointlessOutcome: {301, 302, 304, 307, 308, 400, 401, 403, 404, 405, 410, 413, 415, 422},
		outbox.TransientOutcome: {425, 429, 503},
		outbox.Definitive:       {402, 406, 409, 411, 418, 451, 499},
		outbox.UnknownOutcome:   {408, 500, 501, 502, 504, 507, 599, 700},
	}
	p := startPeer(t, httptest.NewServer)
	d := mustDeliverer(t, p.URL, Options{})
	for want, statuses := range classes {
		for _, status := range statuses {
			p.post = []page{{status, `{"data":{"message":"because of that"}}`}}
			err := d.Deliver(t.Context(), sendOf(anEntry()))
			if got, _ := outbox.OutcomeOf(err); got != want {
				t.Errorf("%d: outcome %d, want %d", status, got, want)
			}
			if status != 304 && !strings.Contains(fmt.Sprint(err), "because of that") {
				t.Errorf("%d: %v does not tell why", status, err)
			}
		}
	}
	if n := p.count("GET"); n != 0 {
		t.Errorf("%d looks after refusals: a redirect was followed, or a message expected", n)
	}
}

func TestOUT15_RetryAfter(t *testing.T) {
	now := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"7": 7 * time.Second, " 7 ": 7 * time.Second, "0": 0, "-3": 0, "x": 0, "": 0, "99999999999999999999999": time.Hour, "7200": time.Hour,
		"Tue, 01 Dec 2026 00:01:00 GMT": time.Minute, "Tue, 01 Dec 2020 00:01:00 GMT": 0, "Fri, 01 Jan 2027 00:00:00 GMT": time.Hour,
	} {
		a := answer{status: 503, header: http.Header{"Retry-After": {value}}}
		if _, after := outbox.OutcomeOf(a.taken(now)); after != want {
			t.Errorf("Retry-After %q: %v, want %v", value, after, want)
		}
	}
}

func TestOUT15_NoConnection(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	d := mustDeliverer(t, "http://"+l.Addr().String(), Options{})
	send := sendOf(anEntry())
	send.Held = func(context.Context) error { t.Error("the lease was asked for without a connection"); return nil }
	outcome(t, d.Deliver(t.Context(), send), outbox.TransientOutcome)
}

// OUT-4: the lease is asked for after all waiting, and without it not a byte
// leaves.
func TestOUT15_LeaseLostBeforeFirstByte(t *testing.T) {
	address, requests := rawPeer(t, hang)
	d := mustDeliverer(t, address, Options{})
	send := sendOf(anEntry())
	send.Held = func(context.Context) error { return outbox.ErrLeaseLost }
	err := d.Deliver(t.Context(), send)
	outcome(t, err, outbox.TransientOutcome)
	if !errors.Is(err, outbox.ErrLeaseLost) {
		t.Errorf("%v does not say that the lease is lost", err)
	}
	if got := <-requests; got != "" {
		t.Errorf("the server got %q", got)
	}
}

func TestOUT15_EndedBeforeFirstByte(t *testing.T) {
	address, requests := rawPeer(t, hang)
	d := mustDeliverer(t, address, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	send := sendOf(anEntry())
	send.Held = func(context.Context) error { cancel(); return nil }
	outcome(t, d.Deliver(ctx, send), outbox.TransientOutcome)
	if got := <-requests; got != "" {
		t.Errorf("the server got %q", got)
	}
}

// Whatever goes wrong once bytes have left leaves the fate open, and nothing is
// sent again.
func TestOUT15_CutAfterFirstByte(t *testing.T) {
	for name, then := range map[string]func(net.Conn){
		"closed":      func(net.Conn) {},
		"reset":       func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) },
		"half a line": func(c net.Conn) { _, _ = c.Write([]byte("HTTP/1.1 20")) },
		"no HTTP":     func(c net.Conn) { _, _ = c.Write([]byte("220 mail\r\n\r\n")) },
		"hangs":       hang,
	} {
		t.Run(name, func(t *testing.T) {
			address, requests := rawPeer(t, then)
			d := mustDeliverer(t, address, Options{})
			outcome(t, d.Deliver(within(t, 300*time.Millisecond), sendOf(anEntry())), outbox.UnknownOutcome)
			if got := <-requests; !strings.HasPrefix(got, "POST /session/ses_1/prompt_async ") {
				t.Errorf("the server got %q", got)
			}
			if n := len(requests); n != 0 {
				t.Errorf("%d more requests", n)
			}
		})
	}
}

// A look that is never answered does not keep the send from ending.
func TestOUT15_LookHangs(t *testing.T) {
	posted := make(chan bool, 1)
	posted <- true
	address, requests := rawPeer(t, func(c net.Conn) {
		select {
		case <-posted:
			_, _ = c.Write([]byte("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"))
		default:
			hang(c)
		}
	})
	d := mustDeliverer(t, address, Options{})
	d.seenTime = 200 * time.Millisecond
	outcome(t, d.Deliver(t.Context(), sendOf(anEntry())), outbox.UnknownOutcome)
	<-requests
	if got := <-requests; !strings.HasPrefix(got, "GET /session/ses_1/message/"+theMessage+" ") {
		t.Errorf("the server got %q", got)
	}
}

func TestOUT15_Login(t *testing.T) {
	p := startPeer(t, httptest.NewServer)
	for given, want := range map[string]string{"": "opencode", "jane": "jane"} {
		d := mustDeliverer(t, p.URL, Options{Login: func() (string, string, error) { return given, "sesame", nil }})
		if err := d.Deliver(t.Context(), sendOf(anEntry())); err != nil {
			t.Fatal(err)
		}
		for _, r := range p.seen {
			if user, password, ok := r.BasicAuth(); !ok || user != want || password != "sesame" {
				t.Errorf("%s %s: %q %q", r.Method, r.URL, user, password)
			}
		}
		p.seen = nil
	}
	d := mustDeliverer(t, p.URL, Options{Login: func() (string, string, error) { return "jane", "", nil }})
	if err := d.Deliver(t.Context(), sendOf(anEntry())); err != nil || p.seen[0].Header.Get("Authorization") != "" {
		t.Errorf("without a password: %v, %q", err, p.seen[0].Header)
	}
	d = mustDeliverer(t, p.URL, Options{Login: func() (string, string, error) { return "", "", errors.New("no such file") }})
	outcome(t, d.Deliver(t.Context(), sendOf(anEntry())), outbox.TransientOutcome)
}

// No error shows a password, whatever the server sends back.
func TestOUT15_SecretsStayIn(t *testing.T) {
	const basic = "b3BlbmNvZGU6c2VzYW1l" // opencode:sesame
	login := Options{Login: func() (string, string, error) { return "", "sesame", nil }}
	for _, echo := range []string{
		"HTTP/1.1 400 Bad\r\nConnection: close\r\n\r\n" + `{"data":{"message":"got sesame"}}`,
		"HTTP/1.1 500 Bad\r\nConnection: close\r\n\r\n" + `{"data":{"message":"got Basic ` + basic + `"}}`,
		"sesame\r\n\r\n", "Basic " + basic + "\r\n\r\n",
	} {
		address, _ := rawPeer(t, func(c net.Conn) { _, _ = c.Write([]byte(echo)) })
		err := mustDeliverer(t, address, login).Deliver(t.Context(), sendOf(anEntry()))
		if err == nil || strings.Contains(err.Error(), "sesame") || strings.Contains(err.Error(), basic) {
			t.Errorf("%q: %v", echo, err)
		}
		v, verr := NewVerifier(address, login)
		if verr != nil {
			t.Fatal(verr)
		}
		verdict, err := v.Verify(t.Context(), anEntry())
		if verdict != outbox.VerdictInconclusive || err == nil || strings.Contains(err.Error(), "sesame") || strings.Contains(err.Error(), basic) {
			t.Errorf("%q: %d %v", echo, verdict, err)
		}
	}
}

func TestOUT15_TLSIsVerified(t *testing.T) {
	p := startPeer(t, httptest.NewTLSServer)
	d := mustDeliverer(t, p.URL, Options{})
	outcome(t, d.Deliver(t.Context(), sendOf(anEntry())), outbox.TransientOutcome)
	if n := p.count("POST"); n != 0 {
		t.Errorf("%d posts to a server that nobody vouches for", n)
	}
	d.server.tls.RootCAs = x509.NewCertPool()
	d.server.tls.RootCAs.AddCert(p.Certificate())
	if err := d.Deliver(t.Context(), sendOf(anEntry())); err != nil || p.count("POST") != 1 {
		t.Errorf("%v, %d posts", err, p.count("POST"))
	}
}

func TestOUT15_Models(t *testing.T) {
	for model, want := range map[string]string{
		"": "", "null": "", `{"providerID":"a"}`: `{"providerID":"a"}`, `"a/b"`: `{"modelID":"b","providerID":"a"}`,
		`"a/b/c"`: `{"modelID":"b/c","providerID":"a"}`,
	} {
		if got, err := modelOf(json.RawMessage(model)); err != nil || string(got) != want {
			t.Errorf("%s: %s %v, want %s", model, got, err, want)
		}
	}
	p := startPeer(t, httptest.NewServer)
	d := mustDeliverer(t, p.URL, Options{})
	for _, model := range []string{`"a"`, `"/b"`, `"a/"`, `7`, `[]`, `true`} {
		entry := anEntry()
		entry.Model = json.RawMessage(model)
		outcome(t, d.Deliver(t.Context(), sendOf(entry)), outbox.PointlessOutcome)
	}
	entry := anEntry()
	entry.SessionID = "../global"
	outcome(t, d.Deliver(t.Context(), sendOf(entry)), outbox.PointlessOutcome)
	entry = anEntry()
	entry.PeerID = ""
	outcome(t, d.Deliver(t.Context(), sendOf(entry)), outbox.Definitive)
	if n := len(p.seen); n != 0 {
		t.Errorf("%d requests for what cannot be sent", n)
	}
}

func TestOUT15_Addresses(t *testing.T) {
	for _, address := range []string{
		"", "localhost:4096", "ftp://localhost", "http://", "http://:4096", "http://u:sesame@localhost", "http://sesame@localhost",
		"http://localhost?directory=/x", "http://localhost/#x", "http://sesame:%zz@localhost", "http://localhost:port/sesame",
	} {
		_, err := New(address, Options{})
		_, verr := NewVerifier(address, Options{})
		var wrong *domain.Error
		if !errors.As(err, &wrong) || wrong.Code != domain.Invalid || !errors.As(verr, &wrong) {
			t.Errorf("%q: %v, %v", address, err, verr)
		} else if strings.Contains(err.Error(), "sesame") {
			t.Errorf("%q: %v shows a secret", address, err)
		}
	}
	for text, want := range map[string]address{
		"http://localhost:4096/":  {dial: "localhost:4096", host: "localhost:4096"},
		"https://code.test/a%2Fb": {secure: true, dial: "code.test:443", host: "code.test", prefix: "/a%2Fb"},
		"http://[::1]":            {dial: "[::1]:80", host: "[::1]"},
	} {
		if got, err := parse(text); err != nil || got != want {
			t.Errorf("%q: %+v %v", text, got, err)
		}
	}
}
