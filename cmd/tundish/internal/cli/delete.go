package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain/inbox"
)

func (s *session) deleteCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "delete NAME",
		Short: "Delete a subscription with its positions and claims",
		Long: `Delete a subscription with its bindings and their positions, its acks with their
notes, its leases, and the marks of what was shown. The items of its queue stay.
On a terminal it asks first; elsewhere it wants --yes, and exits 2 without it.

The database is written anew at the end, so that nothing of what was deleted can
be read in its file; that takes about as long as copying the file.`,
		Example: "  tundish delete builds --yes\n  tundish delete builds --yes --json",
		Args:    s.operands("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := inbox.CheckSubscription(args[0]); err != nil {
				return err
			}
			return s.withExisting(cmd.Context(), func(in *app.Inbox) error {
				if err := s.confirmLoss(yes, "delete the subscription %s with its positions, acks and leases?", args[0]); err != nil {
					return err
				}
				done, err := in.Delete(cmd.Context(), args[0])
				if done.Subscription != "" {
					s.printDeleted(done)
				}
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask; needed where there is no terminal")
	s.addJSON(cmd)
	return cmd
}

// deletedJSON is what went with a subscription.
type deletedJSON struct {
	Subscription string   `json:"subscription"`
	Queue        string   `json:"queue"`
	Bindings     []string `json:"bindings"`
	Acks         int64    `json:"acks"`
	Leases       int64    `json:"leases"`
	Shown        int64    `json:"shown"`
}

func (s *session) printDeleted(d app.Deleted) {
	bindings := plural(int64(len(d.Subscribers)), "binding")
	if len(d.Subscribers) > 0 {
		bindings += " (" + strings.Join(d.Subscribers, ", ") + ")"
	}
	s.printResult(
		deletedJSON{d.Subscription, d.Queue, append([]string{}, d.Subscribers...), d.Acks, d.Leases, d.Shown},
		"deleted %s: %s, %s, %s, %s\n", d.Subscription, bindings,
		plural(d.Acks, "ack"), plural(d.Leases, "lease"), plural(d.Shown, "shown mark"))
}
