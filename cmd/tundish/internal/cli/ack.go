package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

// ackFlags are those of ack.
type ackFlags struct {
	claimFlags
	through, note string
}

func (s *session) ackCommand() *cobra.Command {
	var flags ackFlags
	cmd := &cobra.Command{
		Use:   "ack ID... --as WHO [--subscription NAME]",
		Short: "Take responsibility for items",
		Long: `Take responsibility for items, within one subscription: for all of them or, when
one is refused, for none. With --through in place of ids, for all items up to
that id which WHO was shown and nobody has acked or, where each item goes to one
subscriber, which are leased to WHO now. An ID may be the whole tag that a pull
prints, such as '[ci#17]', wherever a command takes one.

Exits 3 and says who, when another subscriber has acked an item or holds its
lease: leave the item to them.`,
		Example: `  tundish ack 17 --as reviewer
  tundish ack 17 18 21 --as reviewer --subscription builds
  tundish ack 17 --as reviewer --note 'fixed in 4f1c2ab'
  tundish ack --through 21 --as reviewer`,
		Args: s.ackOperands,
		RunE: func(cmd *cobra.Command, args []string) error {
			request, err := s.ackRequest(cmd, flags, args)
			if err != nil {
				return err
			}
			return s.withExisting(cmd.Context(), func(in *app.Inbox) error {
				return s.ack(cmd.Context(), in, request, flags.json)
			})
		},
	}
	flags.add(cmd, "ack")
	cmd.Flags().StringVar(&flags.through, "through", "", "ack what WHO was shown or is leased, up to this `ID`")
	cmd.Flags().StringVar(&flags.note, "note", "", "keep this `TEXT` with the ack, up to 4 KiB; show prints it")
	return cmd
}

// ackOperands wants ids, or --through and none.
func (s *session) ackOperands(cmd *cobra.Command, args []string) error {
	through := cmd.Flags().Lookup("through")
	if !through.Changed {
		return s.items(cmd, args)
	}
	if len(args) > 0 && !set(cmd.Flags(), "version") {
		return usage("leave one of them out", "--through %s and %q were both given", domain.Shorten(through.Value.String()), domain.Shorten(args[0]))
	}
	return s.operands()(cmd, args)
}

func (s *session) ackRequest(cmd *cobra.Command, f ackFlags, args []string) (request app.AckMany, err error) {
	request = app.AckMany{Subscriber: f.subscriber, Subscription: f.subscription, Note: f.note}
	if request.Items, err = s.itemIDs(args); err != nil {
		return request, err
	}
	if set(cmd.Flags(), "through") {
		if request.Through, err = s.itemID(f.through); err != nil {
			return request, err
		}
	}
	if set(cmd.Flags(), "note") {
		if err := inbox.CheckNote(f.note); err != nil {
			return request, err
		}
	}
	return request, f.check(cmd)
}

// ackJSON is what an ack did, or who stood in its way.
type ackJSON struct {
	Item         int64  `json:"item"`
	Subscription string `json:"subscription,omitempty"`
	Acked        bool   `json:"acked"`
	refusedJSON
}

func (s *session) ack(ctx context.Context, in *app.Inbox, request app.AckMany, asJSON bool) error {
	done, err := in.AckMany(ctx, request)
	for _, one := range done {
		if asJSON {
			s.printJSON(ackJSON{one.Item, one.Subscription, true, refusedJSON{Owner: request.Subscriber}})
		} else {
			s.print("acked %d\n", one.Item)
		}
		s.noteAcked(one)
	}
	if err != nil {
		var value func(*inbox.ClaimedError) any
		if asJSON {
			value = func(c *inbox.ClaimedError) any {
				return ackJSON{Item: c.Item, Subscription: request.Subscription, refusedJSON: refusedJSON{c.Owner, c.At, c.Until}}
			}
		}
		return s.refused(err, len(request.Items), value)
	}
	if len(done) == 0 {
		s.note("nothing was acked: up to %d nothing is shown or leased to %s and waits for an ack", request.Through, request.Subscriber)
	}
	return nil
}

// noteAcked says what is remarkable about an ack.
func (s *session) noteAcked(done app.Acked) {
	if done.WasParked {
		s.note("item %d had been parked in %s: its last lease ran out", done.Item, done.Subscription)
	}
	if done.NeverPulled {
		s.note("item %d had not been pulled in %s yet", done.Item, done.Subscription)
	}
	if done.NoteLost {
		s.note("item %d was acked before in %s; that ack stays as it is, without this note", done.Item, done.Subscription)
	}
}
