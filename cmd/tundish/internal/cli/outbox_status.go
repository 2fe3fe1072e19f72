package cli

import (
	"fmt"
	"slices"
	"strings"
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
					line := jsonText(outboxStatusJSON{status, milliseconded(status.OldestAt), milliseconded(status.LastLoopAt)})
					return s.printLine([]byte(domain.Escape(line)))
				}
				lines := outboxStatusLines(status)
				if s.tabular(asJSON) {
					s.printTable(table{rows: lines, whole: 2})
					return nil
				}
				for _, line := range lines {
					s.print("%s\n", strings.Join(line, "\t"))
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

// outboxStatusLines are a line for each kind of figure, each hold and each lease.
func outboxStatusLines(status outbox.Status) [][]string {
	oldest := []string{"oldest", "-"}
	if status.OldestID != "" {
		oldest = []string{"oldest", domain.Escape(status.OldestID), "accepted=" + timeText(status.OldestAt)}
	}
	lines := [][]string{
		figures("entries", status.Entries, outbox.StatusPending, outbox.StatusDelivering, outbox.StatusVerifying, outbox.StatusError, outbox.StatusParked),
		oldest,
		figures("sweeps", status.Sweeps, "completed", "rearmed", "unchanged", "indeterminate"),
		{"loop", timeText(status.LastLoopAt)},
	}
	for _, h := range status.Holds {
		lines = append(lines, []string{"hold", domain.Escape(h.WorkspaceID), "for=" + h.For.Truncate(time.Second).String(), "reason=" + quoted(h.Reason)})
	}
	for _, l := range status.Leases {
		state := "held"
		if l.Stale {
			state = "stale"
		}
		lines = append(lines, []string{
			"lease", domain.Escape(l.WorkspaceID), domain.Escape(l.SessionID), domain.Escape(l.EntryID),
			state, "for=" + l.For.Truncate(time.Second).String(), "owner=" + domain.Escape(l.Owner),
		})
	}
	return lines
}

// figures are in a fixed order, and then come those that only some databases have.
func figures(title string, counts map[string]int64, names ...string) []string {
	line := []string{title}
	for _, name := range names {
		line = append(line, fmt.Sprintf("%s=%d", name, counts[name]))
	}
	var more []string
	for name := range counts {
		if !slices.Contains(names, name) {
			more = append(more, name)
		}
	}
	slices.Sort(more)
	for _, name := range more {
		line = append(line, fmt.Sprintf("%s=%d", domain.Escape(name), counts[name]))
	}
	return line
}

// timeText is a time in UTC with milliseconds; - for none.
func timeText(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}
