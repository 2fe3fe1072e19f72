package cli

import (
	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app"
)

func (s *session) restoreCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Put a backup in the place of the database's content",
		Long: `Put a backup in the place of everything in the database, inbox and outbox, while
others use it: they see all of it from one moment to the next. The backup is
checked first. What was there before is kept in a file beside the database, whose
name is told. So it does not insist on --yes: on a terminal it asks first, and
elsewhere it goes on.

Positions, acks and leases are those of the backup: what was delivered after it
was made is delivered again, and what was published after it is only in the file
that is kept. New items get ids above all that were ever given. Workspaces of the
outbox in which entries wait are parked, since they may have been sent meanwhile;
look at them with tundish outbox list, and let them go on with tundish outbox
unpark WORKSPACE.`,
		Example: "  tundish restore tundish-backup.db\n  tundish restore tundish-backup.db --yes --json",
		Args:    s.operands("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := fileOperand(args[0])
			if err != nil {
				return err
			}
			return s.withInbox(cmd.Context(), func(in *app.Inbox) error {
				if err := s.confirm(yes, "put %s in the place of everything in %s?", path, s.database); err != nil {
					return err
				}
				done, err := in.Restore(cmd.Context(), path)
				if err != nil {
					return err
				}
				s.printResult(restoredJSON{path, done.Items, done.Kept, done.Held}, "restored %s from %s\n", plural(done.Items, "item"), path)
				if done.Kept != "" {
					s.note("what was there before is kept in %q", done.Kept)
				}
				if done.Held > 0 {
					s.note("%s of the outbox parked, since entries may have been sent after the backup; see tundish outbox status",
						plural(done.Held, "workspace"))
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	s.addJSON(cmd)
	return cmd
}

type restoredJSON struct {
	File   string `json:"file"`
	Items  int64  `json:"items"`
	Kept   string `json:"kept"` // empty when there was nothing before
	Parked int64  `json:"parked_workspaces"`
}
