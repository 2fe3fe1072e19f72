//go:build unix

package interop_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// post is a site with a receiver of outbox entries.
type post struct {
	*site
	mail string // the receiver's folder
}

// quick are the times of an outbox under test, and its one route.
const quick = `
  lease_ttl: 2s
  tick: 20ms
  retry_backoff: 20ms
  max_backoff: 40ms
  verify_delay: 20ms
  verify_backoff: 20ms
  max_verify_backoff: 40ms
  bookkeeping_timeout: 1s
`

// newPost makes a post whose route has more lines of YAML, such as order: strict.
func newPost(t *testing.T, more ...string) *post {
	t.Helper()
	p := &post{site: newSite(t)}
	p.mail = filepath.Join(p.dir, "mail")
	if err := os.Mkdir(p.mail, 0o700); err != nil {
		t.Fatal(err)
	}
	p.site = p.with("RECEIVER_DIR=" + p.mail)
	route := append([]string{`workspace: "*"`, "deliver: " + p.spec("deliver"), "verify: " + p.spec("verify")}, more...)
	p.configure("format: 1\noutbox:" + quick + "  routes:\n    - " + strings.Join(route, "\n      ") + "\n")
	return p
}

// role is the command of the receiver in a role.
func (p *post) role(name string) string { return tool(p.t, "receiver") + " " + name }

// spec is that as the configuration spells it.
func (p *post) spec(role string) string { return strconv.Quote("exec:" + p.role(role)) }

// plan tells the receiver what to do in one call after another.
func (p *post) plan(calls ...string) { p.put("plan", strings.Join(calls, "\n")+"\n") }

// put writes a file of the receiver; to others it appears whole.
func (p *post) put(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.mail, name)
	if err := errors.Join(os.WriteFile(path+".new", []byte(text), 0o600), os.Rename(path+".new", path)); err != nil {
		p.t.Fatal(err)
	}
}

// there tells whether a file of the receiver exists.
func (p *post) there(name string) bool {
	_, err := os.Stat(filepath.Join(p.mail, name))
	return err == nil
}

// stored lists the texts that the receiver has, in order.
func (p *post) stored() []string {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.mail, "log"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.t.Fatal(err)
	}
	var texts []string
	for line := range strings.Lines(string(text)) {
		_, body, _ := strings.Cut(strings.TrimSpace(line), " ")
		texts = append(texts, body)
	}
	return texts
}

// accept accepts a text for the lane w/s, and returns the entry's id.
func (p *post) accept(b binary, text string) string {
	p.t.Helper()
	return strings.TrimSpace(p.ok(b, "outbox", "accept", "w", "s", text))
}

// listed is what list --json says of an entry.
type listed struct {
	ID, SessionID, Text, Status, Reason, LastError, BlockedBy string
	Attempts, AttemptNo, VerifyAttempts, TransientFails       int
	Unknown, BlockedByInFlight, StaleLease                    bool
}

func (p *post) list(b binary) (entries []listed) {
	p.t.Helper()
	for line := range strings.Lines(p.ok(b, "outbox", "list", "--json")) {
		var e listed
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			p.t.Fatalf("%v: %s", err, line)
		}
		entries = append(entries, e)
	}
	return entries
}

// worker is a worker that runs.
type worker struct {
	p      *post
	cmd    *exec.Cmd
	stderr lines
}

// lines collects what a process prints.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// work starts a worker. The test ends it with kill, if it has not ended by then.
func (p *post) work(b binary, args ...string) *worker {
	p.t.Helper()
	w := &worker{p: p, cmd: p.command(b, append([]string{"outbox", "run", "--drain", "1s"}, args...)...)}
	w.cmd.Stderr = &w.stderr
	if err := w.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		_ = w.cmd.Process.Signal(syscall.SIGCONT)
		_ = w.cmd.Process.Kill()
		_ = w.cmd.Wait() // an error is that it was killed
		if p.t.Failed() {
			p.t.Logf("worker %d:\n%s", w.cmd.Process.Pid, w.stderr.String())
		}
	})
	return w
}

// died waits for the end of a worker that somebody kills.
func (w *worker) died() {
	w.p.t.Helper()
	if err := w.cmd.Wait(); err == nil {
		w.p.t.Error("the worker ended by itself")
	}
}

// stop lets a worker end in order, once it listens to signals.
func (w *worker) stop() {
	w.p.t.Helper()
	w.p.until("a ready worker", func() bool { return strings.Contains(w.stderr.String(), "ready") })
	if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		w.p.t.Fatal(err)
	}
	if err := w.cmd.Wait(); err != nil {
		w.p.t.Errorf("the worker: %v\n%s", err, w.stderr.String())
	}
}

// until waits for something that other processes bring about.
func (p *post) until(what string, holds func() bool) {
	p.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); !holds(); <-tick.C {
		if time.Now().After(end) {
			p.t.Fatalf("never: %s", what)
		}
	}
}

// empty waits until nothing is left to deliver.
func (p *post) empty(b binary) {
	p.t.Helper()
	var left string
	defer func() {
		if left != "" {
			p.t.Logf("left:\n%s%s", left, p.ok(b, "outbox", "status"))
		}
	}()
	p.until("an empty outbox", func() bool {
		left = p.ok(b, "outbox", "list")
		return left == ""
	})
}

// want compares what the receiver has.
func (p *post) want(texts ...string) {
	p.t.Helper()
	if got := p.stored(); fmt.Sprint(got) != fmt.Sprint(texts) {
		p.t.Errorf("the receiver has %q, want %q", got, texts)
	}
}

// other is the other build, if there is one: workers of both share a file.
func other(b binary) binary {
	for _, o := range binaries {
		if o != b {
			return o
		}
	}
	return b
}
