package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

type purgeFlags struct {
	before      string
	dryRun, yes bool
}

func (s *session) purgeCommand() *cobra.Command {
	var flags purgeFlags
	cmd := &cobra.Command{
		Use:   "purge QUEUE [--before TIME]",
		Short: "Remove the items of a queue for good",
		Long: `Remove the items of a queue, read or not, with their acks, leases and marks, and
the messages that wait there for their time. With --before only items that were
created before a time go, and what waits stays: @SECONDS of Unix time,
2026-01-31T09:30:00Z, or a duration with its unit, such as 2d for two days ago.
Items that are published meanwhile stay. On a terminal it asks first; elsewhere it
wants --yes, and exits 2 without it.

With --dry-run it removes nothing and needs no --yes: it tells what would go and, in
a line for each reader, how many items were not delivered yet (unread=) and how many
are leased now and not acked (leased=). Where each item goes to one subscriber, they
are those of all subscribers together, and - stands in place of a name.

What is purged is not counted as dropped, and positions move behind it. Ids are
not used again. The database is written anew at the end, so that nothing of what
was purged can be read in its file; that takes about as long as copying the file.`,
		Example: `  tundish purge ci --before 30d --dry-run
  tundish purge ci --before 2026-01-31T00:00:00Z --yes
  tundish purge ci --yes`,
		Args: s.operands("QUEUE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			request, err := s.purgeRequest(cmd, flags, args[0])
			if err != nil {
				return err
			}
			return s.withExisting(cmd.Context(), func(in *app.Inbox) error {
				if flags.dryRun {
					return s.planPurge(cmd.Context(), in, request)
				}
				return s.purge(cmd.Context(), in, request, flags.yes)
			})
		},
	}
	cmd.Flags().StringVar(&flags.before, "before", "", "only items created before this `TIME`")
	cmd.Flags().BoolVar(&flags.dryRun, "dry-run", false, "only tell what would go, and who has not read it; - stands for all subscribers together")
	cmd.Flags().BoolVar(&flags.yes, "yes", false, "do not ask; needed where there is no terminal")
	s.addJSON(cmd)
	return cmd
}

func (s *session) purgeRequest(cmd *cobra.Command, flags purgeFlags, queue string) (request app.Purge, err error) {
	request.Queue = queue
	if queue == "" {
		return request, usage("tundish list names the queues", "the queue name is empty")
	}
	if set(cmd.Flags(), "before") {
		if request.Before, err = inbox.ParsePast(flags.before, s.Clock.Now().Unix()); err != nil {
			return request, usage("use @SECONDS of Unix time, a time such as 2026-01-31T09:30:00Z, or a duration such as 2d for two days ago",
				"--before %q is no time", domain.Shorten(flags.before))
		}
	}
	return request, nil
}

// purgedJSON is what a purge removed, or would remove.
type purgedJSON struct {
	Queue     string        `json:"queue"`
	DryRun    bool          `json:"dry_run"`
	Items     int64         `json:"items"`
	Scheduled int64         `json:"scheduled"`
	Bytes     *int64        `json:"bytes,omitempty"`
	Unread    *[]unreadJSON `json:"unread,omitempty"`
}

type unreadJSON struct {
	Subscription string `json:"subscription"`
	Subscriber   string `json:"subscriber"`
	Items        int64  `json:"items"`
	Leased       int64  `json:"leased"`
}

func (s *session) planPurge(ctx context.Context, in *app.Inbox, request app.Purge) error {
	plan, err := in.PlanPurge(ctx, request)
	if err != nil {
		return err
	}
	if plan.Items == 0 && plan.Scheduled == 0 {
		s.noteNoQueue(ctx, in, request.Queue)
	}
	unread := []unreadJSON{}
	lines := fmt.Sprintf("would purge %s: %s, %s%s\n", domain.Escape(request.Queue),
		plural(plan.Items, "item"), plural(plan.Bytes, "byte"), scheduled(plan.Scheduled))
	for _, u := range plan.Unread {
		unread = append(unread, unreadJSON(u))
		lines += fmt.Sprintf("%s\t%s\tunread=%d\tleased=%d\n", u.Subscription, or(u.Subscriber, "-"), u.Items, u.Leased)
	}
	s.printResult(purgedJSON{request.Queue, true, plan.Items, plan.Scheduled, &plan.Bytes, &unread}, "%s", lines)
	return nil
}

func (s *session) purge(ctx context.Context, in *app.Inbox, request app.Purge, yes bool) error {
	question := ""
	if !yes && s.asks() {
		plan, err := in.PlanPurge(ctx, request)
		if err != nil {
			return err
		}
		question = purgeQuestion(request.Queue, plan)
	}
	if err := s.confirmLoss(yes, "%s", question); err != nil {
		return err
	}
	request.Progress = func(items int64) { s.progress("%d purged", items) }
	done, err := in.Purge(ctx, request)
	s.clearProgress()
	if err == nil || done != (app.Purged{}) {
		if err == nil && done == (app.Purged{}) {
			s.noteNoQueue(ctx, in, request.Queue)
		}
		s.printResult(purgedJSON{Queue: request.Queue, Items: done.Items, Scheduled: done.Scheduled},
			"purged %s: %s%s\n", domain.Escape(request.Queue), plural(done.Items, "item"), scheduled(done.Scheduled))
	}
	return err
}

func purgeQuestion(queue string, plan app.PurgePlan) string {
	var readers []string
	for _, u := range plan.Unread {
		var what []string
		if u.Items > 0 {
			what = append(what, fmt.Sprintf("%d unread", u.Items))
		}
		if u.Leased > 0 {
			what = append(what, fmt.Sprintf("%d leased", u.Leased))
		}
		readers = append(readers, strings.Join(what, " and ")+" in "+strings.TrimSuffix(u.Subscription+" by "+u.Subscriber, " by "))
	}
	unread := ""
	if len(readers) > 0 {
		unread = " (" + strings.Join(readers, ", ") + ")"
	}
	return fmt.Sprintf("purge %s%s of %s%s?", plural(plan.Items, "item"), scheduled(plan.Scheduled), queue, unread)
}

// scheduled is the part of a sentence that counts messages that wait.
func scheduled(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d scheduled", n)
}

// or is a text, or another one in place of none.
func or(text, none string) string {
	if text == "" {
		return none
	}
	return text
}
