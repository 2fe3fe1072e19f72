package cli

import (
	"bufio"
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
)

type exportFlags struct {
	queue string
	force bool
}

func (s *session) exportCommand() *cobra.Command {
	var flags exportFlags
	cmd := &cobra.Command{
		Use:   "export [FILE]",
		Short: "Write the inbox as JSON lines",
		Long: `Write the inbox as JSON lines to a file, or to standard output without one or with
-, as it is at one moment: a header, subscriptions with their bindings, items with
their acks, leases and marks, publishers' own ids, messages that wait for their
time, and an end line, without which an export is not whole. Payloads keep their
exact spelling. The outbox is not exported: tundish backup copies everything.

A file is for its owner only; one that exists is not written over, except with
--force.`,
		Example: "  tundish export inbox.ndjson\n  tundish export --queue ci | gzip >ci.ndjson.gz",
		Args:    s.operands("[FILE]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := "-"
			if len(args) == 1 {
				path = args[0]
			}
			if set(cmd.Flags(), "queue") && flags.queue == "" {
				return usage("leave it out to export all", "--queue is empty")
			}
			if path == "-" {
				return s.exportOut(cmd.Context(), flags)
			}
			path, err := fileOperand(path)
			if err != nil {
				return err
			}
			return s.exportTo(cmd.Context(), flags, path)
		},
	}
	cmd.Flags().StringVar(&flags.queue, "queue", "", "only this `QUEUE`, with the subscriptions to it")
	cmd.Flags().BoolVar(&flags.force, "force", false, "write over the file if it exists")
	s.addJSON(cmd)
	return cmd
}

// exportOut exports to standard output.
func (s *session) exportOut(ctx context.Context, flags exportFlags) error {
	switch {
	case s.asJSON:
		return usage("leave it out, or name a file", "--json and --jq are not for an export to standard output, which is JSON itself")
	case flags.force:
		return usage("leave it out, or name a file", "--force is for a file")
	}
	return s.withInbox(ctx, func(in *app.Inbox) error {
		s.noteAbsent()
		done, err := in.Export(ctx, app.Export{Queue: flags.queue}, s.text)
		if failed := s.flush(); failed != nil {
			return failed
		}
		s.noteSkipped(done)
		if err == nil {
			s.noteNothing(ctx, in, flags.queue, done)
		}
		return err
	})
}

// exportTo exports to a file.
func (s *session) exportTo(ctx context.Context, flags exportFlags, path string) error {
	return s.withInbox(ctx, func(in *app.Inbox) error {
		s.noteAbsent()
		var done app.Exported
		err := s.writeFile(path, flags.force, func(w io.Writer) (err error) {
			buffer := bufio.NewWriterSize(w, 64<<10)
			if done, err = in.Export(ctx, app.Export{Queue: flags.queue}, buffer); err != nil {
				return err
			}
			return buffer.Flush()
		})
		if err != nil {
			return err
		}
		s.noteSkipped(done)
		s.noteNothing(ctx, in, flags.queue, done)
		s.printResult(exportedJSON{path, done.Subscriptions, done.Items, done.Scheduled, int64(len(done.Skipped))},
			"exported %s, %s%s to %s\n", plural(done.Items, "item"), plural(done.Subscriptions, "subscription"), scheduled(done.Scheduled), path)
		return nil
	})
}

type exportedJSON struct {
	File          string `json:"file"`
	Subscriptions int64  `json:"subscriptions"`
	Items         int64  `json:"items"`
	Scheduled     int64  `json:"scheduled"`
	Skipped       int64  `json:"skipped"`
}

func (s *session) noteSkipped(done app.Exported) {
	for _, line := range done.Skipped {
		s.note("left out: %s", line)
	}
}

// noteNothing tells of an export of a queue that there is not.
func (s *session) noteNothing(ctx context.Context, in *app.Inbox, queue string, done app.Exported) {
	if queue != "" && done.Items == 0 && done.Scheduled == 0 && done.Subscriptions == 0 && len(done.Skipped) == 0 {
		s.noteNoQueue(ctx, in, queue)
	}
}

// noteNoQueue tells that a queue holds nothing, has nothing that waits, and is read
// by no subscription: its name may be mistyped (CARE-6). It serves where nothing was
// found in the queue, and what cannot be read now was told by then.
func (s *session) noteNoQueue(ctx context.Context, in *app.Inbox, queue string) {
	all, err := in.Overview(ctx)
	if err != nil ||
		slices.ContainsFunc(all.Queues, func(q app.QueueStatus) bool { return q.Queue == queue }) ||
		slices.ContainsFunc(all.Subscriptions, func(sub app.SubscriptionStatus) bool { return sub.Queue == queue }) {
		return
	}
	s.note("there is no queue %q; tundish list names the queues", domain.Shorten(queue))
}
