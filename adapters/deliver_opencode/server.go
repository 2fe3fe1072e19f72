package deliveropencode

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Bounds of one exchange.
const (
	dialTime       = 10 * time.Second // the handshake of TLS included
	maxHeaderBytes = 64 << 10
	maxBodyBytes   = 4 << 20 // a message of the longest text, escaped, and what plugins add
)

// defaultUser is the name that the server expects when it was given none.
const defaultUser = "opencode"

// Options are what is needed beside the address. The zero value is for a server
// without a password.
type Options struct {
	// Login gives the user, "opencode" if empty, and the password; it is asked
	// before each exchange, and an empty password means none. Nil means none. An
	// error keeps the request from being sent, and must not contain the password.
	Login func() (user, password string, err error)
}

// server speaks HTTP with one server.
type server struct {
	address
	login func() (string, string, error)
	tls   *tls.Config // certificates are verified
}

func newServer(text string, options Options) (server, error) {
	a, err := parse(text)
	if err != nil {
		return server{}, err
	}
	name, _, err := net.SplitHostPort(a.dial)
	if err != nil {
		return server{}, invalid(remedy, "the address of the opencode server has a malformed host")
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: name}
	return server{address: a, login: options.Login, tls: config}, nil
}

// answer is what the server said.
type answer struct {
	status int
	header http.Header
	body   []byte // up to maxBodyBytes, or to where the connection broke

	secrets []string // that the server may have sent back
}

// unsentError says that no byte of a request left.
type unsentError struct{ err error }

func (e *unsentError) Error() string { return e.err.Error() }
func (e *unsentError) Unwrap() error { return e.err }

// ask does one exchange within limit, over a connection of its own: on a kept one
// a cut would leave open whether the server had the request, and the transport
// might send it twice. Held is asked right before the first byte.
func (s server) ask(ctx context.Context, method, path string, body []byte, limit time.Duration, held func() error) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	request, secrets, err := s.request(ctx, method, path, body)
	if err != nil {
		return answer{}, &unsentError{err}
	}
	conn, err := s.connect(ctx)
	if err != nil {
		return answer{}, &unsentError{fmt.Errorf("opencode cannot be reached: %w", err)}
	}
	defer conn.Close()
	if err := held(); err != nil {
		return answer{}, &unsentError{err}
	}
	if ctx.Err() != nil {
		return answer{}, &unsentError{context.Cause(ctx)}
	}
	transport := &http.Transport{
		DialContext:       func(context.Context, string, string) (net.Conn, error) { return conn, nil },
		DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: maxHeaderBytes,
	}
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err != nil {
		return answer{}, scrub(fmt.Errorf("opencode gave no answer: %w", err), secrets)
	}
	defer response.Body.Close()
	told, _ := io.ReadAll(io.LimitReader(response.Body, maxBodyBytes)) // a torn body makes no sense later on
	return answer{response.StatusCode, response.Header, told, secrets}, nil
}

// request is the whole of what is sent, and what of it must not be shown.
func (s server) request(ctx context.Context, method, path string, body []byte) (*http.Request, []string, error) {
	var content io.Reader
	if body != nil {
		content = io.NopCloser(bytes.NewReader(body)) // cannot be given again
	}
	request, err := http.NewRequestWithContext(ctx, method, s.url(path), content)
	if err != nil {
		return nil, nil, err
	}
	request.Header.Set("User-Agent", "tundish")
	request.Header.Set("Accept", "application/json")
	if body != nil {
		request.ContentLength = int64(len(body))
		request.Header.Set("Content-Type", "application/json")
	}
	if s.login == nil {
		return request, nil, nil
	}
	user, password, err := s.login()
	if err != nil {
		return nil, nil, fmt.Errorf("the password of opencode cannot be read: %w", err)
	}
	if password == "" {
		return request, nil, nil
	}
	if user == "" {
		user = defaultUser
	}
	request.SetBasicAuth(user, password)
	return request, []string{password, base64.StdEncoding.EncodeToString([]byte(user + ":" + password))}, nil
}

func (s server) connect(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	if s.secure {
		return (&tls.Dialer{Config: s.tls}).DialContext(ctx, "tcp", s.dial)
	}
	return new(net.Dialer).DialContext(ctx, "tcp", s.dial)
}

// scrub takes secrets out of an error, for one that quotes a server which sends
// back what it got.
func scrub(err error, secrets []string) error {
	if shows(err.Error(), secrets) {
		return errors.New("opencode gave no answer that can be shown")
	}
	return err
}

func shows(text string, secrets []string) bool {
	return slices.ContainsFunc(secrets, func(secret string) bool { return strings.Contains(text, secret) })
}
