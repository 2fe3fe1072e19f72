package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app/outbox"
	"github.com/tundish-go/tundish/domain"
)

// completeEntries completes a workspace, a session of it and the id of an entry of
// that, as far as depth goes, by what the outbox holds. No operand is a file.
func (s *session) completeEntries(depth int) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) (found []cobra.Completion, _ cobra.ShellCompDirective) {
		if len(args) >= depth {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		lane := append(slices.Clone(args), "", "")
		err := s.withOutbox(cmd.Context(), func(service *outbox.Service) error {
			entries, err := service.List(cmd.Context(), lane[0], lane[1])
			for _, e := range entries {
				if name := [...]string{e.WorkspaceID, e.SessionID, e.ID}[len(args)]; strings.HasPrefix(name, begun) {
					found = append(found, domain.Escape(name))
				}
			}
			return err
		})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp // a completion cannot tell why
		}
		slices.Sort(found)
		return slices.Compact(found), cobra.ShellCompDirectiveNoFileComp
	}
}
