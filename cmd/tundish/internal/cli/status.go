package cli

import (
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
)

func (s *session) statusCommand() *cobra.Command {
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Print where every subscriber stands",
		Long: `Print a line for every subscriber of every subscription: its position, how many
items lie after it before filtering, when it is due again, what was not reported
yet, how many items are parked now, and the last error of the filter.

With --all print a line for every subscription, also without subscribers: how many
items and seconds the subscriber that is furthest behind lags, and what is leased and
parked; a line for every lease, and for every item that is parked, the first 100 of a
subscription; and one for every queue, with what waits for its time.`,
		Example: "  tundish status\n  tundish status --all\n  tundish status --json",
		Args:    s.operands(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withInbox(cmd.Context(), func(in *app.Inbox) error {
				s.noteAbsent()
				if all {
					return s.printOverview(cmd.Context(), in, asJSON)
				}
				bindings, err := in.Status(cmd.Context())
				if err != nil {
					return err
				}
				if s.tabular(asJSON) {
					s.printTable(statusTable(bindings, s.Clock.Now()))
				} else {
					for _, b := range bindings {
						s.printStatus(b, asJSON)
					}
				}
				s.noteBroken(bindings)
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "every subscription, lease and queue")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return cmd
}

type statusJSON struct {
	Subscription string `json:"subscription"`
	Subscriber   string `json:"subscriber"`
	Queue        string `json:"queue"`
	Cursor       int64  `json:"cursor"`
	Unread       int64  `json:"unread"`
	NextAt       int64  `json:"next_at"`
	Dropped      int64  `json:"dropped"`
	Errors       int64  `json:"errors"`
	Parked       int64  `json:"parked"`
	LastError    string `json:"last_error,omitempty"`
	Broken       string `json:"broken,omitempty"`
}

func (s *session) printStatus(b app.BindingStatus, asJSON bool) {
	if asJSON {
		s.printJSON(statusJSON{
			b.Subscription, b.Subscriber, b.Queue, b.Cursor, b.Unread, b.NextAt,
			b.Counts.Dropped, b.Counts.Errors, b.Counts.Parked, b.LastError, b.Broken,
		})
		return
	}
	s.print("%s\t%s\tqueue=%s\tcursor=%d\tunread=%d\tnext_at=%d\tdropped=%d\terrors=%d\tparked=%d\tlast_error=%s\n",
		b.Subscription, b.Subscriber, domain.Escape(b.Queue), b.Cursor, b.Unread, b.NextAt,
		b.Counts.Dropped, b.Counts.Errors, b.Counts.Parked, statusError(b))
}

// statusError is what is wrong with a subscription, quoted; empty for nothing.
func statusError(b app.BindingStatus) string {
	if b.Broken != "" {
		return quoted(b.Broken)
	}
	return quoted(b.LastError)
}

// statusTable is the same for a person.
func statusTable(bindings []app.BindingStatus, now time.Time) table {
	t := table{
		head:  []string{"SUBSCRIPTION", "SUBSCRIBER", "QUEUE", "CURSOR", "UNREAD", "DUE", "DROPPED", "ERRORS", "PARKED", "LAST ERROR"},
		brief: []string{"NAME", "WHO", "QUEUE", "POS", "UNREAD", "DUE", "DROP", "ERRS", "PARK", "LAST ERR"},
	}
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	for _, b := range bindings {
		t.rows = append(t.rows, []string{
			b.Subscription, b.Subscriber, domain.Escape(b.Queue), number(b.Cursor), number(b.Unread), dueText(b.NextAt, now),
			number(b.Counts.Dropped), number(b.Counts.Errors), number(b.Counts.Parked), statusError(b),
		})
	}
	return t
}

// noteBroken names each subscription whose rules cannot be used, once (PULL-10).
func (s *session) noteBroken(bindings []app.BindingStatus) {
	named := ""
	for _, b := range bindings {
		if b.Broken != "" && b.Subscription != named {
			named = b.Subscription
			s.note("the rules of %s cannot be used: %s", b.Subscription, strings.TrimSpace(b.Broken))
		}
	}
}
