package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
)

func (s *session) followCommand() *cobra.Command {
	var flags pullFlags
	cmd := &cobra.Command{
		Use:   "follow [NAME | --due] --as WHO",
		Short: "Print batches for a subscriber as they come",
		Long: `Print batches for a subscriber as they come, until it is interrupted.

Each batch is a pull of its own: it is marked delivered once all of it is written.
An interrupt lets a pull that has begun come to its end. When the reader has left,
nothing more is marked, and it exits 1.`,
		Example: `  tundish follow builds --as reviewer
  tundish follow --due --as reviewer --json | your-program`,
		Args: s.operands("[NAME]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			request, err := flags.request(cmd, args)
			if err != nil {
				return err
			}
			if err := s.deliverable(); err != nil {
				return err
			}
			if flags.json {
				request.Form = s.pullForm
			}
			return s.follow(cmd.Context(), request)
		},
	}
	cmd.Flags().BoolVar(&flags.due, "due", false, "follow every subscription of the subscriber, each when it is due")
	cmd.Flags().StringVar(&flags.as, "as", "", "the subscriber `WHO`")
	cmd.Flags().StringVar(&flags.maxBytes, "max-bytes", defaultMaxBytes, "print at most `N` bytes a batch; 400 or more")
	cmd.Flags().BoolVar(&flags.json, "json", false, "print one JSON object a line: status lines and items")
	return cmd
}

// follow pulls whenever there is something, until a signal comes (WAIT-3).
func (s *session) follow(ctx context.Context, request app.Pull) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	told := map[string]bool{}
	err := s.keepVigil(ctx, func(in *app.Inbox, _ bool) (step, error) {
		for ctx.Err() == nil {
			if ready, err := s.outputReady(); err != nil || !ready {
				return soon, err
			}
			pulled, err := in.Pull(context.WithoutCancel(ctx), request, s.stdout)
			for _, skip := range pulled.Skipped {
				if !told[skip.Subscription] {
					told[skip.Subscription] = true
					s.noteSkip(skip)
				}
			}
			if err != nil || pulled.Delivered == 0 {
				return rest, err
			}
		}
		return rest, nil
	})
	if by, ok := errors.AsType[signalError](err); ok {
		return toldError{exitedError(128 + int(by))}
	}
	return err
}

// outputReady tells whether a batch can be written, so that a slow reader is not
// waited for under the write lock. That the reader has left is an error.
func (s *session) outputReady() (bool, error) {
	err := waitOutput(s.Stdout, patience)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return false, nil
	case err != nil:
		return false, &domain.Error{Code: domain.Output, Text: "the output could not be written", Err: err}
	}
	return true, nil
}

// patience is how long one look waits for a slow reader.
const patience = 250 * time.Millisecond

// signalError says which signal ended a command.
type signalError syscall.Signal

func (e signalError) Error() string { return syscall.Signal(e).String() }

// untilSignal ends ctx at the first signal that asks to end; the second one ends
// the process. The function that it returns ends that.
func untilSignal(ctx context.Context) (until context.Context, stop func()) {
	until, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	if !signal.Ignored(os.Interrupt) { // as in the background of a script
		signal.Notify(signals, os.Interrupt)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-until.Done():
		case by := <-signals:
			signal.Stop(signals)
			if by, ok := by.(syscall.Signal); ok {
				cancel(signalError(by))
			}
		}
	})
	return until, func() {
		signal.Stop(signals)
		cancel(nil)
		wg.Wait()
	}
}
