package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

func (s *session) seekCommand() *cobra.Command {
	var as, to string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "seek NAME --as WHO --to ID|new|all|TIME",
		Short: "Move a subscriber to another place in its queue",
		Long: `Move a subscriber to another place in its queue, backward or forward, and make it
due. --to says where the next pull begins: at the item with this id, or the next
one after it; behind everything (new); in front of everything that is kept (all);
or at the first item of a time: @SECONDS of Unix time, 2026-01-31T09:30:00Z, or a
duration with its unit, such as 2h for two hours ago.

Going back, all items from there on come again, acked or not. Where each item goes
to one subscriber, the place is that of all subscribers, and items that are acked,
leased or parked do not come again. Going forward, what is skipped does not come
and is not counted. Acks, leases and counts stay.`,
		Example: `  tundish seek builds --as reviewer --to 17
  tundish seek builds --as reviewer --to new
  tundish seek builds --as reviewer --to 2h`,
		Args: s.operands("NAME"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if !set(cmd.Flags(), "as") {
				return missing(cmd, "--as WHO")
			}
			if !set(cmd.Flags(), "to") {
				return missing(cmd, "--to ID|new|all|TIME")
			}
			request := app.Seek{Subscription: args[0], Subscriber: as}
			if request.To, err = place(to, s.Clock.Now().Unix()); err != nil {
				return err
			}
			return s.withExisting(cmd.Context(), func(in *app.Inbox) error {
				done, err := in.Seek(cmd.Context(), request)
				if err != nil {
					return err
				}
				s.printSought(request, done, asJSON)
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&as, "as", "", "the subscriber `WHO`")
	cmd.Flags().StringVar(&to, "to", "", "the `PLACE` where the next pull begins")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}

// place reads --to. Only digits are an item's id.
func place(text string, now int64) (inbox.Place, error) {
	const forms = "use an item's id, new, all, @SECONDS of Unix time, a time such as 2026-01-31T09:30:00Z, or a duration such as 2h for two hours ago"
	switch {
	case text == "all":
		return inbox.Place{}, nil
	case text == "new":
		return inbox.Place{New: true}, nil
	case text == "":
		return inbox.Place{}, usage(forms, "--to is empty")
	case strings.Trim(text, "0123456789") == "":
		at, err := parseTag(text)
		return inbox.Place{Item: at.item}, err
	}
	since, err := inbox.ParsePast(text, now)
	if err != nil {
		return inbox.Place{}, usage(forms, "--to %q is no place in a queue", domain.Shorten(text))
	}
	return inbox.Place{Since: since}, nil
}

// seekJSON is where a seek has led.
type seekJSON struct {
	Subscription string `json:"subscription"`
	Subscriber   string `json:"subscriber"`
	Position     int64  `json:"position"`
	From         int64  `json:"from"`
	Shared       bool   `json:"shared"`
}

func (s *session) printSought(request app.Seek, done app.Sought, asJSON bool) {
	name, who := request.Subscription, request.Subscriber
	if asJSON {
		s.printJSON(seekJSON{name, who, done.Position, done.From, done.Shared})
	} else {
		s.print("%s %s position %d\n", name, who, done.Position)
	}
	if done.Shared {
		s.note("each item of %s goes to one subscriber: the position is now that of all of them", name)
	}
	if at := request.To.Item; at > done.Position+1 {
		s.note("%s has no item %d yet: the next pull begins with the next new item", name, at)
	}
}
