package cli

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
)

func (s *session) importCommand() *cobra.Command {
	var items bool
	cmd := &cobra.Command{
		Use:   "import [FILE]",
		Short: "Read what tundish export has written",
		Long: `Read an export from a file, or from standard input without one or with -, into a
database that has neither items nor subscriptions: everything comes back with its
ids, positions and claims, or nothing if a line is wrong. New items get ids above
all that were ever given.

With --items the items alone are published anew, in their order, under new ids and
as new as any other, also into a database that is in use. Items that have expired
are left out, and so are messages that wait for their time; it tells how many.`,
		Example: "  tundish import inbox.ndjson\n  gunzip -c ci.ndjson.gz | tundish import --items",
		Args:    s.operands("[FILE]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			source, err := s.exportSource(args)
			if err != nil {
				return err
			}
			defer source.Close()
			return s.withInbox(cmd.Context(), func(in *app.Inbox) error {
				return s.importFrom(cmd.Context(), in, source, items)
			})
		},
	}
	cmd.Flags().BoolVar(&items, "items", false, "publish the items anew, and leave out all else")
	s.addJSON(cmd)
	return cmd
}

// importedJSON is what an import stored.
type importedJSON struct {
	Subscriptions int64 `json:"subscriptions"`
	Bindings      int64 `json:"bindings"`
	Items         int64 `json:"items"`
	Scheduled     int64 `json:"scheduled"`
	First         int64 `json:"first_id"`
	Last          int64 `json:"last_id"`
	Expired       int64 `json:"expired"`
	Waiting       int64 `json:"waiting"`
}

func (s *session) importFrom(ctx context.Context, in *app.Inbox, source io.ReadSeeker, items bool) error {
	if !items {
		done, err := in.Import(ctx, source)
		if err != nil {
			return err
		}
		s.printResult(importedJSON(done), "imported %s, %s, %s%s\n", plural(done.Items, "item"),
			plural(done.Subscriptions, "subscription"), plural(done.Bindings, "binding"), scheduled(done.Scheduled))
		return nil
	}
	done, err := in.ImportItems(ctx, source)
	if err == nil || done.Items > 0 {
		under := ""
		if done.Items > 0 {
			under = " under new ids"
		}
		s.printResult(importedJSON(done), "published %s%s\n", plural(done.Items, "item"), under)
	}
	if done.Expired > 0 {
		s.note("%s left out, whose time is over", plural(done.Expired, "item"))
	}
	if done.Waiting > 0 {
		s.note("%s left out: --items publishes none that waits for its time", plural(done.Waiting, "scheduled message"))
	}
	if err != nil && done.Items > 0 {
		return &domain.Error{Code: domain.CodeOf(err), Text: "stopped after " + plural(done.Items, "stored item"), Err: err}
	}
	return err
}

// exportSource opens what is to be read twice. A stream is kept in a file without a
// name meanwhile, so that a slow one holds up nobody.
func (s *session) exportSource(args []string) (*os.File, error) {
	if len(args) == 1 && args[0] != "-" {
		path, err := fileOperand(args[0])
		if err != nil {
			return nil, err
		}
		file, err := os.Open(path)
		if err != nil {
			return nil, fileError("read", path, err)
		}
		return file, nil
	}
	if s.terminal(s.Stdin) {
		s.note("waiting for an export from the terminal; end it with Ctrl-D")
	}
	file, err := os.CreateTemp("", "tundish-import-*")
	if err != nil {
		return nil, fileError("made", os.TempDir(), err)
	}
	os.Remove(file.Name())
	if _, err := io.Copy(file, s.Stdin); err != nil {
		return nil, errors.Join(fileError("kept", file.Name(), err), file.Close())
	}
	return file, nil
}
