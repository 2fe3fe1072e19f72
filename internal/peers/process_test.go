//go:build unix

package peers_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long the test waits for something that has to come. A loaded
// machine starts a server in most of a minute.
const patience = 4 * time.Minute

// installed is the folder of the peers. Without one there is nothing to check.
func installed(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("TUNDISH_PEERS")
	if dir == "" {
		t.Skip("TUNDISH_PEERS names no folder of peers: run make peers")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// eventually waits until check has nothing more to say.
func eventually(t *testing.T, check func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		err := check()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("waited for %v: %v", patience, err)
		case <-tick.C:
		}
	}
}

// output is what a process wrote.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// process is a child with a process group of its own.
type process struct {
	cmd  *exec.Cmd
	out  output
	once sync.Once
}

// start starts a process that is killed when owner has ended, which may be the test
// that t is a part of.
func start(t, owner *testing.T, dir string, env []string, name string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(name, args...)}
	p.cmd.Dir, p.cmd.Env = dir, env
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.out
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.WaitDelay = 5 * time.Second // for those who inherited its output
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	owner.Cleanup(func() {
		p.kill()
		if owner.Failed() {
			owner.Logf("%s %s wrote:\n%s", filepath.Base(name), strings.Join(args, " "), p.out.String())
		}
	})
	return p
}

// kill ends the process and all of its group at once, and waits for that.
func (p *process) kill() {
	p.once.Do(func() {
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		_ = p.cmd.Wait()
	})
}

// programs are tundish and its worker.
type programs struct{ tundish string }

func buildPrograms(t *testing.T) programs {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", dir+string(filepath.Separator), "../../cmd/...")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return programs{filepath.Join(dir, "tundish")}
}

// outbox is one database with its workers.
type outbox struct {
	programs
	dir string
	env []string
}

func (p programs) newOutbox(t *testing.T, env ...string) outbox {
	t.Helper()
	o := outbox{programs: p, dir: t.TempDir()}
	o.env = append([]string{"HOME=" + o.dir, "PATH=" + os.Getenv("PATH")}, env...)
	const config = `format: 1
outbox:
  lease_ttl: 2s
  tick: 200ms
  retry_backoff: 1s
  max_verify_backoff: 4s
  max_verify_attempts: 1000
`
	if err := os.WriteFile(filepath.Join(o.dir, "config.yml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return o
}

func (o outbox) arguments(more ...string) []string {
	return append([]string{"--config", filepath.Join(o.dir, "config.yml"), "--db", filepath.Join(o.dir, "t.db"), "outbox"}, more...)
}

// run is one command that ends.
func (o outbox) run(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(o.tundish, o.arguments(args...)...)
	cmd.Env, cmd.Dir = o.env, o.dir
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("outbox %s: %v\n%s", strings.Join(args, " "), err, exit.Stderr)
		}
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// worker is a worker process that delivers to the server at an address.
func (o outbox) worker(t *testing.T, address string) *process {
	t.Helper()
	return start(t, t, o.dir, o.env, o.tundish, o.arguments("run", "--deliver", "opencode:"+address)...)
}

// drained waits until nothing is left to be delivered.
func (o outbox) drained(t *testing.T) {
	t.Helper()
	eventually(t, func() error {
		if left := o.run(t, "list", "--json"); left != "" {
			return fmt.Errorf("still there: %s", left)
		}
		return nil
	})
}
