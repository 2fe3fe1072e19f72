package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain/inbox"
)

func (s *session) ackCommand() *cobra.Command {
	var request app.Ack
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ack ID --as WHO [--subscription NAME]",
		Short: "Take responsibility for an item",
		Long: `Take responsibility for an item, within one subscription.

Exits 3 and says who, when another subscriber has acked the item or holds its
lease: leave the item to them.`,
		Example: `  tundish ack 17 --as reviewer
  tundish ack 17 --as reviewer --subscription builds`,
		Args: s.operands("ID"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if request.Item, err = itemID(args[0]); err != nil {
				return err
			}
			if !set(cmd.Flags(), "as") {
				return missing(cmd, "--as WHO")
			}
			if set(cmd.Flags(), "subscription") {
				if err := inbox.CheckSubscription(request.Subscription); err != nil {
					return err
				}
			}
			return s.withInbox(cmd.Context(), func(in *app.Inbox) error {
				done, err := in.Ack(cmd.Context(), request)
				return s.printAcked(request, done, err, asJSON)
			})
		},
	}
	cmd.Flags().StringVar(&request.Subscriber, "as", "", "the subscriber `WHO`")
	cmd.Flags().StringVar(&request.Subscription, "subscription", "", "the subscription `NAME` to ack in, when WHO holds several on the item's queue")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}

type ackJSON struct {
	Item         int64  `json:"item"`
	Subscription string `json:"subscription,omitempty"`
	Acked        bool   `json:"acked"`
	Owner        string `json:"owner"`
	At           int64  `json:"at,omitempty"`    // when another acked it
	Until        int64  `json:"until,omitempty"` // when another's lease ends
}

func (s *session) printAcked(request app.Ack, done app.Acked, err error, asJSON bool) error {
	var claimed *inbox.ClaimedError
	switch {
	case errors.As(err, &claimed) && asJSON:
		s.printJSON(ackJSON{Item: claimed.Item, Subscription: request.Subscription, Owner: claimed.Owner, At: claimed.At, Until: claimed.Until})
		return toldError{err}
	case errors.As(err, &claimed):
		s.print("%s\n", claimed.Outcome())
		return toldError{err}
	case err != nil:
		return err
	case asJSON:
		s.printJSON(ackJSON{Item: done.Item, Subscription: done.Subscription, Acked: true, Owner: request.Subscriber})
	default:
		s.print("acked %d\n", done.Item)
	}
	if done.WasParked {
		s.note("item %d had been parked in %s: its last lease ran out", done.Item, done.Subscription)
	}
	if done.NeverPulled {
		s.note("item %d had not been pulled in %s yet", done.Item, done.Subscription)
	}
	return nil
}
