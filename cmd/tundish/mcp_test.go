//go:build unix

package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// host lets a client of the SDK talk with the real program.
func host(t *testing.T, b build, dir string, args ...string) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	cmd := command(t, b, dir, append([]string{"mcp"}, args...)...)
	cmd.Stderr = os.Stderr
	session, err := client.Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// tool calls a tool and answers its text.
func tool(t *testing.T, session *sdk.ClientSession, name string, arguments map[string]any) (text string, failed bool) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	content, ok := result.Content[0].(*sdk.TextContent)
	if !ok {
		t.Fatalf("a content of type %T", result.Content[0])
	}
	if strings.Contains(content.Text, "nothing was marked as delivered") { // the machine is busy
		return tool(t, session, name, arguments)
	}
	return content.Text, result.IsError
}

type named = map[string]any

// MCP-1, MCP-3, MCP-8: a host works with the real program while commands work on the
// same file; what only reads makes none.
func TestMCP8_BesideCommands(t *testing.T) {
	eachDriver(t, func(t *testing.T, b build) {
		dir := t.TempDir()
		session := host(t, b, dir, "--as", "w")
		if list, err := session.ListTools(t.Context(), nil); err != nil || len(list.Tools) != 8 {
			t.Errorf("%+v, %v", list, err)
		}
		if text, failed := tool(t, session, "status", nil); failed || text != `{"bindings":[]}` {
			t.Error(text)
		}
		if found, _ := filepath.Glob(filepath.Join(dir, "*.db*")); found != nil {
			t.Errorf("a look made %q", found)
		}
		tool(t, session, "subscribe", named{"name": "s", "queue": "q", "share": "one", "consume": "on-ack"})
		run(t, b, dir, "", "subscribe", "s", "--as", "v")
		run(t, b, dir, "", "publish", "q", `{"n": 1}`)
		if text, _ := tool(t, session, "publish", named{"queue": "q", "payload": named{"n": 2}}); text != `{"id":2,"duplicate":false}` {
			t.Error(text)
		}
		text, failed := tool(t, session, "pull", nil)
		if failed || !regexp.MustCompile(`^tundish: subscription=s subscriber=w delivered=2 .*\n\[q#1\] \{"n":1\}\n\[q#2\] \{"n":2\}\n$`).MatchString(text) {
			t.Error(text)
		}
		cmd := command(t, b, dir, "ack", "1", "--as", "v")
		if out, _ := cmd.Output(); cmd.ProcessState.ExitCode() != 3 || !strings.HasPrefix(string(out), "leased by w until ") {
			t.Errorf("%s", out)
		}
		if text, failed := tool(t, session, "ack", named{"ids": []int{1}}); failed || !strings.Contains(text, `"repeat":false`) {
			t.Error(text)
		}
		if text, failed := tool(t, session, "nack", named{"ids": []int{2}}); failed || !strings.Contains(text, `"attempts":1`) {
			t.Error(text)
		}
		run(t, b, dir, "", "ack", "2", "--as", "v")
		if text, failed := tool(t, session, "ack", named{"ids": []int{2}}); !failed || !strings.Contains(text, "already acked by v at ") {
			t.Error(text)
		}
		if text, failed := tool(t, session, "pull", named{"as": "v"}); !failed || !strings.Contains(text, "serves the subscriber w only") {
			t.Error(text)
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	})
}

// MCP-8: a database that is replaced while the server runs is the one that is used
// from then on.
func TestMCP8_ReplacedDatabase(t *testing.T) {
	eachDriver(t, func(t *testing.T, b build) {
		dir, other := t.TempDir(), t.TempDir()
		session := host(t, b, dir, "--db", filepath.Join(dir, "one.db"))
		tool(t, session, "publish", named{"queue": "q", "payload": "old"})
		run(t, b, other, "", "publish", "q", `"first"`, "--db", filepath.Join(other, "two.db"))
		run(t, b, other, "", "vacuum", "--db", filepath.Join(other, "two.db"))
		for _, old := range []string{"-wal", "-shm"} {
			_ = os.Remove(filepath.Join(dir, "one.db"+old))
		}
		if err := os.Rename(filepath.Join(other, "two.db"), filepath.Join(dir, "one.db")); err != nil {
			t.Fatal(err)
		}
		if text, failed := tool(t, session, "publish", named{"queue": "q", "payload": "second"}); failed || text != `{"id":2,"duplicate":false}` {
			t.Error(text)
		}
		if got := run(t, b, dir, "", "list", "q", "--db", filepath.Join(dir, "one.db")); strings.Count(got, "\n") != 2 || !strings.Contains(got, `"first"`) {
			t.Error(got)
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	})
}

// MCP-6: a signal ends the server while it waits for its host.
func TestMCP6_Signals(t *testing.T) {
	eachDriver(t, func(t *testing.T, b build) {
		for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
			server := startServer(t, b, t.TempDir())
			if err := server.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if err := server.cmd.Wait(); err != nil || server.said.Len() > 0 {
				t.Errorf("%v: %v, %s", signal, err, &server.said)
			}
		}
	})
}

// server is the real program with pipes to it.
type server struct {
	cmd   *exec.Cmd
	to    io.WriteCloser
	from  *bufio.Reader
	said  bytes.Buffer // on standard error
	calls int
}

// startServer starts one and lets a host in.
func startServer(t *testing.T, b build, dir string) *server {
	t.Helper()
	s := &server{cmd: command(t, b, dir, "mcp", "--as", "w")}
	s.cmd.Stderr = &s.said
	var err error
	if s.to, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	from, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.from = bufio.NewReader(from)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.ask(t, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}`)
	s.answer(t)
	return s
}

func (s *server) ask(t *testing.T, method, params string) {
	t.Helper()
	s.calls++
	if _, err := fmt.Fprintf(s.to, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", s.calls, method, params); err != nil {
		t.Fatal(err)
	}
}

func (s *server) answer(t *testing.T) string {
	t.Helper()
	line, err := s.from.ReadString('\n')
	if err != nil {
		t.Fatalf("%v; %s", err, &s.said)
	}
	return line
}

// MCP-4: whenever a server is killed, no item is lost: one whose answer the host did
// not get, or that was not committed, comes again.
func TestMCP4_Killed(t *testing.T) {
	items := 12
	if os.Getenv("TUNDISH_LONG") != "" {
		items = 300
	}
	eachDriver(t, func(t *testing.T, b build) {
		dir := t.TempDir()
		run(t, b, dir, "", "subscribe", "s", "--as", "w", "--queue", "q", "--share", "one", "--limit", "1")
		var lines strings.Builder
		for i := range items {
			fmt.Fprintf(&lines, "%d\n", i)
		}
		run(t, b, dir, lines.String(), "publish", "q", "--lines")
		tag := regexp.MustCompile(`\[q#(\d+)\]`)
		seen, pulls := map[int]int{}, 0
		for len(seen) < items {
			s := startServer(t, b, dir)
			for round := range pulls%3 + 1 {
				s.ask(t, "tools/call", `{"name":"pull","arguments":{"subscription":"s"}}`)
				if round == 2 {
					break // and kill it somewhere before its answer
				}
				pulls++
				if found := tag.FindStringSubmatch(s.answer(t)); found != nil {
					id, err := strconv.Atoi(found[1])
					if err != nil {
						t.Fatal(err)
					}
					seen[id]++
				}
			}
			if err := s.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			rest, err := io.ReadAll(s.from) // what was written before the kill has arrived
			if err != nil {
				t.Fatal(err)
			}
			_ = s.cmd.Wait()
			for _, found := range tag.FindAllSubmatch(rest, -1) {
				id, err := strconv.Atoi(string(found[1]))
				if err != nil || !json.Valid(rest) {
					t.Fatalf("%v: %s", err, rest)
				}
				seen[id]++
			}
			if pulls > 20*items {
				t.Fatalf("after %d pulls %d of %d items have come", pulls, len(seen), items)
			}
		}
		repeats := 0
		for _, n := range seen {
			repeats += n - 1
		}
		t.Logf("%d items in %d pulls, %d of them again", items, pulls, repeats)
	})
}

