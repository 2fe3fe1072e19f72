package deliverhttp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tundish-go/tundish/adapters/internal/httpanswer"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/outbox"
)

// OUT-15: an address is refused by an error that names it, without a password.
func TestOUT15_Addresses(t *testing.T) {
	for address, names := range map[string]string{
		"":                              `""`,
		"ftp://host/":                   "ftp://host/",
		"http:///path":                  "http:///path",
		"https://":                      "https:",
		"http://host/#part":             "http://host/",
		"http://ho st/":                 "ho st",
		"http://ann:hunter2@host/in":    "http://host/in",
		"https://hunter2@host/in":       "https://host/in",
		"http://ann:hunter2%zz@host/":   "not a URL",
		"http://ann:hunter2@host:port/": "not a URL",
		"http:hunter2@host":             "http:…",
	} {
		_, err := New(address, Options{})
		if domain.CodeOf(err) != domain.Invalid || !strings.Contains(err.Error(), names) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"http://host", "https://[::1]:8443/a?b=c", "HTTP://host/"} {
		if _, err := New(address, Options{}); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// OUT-15: without a fit token nothing is sent.
func TestOUT15_UnfitTokens(t *testing.T) {
	p := newPeer(t, say(reply(200)))
	fault := errors.New("no such file")
	for _, token := range []func() (string, error){
		func() (string, error) { return "", fault },
		func() (string, error) { return "hunter2\r\nX: y", nil },
		func() (string, error) { return "hunter2 ", nil },
		func() (string, error) { return "hunter2\xff", nil },
	} {
		err := deliverer(t, p.url(), Options{Token: token}).Deliver(t.Context(), mine(sample()))
		wantOutcome(t, err, outbox.TransientOutcome)
		if strings.Contains(err.Error(), "hunter2") {
			t.Error(err)
		}
	}
	if requests, _ := p.seen(); len(requests) != 0 {
		t.Errorf("%q was sent", requests)
	}
	if err := deliverer(t, p.url(), Options{Token: func() (string, error) { return "", nil }}).Deliver(t.Context(), mine(sample())); err != nil {
		t.Errorf("no token: %v", err)
	}
}

// OUT-15: no error shows the token or the query, whatever the peer sends back.
func TestOUT15_ErrorsHideTheToken(t *testing.T) {
	const token = `s3cret"of\the-receiver`
	header := "HTTP/1.1 500 No\r\nConnection: close\r\n\r\n"
	for name, answer := range map[string]func(net.Conn, *http.Request){
		"body":     sayAndCut(header + "you sent " + token + " here"),
		"edge":     sayAndCut(header + strings.Repeat("x", maxQuote-5) + token + " here"),
		"far":      sayAndCut(header + strings.Repeat("x", maxQuote) + token),
		"status":   sayAndCut(token + "\r\n\r\n"),
		"header":   sayAndCut("HTTP/1.1 200 OK\r\nAuthorization Bearer " + token + "\r\n\r\n"),
		"protocol": sayAndCut("HTTP/" + token + " 200 OK\r\n\r\n"),
	} {
		p := newPeer(t, answer)
		d := deliverer(t, p.url()+"?key=hunter2", Options{Token: func() (string, error) { return token, nil }})
		err := d.Deliver(t.Context(), mine(sample()))
		wantOutcome(t, err, outbox.UnknownOutcome)
		if text := fmt.Sprintf("%v %q", err, err); strings.Contains(text, token[:5]) || strings.Contains(text, "hunter2") {
			t.Errorf("%s: %s", name, text)
		}
	}
	d := deliverer(t, "http://127.0.0.1:1/?key=hunter2", Options{Token: func() (string, error) { return token, nil }})
	if text := d.Deliver(t.Context(), mine(sample())).Error(); strings.Contains(text, "hunter2") || strings.Contains(text, token[:5]) {
		t.Error(text)
	}
}

// OUT-15: the error says what the peer said, in one line of at most 1 KiB.
func TestOUT15_TheErrorQuotesThePeer(t *testing.T) {
	for body, want := range map[string]string{
		"":                            "answered 422 Unprocessable Entity",
		"\tno such\nsession\t\n":      `Unprocessable Entity: no such\u000asession`,
		strings.Repeat("\x01é", 5000): `\u0001é`,
	} {
		p := newPeer(t, sayAndCut("HTTP/1.1 422 Whatever\r\nConnection: close\r\n\r\n"+body))
		text := deliverer(t, p.url(), Options{}).Deliver(t.Context(), mine(sample())).Error()
		if !strings.Contains(text, want) || len(text) > outbox.MaxErrorBytes || strings.ContainsAny(text, "\x01\n\uFFFD") {
			t.Errorf("%d bytes: %s", len(text), text)
		}
	}
}

// OUT-15: Retry-After is seconds or a date, and at most an hour.
func TestOUT15_RetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "soon": 0, "-5": 0, "1.5": 0, "0": 0, "7": 7 * time.Second, " 7 ": 7 * time.Second,
		"3600": time.Hour, "3601": time.Hour, "99999999999999999999999": time.Hour, "9223372036854775807": time.Hour,
		"Sun, 01 Mar 2026 12:00:30 GMT":  30 * time.Second,
		"Sun, 01 Mar 2026 11:59:30 GMT":  0,
		"Sun, 01 Mar 2099 12:00:00 GMT":  time.Hour,
		"Sunday, 01-Mar-26 12:00:30 GMT": 30 * time.Second,
	} {
		if got := httpanswer.RetryAfter(value, now); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
	for code, want := range map[int]time.Duration{425: time.Minute, 429: time.Minute, 503: time.Minute, 500: 0, 409: 0, 404: 0} {
		answer := &http.Response{StatusCode: code, Header: http.Header{"Retry-After": {"60"}}, Body: io.NopCloser(bytes.NewReader(nil))}
		if _, got := outbox.OutcomeOf(classify(answer, "", "x", now)); got != want {
			t.Errorf("status %d: %v, want %v", code, got, want)
		}
	}
	p := newPeer(t, say("HTTP/1.1 503 Busy\r\nRetry-After: 120\r\nContent-Length: 0\r\n\r\n"))
	outcome, after := outbox.OutcomeOf(deliverer(t, p.url(), Options{}).Deliver(t.Context(), mine(sample())))
	if outcome != outbox.TransientOutcome || after != 2*time.Minute {
		t.Errorf("outcome %d, after %v", outcome, after)
	}
}
