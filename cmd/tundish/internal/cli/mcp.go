package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

// Desk is what a server of tools works with.
type Desk struct {
	Version    string
	Subscriber string // whose mail it is; empty lets each call say it (MCP-2)
	MaxBytes   int    // budget of a pull that names none
	Input      *os.File
	Output     Output
	// Inbox lets do work with the inbox: one caller at a time.
	Inbox func(ctx context.Context, do func(*app.Inbox) error) error
	// Now is the time of day by which messages wait and expire.
	Now func() time.Time
	// Note tells a person one line. It may be called at any time.
	Note func(format string, args ...any)
}

// Output is where a server answers. A write that has not ended when the deadline
// comes fails; the zero time sets none.
type Output interface {
	io.Writer
	SetWriteDeadline(t time.Time) error
}

// deskBytes is the budget of a pull that names none: what hosts take without
// cutting it.
const deskBytes = 9000

func (s *session) mcpCommand() *cobra.Command {
	var as, maxBytes string
	cmd := &cobra.Command{
		Use:   "mcp [--as WHO]",
		Short: "Serve the inbox as tools to an agent's host (MCP)",
		Long: `Serve the inbox as tools to an agent's host.

The host starts this program and speaks the Model Context Protocol with it on
standard input and output. The tools are publish, pull, ack, nack, list, show,
subscribe and status. With --as every call is made for WHO, and a call for
another subscriber is refused; without it, each call says for whom it is. A pull
is marked delivered once its answer is written in full. The end of standard
input, SIGTERM or SIGINT ends the server.`,
		Example: `  claude mcp add tundish -- tundish mcp --as reviewer
  tundish mcp --as reviewer --max-bytes 4096`,
		Args: s.operands(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			desk := Desk{Version: s.Version, Subscriber: as, Input: s.Stdin, Output: s.stdout, Now: s.Clock.Now, Note: s.note}
			if set(cmd.Flags(), "as") {
				if err := inbox.CheckSubscriber(as); err != nil {
					return err
				}
			}
			limit, err := number("max-bytes", maxBytes, inbox.MinMaxBytes)
			if err != nil {
				return err
			}
			desk.MaxBytes = int(min(limit, 1<<30))
			if s.Serve == nil {
				return s.handOver("mcp", "this program serves no tools")
			}
			return s.serve(cmd.Context(), desk)
		},
	}
	cmd.Flags().StringVar(&as, "as", "", "serve the subscriber `WHO` only")
	cmd.Flags().StringVar(&maxBytes, "max-bytes", strconv.Itoa(deskBytes), "a pull gives at most `N` bytes unless the call says otherwise; 400 or more")
	return cmd
}

// serve answers calls until the input ends or a signal comes.
func (s *session) serve(ctx context.Context, desk Desk) error {
	if s.Output != OutputOpen {
		return &domain.Error{Code: domain.Output, Text: "standard output is closed", Remedy: "let a host start the server; see tundish mcp --help"}
	}
	settings, path, err := s.configuration()
	if err != nil {
		return err
	}
	signals := []os.Signal{syscall.SIGTERM}
	if !signal.Ignored(os.Interrupt) { // as in the background of a script
		signals = append(signals, os.Interrupt)
	}
	ctx, stop := signal.NotifyContext(ctx, signals...)
	defer stop()
	if s.terminal(s.Stdin) {
		s.note("waiting for a host that speaks the Model Context Protocol; end it with Ctrl-D")
	}
	s.database = path
	counter := &counter{path: path}
	counter.open = func(ctx context.Context) (err error) {
		warn := func(line string) { s.note("%s", line) }
		if counter.store, err = s.Driver.Open(ctx, path, s.Expressions(), warn); err != nil {
			return err
		}
		counter.inbox, err = s.inbox(counter.store, settings)
		return err
	}
	defer func() {
		if left := counter.leave(); left != nil {
			s.note("the database could not be tidied up: %v", left)
		}
	}()
	desk.Inbox = counter.work
	return s.Serve(ctx, desk)
}

// counter keeps one store open between calls.
type counter struct {
	path  string
	open  func(context.Context) error // sets store and inbox
	store Store
	inbox *app.Inbox
	seen  os.FileInfo // the file that the store is on; nil before there is one
	left  []Store     // on files that were replaced
}

// work lets do work with the inbox. A database that was replaced or removed is not
// written to any more: what went there would be lost (MCP-8).
func (c *counter) work(ctx context.Context, do func(*app.Inbox) error) error {
	if c.store != nil && c.seen != nil {
		if now, err := os.Stat(c.path); err != nil || !os.SameFile(now, c.seen) {
			// Closing would remove the log beside the path, which may be the new file's.
			c.left = append(c.left, c.store)
			c.store, c.seen = nil, nil
		}
	}
	if c.store == nil {
		if err := c.open(ctx); err != nil {
			c.store = nil
			return err
		}
	}
	err := do(c.inbox)
	if now, statErr := os.Stat(c.path); c.seen == nil && statErr == nil {
		c.seen = now
	}
	return err
}

func (c *counter) leave() error {
	if c.store == nil {
		return nil
	}
	return c.store.Leave()
}
