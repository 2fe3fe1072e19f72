//go:build unix

package peers_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const password = "a-password-made-for-this-test"

// plugin keeps prompts waiting between the server's answer and its store, for as
// long as the file "hold" is there. The server lets every plugin see a prompt there.
const plugin = `import { existsSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
export const Hold = async () => ({
  "chat.message": async () => { while (existsSync(process.env.HOME + "/hold")) await setTimeout(20) },
})
`

// opencode is a real server with a home of its own. It keeps home and address when
// it is started again.
type opencode struct {
	owner                    *testing.T // whose end is the server's
	binary, home, work, port string
	url                      string
	process                  *process
}

func newOpencode(t *testing.T, m *model) *opencode {
	t.Helper()
	peers := installed(t)
	s := &opencode{owner: t, binary: findOpencode(t, peers), home: t.TempDir(), work: t.TempDir()}
	config := filepath.Join(s.home, ".config", "opencode")
	if err := os.MkdirAll(filepath.Join(config, "plugins"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(config, "plugins", "hold.js"), []byte(plugin), 0o600); err != nil {
		t.Fatal(err)
	}
	settings := fmt.Sprintf(`{"model":"stub/stub-model","small_model":"stub/stub-model","autoupdate":false,"share":"disabled","provider":{"stub":
		{"npm":"@ai-sdk/openai-compatible","name":"stub","options":{"baseURL":%q,"apiKey":"invented"},"models":{"stub-model":{"name":"stub-model"}}}}}`,
		m.url+"/v1")
	if err := os.WriteFile(filepath.Join(config, "opencode.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	// It would have npm fetch its plugin package into this folder.
	for _, name := range []string{"package.json", "package-lock.json", "node_modules"} {
		if err := os.Symlink(filepath.Join(peers, name), filepath.Join(config, name)); err != nil {
			t.Fatal(err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, s.port, err = net.SplitHostPort(l.Addr().String())
	if err := errors.Join(err, l.Close()); err != nil {
		t.Fatal(err)
	}
	s.url = "http://127.0.0.1:" + s.port
	return s
}

// findOpencode finds the binary in the package for this system: the one of the main
// package is put there by a script that is not run.
func findOpencode(t *testing.T, peers string) string {
	t.Helper()
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	for _, name := range []string{"opencode-ai", "@opencode-ai/plugin"} {
		if _, err := os.Stat(filepath.Join(peers, "node_modules", name)); err != nil {
			t.Fatalf("the npm package %s is missing: %v", name, err)
		}
	}
	found, err := filepath.Glob(filepath.Join(peers, "node_modules", "opencode-"+runtime.GOOS+"-"+arch+"*", "bin", "opencode"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no binary of opencode for %s/%s in %s (%v)", runtime.GOOS, arch, peers, err)
	}
	// The others, with longer names, are for older processors and other C libraries.
	return slices.MinFunc(found, func(a, b string) int { return len(a) - len(b) })
}

// start starts the server and waits until it answers. It may leave its first
// requests without an answer.
func (s *opencode) start(t *testing.T) {
	t.Helper()
	temp := filepath.Join(s.home, "tmp")
	if err := os.MkdirAll(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	env := []string{
		"HOME=" + s.home, "TMPDIR=" + temp, "PATH=/usr/local/bin:/usr/bin:/bin", "TERM=dumb", "LANG=C.UTF-8", "SHELL=/bin/sh", "USER=tester",
		"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
		"OPENCODE_SERVER_PASSWORD=" + password,
	}
	s.process = start(t, s.owner, s.work, env, s.binary, "serve", "--hostname", "127.0.0.1", "--port", s.port)
	eventually(t, func() error {
		if !strings.Contains(s.process.out.String(), "listening on "+s.url) {
			return errors.New("the server does not listen yet")
		}
		status, err := s.call(t.Context(), http.MethodGet, "/session", nil, nil)
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("the server answered %d", status)
		}
		return err
	})
}

// call is a request of another client of the server than the worker.
func (s *opencode) call(ctx context.Context, method, path string, body, result any) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	content, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	request, err := http.NewRequestWithContext(ctx, method, s.url+path, bytes.NewReader(content))
	if err != nil {
		return 0, err
	}
	request.Close = true
	request.Header.Set("Content-Type", "application/json")
	request.SetBasicAuth("opencode", password)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && result != nil {
		err = json.Unmarshal(text, result)
	}
	return answer.StatusCode, err
}

// hold keeps prompts from being stored until the function that it gives is called.
func (s *opencode) hold(t *testing.T) (release func()) {
	t.Helper()
	path := filepath.Join(s.home, "hold")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	release = func() { _ = os.Remove(path) }
	t.Cleanup(release)
	return release
}

func (s *opencode) newSession(t *testing.T) string {
	t.Helper()
	var made struct {
		ID string `json:"id"`
	}
	eventually(t, func() error {
		_, err := s.call(t.Context(), http.MethodPost, "/session", struct{}{}, &made)
		return err
	})
	return made.ID
}

// message is one of a session, as the server shows it to its clients.
type message struct {
	Info struct {
		ID       string `json:"id"`
		Role     string `json:"role"`
		ParentID string `json:"parentID"`
		Finish   string `json:"finish"`
	} `json:"info"`
	Parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"parts"`
}

// texts counts the parts that are a text.
func (m message) texts(text string) (n int) {
	for _, p := range m.Parts {
		if p.Type == "text" && p.Text == text {
			n++
		}
	}
	return n
}

func (s *opencode) messages(ctx context.Context, session string) (all []message, err error) {
	_, err = s.call(ctx, http.MethodGet, "/session/"+session+"/message", nil, &all)
	return all, err
}

// once makes sure that a session holds a prompt exactly once, waits for its answer
// if there is to be one, and gives the id of the prompt's message.
func (s *opencode) once(t *testing.T, session, text string, answered bool) (id string) {
	t.Helper()
	eventually(t, func() error {
		all, err := s.messages(t.Context(), session)
		if err != nil {
			return err
		}
		id, prompts, answers := "", 0, 0
		for _, m := range all {
			if n := m.texts(text); m.Info.Role == "user" && n > 0 {
				prompts, id = prompts+n, m.Info.ID
			}
		}
		for _, m := range all {
			if m.Info.Role == "assistant" && m.Info.ParentID == id && m.Info.Finish == "stop" && m.texts(reply) == 1 {
				answers++
			}
		}
		if prompts > 1 || answers > 1 {
			t.Fatalf("the session has the prompt %d times, and %d answers: %+v", prompts, answers, all)
		}
		if prompts == 0 || answered && answers == 0 {
			return fmt.Errorf("%d prompts and %d answers in %+v", prompts, answers, all)
		}
		return nil
	})
	all, err := s.messages(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(m message) bool { return m.texts(text) > 0 })
	return all[i].Info.ID
}

// events is a client that listens to what happens on the server.
type events struct {
	mu    sync.Mutex
	lines []string
}

func (s *opencode) listen(t *testing.T) *events {
	t.Helper()
	e := new(events)
	ctx, cancel := context.WithCancel(t.Context())
	var reading sync.WaitGroup
	t.Cleanup(func() { cancel(); reading.Wait() })
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/event", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.SetBasicAuth("opencode", password)
	reading.Go(func() {
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return
		}
		defer answer.Body.Close()
		lines := bufio.NewScanner(answer.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			e.mu.Lock()
			e.lines = append(e.lines, lines.Text())
			e.mu.Unlock()
		}
	})
	e.await(t, "server.connected")
	return e
}

// await waits for an event that holds all of some texts.
func (e *events) await(t *testing.T, texts ...string) {
	t.Helper()
	eventually(t, func() error {
		e.mu.Lock()
		defer e.mu.Unlock()
		for _, line := range e.lines {
			if !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(line, text) }) {
				return nil
			}
		}
		return fmt.Errorf("none of %d events holds %q", len(e.lines), texts)
	})
}
