package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
)

func (s *session) waitCommand() *cobra.Command {
	var flags pullFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "wait [NAME | --due] --as WHO",
		Short: "Wait until a pull has something to deliver",
		Long: `Wait until a pull of the same NAME, or of --due, has at least one item to
deliver, and deliver nothing. Exits 0 then, and 1 when --timeout is over.

The system tells of changes, so that waiting costs nothing. The database may be
made, or made anew, meanwhile; a subscription that an existing database does not
have is an error.`,
		Example: `  tundish wait builds --as reviewer && tundish pull builds --as reviewer
  tundish wait --due --as reviewer --timeout 10m`,
		Args: s.operands("[NAME]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			request, err := flags.request(cmd, args)
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			if set(cmd.Flags(), "timeout") {
				given, err := parseTimeout(flags.timeout)
				if err != nil {
					return err
				}
				late := &domain.Error{Code: domain.Deadline, Text: "nothing to deliver came within " + flags.timeout}
				var cancel context.CancelFunc
				ctx, cancel = context.WithDeadlineCause(ctx, s.begun.Add(given), late)
				defer cancel()
			}
			return s.wait(ctx, request, asJSON)
		},
	}
	cmd.Flags().BoolVar(&flags.due, "due", false, "wait for any due subscription of the subscriber")
	cmd.Flags().StringVar(&flags.as, "as", "", "the subscriber `WHO`")
	cmd.Flags().StringVar(&flags.timeout, "timeout", "", "give up after this `DURATION`, such as 400ms or 10m")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what came of it as JSON")
	flags.maxBytes = defaultMaxBytes
	return cmd
}

// wait waits until something is deliverable (WAIT-1).
func (s *session) wait(ctx context.Context, request app.Pull, asJSON bool) error {
	var out *app.Lookout
	told := map[string]bool{}
	result := waitJSON{Subscription: request.Subscription, Subscriber: request.Subscriber}
	err := s.keepVigil(ctx, func(in *app.Inbox, anew bool) (next step, err error) {
		if anew {
			if out, err = in.Lookout(request); err != nil {
				return rest, err
			}
		}
		sight, err := out.Look(context.WithoutCancel(ctx))
		for _, skip := range sight.Skipped {
			if !told[skip.Subscription] {
				told[skip.Subscription] = true
				s.noteSkip(skip)
			}
		}
		result.Items = sight.Items
		switch {
		case err != nil:
			return rest, err
		case sight.Items > 0:
			return done, nil
		case sight.Partial:
			return soon, nil
		}
		return rest, nil
	})
	result.Deliverable = err == nil
	if asJSON && (err == nil || domain.CodeOf(err) == domain.Deadline) {
		s.printJSON(result)
	}
	return err
}

type waitJSON struct {
	Subscription string `json:"subscription,omitempty"` // none: all that are due
	Subscriber   string `json:"subscriber"`
	Deliverable  bool   `json:"deliverable"`
	Items        int64  `json:"items"` // that the next pull delivers
}
