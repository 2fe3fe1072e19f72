package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

type publishFlags struct {
	key, keySelector, dedupe string
	delay, at, expires       string
	lines, json              bool
}

func (s *session) publishCommand() *cobra.Command {
	var flags publishFlags
	cmd := &cobra.Command{
		Use:   "publish QUEUE [JSON]",
		Short: "Publish a JSON item to a queue and print its id",
		Long: `Publish a JSON item to a queue and print its id.

Without JSON, or with -, the item is read from standard input. The id is printed
after the item is safe on the disk. With --lines every line of standard input is
an item; a line that is not JSON is named on standard error, and the others are
stored.

With --delay or --at the item waits for its time: "scheduled N" is printed, list
--scheduled shows it, and unschedule N takes it back. With --expires it is delivered
to nobody from then on, and who has not read it by then is told under dropped=.`,
		Example: `  tundish publish ci '{"repo":"web","ok":false}' --key ci:web
  curl -s https://example.com/event.json | tundish publish events
  tundish publish events --lines --key-jq .repo <events.ndjson
  tundish publish reviews '"look again"' --delay 2h --expires 1d
  tundish publish standup '"begins"' --at 2099-07-29T09:00:00Z`,
		Args: s.publishOperands,
		RunE: func(cmd *cobra.Command, args []string) error {
			message, err := flags.message(cmd, args[0])
			if err != nil {
				return err
			}
			return s.withInbox(cmd.Context(), func(in *app.Inbox) error {
				if flags.lines {
					return s.publishLines(cmd.Context(), in, message)
				}
				return s.publishOne(cmd.Context(), in, message, args[1:], flags.json)
			})
		},
	}
	cmd.Flags().StringVar(&flags.key, "key", "", "a `KEY` to filter on, such as slack:C123")
	cmd.Flags().StringVar(&flags.keySelector, "key-jq", "", "take the key from the payload with this jq `EXPRESSION`")
	cmd.Flags().StringVar(&flags.dedupe, "dedupe", "", "store nothing if this `ID` was published to the queue within 24 hours")
	cmd.Flags().StringVar(&flags.delay, "delay", "", "have the item wait for this `DURATION`, such as 90s or 2h")
	cmd.Flags().StringVar(&flags.at, "at", "", "have the item wait for this `TIME`: RFC 3339, or @ and Unix seconds")
	cmd.Flags().StringVar(&flags.expires, "expires", "", "deliver the item to nobody after this `DURATION`, or from this time on")
	cmd.Flags().BoolVar(&flags.lines, "lines", false, "read one JSON document a line from standard input")
	cmd.Flags().BoolVar(&flags.json, "json", false, "print the result as JSON")
	return cmd
}

// publishOperands is operands with a word about the shell: JSON without quotes
// arrives in pieces (CMD-5).
func (s *session) publishOperands(cmd *cobra.Command, args []string) error {
	if err := s.operands("QUEUE", "[JSON]")(cmd, args[:min(len(args), 2)]); err != nil {
		return err
	}
	if len(args) > 2 {
		if args[1] == "-" || args[2] == "-" {
			return usage("give one of them", "- and JSON were both given")
		}
		return usage(`put the whole JSON in single quotes: tundish publish `+domain.Escape(args[0])+` '{"a": 1}'`,
			"unexpected argument %q behind %q", domain.Shorten(args[2]), domain.Shorten(args[1]))
	}
	if lines, err := cmd.Flags().GetBool("lines"); err == nil && lines && len(args) == 2 && args[1] != "-" {
		return usage("leave it out, or leave --lines out", "--lines reads standard input, and %q was given too", domain.Shorten(args[1]))
	}
	return nil
}

// message checks what can be checked before anything is read or opened.
func (f publishFlags) message(cmd *cobra.Command, queue string) (app.Message, error) {
	message := app.Message{Queue: queue, KeySelector: f.keySelector, Dedupe: f.dedupe}
	if err := inbox.CheckQueue(queue); err != nil {
		return message, err
	}
	given := func(name string) bool { return set(cmd.Flags(), name) }
	if err := f.times(given, &message); err != nil {
		return message, err
	}
	switch {
	case given("key") && given("key-jq"):
		return message, usage("give one of them", "--key and --key-jq were both given")
	case given("dedupe") && f.lines:
		return message, usage("publish such items one at a time", "--dedupe is not for --lines")
	case given("dedupe") && inbox.CheckDedupe(f.dedupe) != nil:
		return message, inbox.CheckDedupe(f.dedupe)
	case given("key-jq") && strings.TrimSpace(f.keySelector) == "":
		return message, &domain.Error{Code: domain.Expression, Text: "--key-jq is empty", Remedy: "give an expression such as .repo, or leave it out"}
	case f.json && f.lines:
		return message, usage("leave --json out: an id a line is JSON already", "--json is not for --lines")
	case given("key"):
		message.Key = &f.key
		return message, inbox.CheckKey(f.key)
	}
	return message, nil
}

