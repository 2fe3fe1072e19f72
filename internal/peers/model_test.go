//go:build unix

package peers_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// reply is what the model answers to everything.
const reply = "The model has answered."

// model plays a language model that speaks OpenAI's chat completions.
type model struct {
	url string

	mu    sync.Mutex
	turns []string // bodies of the requests of agents, which carry tools
}

func startModel(t *testing.T) *model {
	m := new(model)
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	m.url = server.URL
	return m
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var asked struct {
		Model  string            `json:"model"`
		Stream bool              `json:"stream"`
		Tools  []json.RawMessage `json:"tools"`
	}
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") || json.Unmarshal(body, &asked) != nil {
		http.NotFound(w, r)
		return
	}
	if len(asked.Tools) > 0 { // a request for a title has none
		m.mu.Lock()
		m.turns = append(m.turns, string(body))
		m.mu.Unlock()
	}
	const usage = `"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}`
	if !asked.Stream {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"c","object":"chat.completion","created":1,"model":%q,%s,"choices":[{"index":0,`+
			`"message":{"role":"assistant","content":%q},"finish_reason":"stop"}]}`, asked.Model, usage, reply)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	head := fmt.Sprintf(`{"id":"c","object":"chat.completion.chunk","created":1,"model":%q,`, asked.Model)
	fmt.Fprintf(w, "data: %s\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":%q},\"finish_reason\":null}]}\n\n", head, reply)
	fmt.Fprintf(w, "data: %s%s,\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", head, usage)
}

// turnsWith counts the turns of agents that held a text, and how often the last of
// them did.
func (m *model) turnsWith(text string) (turns, times int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, body := range m.turns {
		if n := strings.Count(body, text); n > 0 {
			turns, times = turns+1, n
		}
	}
	return turns, times
}
