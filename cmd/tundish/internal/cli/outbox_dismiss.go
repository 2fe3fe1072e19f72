package cli

import (
	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app/outbox"
)

func (s *session) outboxDismissCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "dismiss WORKSPACE SESSION ID",
		Short: "Remove an entry for good",
		Long: `Remove an entry for good, also one that cannot be read. Its client id stays
known. One that is being sent or verified is left alone (exit 3).`,
		Example: "  tundish outbox dismiss web ses_1 ob_0198c6f2-7e1a-7cc3-98c8-0123456789ab",
		Args:    s.operands("WORKSPACE", "SESSION", "ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withOutbox(cmd.Context(), func(service *outbox.Service) error {
				workspace, session, id := args[0], args[1], args[2]
				done, err := service.Dismiss(cmd.Context(), workspace, session, id)
				switch {
				case err != nil:
					return err
				case done == outbox.DismissNotFound:
					return noEntry(workspace, session, id)
				case done == outbox.DismissBusy:
					return s.busy(cmd.Context(), service, workspace, session, id)
				}
				s.printResult(dismissedJSON{id, true}, "dismissed %s\n", id)
				return nil
			})
		},
	}
	s.addJSON(cmd)
	return cmd
}

type dismissedJSON struct {
	ID        string `json:"id"`
	Dismissed bool   `json:"dismissed"`
}
