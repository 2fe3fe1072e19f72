package cli

import (
	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app"
)

func (s *session) unsubscribeCommand() *cobra.Command {
	var as string
	cmd := &cobra.Command{
		Use:   "unsubscribe NAME --as WHO",
		Short: "Unbind a subscriber from a subscription",
		Long: `Unbind a subscriber from a subscription and forget its position.

The subscription stays, even after its last subscriber has left.`,
		Example: "  tundish unsubscribe builds --as fixer",
		Args:    s.operands("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !set(cmd.Flags(), "as") {
				return missing(cmd, "--as WHO")
			}
			return s.withExisting(cmd.Context(), func(in *app.Inbox) error {
				if err := in.Unsubscribe(cmd.Context(), args[0], as); err != nil {
					return err
				}
				s.printResult(unboundJSON{args[0], as, true}, "unbound %s from %s; its read position was removed\n", as, args[0])
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&as, "as", "", "the subscriber `WHO`")
	s.addJSON(cmd)
	return cmd
}

type unboundJSON struct {
	Subscription string `json:"subscription"`
	Subscriber   string `json:"subscriber"`
	Unbound      bool   `json:"unbound"`
}
