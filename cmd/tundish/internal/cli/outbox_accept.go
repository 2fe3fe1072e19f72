package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/app/outbox"
	"github.com/tundish-go/tundish/domain"
	rules "github.com/tundish-go/tundish/domain/outbox"
)

type acceptFlags struct{ id, user, model string }

func (s *session) outboxAcceptCommand() *cobra.Command {
	var flags acceptFlags
	cmd := &cobra.Command{
		Use:   "accept WORKSPACE SESSION [TEXT]",
		Short: "Accept a prompt for a session and print its entry's id",
		Long: `Accept a prompt for a session and print its entry's id.

Without TEXT, or with -, the prompt is read from standard input, whose last
newline does not count. The id is printed after the entry is safe on the disk.
With an --id that the session knows, nothing is accepted: "duplicate", the id of
the first entry and its state are printed. Exits 4 when the session's outbox is
full. Into a parked workspace it is accepted, with a note on standard error.`,
		Example: `  tundish outbox accept web ses_1 'run the tests again'
  git diff | tundish outbox accept web ses_1 --id review-17 --user ann
  tundish outbox accept web ses_1 --model '{"name":"small"}' -- '-v means what?'`,
		Args: s.operands("WORKSPACE", "SESSION", "[TEXT]"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			text := ""
			if len(args) == 3 && args[2] != "-" {
				text = args[2]
			} else if text, err = s.readPrompt(); err != nil {
				return err
			}
			return s.withOutbox(cmd.Context(), func(service *outbox.Service) error {
				entry, err := service.Accept(cmd.Context(), args[0], args[1], flags.user, flags.id, text, json.RawMessage(flags.model))
				return s.printAccepted(outbox.Entry{WorkspaceID: args[0], SessionID: args[1]}, entry, err)
			})
		},
	}
	cmd.Flags().StringVar(&flags.id, "id", "", "the `ID` that the client gives the prompt; the same one again is a duplicate")
	cmd.Flags().StringVar(&flags.user, "user", "", "the `USER` on whose behalf it is sent")
	cmd.Flags().StringVar(&flags.model, "model", "", "a `JSON` value for the receiver, such as the model to ask")
	s.addJSON(cmd)
	return cmd
}

// printAccepted prints what became of a prompt for the lane of asked.
func (s *session) printAccepted(asked outbox.Entry, entry *outbox.Entry, err error) error {
	var duplicate *outbox.Duplicate
	switch {
	case errors.As(err, &duplicate):
		differs := ""
		if duplicate.BodyDiffers {
			differs = " body differs"
		}
		s.printResult(acceptedJSON{duplicate.AcceptedID, duplicate.State, true, duplicate.BodyDiffers}, "duplicate %s %s%s\n", duplicate.AcceptedID, duplicate.State, differs)
		return nil
	case errors.Is(err, outbox.ErrCapped):
		return fullLaneError{&domain.Error{
			Text: fmt.Sprintf("session %q of workspace %q holds %d entries, as many as outbox.cap allows",
				domain.Shorten(asked.SessionID), domain.Shorten(asked.WorkspaceID), s.outboxCap),
			Remedy: "deliver, dismiss or raise the cap",
		}}
	case domain.CodeOf(err) == domain.Invalid:
		return &domain.Error{Code: domain.Payload, Text: "nothing was accepted", Err: err} // the call was right, its data are not
	case err != nil:
		return err
	}
	s.printResult(acceptedJSON{ID: entry.ID, Status: entry.Status}, "%s\n", entry.ID)
	if err := s.flush(); err != nil {
		return &domain.Error{
			Code: domain.Output, Text: "the prompt is accepted as " + entry.ID + ", which could not be printed", Err: errors.Unwrap(err),
			Remedy: "do not accept it again",
		}
	}
	if entry.Status == outbox.StatusParked {
		because := ""
		if entry.Reason != "" {
			because = ": " + entry.Reason
		}
		s.note("workspace %q is parked%s; its entries wait for tundish outbox unpark %s",
			entry.WorkspaceID, because, shellWord(entry.WorkspaceID))
	}
	return nil
}

type acceptedJSON struct {
	ID          string `json:"id"`
	Status      string `json:"status"`
	Duplicate   bool   `json:"duplicate"`
	BodyDiffers bool   `json:"body_differs,omitempty"`
}

// fullLaneError tells what is full in the words of this command line.
type fullLaneError struct{ error }

// Unwrap gives ErrCapped, by which it exits.
func (fullLaneError) Unwrap() error { return outbox.ErrCapped }

// readPrompt reads standard input to its end, as far as a prompt can go, without
// one newline at the end.
func (s *session) readPrompt() (string, error) {
	if s.terminal(s.Stdin) {
		s.note("waiting for the prompt from the terminal; end it with Ctrl-D")
	}
	text, err := io.ReadAll(io.LimitReader(s.Stdin, rules.MaxTextBytes+2))
	if err != nil {
		return "", &domain.Error{Code: domain.IO, Text: "standard input cannot be read", Err: err, Remedy: "give the prompt as an argument"}
	}
	prompt := strings.TrimSuffix(string(text), "\n")
	if len(prompt) > rules.MaxTextBytes { // how long it is in the end was not read
		return "", &domain.Error{
			Code: domain.Payload, Text: fmt.Sprintf("nothing was accepted: the text is longer than %d bytes", rules.MaxTextBytes),
			Remedy: "shorten it, or write it into a file and name that",
		}
	}
	return prompt, nil
}
