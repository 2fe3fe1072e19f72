//go:build unix

package main_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// run runs tundish on a database of its own in dir, and returns its output.
func run(t *testing.T, b build, dir, stdin string, args ...string) string {
	t.Helper()
	cmd := command(t, b, dir, args...)
	cmd.Stdin = strings.NewReader(stdin)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("tundish %q: %v\n%s", args, err, stderr.String())
	}
	return string(out)
}

func command(t *testing.T, b build, dir string, args ...string) *exec.Cmd {
	t.Helper()
	config := filepath.Join(dir, "config.yml")
	if err := os.WriteFile(config, []byte("format: 1\ndatabase: t.db\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), b.path, append([]string{"--config", config}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+dir, "GAFF_TIMEOUT_MS=", "TURNS_FILE="+filepath.Join(dir, "turns"))
	cmd.Env = append(cmd.Env, b.env...)
	return cmd
}

// PUB-3: the lines of a slow writer are committed, and their ids printed, while
// it is still at it.
func TestPUB3_SlowWriter(t *testing.T) {
	eachDriver(t, func(t *testing.T, b build) {
		dir := t.TempDir()
		cmd := command(t, b, dir, "publish", "q", "--lines")
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ids := bufio.NewScanner(stdout)
		for _, want := range []string{"1", "2"} {
			if _, err := io.WriteString(stdin, `{"n":`+want+"}\n"); err != nil {
				t.Fatal(err)
			}
			if !ids.Scan() || ids.Text() != want {
				t.Fatalf("id %q, want %q (%v)", ids.Text(), want, ids.Err())
			}
			if items := run(t, b, dir, "", "list", "q"); strings.Count(items, "\n") != int(want[0]-'0') {
				t.Errorf("after id %s was printed there are\n%s", want, items)
			}
		}
		if err := stdin.Close(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
}

// PUB-1: a payload of 16 MiB is stored; one byte more is refused with its size,
// as an item and as a line.
func TestPUB1_LargePayload(t *testing.T) {
	const most = 16 << 20
	largest := `"` + strings.Repeat("x", most-2) + `"`
	eachDriver(t, func(t *testing.T, b build) {
		dir := t.TempDir()
		if got := run(t, b, dir, largest, "publish", "q"); got != "1\n" {
			t.Fatalf("the id is %q", got)
		}
		for _, flags := range [][]string{{"publish", "q"}, {"publish", "q", "--lines"}} {
			cmd := command(t, b, dir, flags...)
			cmd.Stdin = strings.NewReader(largest + "x")
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "16777217 bytes") {
				t.Errorf("%q with a byte too many: %v, %s", flags, err, out)
			}
		}
		if got := run(t, b, dir, largest+"\n"+largest+"\n7\n", "publish", "q", "--lines"); got != "2\n3\n4\n" {
			t.Errorf("the ids of large lines are %q", got)
		}
		var item struct{ Payload string }
		if err := json.Unmarshal([]byte(run(t, b, dir, "", "show", "3")), &item); err != nil || len(item.Payload) != most-2 {
			t.Errorf("the payload came back with %d bytes (%v)", len(item.Payload), err)
		}
	})
}

// The guides' examples with files work as they are written.
func TestDocs_PublishLines(t *testing.T) {
	eachDriver(t, func(t *testing.T, b build) {
		dir := t.TempDir()
		const events = `{"repo":"web","n":1}` + "\n" + `{"n":2}` + "\n"
		if got := run(t, b, dir, events, "publish", "events", "--lines", "--key-jq", ".repo // null"); got != "1\n2\n" {
			t.Errorf("the ids are %q", got)
		}
		got := run(t, b, dir, "", "list", "events")
		if !strings.Contains(got, `"key":"web"`) || !strings.Contains(got, `"key":null`) {
			t.Errorf("the items are\n%s", got)
		}
	})
}
