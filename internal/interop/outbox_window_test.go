//go:build unix

package interop_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Each of these plays one window of section 8 with real processes: the receiver
// kills or stops its worker at the very moment that is meant.

// OUT-17: the worker dies after stage-out, before the receiver got anything.
func TestOUT17_KilledBeforeTheReceiverGotIt(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		t.Parallel()
		p := newPost(t)
		p.plan("kill")
		p.accept(b, "hello")
		p.work(b).died()
		if e := p.list(b); len(e) != 1 || e[0].Status != "delivering" || e[0].AttemptNo != 1 {
			t.Fatalf("after the kill: %+v", e)
		}
		p.work(other(b))
		p.empty(b)
		p.want("hello")
		if !p.there("verified") {
			t.Error("it was sent again without a look")
		}
	})
}

// OUT-17: the receiver has it, and the worker dies before its commit.
func TestOUT17_KilledAfterTheReceiverStored(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		t.Parallel()
		p := newPost(t)
		p.plan("read store kill")
		p.accept(b, "hello")
		p.work(b).died()
		p.work(other(b))
		p.empty(b)
		p.want("hello")
	})
}

// OUT-17: the answer is lost, the worker lives.
func TestOUT17_AnswerLost(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		t.Parallel()
		p := newPost(t)
		p.plan("read store exit:76")
		p.accept(b, "hello")
		p.work(b)
		p.empty(b)
		p.want("hello")
		if !p.there("verified") {
			t.Error("nobody looked")
		}
	})
}

// OUT-17, OUT-1: the accept is committed and its answer lost; the client's retry
// gets the same id.
func TestOUT17_AcceptWithoutAnAnswer(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here: ", err)
	}
	defer full.Close()
	onEach(t, func(t *testing.T, b binary) {
		p := newPost(t)
		args := []string{"outbox", "accept", "w", "s", "hello", "--id", "m1"}
		cmd := p.command(b, args...)
		cmd.Stdout = full
		if r := p.finish(cmd); r.code != 1 {
			t.Errorf("exit %d: %s", r.code, r.stderr)
		}
		entries := p.list(b)
		if len(entries) != 1 {
			t.Fatalf("%+v", entries)
		}
		if got, want := p.ok(b, args...), "duplicate "+entries[0].ID+" pending\n"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		p.work(b)
		p.empty(b)
		p.want("hello")
		if got, want := p.ok(b, args...), "duplicate "+entries[0].ID+" delivered\n"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// OUT-17, OUT-7: the delivered hook ran and the worker died before the mark: it
// runs again with the same id.
func TestOUT17_KilledAfterTheHook(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		t.Parallel()
		p := newPost(t)
		id := p.accept(b, "hello")
		if r := p.finish(p.embedded(b, "HOOKED_AT=delivered", "HOOKED_DO=kill")); r.code != -1 {
			t.Fatalf("the hook did not kill: %+v", r)
		}
		if got := p.ok(b, "outbox", "list"); got != "" {
			t.Errorf("delivered entries are listed: %q", got)
		}
		hooks := func() string {
			text, err := os.ReadFile(filepath.Join(p.dir, "hooks"))
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		p.until("the second run of the hook", func() bool {
			if r := p.finish(p.embedded(b)); r.code != 0 {
				t.Fatalf("%+v", r)
			}
			return hooks() != id+"\n"
		})
		p.finish(p.embedded(b))
		if got, want := hooks(), id+"\n"+id+"\n"; got != want {
			t.Errorf("hooks %q, want %q", got, want)
		}
		p.want("hello")
	})
}

// embedded prepares a program that embeds the outbox and has hooks.
func (p *post) embedded(b binary, env ...string) *exec.Cmd {
	p.t.Helper()
	cmd := p.command(binary{b.name, tool(p.t, "hooked-"+b.name)})
	cmd.Args = []string{cmd.Path, p.db, p.role("deliver"), p.role("verify")}
	cmd.Env = append(append(cmd.Env, "HOOKED_LOG="+filepath.Join(p.dir, "hooks")), env...)
	return cmd
}

// OUT-17, OUT-5: the owner is stopped past its lease after the receiver stored:
// another worker finishes, and the owner's write is refused.
func TestOUT17_StoppedPastItsLease(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		t.Parallel()
		p := newPost(t)
		p.plan("read store stop")
		p.accept(b, "hello")
		first := p.work(b)
		p.until("the send", func() bool { return len(p.stored()) == 1 })
		p.work(other(b))
		p.empty(b)
		if err := first.cmd.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		first.stop()
		p.want("hello")
		if got := p.ok(b, "outbox", "list"); got != "" {
			t.Errorf("the late outcome brought something back: %q", got)
		}
	})
}

// OUT-17, OUT-4: the owner is stopped before its first byte and resumed after a
// takeover: it looks at its lease and sends nothing.
func TestOUT17_StoppedBeforeItsFirstByte(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		t.Parallel()
		p := newPost(t)
		p.accept(b, "hello")
		var stdout, stderr lines
		owner := p.embedded(b, "HOOKED_AT=staged", "HOOKED_DO=stop")
		owner.Stdout, owner.Stderr = &stdout, &stderr
		if err := owner.Start(); err != nil {
			t.Fatal(err)
		}
		p.until("the stop", func() bool { e := p.list(b); return len(e) == 1 && e[0].Status == "delivering" })
		p.work(other(b))
		p.empty(b)
		if err := owner.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		if err := owner.Wait(); err != nil || !strings.HasPrefix(stdout.String(), "1 0") {
			t.Errorf("the owner: %v, %q, %q", err, stdout.String(), stderr.String())
		}
		p.want("hello")
	})
}

// OUT-17: the verdict is absent, and the receiver stores a moment later: the one
// duplicate that is documented.
func TestOUT17_StoredAfterTheVerdict(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		t.Parallel()
		p := newPost(t)
		p.plan("read later:verified exit:76")
		p.accept(b, "hello")
		p.work(b)
		p.empty(b)
		p.until("the late store", func() bool { return len(p.stored()) == 2 })
		p.want("hello", "hello")
	})
}

// OUT-17: the worker is killed while its program lives: nothing is sent again, and
// nothing is judged, as long as it does.
func TestOUT17_TheProgramOutlivesTheWorker(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		t.Parallel()
		p := newPost(t)
		p.plan("survive read kill wait:go store")
		p.accept(b, "hello")
		p.work(b).died()
		p.work(other(b))
		p.until("a vain look", func() bool {
			e := p.list(b)
			return len(e) == 1 && e[0].Status == "verifying" && e[0].VerifyAttempts > 1 && strings.Contains(e[0].LastError, "still runs")
		})
		p.want()
		p.put("go", "")
		p.empty(b)
		p.want("hello")
	})
}
