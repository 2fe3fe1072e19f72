package cli

import (
	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app"
)

func (s *session) backupCommand() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the whole database to a file",
		Long: `Copy the whole database, inbox and outbox, to a file, as it is at one moment,
while others use it. The file is a database itself, which only its owner can read;
tundish restore takes it back. It gets its name when it is whole and safe on the
disk: a backup that was killed leaves at worst a file that ends in .part.

A file that exists is not written over, except with --force.`,
		Example: "  tundish backup tundish-backup.db\n  tundish backup tundish-backup.db --force --json",
		Args:    s.operands("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := fileOperand(args[0])
			if err != nil {
				return err
			}
			return s.withInbox(cmd.Context(), func(in *app.Inbox) error {
				done, err := in.Backup(cmd.Context(), path, force)
				if err != nil {
					return err
				}
				s.printResult(backupJSON{path, done.Items, done.Bytes}, "backed up %s in %s to %s\n",
					plural(done.Items, "item"), plural(done.Bytes, "byte"), path)
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "write over the file if it exists")
	s.addJSON(cmd)
	return cmd
}

type backupJSON struct {
	File  string `json:"file"`
	Items int64  `json:"items"`
	Bytes int64  `json:"bytes"`
}

// fileOperand reads the name of a file that cannot be a stream.
func fileOperand(text string) (string, error) {
	switch text {
	case "":
		return "", usage("name a file", "the file name is empty")
	case "-":
		return "", usage("name a file: a database cannot be a stream; tundish export writes one", "- is no file")
	}
	return underHome(text)
}
