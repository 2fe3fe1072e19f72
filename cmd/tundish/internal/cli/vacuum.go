package cli

import (
	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app"
)

func (s *session) vacuumCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "vacuum",
		Short: "Write the database anew, without free room",
		Long: `Write the database anew, without free room, and empty its log. Afterwards nothing
of what was deleted before can be read in its files. Others can read meanwhile;
who writes waits, for about as long as it takes to copy the file.

The log can only be emptied when nobody reads from it: if a program keeps reading
for more than five seconds, that is told, and the exit code is 1.`,
		Example: "  tundish vacuum\n  tundish vacuum --json",
		Args:    s.operands(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withInbox(cmd.Context(), func(in *app.Inbox) error {
				done, err := in.Vacuum(cmd.Context())
				if err != nil {
					return err
				}
				s.printResult(vacuumedJSON(done), "%s before, %s after\n", plural(done.Before, "byte"), plural(done.After, "byte"))
				return nil
			})
		},
	}
	s.addJSON(cmd)
	return cmd
}

type vacuumedJSON struct {
	Before int64 `json:"before_bytes"`
	After  int64 `json:"after_bytes"`
}
