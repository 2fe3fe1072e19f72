package cli

import (
	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain/inbox"
)

func (s *session) nackCommand() *cobra.Command {
	var flags claimFlags
	var delay string
	cmd := &cobra.Command{
		Use:   "nack ID... --as WHO [--subscription NAME]",
		Short: "Give leased items back",
		Long: `Give items back that are leased to WHO: all of them or, when one is refused,
none. The next pull of any subscriber gets them, or with --delay one after that
time; meanwhile they belong to nobody, and anybody may ack them. The attempt
counts: after the last one an item is parked at once.

Exits 3 and says who, when another subscriber holds an item's lease, and 2 when
nobody does.`,
		Example: `  tundish nack 17 --as reviewer
  tundish nack 17 18 --as reviewer --delay 10m`,
		Args: s.items,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			request := app.Nack{Subscriber: flags.subscriber, Subscription: flags.subscription}
			if request.Items, err = s.itemIDs(args); err != nil {
				return err
			}
			if set(cmd.Flags(), "delay") {
				if request.Delay, err = duration("delay", delay); err != nil {
					return err
				}
			}
			if err := flags.check(cmd); err != nil {
				return err
			}
			return s.withExisting(cmd.Context(), func(in *app.Inbox) error {
				done, err := in.Nack(cmd.Context(), request)
				if err != nil {
					return s.nackRefused(err, request, flags.json)
				}
				for _, one := range done {
					s.printNacked(one, flags.json)
				}
				return nil
			})
		},
	}
	flags.add(cmd, "nack")
	cmd.Flags().StringVar(&delay, "delay", "", "let no pull have them for this `DURATION`, such as 90s or 10m")
	return cmd
}

// nackJSON is what a nack did.
type nackJSON struct {
	Item         int64  `json:"item"`
	Subscription string `json:"subscription"`
	Nacked       bool   `json:"nacked"`
	Attempts     int64  `json:"attempts"`
	Parked       bool   `json:"parked"`
	Until        int64  `json:"until,omitempty"` // pulls get it from then on
}

// unchangedJSON is who stood in the way of a nack or an extension.
type unchangedJSON struct {
	Item         int64  `json:"item"`
	Subscription string `json:"subscription,omitempty"`
	Nacked       *bool  `json:"nacked,omitempty"`
	Extended     *bool  `json:"extended,omitempty"`
	refusedJSON
}

func (s *session) nackRefused(err error, request app.Nack, asJSON bool) error {
	if !asJSON {
		return s.refused(err, len(request.Items), nil)
	}
	return s.refused(err, len(request.Items), func(c *inbox.ClaimedError) any {
		return unchangedJSON{Item: c.Item, Subscription: request.Subscription, Nacked: new(bool), refusedJSON: refusedJSON{c.Owner, c.At, c.Until}}
	})
}

func (s *session) printNacked(done app.Nacked, asJSON bool) {
	if done.Parked {
		s.note("item %d is parked in %s: attempt %d was its last", done.Item, done.Subscription, done.Attempts)
		done.Until = 0
	}
	if asJSON {
		s.printJSON(nackJSON{done.Item, done.Subscription, true, done.Attempts, done.Parked, done.Until})
	} else {
		s.print("nacked %d\n", done.Item)
	}
}
