package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

type pullFlags struct {
	as, maxBytes, timeout string
	due                   bool
}

func (s *session) pullCommand() *cobra.Command {
	var flags pullFlags
	cmd := &cobra.Command{
		Use:   "pull [NAME | --due] --as WHO",
		Short: "Print the next batch for a subscriber and mark it delivered",
		Long: `Print the next batch for a subscriber and mark it delivered.

With a NAME one subscription is pulled; with --due all of the subscriber's that
are due, in one budget. Nothing is marked before all of it is written: a pull
that fails, or whose time is over, delivers nothing. GAFF_TIMEOUT_MS in the
environment bounds the time as --timeout does; the smaller one wins.`,
		Example: `  tundish pull builds --as reviewer
  tundish pull --due --as reviewer --max-bytes 4096 --timeout 400ms`,
		Args: s.operands("[NAME]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			request, err := flags.request(cmd, args)
			if err != nil {
				return err
			}
			return s.pull(cmd, request, flags.timeout)
		},
	}
	cmd.Flags().BoolVar(&flags.due, "due", false, "pull every due subscription of the subscriber")
	cmd.Flags().StringVar(&flags.as, "as", "", "the subscriber `WHO`")
	cmd.Flags().StringVar(&flags.maxBytes, "max-bytes", "1024", "print at most `N` bytes; 400 or more")
	cmd.Flags().StringVar(&flags.timeout, "timeout", "", "give up after this `DURATION`, such as 400ms or 2s")
	return cmd
}

func (f pullFlags) request(cmd *cobra.Command, args []string) (app.Pull, error) {
	request := app.Pull{Due: f.due, Subscriber: f.as}
	switch {
	case f.due && len(args) > 0:
		return request, usage("give one of them", "the subscription %q and --due were both given", args[0])
	case !f.due && len(args) == 0:
		return request, missing(cmd, "the NAME of a subscription, or --due,")
	case !set(cmd.Flags(), "as"):
		return request, missing(cmd, "--as WHO")
	case !f.due:
		request.Subscription = args[0]
		if err := inbox.CheckSubscription(args[0]); err != nil {
			return request, err
		}
	}
	limit, err := number("max-bytes", f.maxBytes, inbox.MinMaxBytes)
	request.MaxBytes = int(min(limit, 1<<30))
	return request, err
}

func (s *session) pull(cmd *cobra.Command, request app.Pull, timeout string) error {
	limit, err := s.timeLimit(timeout, set(cmd.Flags(), "timeout"))
	if err != nil {
		return err
	}
	if s.Output != OutputOpen {
		text := "standard output is closed"
		if s.Output == OutputSuspect {
			text += ", or is /dev/null opened for reading too"
		}
		return &domain.Error{Code: domain.Output, Text: text, Remedy: "nothing was delivered; run the pull with an output"}
	}
	ctx, cancel := limit.bound(cmd.Context(), s.begun)
	defer cancel()
	if cause := context.Cause(ctx); cause != nil {
		return &domain.Error{Code: domain.Deadline, Text: "there is no time for a pull", Err: cause, Remedy: "give it more"}
	}
	return s.withInbox(ctx, func(in *app.Inbox) error {
		pulled, err := in.Pull(ctx, request, s.stdout)
		for _, skip := range pulled.Skipped {
			s.note("the subscription %s was skipped: %s", skip.Subscription, skip.Reason)
		}
		return err
	})
}
