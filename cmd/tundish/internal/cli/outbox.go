package cli

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/app/outbox"
	"github.com/tundish-go/tundish/cmd/tundish/internal/config"
	"github.com/tundish-go/tundish/domain"
)

func (s *session) outboxCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "outbox COMMAND",
		Short: "Accept prompts for sessions and deliver them",
		Long: `Accept prompts for agents' sessions and deliver them.

A prompt is accepted at once and is then safe on the disk. A worker, outbox run,
delivers it in its own time, and finds out what became of a send that was cut
before it sends again. Prompts of one session wait for each other; sessions do
not.`,
		Example: `  tundish outbox accept web ses_1 'run the tests again' --id chat-17
  tundish outbox run --deliver exec:/usr/local/bin/to-agent
  tundish outbox list web`,
		Args: s.noCommand,
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	s.addOutboxCommands(cmd)
	return cmd
}

// outboxCommands are the commands of outbox, each with how many of its operands
// name a workspace, a session and an entry, in this order.
func (s *session) outboxCommands() []outboxPart {
	return []outboxPart{
		{"accept", s.outboxAcceptCommand, 2}, {"list", s.outboxListCommand, 2}, {"retry", s.outboxRetryCommand, 3},
		{"dismiss", s.outboxDismissCommand, 3}, {"park", s.outboxParkCommand, 1}, {"unpark", s.outboxUnparkCommand, 1},
		{"cleanup", s.outboxCleanupCommand, 1}, {"sweep", s.outboxSweepCommand, 1}, {"status", s.outboxStatusCommand, 0},
		{"run", s.outboxRunCommand, 0},
	}
}

type outboxPart struct {
	name  string
	make  func() *cobra.Command
	depth int
}

func (s *session) belowOutbox(name string) bool {
	return slices.ContainsFunc(s.outboxCommands(), func(c outboxPart) bool { return c.name == name })
}

// addOutboxCommands adds the one that is called, or all.
func (s *session) addOutboxCommands(cmd *cobra.Command) {
	all := s.outboxCommands()
	if at := slices.IndexFunc(all, func(c outboxPart) bool { return c.name == s.sub }); at >= 0 {
		all = all[at : at+1]
	}
	for _, c := range all {
		made := c.make()
		made.ValidArgsFunction = s.completeEntries(c.depth)
		cmd.AddCommand(made)
	}
}

// withOutbox reads the configuration, opens the database, and lets do work with
// an outbox that delivers nothing.
func (s *session) withOutbox(ctx context.Context, do func(*outbox.Service) error) error {
	settings, path, err := s.configuration()
	if err != nil {
		return err
	}
	if err := checkOutbox(settings.Outbox); err != nil {
		return err
	}
	limits, err := outboxConfig(settings.Outbox)
	if err != nil {
		return err
	}
	if complete, err := limits.Complete(); err == nil {
		s.outboxCap = complete.Cap
	}
	return s.withStore(ctx, path, s.warn, func(store Store) error {
		service, err := outbox.New(outbox.Options{Store: store, Config: limits, Clock: s.Clock, Routes: orders(settings.Outbox)})
		if err != nil {
			return err
		}
		return do(service)
	})
}

// workerOptions are what a worker is told on its command line.
type workerOptions struct {
	delivers []string
	workers  int           // 0: as the file says
	drain    time.Duration // 0: as the file says
	log      *slog.Logger
	roving   bool // it works on all that its routes match, so that it needs one
}

// withWorker is withOutbox for what delivers or asks receivers. In a program that
// cannot, it hands over to the one that can.
func (s *session) withWorker(ctx context.Context, o workerOptions, do func(*outbox.Service, []outbox.Route) error) error {
	if s.Receivers == nil {
		return s.handOver("outbox", "this program cannot deliver")
	}
	settings, path, err := s.configuration()
	if err != nil {
		return err
	}
	if err := checkOutbox(settings.Outbox); err != nil {
		return err
	}
	limits, err := outboxConfig(settings.Outbox)
	if err != nil {
		return err
	}
	if o.workers > 0 {
		limits.Workers = o.workers
	}
	if o.drain == 0 && settings.Outbox != nil {
		o.drain = settings.Outbox.Drain
	}
	warn := func(line string) { s.note("%s", line) } // several goroutines may warn
	return s.withStore(ctx, path, warn, func(store Store) error {
		all, err := s.workerRoutes(store, settings, o)
		if err != nil {
			return err
		}
		service, err := outbox.New(outbox.Options{
			Store: store, Config: limits, Clock: s.Clock, Routes: all, Log: o.log, Drain: o.drain,
		})
		if err != nil {
			return err
		}
		return do(service, all)
	})
}

// workerRoutes makes the routes, and looks whether those of a worker can work.
func (s *session) workerRoutes(store Store, settings config.Config, o workerOptions) ([]outbox.Route, error) {
	publish := func(ctx context.Context, queue, key, dedupe string, payload []byte) error {
		in, err := s.inbox(store, settings)
		if err != nil {
			return err
		}
		_, err = in.Publish(ctx, app.Message{Queue: queue, Key: &key, Payload: payload, Dedupe: dedupe})
		return err
	}
	made := s.Receivers(publish)
	all, err := routes(made, o.delivers, settings.Outbox)
	if err != nil || !o.roving {
		return all, err
	}
	if len(all) == 0 {
		return nil, usage("give --deliver, such as --deliver exec:PROGRAM, or set outbox.routes in the configuration", "there is no route: nothing says where entries go")
	}
	return all, s.checkReceivers(made, o.delivers, settings.Outbox)
}

// handOver lets the program with a suffix run the same command. In a program that
// cannot do that either, the error is otherwise.
func (s *session) handOver(suffix, otherwise string) error {
	if s.Become == nil {
		return errors.New(otherwise)
	}
	code, err := s.Become(suffix, s.Args)
	switch {
	case err != nil:
		return err
	case code != 0:
		return toldError{exitedError(code)}
	}
	return nil
}

// busy is the error of a change to an entry that is being worked on.
func (s *session) busy(ctx context.Context, service *outbox.Service, workspace, session, id string) error {
	lease, ok, err := service.Holder(ctx, workspace, session)
	switch {
	case err != nil:
		return err
	case !ok || lease.EntryID != id:
		return &domain.Error{Code: domain.Claimed, Text: "entry " + id + " is being sent or verified", Remedy: "try again"}
	}
	age := max(0, s.Clock.Now().Sub(lease.Acquired)).Truncate(time.Second)
	return &domain.Error{
		Code: domain.Claimed, Text: "entry " + id + " is being sent or verified by " + lease.Owner + " for " + age.String(),
		Remedy: "try again when that has ended",
	}
}

func noEntry(workspace, session, id string) error {
	return &domain.Error{
		Code: domain.NotFound, Text: "session " + session + " of " + workspace + " has no entry " + id,
		Remedy: "tundish outbox list names them",
	}
}
