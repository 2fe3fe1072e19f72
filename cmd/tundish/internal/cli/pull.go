package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

type pullFlags struct {
	as, maxBytes, timeout string
	due, peek, json       bool
	hook                  hookFlags
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
environment bounds the time as --timeout does; the smaller one wins.

With --peek it prints what the next pull would print, and marks nothing. With
--json it prints a JSON object for each status line, which says how many items
follow, and one for each of these; --max-bytes bounds the texts in them.

With --hook it runs in a hook of HOST: it reads from standard input, or from
--event, what happens there, and prints what that host takes at this event, after
a line that says what it is, or nothing. It does nothing inside subagents, and
exits 0 or 1 only.`,
		Example: `  tundish pull builds --as reviewer
  tundish pull --due --as reviewer --max-bytes 4096 --timeout 400ms
  tundish pull --due --as reviewer --peek
  tundish pull builds --as reviewer --jq 'select(.item) | .text'
  tundish pull --due --as reviewer --hook claude-code
  tundish pull --due --as reviewer --hook copilot --event sessionStart`,
		Args: s.operands("[NAME]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			request, err := flags.request(cmd, args)
			if err != nil {
				return err
			}
			limit, err := s.timeLimit(flags.timeout, set(cmd.Flags(), "timeout"))
			if err != nil {
				return err
			}
			h, hooked, err := flags.hook.find(cmd.Flags())
			switch {
			case err != nil:
				return err
			case hooked && (flags.peek || flags.json):
				return usage("leave them out", "--hook prints what a host takes: --peek, --json and --jq are not for it")
			case hooked:
				return s.hook(cmd, h, request, limit, flags.hook)
			}
			if flags.json {
				request.Form = s.pullForm
			}
			if flags.peek {
				return s.peek(cmd, request, limit)
			}
			return s.pull(cmd, request, limit)
		},
	}
	flags.define(cmd.Flags())
	if s.completing() {
		flags.hook.complete(cmd)
	}
	return cmd
}

func (f *pullFlags) define(flags *pflag.FlagSet) {
	flags.BoolVar(&f.due, "due", false, "pull every due subscription of the subscriber")
	flags.StringVar(&f.as, "as", "", "the subscriber `WHO`")
	flags.StringVar(&f.maxBytes, "max-bytes", defaultMaxBytes, "print at most `N` bytes; 400 or more")
	flags.StringVar(&f.timeout, "timeout", "", "give up after this `DURATION`, such as 400ms or 2s")
	flags.BoolVar(&f.peek, "peek", false, "print what the next pull would print, and mark nothing")
	flags.BoolVar(&f.json, "json", false, "print one JSON object a line: status lines and items")
	f.hook.define(flags)
}

func (f *pullFlags) request(cmd *cobra.Command, args []string) (app.Pull, error) {
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

// defaultMaxBytes is inbox.DefaultMaxBytes as a flag's text.
const defaultMaxBytes = "1024"

// deliverable refuses an output that cannot take a delivery.
func (s *session) deliverable() error {
	if s.Output == OutputOpen {
		return nil
	}
	text := "standard output is closed"
	if s.Output == OutputSuspect {
		text += ", or is /dev/null opened for reading too"
	}
	return &domain.Error{Code: domain.Output, Text: text, Remedy: "nothing was delivered; run the pull with an output"}
}

func (s *session) pull(cmd *cobra.Command, request app.Pull, limit timeLimit) error {
	return s.timely(cmd, limit, func(ctx context.Context, in *app.Inbox) (app.Pulled, error) {
		return in.Pull(ctx, request, s.stdout)
	})
}

func (s *session) peek(cmd *cobra.Command, request app.Pull, limit timeLimit) error {
	return s.timely(cmd, limit, func(ctx context.Context, in *app.Inbox) (app.Pulled, error) {
		return in.Peek(ctx, request, s.text)
	})
}

// timely lets do pull within its time.
func (s *session) timely(cmd *cobra.Command, limit timeLimit, do func(context.Context, *app.Inbox) (app.Pulled, error)) error {
	if err := s.deliverable(); err != nil {
		return err
	}
	if err := limit.over(s.begun); err != nil {
		return err
	}
	ctx, cancel := limit.bound(cmd.Context(), s.begun)
	defer cancel()
	return s.withInbox(ctx, func(in *app.Inbox) error {
		pulled, err := do(ctx, in)
		for _, skip := range pulled.Skipped {
			s.noteSkip(skip)
		}
		return err
	})
}

func (s *session) noteSkip(skip app.Skip) {
	s.note("the subscription %s was skipped: %s", skip.Subscription, skip.Reason)
}
