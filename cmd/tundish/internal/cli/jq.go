package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tundish-go/tundish/domain"
)

// jqFlag is --jq of the command that runs.
type jqFlag struct {
	text   string
	apply  func(value []byte, yield func(output string) error) error // nil when it was not given
	failed error                                                     // the first failure; nothing is printed after it
}

// addJSON gives --json to a command that prints one result.
func (s *session) addJSON(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&s.asJSON, "json", false, "print the result as JSON")
}

// printResult prints a result as JSON, if that was asked for, or as text.
func (s *session) printResult(value any, format string, args ...any) {
	if s.asJSON {
		s.printJSON(value)
	} else {
		s.print(format, args...)
	}
}

// addJQ gives --jq to a command that can print JSON (VIEW-4).
func (s *session) addJQ(cmd *cobra.Command) {
	if cmd.Flags().Lookup("json") != nil {
		cmd.Flags().StringVar(&s.jq.text, "jq", "", "print what this jq `EXPRESSION` makes of each JSON value; implies --json")
	}
}

// compileJQ compiles the flag, if it was given.
func (s *session) compileJQ(ctx context.Context, flags *pflag.FlagSet) error {
	if !set(flags, "jq") {
		return nil
	}
	if set(flags, "json") {
		if wanted, err := flags.GetBool("json"); err == nil && !wanted {
			return usage("leave one of them out", "--jq and --json=false were both given")
		}
	} else if err := flags.Set("json", "true"); err != nil {
		return err
	}
	query, err := s.Expressions().Query(s.jq.text)
	if err != nil {
		return &domain.Error{Code: domain.Invalid, Text: "--jq", Err: err}
	}
	s.jq.apply = func(value []byte, yield func(output string) error) error {
		return query.Run(ctx, value, s.Clock.Now().Unix(), yield)
	}
	return nil
}

// printLine prints one JSON value on a line, or what --jq makes of it. After an
// error, which flush tells too, nothing more is printed.
func (s *session) printLine(value []byte) error {
	if s.jq.failed != nil {
		return s.jq.failed
	}
	lines, err := s.jsonLines(value)
	if err != nil {
		s.jq.failed = err
		return err
	}
	s.print("%s", lines)
	return nil
}

// jsonLines is one JSON value on a line, or what --jq makes of it: strings as they
// are, and anything else as JSON, each output on lines of its own.
func (s *session) jsonLines(value []byte) ([]byte, error) {
	if s.jq.apply == nil {
		return append(slices.Clip(s.visible(value)), '\n'), nil
	}
	var lines []byte
	err := s.jq.apply(value, func(output string) error {
		lines = append(append(lines, s.visibleText(output)...), '\n')
		return nil
	})
	if err != nil {
		return nil, &domain.Error{Code: domain.Output, Text: "nothing can be printed", Err: fmt.Errorf("--jq: %w", err)}
	}
	return lines, nil
}

// visibleText is visible for text of several lines.
func (s *session) visibleText(text string) string {
	if domain.Plain(text) || !s.terminal(s.Stdout) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if r == '\n' || r == '\t' {
			b.WriteRune(r)
		} else {
			b.WriteString(domain.Escape(string(r)))
		}
	}
	return b.String()
}
