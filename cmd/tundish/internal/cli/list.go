package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

type listFlags struct {
	subscription, limit      string
	key, since, text         string
	unacked, scheduled, json bool
	parked                   bool
}

func (s *session) listCommand() *cobra.Command {
	var flags listFlags
	cmd := &cobra.Command{
		Use:   "list [QUEUE]",
		Short: "List the queues, or the items of a queue",
		Long: `List the queues with their number of items, or the newest items of one queue,
oldest first, one JSON object a line. Listing moves no position.

With --parked it lists what is parked in a subscription, whose last attempts have
failed; status --all shows it for all, and unpark has it delivered again.

With --scheduled it lists what waits for its time, in one queue or in all, the next
one first: "scheduled" is the number that unschedule takes, "at" the time.`,
		Example: `  tundish list
  tundish list ci --limit 5
  tundish list ci --unacked --subscription builds
  tundish list ci --parked --subscription builds
  tundish list ci --key ci:web --since 2h --text '"ok":false'
  tundish list --scheduled`,
		Args: s.operands("[QUEUE]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			request, err := flags.request(cmd, args)
			if err == nil {
				err = flags.views(cmd, &request, s.Clock.Now().Unix())
			}
			if err != nil {
				return err
			}
			return s.withInbox(cmd.Context(), func(in *app.Inbox) error {
				s.noteAbsent()
				if flags.scheduled {
					return s.listScheduled(cmd.Context(), in, request)
				}
				if len(args) == 0 {
					return s.listQueues(cmd.Context(), in, flags.json)
				}
				return in.List(cmd.Context(), request, func(item app.ItemView) error {
					return s.printLine(item.JSON())
				})
			})
		},
	}
	cmd.Flags().BoolVar(&flags.unacked, "unacked", false, "only items that no subscription has acked")
	cmd.Flags().BoolVar(&flags.parked, "parked", false, "only items that are parked in the subscription now")
	cmd.Flags().StringVar(&flags.subscription, "subscription", "", "with --unacked or --parked: the subscription `NAME` that has not acked them, or parks them")
	cmd.Flags().StringVar(&flags.key, "key", "", "only items with this `KEY`")
	cmd.Flags().StringVar(&flags.since, "since", "", "only items published in this last `DURATION`, such as 2h, or since this time")
	cmd.Flags().StringVar(&flags.text, "text", "", "only items whose payload holds this `TEXT`, as it is shown here")
	cmd.Flags().BoolVar(&flags.scheduled, "scheduled", false, "what waits for its time")
	cmd.Flags().StringVar(&flags.limit, "limit", "50", "the newest `N` items; -1 all, 0 none")
	cmd.Flags().BoolVar(&flags.json, "json", false, "print queues as JSON too")
	return cmd
}

func (f listFlags) request(cmd *cobra.Command, args []string) (request app.List, err error) {
	request = app.List{Unacked: f.unacked, Parked: f.parked, Subscription: f.subscription}
	switch {
	case f.parked && f.unacked:
		return request, usage("leave one of them out", "--parked and --unacked were both given")
	case f.parked && !set(cmd.Flags(), "subscription"):
		return request, missing(cmd, "--subscription NAME")
	}
	if set(cmd.Flags(), "subscription") {
		if !f.unacked && !f.parked {
			return request, usage("add --unacked or --parked", "--subscription %s selects nothing by itself", f.subscription)
		}
		if err := inbox.CheckSubscription(f.subscription); err != nil {
			return request, err
		}
	}
	if len(args) == 1 {
		if request.Queue = args[0]; request.Queue == "" {
			return request, usage("leave it out to list the queues", "the queue name is empty")
		}
	}
	request.Limit, err = number("limit", f.limit, -1)
	return request, err
}

type queueJSON struct {
	Queue string `json:"queue"`
	Count int64  `json:"count"`
}

func (s *session) listQueues(ctx context.Context, in *app.Inbox, asJSON bool) error {
	queues, err := in.Queues(ctx)
	if err != nil {
		return err
	}
	if s.tabular(asJSON) {
		t := table{head: []string{"QUEUE", "ITEMS"}}
		for _, q := range queues {
			t.rows = append(t.rows, []string{domain.Escape(q.Queue), strconv.FormatInt(q.Count, 10)})
		}
		s.printTable(t)
		return nil
	}
	for _, q := range queues {
		if asJSON {
			s.printJSON(queueJSON{Queue: q.Queue, Count: q.Count})
		} else {
			s.print("%s\t%d\n", domain.Escape(q.Queue), q.Count)
		}
	}
	return nil
}