func (s *session) publishOne(ctx context.Context, in *app.Inbox, message app.Message, payload []string, asJSON bool) (err error) {
	given := len(payload) == 1 && payload[0] != "-"
	if given {
		message.Payload = []byte(payload[0])
	} else if message.Payload, err = s.readPayload(); err != nil {
		return err
	}
	published, err := in.Publish(ctx, message)
	if err != nil {
		return withHint(err, payloadHint(message.Queue, string(message.Payload), given))
	}
	if published.Scheduled != 0 {
		return s.printScheduled(message, published, asJSON)
	}
	if asJSON {
		s.printJSON(publishedJSON{ID: published.ID, Duplicate: published.Duplicate})
	} else {
		s.print("%d\n", published.ID)
	}
	if published.Duplicate {
		s.note("duplicate: --dedupe %s was published to %s before, as item %d", message.Dedupe, message.Queue, published.ID)
	}
	if err := s.flush(); err != nil {
		return unprinted(fmt.Sprintf("the item is stored under id %d", published.ID), err)
	}
	return nil
}

type publishedJSON struct {
	ID        int64 `json:"id"`
	Duplicate bool  `json:"duplicate"`
}

// unprinted says what was committed although the output failed (CMD-5).
func unprinted(stored string, err error) error {
	return &domain.Error{Code: domain.Output, Text: stored + ", which could not be printed", Err: errors.Unwrap(err), Remedy: "do not publish it again"}
}

// readPayload reads standard input to its end.
func (s *session) readPayload() ([]byte, error) {
	if s.terminal(s.Stdin) {
		s.note("waiting for JSON from the terminal; end it with Ctrl-D")
	}
	payload, err := io.ReadAll(io.LimitReader(s.Stdin, app.MaxPayloadBytes+1))
	if err == nil && len(payload) > app.MaxPayloadBytes {
		var rest int64
		rest, err = io.Copy(io.Discard, s.Stdin)
		if err == nil {
			return nil, tooLong("the payload", int64(len(payload))+rest)
		}
	}
	if err != nil {
		return nil, &domain.Error{Code: domain.IO, Text: "standard input cannot be read", Err: err, Remedy: "give the JSON as an argument"}
	}
	outgrown(len(payload))
	return payload, nil
}

func tooLong(what string, size int64) error {
	return &domain.Error{
		Code:   domain.Payload,
		Text:   fmt.Sprintf("%s is %d bytes long, and an item holds at most %d", what, size, app.MaxPayloadBytes),
		Remedy: "store it elsewhere and publish where it is",
	}
}

func (s *session) terminal(file *os.File) bool { return term.IsTerminal(int(file.Fd())) }

// payloadHint guesses what became of a payload that is not JSON (CMD-5). It
// stays silent where the error itself says what to do.
func payloadHint(queue, text string, argument bool) string {
	text = strings.TrimSpace(text)
	switch {
	case text == "" && argument:
		return `give one JSON value in single quotes, such as '{"a": 1}', or - for standard input`
	case text == "":
		return "standard input held nothing"
	case !argument:
		return ""
	case isFile(text):
		return "to publish what is in the file: tundish publish " + shellWord(queue) + " - <" + shellWord(text)
	case strings.ContainsAny(text[:1], "{[") && !strings.ContainsAny(text, `"'`) && strings.ContainsFunc(text, unicode.IsLetter):
		return "the shell may have removed the quotation marks: put the JSON in single quotes"
	case !strings.ContainsAny(text, "{}[]\"',"):
		return `as text, in a shell: '"` + text + `"'`
	}
	return ""
}

// shellWord is a word as a shell needs it typed.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return r == '_' || r == '.' || r == '/' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	if strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

// isFile tells whether an argument looks like a file's name, or is one.
func isFile(word string) bool {
	if strings.ContainsAny(word, "{}[]\"'\n") {
		return false
	}
	info, err := os.Stat(word)
	return err == nil && info.Mode().IsRegular() || strings.HasSuffix(word, ".json")
}

// withHint adds a remedy to an error about a payload that names none.
func withHint(err error, hint string) error {
	var e *domain.Error
	if hint == "" || !errors.As(err, &e) || e.Code != domain.Payload || e.Remedy != "" {
		return err
	}
	hinted := *e
	hinted.Remedy = hint
	return &hinted
}
