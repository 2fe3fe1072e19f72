package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app/outbox"
)

func (s *session) outboxCleanupCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cleanup WORKSPACE",
		Short: "Delete everything of a workspace and print how many rows that was",
		Long: `Delete everything of a workspace and print how many rows that was: entries, known
client ids, records of deliveries, the hold of a parked workspace. A send that
runs brings nothing back when it ends. Doing it again is harmless.`,
		Example: "  tundish outbox cleanup web",
		Args:    s.operands("WORKSPACE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.countEntries(cmd.Context(), args[0], func(ctx context.Context, service *outbox.Service) (int, error) {
				return service.CleanupWorkspace(ctx, args[0])
			})
		},
	}
	s.addJSON(cmd)
	return cmd
}
