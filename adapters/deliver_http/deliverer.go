package deliverhttp

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/delivery"
)

// Kind names this kind of deliverer.
const Kind = "http"

// Bounds of what is read of an answer, and of the time for it.
const (
	maxHeaderBytes = 64 << 10
	maxBodyBytes   = 64 << 10
	bodyTime       = time.Second // once the status is known
	dialTime       = 30 * time.Second
	handshakeTime  = 15 * time.Second
)

// Options are what a deliverer needs beside the address. The zero value is one
// without authorization.
type Options struct {
	// Token gives what is sent as a bearer token; it is asked before each send, and
	// empty means none. Nil means none. An error keeps the entry from being sent
	// for now, and must not contain the token.
	Token func() (string, error)
}

// Deliverer posts each entry to one address. It is safe for concurrent use.
type Deliverer struct {
	target   target
	token    func() (string, error)
	tls      *tls.Config // certificates are verified
	bodyTime time.Duration
}

var _ delivery.Deliverer = (*Deliverer)(nil)

// New makes a deliverer that posts to an http or https address. One with a user
// or a password in it is refused, and the error, with code Invalid, shows
// neither.
func New(address string, options Options) (*Deliverer, error) {
	target, err := parse(address)
	if err != nil {
		return nil, err
	}
	return &Deliverer{
		target: target, token: options.Token, bodyTime: bodyTime,
		tls: &tls.Config{MinVersion: tls.VersionTLS12, ServerName: target.hostname, NextProtos: []string{"http/1.1"}},
	}, nil
}

// Kind is "http".
func (*Deliverer) Kind() string { return Kind }

// PeerID is empty: the receiver knows a send by the entry's id.
func (*Deliverer) PeerID(outbox.Entry, time.Time) string { return "" }

// Deliver posts one entry. The lease is asked for right before the first byte
// leaves. It returns at most a second after the status of the answer, and at once
// when ctx has ended before that.
func (d *Deliverer) Deliver(ctx context.Context, send delivery.Send) error {
	body, err := json.Marshal(send.Entry)
	if err != nil {
		return outbox.Pointless(fmt.Errorf("entry %s cannot be written as JSON: %w", send.Entry.ID, err))
	}
	token, err := d.bearer()
	if err != nil {
		return outbox.Transient(err)
	}
	request, err := d.request(ctx, send.Entry.ID, token, body)
	if err != nil {
		return outbox.Pointless(scrub(err, token))
	}
	gate := &gate{held: func() error { return cmp.Or(send.Held(ctx), ctx.Err()) }}
	transport := d.transport(gate)
	defer transport.CloseIdleConnections()
	answer, err := transport.RoundTrip(request)
	if err != nil {
		return d.cut(gate, err, token)
	}
	defer answer.Body.Close()
	if sent, _ := gate.shut(); !sent {
		return d.cut(gate, errors.New("it answered before it was asked"), token)
	}
	told := d.read(ctx, answer.Body, gate, token)
	return classify(answer, told, d.target.shown, time.Now())
}

// request is the whole of what is sent. It has no way to give its body again.
func (d *Deliverer) request(ctx context.Context, id, token string, body []byte) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.target.address, io.NopCloser(bytes.NewReader(body)))
	if err != nil {
		return nil, err
	}
	r.ContentLength, r.GetBody = int64(len(body)), nil
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", id)
	r.Header.Set("User-Agent", "tundish")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return r, nil
}

// transport serves one request. It follows no redirect and keeps no cookie: those
// are a client's doing.
func (d *Deliverer) transport(g *gate) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		DialContext: g.dial, DialTLSContext: g.dialTLS(d.tls),
		DisableKeepAlives: true, DisableCompression: true, Protocols: protocols,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
}

// cut classes an error instead of an answer.
func (d *Deliverer) cut(g *gate, err error, token string) error {
	sent, refusal := g.shut()
	if refusal != nil {
		return outbox.Transient(fmt.Errorf("nothing was sent to %s: %w", d.target.shown, refusal))
	}
	err = scrub(err, token)
	if !sent {
		return outbox.Transient(fmt.Errorf("%s cannot be reached: %w", d.target.shown, err))
	}
	return outbox.Ambiguous(fmt.Errorf("%s gave no answer: %w", d.target.shown, err))
}

// bearer gives the token, which has to fit into a header.
func (d *Deliverer) bearer() (string, error) {
	if d.token == nil {
		return "", nil
	}
	token, err := d.token()
	if err != nil {
		return "", fmt.Errorf("the token cannot be read: %w", err)
	}
	for _, r := range token {
		if r <= ' ' || r > '~' {
			return "", errors.New("the token contains a space, a line break or another character that no header can carry")
		}
	}
	return token, nil
}
