//go:build unix

package peers_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// wire lies between a worker and a server. It counts the prompts that pass, and can
// strike in the moment in which the server has answered to one and the worker does
// not know it yet.
type wire struct {
	*httptest.Server
	target string

	mu      sync.Mutex
	prompts []string // bodies
	strike  func()   // at the next answer to a prompt; nil to let it pass
	cut     bool     // keep that answer back
}

func startWire(t *testing.T, target string) *wire {
	w := &wire{target: target}
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.Close)
	return w
}

// onAnswer sets what happens at the next answer to a prompt.
func (w *wire) onAnswer(cut bool, strike func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut, w.strike = cut, strike
}

func (w *wire) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	prompt := r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/prompt_async")
	if prompt {
		w.mu.Lock()
		w.prompts = append(w.prompts, string(body))
		w.mu.Unlock()
	}
	request, err := http.NewRequestWithContext(r.Context(), r.Method, w.target+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	request.Header = r.Header.Clone()
	transport := &http.Transport{DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	answer, err := transport.RoundTrip(request)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer answer.Body.Close()
	if prompt && w.struck() {
		panic(http.ErrAbortHandler)
	}
	out.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(out, answer.Body)
}

// struck strikes if that is due, and tells whether the answer is to be kept back.
func (w *wire) struck() bool {
	w.mu.Lock()
	strike, cut := w.strike, w.cut
	w.strike = nil
	w.mu.Unlock()
	if strike == nil {
		return false
	}
	strike()
	return cut
}

// passed gives the bodies of the prompts so far.
func (w *wire) passed() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.prompts...)
}
