package cli

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
)

func (s *session) showCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   "Print one item as JSON",
		Long:    "Print one item as indented JSON, with its acks.",
		Example: "  tundish show 17",
		Args:    s.operands("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := s.itemID(args[0])
			if err != nil {
				return err
			}
			return s.withInbox(cmd.Context(), func(in *app.Inbox) error {
				item, err := in.Item(cmd.Context(), id)
				if domain.CodeOf(err) == domain.NotFound && absent(s.database) {
					return &domain.Error{Code: domain.NotFound, Text: fmt.Sprintf("there is no item %d", id), Err: noDatabase(s.database)}
				}
				if err != nil {
					return err
				}
				if s.asJSON {
					return s.printLine(item.JSON())
				}
				var indented bytes.Buffer
				if err := json.Indent(&indented, s.visible(item.JSON()), "", "  "); err != nil {
					return &domain.Error{
						Code: domain.Corrupt, Text: fmt.Sprintf("the payload of item %d is not JSON", id),
						Remedy: "tundish check tells what else is damaged", Err: err,
					}
				}
				s.print("%s\n", indented.Bytes())
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&s.asJSON, "json", false, "print it on one line")
	return cmd
}

// visible escapes what could disturb a terminal, if there is one (CMD-5). text
// is compact JSON, and stays the same JSON.
func (s *session) visible(text []byte) []byte {
	if domain.Plain(string(text)) || !s.terminal(s.Stdout) {
		return text
	}
	return []byte(domain.Escape(string(text)))
}
