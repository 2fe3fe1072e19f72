package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app/outbox"
	"github.com/tundish-go/tundish/domain"
)

func (s *session) outboxRetryCommand() *cobra.Command {
	var resend bool
	cmd := &cobra.Command{
		Use:   "retry WORKSPACE SESSION ID",
		Short: "Let an entry in error go on",
		Long: `Let an entry in error go on: it is sent again, or verified if nobody knows what
became of its last send. Its counters begin anew. Where the fate is unknown and
the route has no verifier, --resend says that it may be sent a second time.`,
		Example: "  tundish outbox retry web ses_1 ob_0198c6f2-7e1a-7cc3-98c8-0123456789ab",
		Args:    s.operands("WORKSPACE", "SESSION", "ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withWorker(cmd.Context(), workerOptions{}, func(service *outbox.Service, _ []outbox.Route) error {
				workspace, session, id := args[0], args[1], args[2]
				done, err := service.RetryWith(cmd.Context(), workspace, session, id, outbox.RetryOptions{Resend: resend, Ask: true})
				switch {
				case errors.Is(err, outbox.ErrFateUnknown):
					return &domain.Error{
						Code: domain.Claimed, Text: "nobody knows what became of the last send of " + id + ", and its route has no verifier",
						Remedy: "look into the session; then dismiss the entry, or retry it with --resend, which may deliver it twice",
					}
				case err != nil:
					return err
				case done == outbox.RetryNotFound:
					return noEntry(workspace, session, id)
				case done == outbox.RetryNotError:
					return &domain.Error{
						Code: domain.NotFound, Text: "entry " + id + " is not in error",
						Remedy: "tundish outbox list shows what it waits for",
					}
				case done == outbox.RetryBusy:
					return s.busy(cmd.Context(), service, workspace, session, id)
				}
				s.printResult(retriedJSON{id, true}, "retried %s\n", id)
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&resend, "resend", false, "send again even if the session may have it already")
	s.addJSON(cmd)
	return cmd
}

type retriedJSON struct {
	ID      string `json:"id"`
	Retried bool   `json:"retried"`
}
