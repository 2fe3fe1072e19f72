package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
)

func (s *session) checkCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check the configuration, the stored rules and the database",
		Long: `Check the configuration, the stored rules with their expressions, and the
database file. Prints ok, or one finding a line on standard error and exits 1.
Warnings, such as of a file that others may read, go to standard error too; they
change neither ok nor the exit code.`,
		Example: "  tundish check\n  tundish check --json",
		Args:    s.operands(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, _, err := s.configuration()
			if err == nil {
				err = checkOutbox(settings.Outbox)
			}
			if err != nil {
				return err
			}
			return s.withInbox(cmd.Context(), func(in *app.Inbox) error {
				findings, err := in.Check(cmd.Context())
				if err != nil {
					return err
				}
				s.warnMissing()
				return s.printFindings(findings, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}

type checkJSON struct {
	OK       bool     `json:"ok"`
	Findings []string `json:"findings"`
	Warnings []string `json:"warnings"`
}

// warnMissing says when there is nothing yet that could be checked: the path may
// be a wrong one.
func (s *session) warnMissing() {
	info, err := os.Stat(s.database)
	if err == nil && info.Size() > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return
	}
	path := s.database
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	s.warn(fmt.Sprintf("there is no database at %s yet; the first publish or subscribe makes it", path))
}

func (s *session) printFindings(findings []string, asJSON bool) error {
	switch {
	case asJSON:
		s.printJSON(checkJSON{
			OK: len(findings) == 0, Findings: append([]string{}, findings...), Warnings: append([]string{}, s.warnings...),
		})
	case len(findings) == 0:
		s.print("ok\n")
	}
	if len(findings) == 0 {
		return nil
	}
	for _, finding := range findings {
		s.note("%s", finding)
	}
	return &domain.Error{Code: domain.Corrupt, Text: fmt.Sprintf("%d found to be wrong", len(findings))}
}
