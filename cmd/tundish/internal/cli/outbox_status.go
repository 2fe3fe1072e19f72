package cli

import (
	"fmt"
	"maps"
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
				s.noteAbsent()
				status, err := service.Status(cmd.Context())
				switch {
				case err != nil:
					return err
				case asJSON:
					line := jsonText(outboxStatusOf(status))
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

// outboxStatusJSON is the status with times as entries have them, durations in whole
// seconds, and each count that the text shows.
type outboxStatusJSON struct {
	Entries    map[string]int64 `json:"entries"`
	OldestID   string           `json:"oldestID,omitempty"`
	OldestAt   string           `json:"oldestAt,omitempty"`
	Sweeps     map[string]int64 `json:"sweeps"`
	Leases     []laneLeaseJSON  `json:"leases"`
	Holds      []holdJSON       `json:"holds"`
	LastLoopAt string           `json:"lastLoopAt,omitempty"`
}

type laneLeaseJSON struct {
	WorkspaceID string `json:"workspaceID"`
	SessionID   string `json:"sessionID"`
	EntryID     string `json:"entryID"`
	Owner       string `json:"owner"`
	For         int64  `json:"for"` // seconds
	Stale       bool   `json:"stale"`
}

type holdJSON struct {
	WorkspaceID string `json:"workspaceID"`
	Reason      string `json:"reason,omitempty"`
	For         int64  `json:"for"` // seconds
}

func outboxStatusOf(status outbox.Status) outboxStatusJSON {
	out := outboxStatusJSON{
		Entries: withZeros(status.Entries, entryStates()), Sweeps: withZeros(status.Sweeps, sweepOutcomes()),
		OldestID: status.OldestID, OldestAt: milliseconded(status.OldestAt), LastLoopAt: milliseconded(status.LastLoopAt),
		Leases: []laneLeaseJSON{}, Holds: []holdJSON{},
	}
	for _, l := range status.Leases {
		out.Leases = append(out.Leases, laneLeaseJSON{l.WorkspaceID, l.SessionID, l.EntryID, l.Owner, int64(l.For / time.Second), l.Stale})
	}
	for _, h := range status.Holds {
		out.Holds = append(out.Holds, holdJSON{h.WorkspaceID, h.Reason, int64(h.For / time.Second)})
	}
	return out
}

// entryStates are the states that are always counted, and sweepOutcomes what sweeps
// can come to, in the order in which they are shown.
func entryStates() []string {
	return []string{outbox.StatusPending, outbox.StatusDelivering, outbox.StatusVerifying, outbox.StatusError, outbox.StatusParked}
}

func sweepOutcomes() []string {
	return []string{"completed", "rearmed", "unchanged", "indeterminate"}
}

// withZeros are the counts with a 0 for each name that has none.
func withZeros(counts map[string]int64, names []string) map[string]int64 {
	all := maps.Clone(counts)
	for _, name := range names {
		all[name] = counts[name]
	}
	return all
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
		figures("entries", status.Entries, entryStates()),
		oldest,
		figures("sweeps", status.Sweeps, sweepOutcomes()),
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
func figures(title string, counts map[string]int64, names []string) []string {
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
