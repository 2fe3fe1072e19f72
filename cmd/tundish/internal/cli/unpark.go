package cli

import (
	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain/inbox"
)

func (s *session) unparkCommand() *cobra.Command {
	var request app.Unpark
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "unpark ID... --subscription NAME",
		Short: "Let pulls have parked items again",
		Long: `Let pulls of a subscription have items again that were parked after their last
attempt: at once, with all attempts before them. All of them or, when one is not
parked, none.`,
		Example: "  tundish unpark 17 18 --subscription builds",
		Args:    s.items,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if request.Items, err = s.itemIDs(args); err != nil {
				return err
			}
			if !set(cmd.Flags(), "subscription") {
				return missing(cmd, "--subscription NAME")
			}
			if err := inbox.CheckSubscription(request.Subscription); err != nil {
				return err
			}
			return s.withExisting(cmd.Context(), func(in *app.Inbox) error {
				done, err := in.Unpark(cmd.Context(), request)
				if err != nil {
					return err
				}
				for _, item := range done {
					if asJSON {
						s.printJSON(unparkJSON{item, request.Subscription, true})
					} else {
						s.print("unparked %d\n", item)
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&request.Subscription, "subscription", "", "the subscription `NAME` in which they are parked")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line, one for each item")
	return cmd
}

// unparkJSON is what an unpark did.
type unparkJSON struct {
	Item         int64  `json:"item"`
	Subscription string `json:"subscription"`
	Unparked     bool   `json:"unparked"`
}
