package deliveropencode

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/delivery"
)

const (
	theSession = "ses_1"
	theEntry   = "ob_0190f3a1-7c2b-7d3e-8f4a-1b2c3d4e5f60"
	theMessage = "msg_22f2b0caf0044a1b2c3d4e5f60"
)

// anEntry is one whose first send is about to begin.
func anEntry() outbox.Entry {
	return outbox.Entry{
		ID: theEntry, WorkspaceID: "w", SessionID: theSession, Text: "say \"hello\"\n<b>", Status: outbox.StatusDelivering,
		AttemptNo: 1, Deliverer: Kind, PeerID: theMessage,
	}
}

func sendOf(entry outbox.Entry) delivery.Send {
	return delivery.Send{Entry: entry, Held: func(context.Context) error { return nil }}
}

// page is one answer.
type page struct {
	status int
	body   string
}

func whole(id string) page {
	return page{200, fmt.Sprintf(`{"info":{"id":%q},"parts":[{"id":"prt_1","type":"text","text":"x"}]}`, id)}
}

func bare(id string) page { return page{200, fmt.Sprintf(`{"info":{"id":%q},"parts":[]}`, id)} }

func missing() page {
	return page{404, `{"name":"NotFoundError","data":{"message":"Message not found"}}`}
}

func known() page { return page{200, `{"id":"` + theSession + `","slug":"x"}`} }

// peer is an HTTP server that plays scripts. The last page of each is repeated.
type peer struct {
	*httptest.Server
	mu      sync.Mutex
	post    []page
	message []page
	session []page
	seen    []*http.Request // in order
	bodies  []string        // of the posts
}

func startPeer(t *testing.T, start func(http.Handler) *httptest.Server) *peer {
	p := &peer{post: []page{{204, ""}}, session: []page{known()}, message: []page{whole(theMessage)}}
	p.Server = start(http.HandlerFunc(p.serve))
	t.Cleanup(p.Close)
	return p
}

func (p *peer) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	p.mu.Lock()
	p.seen = append(p.seen, r)
	script := &p.session
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/session/"+theSession+"/prompt_async":
		p.bodies = append(p.bodies, string(body))
		script = &p.post
	case r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/message/"):
		script = &p.message
	}
	next := (*script)[0]
	if len(*script) > 1 {
		*script = (*script)[1:]
	}
	p.mu.Unlock()
	if next.status/100 == 3 {
		w.Header().Set("Location", "/elsewhere")
	}
	w.WriteHeader(next.status)
	_, _ = io.WriteString(w, next.body)
}

func (p *peer) count(method string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, r := range p.seen {
		if r.Method == method {
			n++
		}
	}
	return n
}

func mustDeliverer(t *testing.T, address string, options Options) *Deliverer {
	t.Helper()
	d, err := New(address, options)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// rawPeer accepts connections, reads one request from each and then does what it
// is told with the connection; the channel gets every request.
func rawPeer(t *testing.T, then func(net.Conn)) (address string, requests <-chan string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan string, 100)
	var serving sync.WaitGroup
	t.Cleanup(func() { l.Close(); serving.Wait() })
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer conn.Close()
				got <- readRequest(conn)
				then(conn)
			})
		}
	})
	return "http://" + l.Addr().String(), got
}

// readRequest reads up to the end of a request, or of the connection.
func readRequest(conn net.Conn) string {
	var all bytes.Buffer
	buffer := make([]byte, 4096)
	for {
		n, err := conn.Read(buffer)
		all.Write(buffer[:n])
		head, body, ended := strings.Cut(all.String(), "\r\n\r\n")
		if err != nil || ended && (strings.HasPrefix(head, "GET ") || json.Valid([]byte(body))) {
			return all.String()
		}
	}
}

// hang keeps a connection open until the other side gives up.
func hang(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

func outcome(t *testing.T, err error, want outbox.Outcome) {
	t.Helper()
	if got, _ := outbox.OutcomeOf(err); got != want {
		t.Errorf("outcome %d of error %v, want %d", got, err, want)
	}
}

func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}