// MCP-9: without the server's program, mcp says so; one on PATH is found.
func TestMCP9_NoServer(t *testing.T) {
	eachDriver(t, func(t *testing.T, b build) {
		dir := t.TempDir()
		alone := build{driver: b.driver, path: filepath.Join(dir, "alone")}
		if err := os.Link(b.path, alone.path); err != nil {
			t.Fatal(err)
		}
		cmd := command(t, alone, dir, "mcp", "--as", "w")
		cmd.Env = append(cmd.Env, "PATH="+dir)
		out, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != 1 || !regexp.MustCompile(`the program that serves tools is missing: .*alone-mcp .*tundish-mcp on PATH; build it`).Match(out) {
			t.Errorf("%s", out)
		}
		if err := os.Symlink(b.path+"-mcp", filepath.Join(dir, "tundish-mcp")); err != nil {
			t.Fatal(err)
		}
		cmd = command(t, alone, dir, "mcp", "--as", "w")
		cmd.Env = append(cmd.Env, "PATH="+dir)
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%v, %s", err, out)
		}
	})
}

// MCP-5: a message that is too long is answered, and the next one counts. The largest
// payload is not too long.
func TestMCP5_TooLong(t *testing.T) {
	eachDriver(t, func(t *testing.T, b build) {
		cmd := command(t, b, t.TempDir(), "mcp")
		cmd.Stdin = strings.NewReader(`"` + strings.Repeat("x", 18<<20) + "\"\n" +
			`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}` + "\n" +
			publishOf(1, 16<<20) + publishOf(2, 16<<20+1))
		out, err := cmd.Output()
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if err != nil || len(lines) != 4 || !strings.Contains(lines[0], "a message holds at most 17825792 bytes") ||
			!strings.Contains(lines[2], `"structuredContent":{"id":1,`) || !strings.Contains(lines[3], "16777217 bytes; publish at most 16777216 bytes") {
			t.Errorf("%v, %.900s", err, out)
		}
	})
}

// publishOf is a call that publishes a payload of so many bytes.
func publishOf(id, size int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"publish","arguments":{"queue":"q","payload":"%s"}}}`+"\n",
		id, strings.Repeat("x", size-2))
}
