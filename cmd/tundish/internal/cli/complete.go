package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app"
)

// completeNames lets a shell offer the names of subscribers and of subscriptions where
// a command takes them. Only a call that completes pays for it.
func (s *session) completeNames(cmd *cobra.Command) {
	for flag, names := range map[string]func(app.Overview) []string{"as": subscribers, "subscription": subscriptions} {
		if cmd.Flags().Lookup(flag) == nil {
			continue
		}
		if err := cmd.RegisterFlagCompletionFunc(flag, s.offer(names)); err != nil {
			panic(err) // it is defined
		}
	}
	words := append(strings.Fields(cmd.Use), "")
	if strings.Trim(words[1], "[]") == "NAME" && cmd.ValidArgsFunction == nil {
		named := s.offer(subscriptions)
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return named(cmd, args, begun)
		}
	}
}

// offer completes by names that the database holds. It makes none, and a completion
// cannot tell why there is nothing to offer.
func (s *session) offer(names func(app.Overview) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, begun string) (found []cobra.Completion, _ cobra.ShellCompDirective) {
		err := s.withInbox(cmd.Context(), func(in *app.Inbox) error {
			all, err := in.Overview(cmd.Context())
			for _, name := range names(all) {
				if strings.HasPrefix(name, begun) {
					found = append(found, name)
				}
			}
			return err
		})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		slices.Sort(found)
		return slices.Compact(found), cobra.ShellCompDirectiveNoFileComp
	}
}

func subscriptions(all app.Overview) (names []string) {
	for _, sub := range all.Subscriptions {
		names = append(names, sub.Subscription)
	}
	return names
}

func subscribers(all app.Overview) (names []string) {
	for _, sub := range all.Subscriptions {
		for _, lag := range sub.Subscribers {
			names = append(names, lag.Subscriber)
		}
	}
	return names
}
