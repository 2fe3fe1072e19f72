package cli

import (
	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain/inbox"
)

func (s *session) extendCommand() *cobra.Command {
	var flags claimFlags
	var lease string
	cmd := &cobra.Command{
		Use:   "extend ID... --as WHO --lease DURATION",
		Short: "Keep leased items for longer",
		Long: `Give the leases that WHO holds on items another length, from now on: longer for
work that takes its time, or shorter. All of them get it or, when one is refused,
none. The attempt stays the same.

Exits 3 and says who, when another subscriber holds an item's lease, and 2 when
nobody does.`,
		Example: `  tundish extend 17 --as reviewer --lease 1h
  tundish extend 17 18 --as reviewer --lease 30s`,
		Args: s.items,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			request := app.Extend{Subscriber: flags.subscriber, Subscription: flags.subscription}
			if request.Items, err = s.itemIDs(args); err != nil {
				return err
			}
			if err := flags.check(cmd); err != nil {
				return err
			}
			if !set(cmd.Flags(), "lease") {
				return missing(cmd, "--lease DURATION")
			}
			if request.Lease, err = duration("lease", lease); err != nil {
				return err
			}
			return s.withExisting(cmd.Context(), func(in *app.Inbox) error {
				done, err := in.Extend(cmd.Context(), request)
				if err != nil {
					return s.extendRefused(err, request, flags.json)
				}
				for _, one := range done {
					s.printExtended(one, flags.json)
				}
				return nil
			})
		},
	}
	flags.add(cmd, "extend")
	cmd.Flags().StringVar(&lease, "lease", "", "hold them for this `DURATION` from now on, such as 30m")
	return cmd
}

// extendJSON is what an extension did.
type extendJSON struct {
	Item         int64  `json:"item"`
	Subscription string `json:"subscription"`
	Extended     bool   `json:"extended"`
	Until        int64  `json:"until"`
}

func (s *session) extendRefused(err error, request app.Extend, asJSON bool) error {
	if !asJSON {
		return s.refused(err, len(request.Items), nil)
	}
	return s.refused(err, len(request.Items), func(c *inbox.ClaimedError) any {
		return unchangedJSON{Item: c.Item, Subscription: request.Subscription, Extended: new(bool), refusedJSON: refusedJSON{c.Owner, c.At, c.Until}}
	})
}

func (s *session) printExtended(done app.Extended, asJSON bool) {
	if asJSON {
		s.printJSON(extendJSON{done.Item, done.Subscription, true, done.Until})
	} else {
		s.print("extended %d until %d\n", done.Item, done.Until)
	}
}
