package cli

import (
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app/outbox"
	"github.com/tundish-go/tundish/domain"
)

func (s *session) outboxStatusCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Print the outbox in figures",
		Long: `Print the outbox in figures: entries by status, the oldest one, what all sweeps
came to, when a worker last looked around, which workspaces are parked, and who
works on which session.`,
		Example: "  tundish outbox status\n  tundish outbox status --json",
		Args:    s.operands(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withOutbox(cmd.Context(), func(service *outbox.Service) error {
				status, err := service.Status(cmd.Context())
				switch {
				case err != nil:
					return err
				case asJSON:
					s.print("%s\n", domain.Escape(jsonText(outboxStatusJSON{status, milliseconded(status.OldestAt), milliseconded(status.LastLoopAt)})))
				default:
					s.printOutboxStatus(status)
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

// outboxStatusJSON is the status with times as entries have them.
type outboxStatusJSON struct {
	outbox.Status
	OldestAt   string `json:"oldestAt,omitempty"`
	LastLoopAt string `json:"lastLoopAt,omitempty"`
}

func milliseconded(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return timeText(t)
}

// printOutboxStatus prints a line for each kind of figure, each hold and each lease.
func (s *session) printOutboxStatus(status outbox.Status) {
	s.printFigures("entries", status.Entries, outbox.StatusPending, outbox.StatusDelivering, outbox.StatusVerifying, outbox.StatusError, outbox.StatusParked)
	if status.OldestID == "" {
		s.print("oldest\t-\n")
	} else {
		s.print("oldest\t%s\taccepted=%s\n", domain.Escape(status.OldestID), timeText(status.OldestAt))
	}
	s.printFigures("sweeps", status.Sweeps, "completed", "rearmed", "unchanged", "indeterminate")
	s.print("loop\t%s\n", timeText(status.LastLoopAt))
	for _, h := range status.Holds {
		s.print("hold\t%s\tfor=%s\treason=%s\n", domain.Escape(h.WorkspaceID), h.For.Truncate(time.Second), quoted(h.Reason))
	}
	for _, l := range status.Leases {
		state := "held"
		if l.Stale {
			state = "stale"
		}
		s.print("lease\t%s\t%s\t%s\t%s\tfor=%s\towner=%s\n", domain.Escape(l.WorkspaceID), domain.Escape(l.SessionID), domain.Escape(l.EntryID),
			state, l.For.Truncate(time.Second), domain.Escape(l.Owner))
	}
}

// printFigures prints figures in a fixed order, and then those that only some
// databases have.
func (s *session) printFigures(title string, figures map[string]int64, names ...string) {
	s.print("%s", title)
	for _, name := range names {
		s.print("\t%s=%d", name, figures[name])
	}
	var more []string
	for name := range figures {
		if !slices.Contains(names, name) {
			more = append(more, name)
		}
	}
	slices.Sort(more)
	for _, name := range more {
		s.print("\t%s=%d", domain.Escape(name), figures[name])
	}
	s.print("\n")
}

// timeText is a time in UTC with milliseconds; - for none.
func timeText(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}
