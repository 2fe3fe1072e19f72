package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app/outbox"
	"github.com/tundish-go/tundish/domain"
)

func (s *session) outboxListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list [WORKSPACE [SESSION]]",
		Short: "List the entries that are not delivered yet",
		Long: `List the entries that are not delivered yet, in the order in which they were
accepted, one a line: id, workspace, session, status, attempts that are known to
have failed, when it is due, whether the fate of its last send is unknown, the
reason of an error or of parking, what blocks it, since when the receiver has
held an attempt before, and the last error. Texts are shown with --json only.`,
		Example: "  tundish outbox list\n  tundish outbox list web ses_1 --json",
		Args:    s.operands("[WORKSPACE]", "[SESSION]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			names := append(append([]string{}, args...), "", "")
			for i, name := range args {
				if name == "" {
					return usage("leave it out to list all", "the %s is empty", []string{"workspace", "session"}[i])
				}
			}
			return s.withOutbox(cmd.Context(), func(service *outbox.Service) error {
				s.noteAbsent()
				entries, err := service.List(cmd.Context(), names[0], names[1])
				if s.tabular(asJSON) {
					s.printTable(entryTable(entries, s.Clock.Now()))
					return err
				}
				for _, e := range entries {
					if asJSON {
						_ = s.printLine([]byte(domain.Escape(entryJSON(e)))) // flush tells
					} else {
						s.print("%s\n", entryLine(e, s.Clock.Now()))
					}
				}
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line, with the text")
	return cmd
}

// entryLine is an entry on one line, its fields separated by tabs.
func entryLine(e outbox.Entry, now time.Time) string {
	unknown := 0
	if e.Unknown {
		unknown = 1
	}
	prior := ""
	if !e.PriorSince.IsZero() {
		prior = e.PriorSince.UTC().Format(time.RFC3339)
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s\tattempts=%d\tdue=%s\tunknown=%d\treason=%s\tblocked=%s\tprior_since=%s\tlast_error=%s",
		domain.Escape(e.ID), domain.Escape(e.WorkspaceID), domain.Escape(e.SessionID), domain.Escape(e.Status), e.Attempts,
		dueIn(e, now), unknown, quoted(e.Reason), blocked(e), prior, quoted(e.LastError))
}

// entryJSON is an entry as receivers get it, but for how long its lane has been in
// flight: in whole seconds, as commands tell durations, and 0 in the first of them.
func entryJSON(e outbox.Entry) string {
	flight := e.InFlightFor
	e.InFlightFor = 0 // and so left out
	text := jsonText(e)
	if e.BlockedByInFlight {
		text = fmt.Sprintf(`%s,"inFlightFor":%d}`, strings.TrimSuffix(text, "}"), flight/time.Second)
	}
	return text
}

// entryTable is the same for a person.
func entryTable(entries []outbox.Entry, now time.Time) table {
	t := table{head: []string{"ID", "WORKSPACE", "SESSION", "STATUS", "ATTEMPTS", "DUE", "REASON", "BLOCKED", "LAST ERROR"}, whole: 1}
	for _, e := range entries {
		status := domain.Escape(e.Status)
		if e.Unknown {
			status += " (fate unknown)"
		}
		t.rows = append(t.rows, []string{
			domain.Escape(e.ID), domain.Escape(e.WorkspaceID), domain.Escape(e.SessionID), status, strconv.Itoa(e.Attempts),
			dueIn(e, now), quoted(e.Reason), blocked(e), quoted(e.LastError),
		})
	}
	return t
}

// dueIn tells when an entry's time comes: now, in how long, or - for one that does
// not wait for a time.
func dueIn(e outbox.Entry, now time.Time) string {
	switch {
	case !e.Waits():
		return "-"
	case !e.NextAttemptAt.After(now):
		return "now"
	}
	return (e.NextAttemptAt.Sub(now) + time.Second - 1).Truncate(time.Second).String()
}

// blocked tells what keeps an entry from being sent.
func blocked(e outbox.Entry) string {
	var by []string
	if e.BlockedBy != "" {
		by = append(by, "by "+domain.Escape(e.BlockedBy))
	}
	if e.BlockedByInFlight {
		flight := "in-flight for " + e.InFlightFor.Truncate(time.Second).String()
		if e.StaleLease {
			flight += " (stale)"
		}
		by = append(by, flight)
	}
	return strings.Join(by, ", ")
}

// quoted is a text as JSON on one line; nothing for none.
func quoted(text string) string {
	if text == "" {
		return ""
	}
	return domain.Escape(jsonText(text))
}
