package sqltest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/tundish-go/tundish/adapters/internal/sqlstore"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// roleVariable tells a test binary that it was started as a process of a test.
const roleVariable = "TUNDISH_SQLTEST_ROLE"

// Main runs the tests, or the role that a test started this process for.
func Main(m *testing.M, opener Opener) int {
	role := os.Getenv(roleVariable)
	if role == "" {
		return m.Run()
	}
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil { // the starting gate
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := play(opener, role, os.Args[1]); err != nil {
		fmt.Fprintf(os.Stderr, "code %d: %v\n", domain.CodeOf(err), err)
		return 1
	}
	return 0
}

// play does what a short command would: one or two units of work, then Leave.
func play(opener Opener, role, path string) error {
	ctx := context.Background()
	opts := sqlstore.Options{Warn: func(line string) { fmt.Fprintln(os.Stderr, line) }}
	switch role {
	case "die at the filter":
		opts.Expressions = cutting{even{}, die}
	case "die at the notice":
		opts.Warn = func(string) { die() }
	}
	store, err := opener(ctx, path, opts)
	if err != nil {
		return err
	}
	payload := "1"
	switch role {
	case "read":
		err = store.View(ctx, func(r storage.Reader) error {
			n, err := r.Count("q")
			fmt.Println(n)
			return err
		})
		if err != nil {
			return err
		}
		return store.Leave()
	case "full", "frozen":
		if err := mountSmall(path); err != nil {
			fmt.Println("no mount:", err)
			return nil
		}
	case "accept":
		if err := enter(ctx, store); err != nil {
			return err
		}
		return store.Leave()
	case "schedule":
		if _, err := schedule(ctx, store); err != nil {
			return err
		}
		return store.Leave()
	case "publish large":
		payload = `"` + strings.Repeat("x", 300<<10) + `"`
	}
	if err := insert(ctx, store, payload); err != nil {
		return err
	}
	switch role {
	case "full":
		for err == nil {
			err = insert(ctx, store, payload)
		}
		return err
	case "frozen":
		return publishFrozen(ctx, opener, store, path)
	}
	return store.Leave()
}

// insert stores an item and prints its id.
func insert(ctx context.Context, store storage.Store, payload string) error {
	return store.Update(ctx, func(w storage.Writer) error {
		id, err := w.Insert(inbox.Item{Queue: "q", Payload: []byte(payload), CreatedAt: 1000})
		fmt.Println(id)
		return err
	})
}

// enter stores an entry in a lane that no other process uses.
func enter(ctx context.Context, store storage.Outbox) error {
	lane := outbox.Lane{Workspace: "w", Session: strconv.Itoa(os.Getpid())}
	return store.UpdateLane(ctx, lane, func(w storage.LaneWriter) error {
		return w.Insert(outbox.Entry{ID: "ob_" + lane.Session, WorkspaceID: lane.Workspace, SessionID: lane.Session, Status: outbox.StatusPending, Text: "text"})
	})
}

// publishFrozen writes to the store's database on a disk that has just become
// read-only.
func publishFrozen(ctx context.Context, opener Opener, store storage.Store, path string) error {
	if err := store.Close(); err != nil {
		return err
	}
	if err := freeze(path); err != nil {
		fmt.Println("no mount:", err)
		return nil
	}
	store, err := opener(ctx, path, sqlstore.Options{})
	if err != nil {
		return err
	}
	return insert(ctx, store, "1")
}

// die ends this process as kill -9 does.
func die() {
	if self, err := os.FindProcess(os.Getpid()); err != nil || self.Kill() != nil {
		return
	}
	select {} // until the signal comes
}

// process is this test binary in a role.
type process struct {
	cmd    *exec.Cmd
	gate   io.Closer
	stdout bytes.Buffer
	stderr bytes.Buffer
}

// begin starts a process, which waits at the gate.
func begin(t *testing.T, role, path string, change func(*exec.Cmd)) *process {
	t.Helper()
	p := &process{cmd: exec.CommandContext(t.Context(), self(t), path)}
	p.cmd.Env = append(os.Environ(), roleVariable+"="+role)
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	gate, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.gate = gate
	if change != nil {
		change(p.cmd)
	}
	if err := p.cmd.Start(); err != nil {
		t.Skipf("cannot start a process in this way here: %v", err)
	}
	return p
}

// end opens the gate and waits; what the process said on standard error is
// returned with its fate.
func (p *process) end() (stdout, stderr string, err error) {
	p.gate.Close()
	err = p.cmd.Wait()
	return strings.TrimSpace(p.stdout.String()), strings.TrimSpace(p.stderr.String()), err
}

// run starts a process and demands that it succeeds.
func run(t *testing.T, role, path string) (stdout, stderr string) {
	t.Helper()
	stdout, stderr, err := begin(t, role, path, nil).end()
	if err != nil {
		t.Fatalf("%s: %v: %s", role, err, stderr)
	}
	return stdout, stderr
}

// race starts many processes, lets them go at once and demands that all succeed.
func race(t *testing.T, n int, role, path string) (stderr []string) {
	t.Helper()
	var all []*process
	for range n {
		all = append(all, begin(t, role, path, nil))
	}
	for _, p := range all {
		p.gate.Close()
	}
	for i, p := range all {
		_, said, err := p.end()
		if err != nil {
			t.Errorf("process %d: %v: %s", i, err, said)
		}
		stderr = append(stderr, said)
	}
	return stderr
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
