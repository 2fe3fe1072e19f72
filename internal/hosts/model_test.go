//go:build unix

package hosts_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// reply is what the model says when it has nothing to call.
const reply = "The model has answered."

// errand begins the prompt of a subagent.
const errand = "An errand for a subagent"

// enough bounds the requests of one run: a hook that keeps a turn alive for ever
// would not end it.
const enough = 40

// call is a tool that the model wants to be run.
type call struct {
	id   string
	name string
	args map[string]any
}

// step is what the model does at a request that brings no new item.
type step struct {
	arrive string // the mail that arrives while the model thinks; empty: none
	calls  []call // none: it says reply
}

// question is what the model reads of a request, whoever's language that is in.
type question struct {
	Model  string
	Stream bool
	Tools  bool   // a request for a title has none
	User   string // what was said first, as JSON
}

// dialect is an API of a language model.
type dialect struct {
	route  string // the end of the path
	read   func(body []byte) (question, error)
	answer func(w http.ResponseWriter, q question, calls []call)
}

// request is one that the model got.
type request struct {
	Path  string          `json:"path"`
	Agent int             `json:"agent,omitempty"` // its number among those with tools of the main agent
	Child bool            `json:"child,omitempty"`
	Body  json.RawMessage `json:"body"`
}

// model plays a language model.
type model struct {
	url      string
	dialects []dialect
	deliver  func(mail string)      // publishes
	ack      func(item string) call // the host's shell tool, acking
	settled  chan struct{}          // closed when as many items as expected were acked and the model had its say

	mu       sync.Mutex
	steps    []step // of the main agent
	errands  []step // of a subagent
	expected int
	acked    map[string]bool
	calls    int
	agents   int
	requests []request
}

// startModel starts a model that settles when it has acked a number of items.
func startModel(t *testing.T, expected int, steps, errands []step) *model {
	m := &model{
		dialects: []dialect{messages(), responses(), completions(), generate(true), generate(false)}, steps: steps, errands: errands,
		expected: expected, acked: map[string]bool{}, settled: make(chan struct{}),
	}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	m.url = server.URL
	return m
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	for _, d := range m.dialects {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, d.route) {
			continue
		}
		q, err := d.read(body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		calls, ok := m.decide(r.URL.Path, q, body)
		if !ok {
			http.Error(w, `{"error":{"message":"the model has had enough"}}`, http.StatusBadRequest)
			return
		}
		d.answer(w, q, calls)
		return
	}
	switch {
	case r.Method == http.MethodPost && (strings.HasSuffix(r.URL.Path, "/count_tokens") || strings.HasSuffix(r.URL.Path, ":countTokens")):
		fmt.Fprint(w, `{"input_tokens":10,"totalTokens":10}`)
	case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/models"):
		fmt.Fprint(w, `{"data":[],"models":[]}`)
	default:
		http.Error(w, `{"error":{"message":"there is no such route"}}`, http.StatusNotFound)
	}
}

// decide says what the model does next; ok is false when there were too many
// requests. An item that it has not seen before is acked at once. Mail that is to
// arrive has arrived before the host gets its answer.
func (m *model) decide(path string, q question, body []byte) (calls []call, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	child := strings.Contains(q.User, errand)
	seen := request{Path: path, Child: child, Body: body}
	if q.Tools && !child {
		m.agents++
		seen.Agent = m.agents
	}
	m.requests = append(m.requests, seen)
	if len(m.requests) > enough {
		return nil, false
	}
	if !q.Tools {
		return nil, true
	}
	for _, item := range items(body) {
		if !m.acked[item] {
			m.acked[item] = true
			calls = append(calls, m.numbered(m.ack(item)))
		}
	}
	if len(calls) > 0 {
		return calls, true
	}
	steps := &m.steps
	if child {
		steps = &m.errands
	}
	var next step
	if len(*steps) > 0 {
		next, *steps = (*steps)[0], (*steps)[1:]
	}
	if next.arrive != "" {
		m.deliver(next.arrive)
	}
	for _, c := range next.calls {
		calls = append(calls, m.numbered(c))
	}
	if len(calls) == 0 && !child && len(m.acked) >= m.expected && m.expected > 0 {
		m.expected = 0
		close(m.settled)
	}
	return calls, true
}

func (m *model) numbered(c call) call {
	m.calls++
	c.id = fmt.Sprintf("call_%d", m.calls)
	return c
}

// items finds the ids in the tags of items of the queue.
func items(body []byte) (ids []string) {
	for _, found := range regexp.MustCompile(`\[`+queue+`#(\d+)\]`).FindAllSubmatch(body, -1) {
		ids = append(ids, string(found[1]))
	}
	return ids
}

// heard are the requests so far.
func (m *model) heard() []request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]request(nil), m.requests...)
}

// object is an object of JSON.
type object = map[string]any

// say writes a value, or as a stream of server-sent events several; each event has
// its type for a name where it has one.
func say(w http.ResponseWriter, stream bool, values ...any) {
	if stream {
		w.Header().Set("Content-Type", "text/event-stream")
	}
	for _, value := range values {
		content, err := json.Marshal(value)
		if err != nil {
			panic(err)
		}
		if !stream {
			w.Write(content)
			return
		}
		if o, ok := value.(object); ok && o["type"] != nil {
			fmt.Fprintf(w, "event: %v\n", o["type"])
		}
		fmt.Fprintf(w, "data: %s\n\n", content)
	}
}

// compact is a value as JSON in a string.
func compact(value any) string {
	content, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(content)
}
