package mcp

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tundish-go/tundish/adapters/jq"
	"github.com/tundish-go/tundish/adapters/memory"
	"github.com/tundish-go/tundish/adapters/payload"
	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/cmd/tundish/internal/cli"
	"github.com/tundish-go/tundish/ports/storage"
)

// piped is an output whose deadlines hold, as those of the program's own do.
type piped struct{ *os.File }

// store lets a test stand between a unit of work and its commit.
type store struct {
	storage.Store
	atCommit func() error
	failed   chan struct{} // gets a token for each unit of work that was rolled back
}

func (s *store) Update(ctx context.Context, fn func(storage.Writer) error) error {
	err := s.Store.Update(ctx, func(tx storage.Writer) error {
		if err := fn(tx); err != nil {
			return err
		}
		if s.atCommit != nil {
			return s.atCommit()
		}
		return nil
	})
	if err != nil {
		s.failed <- struct{}{}
	}
	return err
}

// house is a server on the reference store, with the other ends of its pipes.
type house struct {
	*testing.T
	inbox   *app.Inbox
	store   *store
	stop    context.CancelFunc // as a signal does
	toIt    *os.File
	fromIt  *os.File
	output  cli.Output
	served  error
	over    chan struct{} // Serve has returned
	mu      sync.Mutex
	notes   []string
	session *sdk.ClientSession
}

func newHouse(t *testing.T, as string, change ...func(*house)) *house {
	t.Helper()
	h := &house{T: t, store: &store{Store: memory.New().Open(), failed: make(chan struct{}, 9)}, over: make(chan struct{})}
	var err error
	h.inbox, err = app.New(app.Options{Store: h.store, Expressions: jq.New(), Payloads: payload.New()})
	h.must(err)
	in, toIt := h.pipe()
	fromIt, out := h.pipe()
	h.toIt, h.fromIt, h.output = toIt, fromIt, piped{out}
	for _, c := range change {
		c(h)
	}
	ctx, stop := context.WithCancel(t.Context())
	h.stop = stop
	desk := cli.Desk{
		Version: "test", Subscriber: as, MaxBytes: 9000, Input: in, Output: h.output,
		Now:   time.Now,
		Inbox: func(_ context.Context, do func(*app.Inbox) error) error { return do(h.inbox) },
		Note: func(format string, args ...any) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.notes = append(h.notes, fmt.Sprintf(format, args...))
		},
	}
	go func() {
		defer close(h.over)
		h.served = Serve(ctx, desk)
		out.Close()
	}()
	t.Cleanup(func() {
		stop()
		h.end()
		in.Close()
		fromIt.Close()
	})
	return h
}

func (h *house) pipe() (r, w *os.File) {
	h.Helper()
	r, w, err := os.Pipe()
	h.must(err)
	return r, w
}

func (h *house) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// connect lets a client of the SDK in.
func (h *house) connect() *house {
	h.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	var err error
	h.session, err = client.Connect(h.Context(), &sdk.IOTransport{Reader: h.fromIt, Writer: h.toIt}, nil)
	h.must(err)
	h.Cleanup(func() { _ = h.session.Close() })
	return h
}

// end closes the input, and waits for the end of the server.
func (h *house) end() {
	if h.session != nil {
		_ = h.session.Close()
	}
	_ = h.toIt.Close()
	<-h.over
}

// call calls a tool and answers its text.
func (h *house) call(name string, arguments any) (text string, result *sdk.CallToolResult) {
	h.Helper()
	ctx, cancel := context.WithTimeout(h.Context(), time.Minute)
	defer cancel()
	result, err := h.session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: arguments})
	h.must(err)
	return textOf(h.T, result), result
}

// good calls a tool that must not fail.
func (h *house) good(name string, arguments any) string {
	h.Helper()
	text, result := h.call(name, arguments)
	for result.IsError && strings.Contains(text, unmarked) {
		text, result = h.call(name, arguments)
	}
	if result.IsError {
		h.Fatalf("%s: %s", name, text)
	}
	return text
}

// bad calls a tool that must fail, and wants these words in its text.
func (h *house) bad(name string, arguments any, words ...string) {
	h.Helper()
	text, result := h.call(name, arguments)
	for _, word := range words {
		if !result.IsError || !strings.Contains(text, word) || result.StructuredContent != nil {
			h.Errorf("%s of %v: error %v, %q; want %q", name, arguments, result.IsError, text, word)
		}
	}
}

func textOf(t *testing.T, result *sdk.CallToolResult) string {
	t.Helper()
	if len(result.Content) != 1 {
		t.Fatalf("%d contents", len(result.Content))
	}
	text, ok := result.Content[0].(*sdk.TextContent)
	if !ok {
		t.Fatalf("a content of type %T", result.Content[0])
	}
	return text.Text
}

type args map[string]any

// cursor is where the only binding stands.
func (h *house) cursor() int64 {
	h.Helper()
	lines, err := h.inbox.Status(context.Background())
	h.must(err)
	return lines[0].Cursor
}
