package cli

import (
	"runtime"

	"github.com/spf13/cobra"
)

func (s *session) versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version, the database driver and SQLite's version",
		Example: "  tundish version\n  tundish version --json",
		Args:    s.operands(),
		RunE: func(*cobra.Command, []string) error {
			sqlite := s.Driver.SQLite()
			if asJSON {
				s.printJSON(versionJSON{s.Version, s.Driver.Name, sqlite, runtime.Version()})
				return nil
			}
			s.print("tundish %s\ndriver %s\nsqlite %s\ngo %s\n", s.Version, s.Driver.Name, sqlite, runtime.Version())
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

type versionJSON struct {
	Version string `json:"version"`
	Driver  string `json:"driver"`
	SQLite  string `json:"sqlite"`
	Go      string `json:"go"`
}

// shortVersion answers --version without loading SQLite.
func (s *session) shortVersion() error {
	s.print("tundish %s (%s)\n", s.Version, s.Driver.Name)
	return nil
}
