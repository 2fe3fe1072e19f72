//go:build unix

package hosts_test

import (
	"context"
	"encoding/json"
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

const (
	// who is the agent, and queue the queue that it subscribes to.
	who   = "agent"
	queue = "build"

	// prompt is what a person asks.
	prompt = "Say hello."

	// patience bounds a run. A loaded machine starts a host in most of a minute.
	patience = 5 * time.Minute
)

// run is one life of a host, in a folder of its own.
type run struct {
	t          *testing.T
	root       string // all of the run
	home, work string
	temp, bin  string
	env        []string
	model      *model
	plan       plan

	mu  sync.Mutex
	ids map[string]string // of the mails that were sent
}

// process is how a host is started.
type process struct {
	argv, env []string
	server    []string // started before argv, and ended when the model is settled; nil: none
	listens   string   // what the server says when it is ready
}

// newRun makes the folders and the environment, which holds nothing of the
// caller's.
func newRun(t *testing.T, name string) *run {
	t.Helper()
	root, err := os.MkdirTemp("", "tundish-"+name+"-") //nolint:usetesting // that of a run that failed is kept
	if err != nil {
		t.Fatal(err)
	}
	r := &run{t: t, root: root, home: filepath.Join(root, "home"), work: filepath.Join(root, "home", "project"), ids: map[string]string{}}
	r.temp, r.bin = filepath.Join(root, "tmp"), filepath.Join(root, "bin")
	for _, dir := range []string{r.work, r.temp, r.bin} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	r.env = []string{
		"HOME=" + r.home, "PATH=" + r.path(), "TMPDIR=" + r.temp, "TERM=dumb", "LANG=C.UTF-8", "SHELL=/bin/sh", "USER=tester",
	}
	t.Cleanup(r.clean)
	r.install()
	r.write(r.config(), "format: 1\n")
	r.command(r.env, "git", "init", "-q")
	return r
}

func (r *run) path() string   { return r.bin + ":/usr/local/bin:/usr/bin:/bin" }
func (r *run) config() string { return filepath.Join(r.root, "tundish.yml") }
func (r *run) db() string     { return filepath.Join(r.root, "tundish.db") }

// clean keeps the folder of a run that failed, with all that the model heard.
func (r *run) clean() {
	if !r.t.Failed() {
		os.RemoveAll(r.root)
		return
	}
	if r.model != nil {
		r.writeJSON(filepath.Join(r.root, "requests.json"), r.model.heard())
	}
	r.t.Logf("kept: %s", r.root)
}

// install puts the program, and the one that serves its tools, into the run's own
// folder, where nobody builds them anew meanwhile.
func (r *run) install() {
	program := os.Getenv("TUNDISH_PROGRAM")
	if program == "" {
		r.t.Fatal("TUNDISH_PROGRAM does not name the program: run make hosts")
	}
	program = absolute(r.t, program)
	for _, beside := range []string{"", "-mcp"} {
		content, err := os.ReadFile(program + beside)
		if err == nil {
			err = os.WriteFile(filepath.Join(r.bin, "tundish"+beside), content, 0o700)
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
}

// command runs a command that has to succeed, and gives its output.
func (r *run) command(env []string, argv ...string) string {
	r.t.Helper()
	out, err := r.try(env, argv...)
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

// try runs a command, and gives its output.
func (r *run) try(env []string, argv ...string) (string, error) {
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = r.work, env
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			out = append(out, exit.Stderr...)
		}
		err = fmt.Errorf("%s: %w\n%s", strings.Join(argv, " "), err, out)
	}
	return strings.TrimSpace(string(out)), err
}

// line is a command line of tundish, on the run's own database.
func (r *run) line(args ...string) []string {
	return append([]string{"tundish", "--config", r.config(), "--db", r.db()}, args...)
}

// tundish runs the program under test.
func (r *run) tundish(args ...string) string {
	r.t.Helper()
	argv := r.line(args...)
	argv[0] = filepath.Join(r.bin, "tundish")
	return r.command(r.env, argv...)
}

// execute lets a host live, and ends what is left of it.
func (r *run) execute(p process) {
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	if p.server != nil {
		server := r.start(p.server, p.env, "server.txt")
		defer server.kill()
		r.await(ctx, "server.txt", p.listens)
	}
	client := r.start(p.argv, p.env, "output.txt")
	select {
	case err := <-client.ended:
		if err != nil {
			r.t.Errorf("the host ended with %v", err)
		}
	case <-ctx.Done():
		r.t.Errorf("the host did not end within %v", patience)
	}
	client.kill()
	if p.server != nil {
		select {
		case <-r.model.settled:
		case <-ctx.Done():
			r.t.Errorf("the model did not come to an end within %v", patience)
		}
	}
}

// child is a process with a process group of its own.
type child struct {
	cmd   *exec.Cmd
	ended chan error
}

// start starts a process whose output goes to a file in the run's folder.
func (r *run) start(argv, env []string, output string) child {
	r.t.Helper()
	file, err := os.Create(filepath.Join(r.root, output))
	if err != nil {
		r.t.Fatal(err)
	}
	defer file.Close()
	c := child{exec.Command(argv[0], argv[1:]...), make(chan error, 1)}
	c.cmd.Dir, c.cmd.Env = r.work, append(append([]string{}, r.env...), env...)
	c.cmd.Stdout, c.cmd.Stderr = file, file
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	go func() {
		c.ended <- c.cmd.Wait()
		close(c.ended)
	}()
	return c
}

// kill ends all that is left of the group, and waits for its leader.
func (c child) kill() {
	_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
	for range c.ended { // closed behind the error
	}
}

// await waits until a file in the run's folder holds a text.
func (r *run) await(ctx context.Context, file, text string) {
	r.t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !strings.Contains(r.read(filepath.Join(r.root, file)), text) {
		select {
		case <-ctx.Done():
			r.t.Fatalf("%s never held %q", file, text)
		case <-tick.C:
		}
	}
}

func (r *run) read(path string) string {
	r.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(text)
}

// write writes a file that only its owner reads.
func (r *run) write(path, text string) {
	r.t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *run) writeJSON(path string, value any) {
	r.t.Helper()
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		r.t.Fatal(err)
	}
	r.write(path, string(text)+"\n")
}
