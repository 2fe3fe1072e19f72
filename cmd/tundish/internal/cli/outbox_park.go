package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app/outbox"
	"github.com/tundish-go/tundish/domain"
)

func (s *session) outboxParkCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "park WORKSPACE",
		Short: "Set a workspace aside and print how many entries that is",
		Long: `Set a workspace aside and print how many entries that is.

What waits or is under way is parked, and so is what is accepted from now on,
until "tundish outbox unpark". A send that runs goes on to its end.`,
		Example: "  tundish outbox park web --reason 'moves to another host'",
		Args:    s.operands("WORKSPACE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.countEntries(cmd.Context(), args[0], func(ctx context.Context, service *outbox.Service) (int, error) {
				return service.ParkWorkspace(ctx, args[0], reason)
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "the `REASON` that lists show")
	s.addJSON(cmd)
	return cmd
}

func (s *session) outboxUnparkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "unpark WORKSPACE",
		Short: "Let a parked workspace go on and print how many entries that is",
		Long: `Let a parked workspace go on and print how many entries that is. What was under
way when it was parked is verified first.`,
		Example: "  tundish outbox unpark web",
		Args:    s.operands("WORKSPACE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.countEntries(cmd.Context(), args[0], func(ctx context.Context, service *outbox.Service) (int, error) {
				return service.UnparkWorkspace(ctx, args[0])
			})
		},
	}
	s.addJSON(cmd)
	return cmd
}

type countedJSON struct {
	Workspace string `json:"workspace"`
	Count     int    `json:"count"` // of entries, and rows for cleanup
}

// countEntries prints how many entries, or rows, a change of a workspace was about.
func (s *session) countEntries(ctx context.Context, workspace string, change func(context.Context, *outbox.Service) (int, error)) error {
	if err := domain.CheckLabel("workspace", workspace); err != nil {
		return err
	}
	return s.withOutbox(ctx, func(service *outbox.Service) error {
		n, err := change(ctx, service)
		if err != nil {
			return err
		}
		s.printResult(countedJSON{workspace, n}, "%d\n", n)
		return nil
	})
}
