package cli

import (
	"fmt"

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
database file. Prints ok, or one finding a line on standard error and exits 1.`,
		Example: "  tundish check",
		Args:    s.operands(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withInbox(cmd.Context(), func(in *app.Inbox) error {
				findings, err := in.Check(cmd.Context())
				if err != nil {
					return err
				}
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
}

func (s *session) printFindings(findings []string, asJSON bool) error {
	switch {
	case asJSON:
		s.printJSON(checkJSON{OK: len(findings) == 0, Findings: append([]string{}, findings...)})
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
