package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

// times reads when an item comes and when it goes.
func (f publishFlags) times(given func(string) bool, message *app.Message) (err error) {
	switch {
	case given("delay") && given("at"):
		return usage("give one of them", "--delay and --at were both given")
	case (given("delay") || given("at")) && f.lines:
		return usage("publish such items one at a time", "--delay and --at are not for --lines")
	case given("delay"):
		message.Release.In, err = duration("delay", f.delay)
	case given("at"):
		message.Release.At, err = inbox.ParseTime(f.at)
		err = ofFlag("at", err)
	}
	if err == nil && given("expires") {
		message.Expires, err = inbox.ParseMoment(f.expires)
		err = ofFlag("expires", err)
	}
	return err
}

type scheduledJSON struct {
	Scheduled int64    `json:"scheduled"`
	Duplicate bool     `json:"duplicate"`
	Notes     []string `json:"notes,omitempty"` // as on standard error
}

// printScheduled tells the number under which a message waits (TIME-1).
func (s *session) printScheduled(message app.Message, published app.Published, asJSON bool) error {
	number := published.Scheduled
	remarks := RemarksOnPublish(ByCommand, message, published, s.Clock.Now().Unix())
	if asJSON {
		s.printJSON(scheduledJSON{Scheduled: number, Duplicate: published.Duplicate, Notes: remarks})
	} else {
		s.print("scheduled %d\n", number)
	}
	s.noteAll(remarks)
	if published.Duplicate {
		s.note("duplicate: --dedupe %s was published to %s before, and waits for its time as number %d", message.Dedupe, message.Queue, number)
	}
	if err := s.flush(); err != nil {
		return unprinted(fmt.Sprintf("the item waits for its time under number %d", number), err)
	}
	return nil
}

func (s *session) unscheduleCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "unschedule NUMBER",
		Short: "Take back an item that waits for its time",
		Long: `Take back an item that publish --delay or --at has scheduled, before it is
released. Its --dedupe id can be used again. What was released is an item, and stays.`,
		Example: "  tundish unschedule 3",
		Args:    s.operands("NUMBER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			number, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil || number < 1 {
				return usage("list --scheduled shows the numbers", "%q is not the number of a scheduled item", domain.Shorten(args[0]))
			}
			return s.withExisting(cmd.Context(), func(in *app.Inbox) error {
				if err := in.Unschedule(cmd.Context(), number); err != nil {
					return err
				}
				s.printResult(unscheduledJSON{number}, "unscheduled %d\n", number)
				return nil
			})
		},
	}
	s.addJSON(cmd)
	return cmd
}

type unscheduledJSON struct {
	Unscheduled int64 `json:"unscheduled"`
}

// views reads the flags that narrow a list.
func (f listFlags) views(cmd *cobra.Command, request *app.List, now int64) (err error) {
	var narrow []string
	for _, name := range []string{"key", "since", "text"} {
		if set(cmd.Flags(), name) {
			narrow = append(narrow, "--"+name)
		}
	}
	if f.unacked {
		narrow = append(narrow, "--unacked")
	}
	if f.parked {
		narrow = append(narrow, "--parked")
	}
	switch {
	case f.scheduled && len(narrow) > 0:
		return usage("leave one of them out", "%s is not for --scheduled", narrow[0])
	case request.Queue == "" && len(narrow) > 0 && narrow[0] != "--unacked":
		return usage("name a queue", "%s selects items of one queue", narrow[0])
	}
	if set(cmd.Flags(), "key") {
		request.Key = &f.key
	}
	request.Text = f.text
	if set(cmd.Flags(), "since") {
		request.Since, err = inbox.ParsePast(f.since, now)
	}
	return ofFlag("since", err)
}

// listScheduled prints what waits for its time, the next one first.
func (s *session) listScheduled(ctx context.Context, in *app.Inbox, request app.List) error {
	return in.ListScheduled(ctx, app.Scheduled{Queue: request.Queue, Limit: request.Limit}, func(m inbox.Scheduled) error {
		return s.printLine(app.ScheduledJSON(m))
	})
}
