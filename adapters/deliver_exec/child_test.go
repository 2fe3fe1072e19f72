package deliverexec

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/delivery"
)

// The test binary is the programs of these tests, too.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "child" {
		os.Exit(child(os.Args[2], os.Args[3:]))
	}
	// A program with the race detector sleeps for a second before it ends.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// seen is what the program "record" writes into a file.
type seen struct {
	Args  []string
	Env   []string
	Stdin string
}

func child(role string, args []string) int {
	switch role {
	case "record":
		input, err := io.ReadAll(os.Stdin)
		must(err)
		text, err := json.Marshal(seen{args[1:], os.Environ(), string(input)})
		must(err)
		must(os.WriteFile(args[0], text, 0o600))
		fmt.Fprint(os.Stdout, strings.Repeat("what goes nowhere must not block\n", 10_000))
		return 0
	case "relay": // sends its input on, then what it is told to exit with
		conn := dial(args[0])
		_, err := io.Copy(conn, os.Stdin)
		must(err)
		return obey(conn)
	case "hang":
		return obey(dial(args[0]))
	case "stubborn": // survives SIGTERM
		signal.Ignore(syscall.SIGTERM)
		return obey(dial(args[0]))
	case "polite": // ends well at SIGTERM
		term := make(chan os.Signal, 1)
		signal.Notify(term, syscall.SIGTERM)
		dial(args[0])
		<-term
		return 0
	case "leave": // ends, but what it started holds its pipes
		heir := exec.Command(os.Args[0], "child", args[0], args[1])
		heir.Stdin, heir.Stdout, heir.Stderr = os.Stdin, os.Stdout, os.Stderr
		must(heir.Start())
		fmt.Fprintln(os.Stdout, "delivered")
		code, err := strconv.Atoi(args[2])
		must(err)
		return code
	case "parent": // waits for what it started
		heir := exec.Command(os.Args[0], "child", args[0], args[1])
		must(heir.Run())
		return 0
	case "worker":
		d, err := New(os.Args[0] + " child " + strings.Join(args, " "))
		must(err)
		must(d.Deliver(context.Background(), mine(sample())))
		return 0
	}
	must(fmt.Errorf("no such role as %q", role))
	return 1
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(99)
	}
}

func dial(address string) net.Conn {
	conn, err := net.Dial("tcp", address)
	must(err)
	_, err = fmt.Fprintf(conn, "%d\n", os.Getpid())
	must(err)
	return conn
}

// obey ends with the code that the test sends, or when the test has ended.
func obey(conn net.Conn) int {
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return 98
	}
	code, err := strconv.Atoi(strings.TrimSpace(line))
	must(err)
	return code
}

// board is where programs report to.
type board struct {
	net.Listener
	t *testing.T
}

func newBoard(t *testing.T) board {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	l.(*net.TCPListener).SetDeadline(time.Now().Add(time.Minute))
	return board{l, t}
}

func (b board) address() string { return b.Addr().String() }

// caller is a program that has reported. It lives at least until its connection
// ends, which nothing but its end does.
type caller struct {
	conn net.Conn
	in   *bufio.Reader
	pid  int
	t    *testing.T
}

// next waits for a program. It may be called by any goroutine of the test.
func (b board) next() caller {
	conn, err := b.Accept()
	if err != nil {
		b.t.Error(err)
		return caller{}
	}
	b.t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(time.Minute))
	in := bufio.NewReader(conn)
	line, err := in.ReadString('\n')
	if err != nil {
		b.t.Error(err)
		return caller{}
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		b.t.Error(err)
	}
	return caller{conn, in, pid, b.t}
}

func (c caller) exit(code int) {
	if _, err := fmt.Fprintf(c.conn, "%d\n", code); err != nil {
		c.t.Error(err)
	}
}

// last waits for the program's end and gives what it sent until then.
func (c caller) last() string {
	rest, err := io.ReadAll(c.in)
	if err != nil && !strings.Contains(err.Error(), "reset") {
		c.t.Error(err)
	}
	return string(rest)
}

func sample() outbox.Entry {
	return outbox.Entry{
		ID: "ob_1", WorkspaceID: "work space", SessionID: "ses$HOME", UserID: "ann", Text: "two\nlines",
		Model: json.RawMessage(`{"id":"m"}`), AcceptedAt: time.UnixMilli(1_700_000_000_123).UTC(),
		Status: outbox.StatusDelivering, AttemptNo: 3, Deliverer: Kind,
	}
}

// mine is a send whose lane stays ours.
func mine(e outbox.Entry) delivery.Send {
	return delivery.Send{
		Entry: e,
		Held:  func(context.Context) error { return nil },
		Note:  func(context.Context, string) error { return nil },
	}
}

// self is a deliverer of a role of this binary.
func self(t *testing.T, role string, args ...string) *Deliverer {
	t.Helper()
	d, err := New(strings.Join(append([]string{os.Args[0], "child", role}, args...), " "))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// shell runs a line of shell in one argument: tabs do not split a command.
func shell(line string) string { return "sh -c " + strings.ReplaceAll(line, " ", "\t") }

func wantOutcome(t *testing.T, err error, want outbox.Outcome) {
	t.Helper()
	if got, _ := outbox.OutcomeOf(err); got != want {
		t.Errorf("outcome %d, want %d: %v", got, want, err)
	}
}
