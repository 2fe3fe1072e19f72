package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app/outbox"
	"github.com/tundish-go/tundish/domain"
)

func (s *session) outboxSweepCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sweep WORKSPACE",
		Short: "Ask the ledger about entries in error, and verify unknown ones anew",
		Long: `Ask the ledger about the entries in error of a workspace, and verify those anew
whose fate is unknown. A worker does so by itself; this is for the moment when
the receiver is back. Entries that the ledger could not be asked about are
counted on standard error. A workspace of whose entries nobody can be asked is
named there too.`,
		Example: "  tundish outbox sweep web",
		Args:    s.operands("WORKSPACE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := domain.CheckLabel("workspace", args[0]); err != nil {
				return err
			}
			return s.withWorker(cmd.Context(), workerOptions{}, func(service *outbox.Service, all []outbox.Route) error {
				done, err := service.SweepWorkspace(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				s.printResult(sweptJSON{args[0], done.Rearmed, done.Completed, done.Indeterminate}, "rearmed %d completed %d\n", done.Rearmed, done.Completed)
				switch n := done.Indeterminate; {
				case n == 1:
					s.note("the ledger could not be asked about 1 entry, which stays as it is")
				case n > 1:
					s.note("the ledger could not be asked about %d entries, which stay as they are", n)
				}
				s.noteSilent(all, args[0])
				return nil
			})
		},
	}
	s.addJSON(cmd)
	return cmd
}

type sweptJSON struct {
	Workspace     string `json:"workspace"`
	Rearmed       int    `json:"rearmed"`
	Completed     int    `json:"completed"`
	Indeterminate int    `json:"indeterminate"`
}

// noteSilent says so when nobody can be asked about the entries of a workspace.
func (s *session) noteSilent(all []outbox.Route, workspace string) {
	const remedy = "what is in error there waits for tundish outbox retry or dismiss"
	at := slices.IndexFunc(all, func(r outbox.Route) bool { return r.Matches(workspace) })
	switch {
	case at < 0:
		s.note("no route of the configuration is about workspace %q: nobody can be asked; %s", workspace, remedy)
	case all[at].Ledger == nil && all[at].Verifier == nil && !all[at].Idempotent:
		s.note("the route of workspace %q has neither ledger nor verifier: nobody can be asked; %s", workspace, remedy)
	}
}
