package cli

import (
	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app/outbox"
	"github.com/tundish-go/tundish/domain"
)

func (s *session) outboxSweepCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "sweep WORKSPACE",
		Short: "Ask the ledger about entries in error, and verify unknown ones anew",
		Long: `Ask the ledger about the entries in error of a workspace, and verify those anew
whose fate is unknown. A worker does so by itself; this is for the moment when
the receiver is back. Entries that the ledger could not be asked about are
counted on standard error.`,
		Example: "  tundish outbox sweep web",
		Args:    s.operands("WORKSPACE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := domain.CheckLabel("workspace", args[0]); err != nil {
				return err
			}
			return s.withWorker(cmd.Context(), workerOptions{}, func(service *outbox.Service) error {
				done, err := service.SweepWorkspace(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				s.print("rearmed %d completed %d\n", done.Rearmed, done.Completed)
				if done.Indeterminate > 0 {
					s.note("the ledger could not be asked about %d entries, which stay as they are", done.Indeterminate)
				}
				return nil
			})
		},
	}
}
