package cli

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app/outbox"
	rules "github.com/tundish-go/tundish/domain/outbox"
)

type runFlags struct {
	delivers              []string
	workers, drain, level string
	once                  bool
}

func (s *session) outboxRunCommand() *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "run [--deliver [GLOB=]SPEC]...",
		Short: "Deliver until a signal comes: the worker",
		Long: `Deliver until a signal comes: the worker.

It delivers the entries of those workspaces that a route matches: the routes of
--deliver first, then those of the configuration. SPEC is exec:PROGRAM, an
http:// or https:// address, opencode:URL or inbox:QUEUE; GLOB is a pattern for
workspaces. SIGTERM or SIGINT lets it take nothing more, wait for its sends for
--drain, and then cancel them; a second one cancels at once, unless it follows
within a quarter of a second. With --once it does what is due now, waits for
that, and prints counts.`,
		Example: `  tundish outbox run
  tundish outbox run --deliver exec:/usr/local/bin/to-agent
  tundish outbox run --deliver 'web-*=https://agents.example.com/prompts' --deliver inbox:prompts
  tundish outbox run --once`,
		Args: s.operands(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			options, err := flags.options(cmd, s.Stderr)
			if err != nil {
				return err
			}
			if s.asJSON && !flags.once {
				return usage("add --once, or read tundish outbox status --json", "--json prints what --once came to")
			}
			if s.Receivers != nil {
				wakePipes()
			}
			return s.withWorker(cmd.Context(), options, func(service *outbox.Service, _ []outbox.Route) error {
				return s.runOutbox(cmd.Context(), service, flags.once)
			})
		},
	}
	cmd.Flags().StringArrayVar(&flags.delivers, "deliver", nil, "a route `[GLOB=]SPEC`: what is for workspaces that match GLOB, or for all, goes to SPEC; may be given again")
	cmd.Flags().StringVar(&flags.workers, "workers", "", "at most `N` sends and verifications at once, slow ones not counted; 1 to 256")
	cmd.Flags().StringVar(&flags.drain, "drain", "", "wait this `DURATION` for sends at the end, such as 500ms or 2m")
	cmd.Flags().StringVar(&flags.level, "log-level", "info", "log from this `LEVEL` on: debug, info, warn or error")
	cmd.Flags().BoolVar(&flags.once, "once", false, "do what is due now, print counts and end")
	s.addJSON(cmd)
	err := cmd.RegisterFlagCompletionFunc("log-level", cobra.FixedCompletions([]cobra.Completion{"debug", "info", "warn", "error"}, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // it is defined above
	}
	return cmd
}

// options reads the flags. Nothing else is looked at before.
func (f runFlags) options(cmd *cobra.Command, stderr *os.File) (o workerOptions, err error) {
	o = workerOptions{delivers: f.delivers, roving: true}
	if set(cmd.Flags(), "workers") {
		n, err := number("workers", f.workers, 1)
		if err != nil {
			return o, err
		}
		if n > rules.MaxInFlight {
			return o, usage("use 1 to "+strconv.Itoa(rules.MaxInFlight), "--workers %d is too large", n)
		}
		o.workers = int(n)
	}
	if set(cmd.Flags(), "drain") {
		if o.drain, err = fineDuration(f.drain); err != nil {
			return o, usage(fineRemedy, "--drain %q is not a duration up to 36500d", f.drain)
		}
	}
	for _, text := range f.delivers {
		_, to := splitDeliver(text)
		if _, err := parseSpec("receiver", to, delivererForms()...); err != nil {
			return o, usage("", "--deliver: %v", err)
		}
	}
	var level slog.Level
	switch f.level {
	case "debug", "info", "warn", "error":
		err = level.UnmarshalText([]byte(f.level))
	default:
		err = usage("use debug, info, warn or error", "--log-level %q is unknown", f.level)
	}
	o.log = slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
	return o, err
}

// runOutbox delivers until a signal comes, or once.
func (s *session) runOutbox(ctx context.Context, service *outbox.Service, once bool) error {
	if _, err := service.Status(ctx); err != nil {
		return err // a worker that can never see anything is better told at once
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer s.heed(service, cancel)()
	if once {
		done, err := service.RunOnce(ctx, nil)
		s.printResult(ranJSON{done.Sent, done.Verified, done.Delivered, done.Recovered},
			"sent %d verified %d delivered %d recovered %d\n", done.Sent, done.Verified, done.Delivered, done.Recovered)
		return err
	}
	s.note("the outbox worker is ready")
	service.Run(ctx, nil, 0)
	s.note("the outbox worker has ended")
	return nil
}

type ranJSON struct {
	Sent      int `json:"sent"`
	Verified  int `json:"verified"`
	Delivered int `json:"delivered"`
	Recovered int `json:"recovered"`
}

// echo is how long after the first signal another one is taken for the same:
// timeout, and wrappers like it, signal their child and then its whole group.
const echo = 250 * time.Millisecond

// heed lets the first signal end the worker and later ones its sends. The function
// that it returns ends that.
func (s *session) heed(service *outbox.Service, cancel context.CancelFunc) (stop func()) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTERM)
	if !signal.Ignored(os.Interrupt) { // as in the background of a script
		signal.Notify(signals, os.Interrupt)
	}
	over := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		var begun time.Duration
		for first := true; ; first = false {
			select {
			case <-over:
				return
			case <-signals:
			}
			if !first && s.Clock.Elapsed()-begun < echo {
				continue
			}
			if first {
				begun = s.Clock.Elapsed()
				s.note("the outbox worker takes nothing more and waits for its sends; a second signal cancels them")
				cancel()
			} else {
				s.note("the outbox worker cancels its sends")
				service.CancelSends()
			}
		}
	})
	return func() {
		signal.Stop(signals)
		close(over)
		wg.Wait()
	}
}

// wakePipes turns a closed pipe into an error of the write without ignoring the
// signal: what is ignored would be so in the programs that deliver too.
func wakePipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
