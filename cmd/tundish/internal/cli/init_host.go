package cli

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tundish-go/tundish/cmd/tundish/internal/setup"
	"github.com/tundish-go/tundish/domain"
)

// initHost puts the hook in place (SETUP-1). Everything that can be refused is
// refused before anything is changed.
func (s *session) initHost(cmd *cobra.Command, host setup.Host, place setup.Place, flags initFlags) error {
	binary, err := s.binary()
	if err != nil {
		return err
	}
	more, err := s.hookFlags()
	if err != nil {
		return err
	}
	change, err := setup.Plan(host, place, host.Command(binary, flags.as, more...))
	if err != nil {
		return err
	}
	if flags.print {
		return s.printPlan(change)
	}
	subscription, err := s.subscriptionFor(cmd.Context(), flags)
	if err != nil {
		return err
	}
	if err := s.confirmChange(change, flags.yes); err != nil {
		return err
	}
	if err := s.subscribeFor(cmd.Context(), flags.as, &subscription); err != nil {
		return err
	}
	if err := change.Apply(); err != nil {
		return err
	}
	s.tellChange(host, change)
	s.tellNext(host, place, subscription, more)
	return nil
}

// printPlan prints the file that would be, and the difference for a person.
func (s *session) printPlan(change *setup.Change) error {
	s.print("%s", change.Text())
	if err := s.flush(); err != nil {
		return err
	}
	_, _ = io.WriteString(s.Stderr, change.Diff())
	if change.Nothing() {
		s.note("%s is like that already", change.Path)
	}
	return nil
}

// removeHost takes the hook out again (SETUP-5).
func (s *session) removeHost(host setup.Host, place setup.Place, flags initFlags) error {
	change, err := setup.Undo(host, place)
	if err != nil {
		return err
	}
	if change.Nothing() {
		s.print("no hook of tundish in %s\n", change.Path)
		return nil
	}
	if err := s.confirmChange(change, flags.yes); err != nil {
		return err
	}
	if err := change.Apply(); err != nil {
		return err
	}
	switch {
	case change.Removes:
		s.print("removed %s, in which nothing else was\n", change.Path)
	case change.Backup != "":
		s.print("%s is as it was before, to the byte; %s is gone\n", change.Path, change.Backup)
	default:
		s.print("took the hook out of %s\n", change.Path)
	}
	s.print("subscriptions stay; tundish unsubscribe NAME --as WHO ends one\n")
	return nil
}

// confirmChange shows a change and asks for it on a terminal.
func (s *session) confirmChange(change *setup.Change, yes bool) error {
	if change.Nothing() {
		return nil
	}
	s.print("%s", change.Diff())
	if mode, changes := change.Mode(); changes {
		s.print("the permissions of %s become %o\n", change.Path, mode)
	}
	if err := s.flush(); err != nil { // before the question
		return err
	}
	return s.confirm(yes, "Change %s?", change.Path)
}

// asks tells whether somebody can be asked.
func (s *session) asks() bool { return s.terminal(s.Stdin) && s.terminal(s.Stderr) }

// ask asks a question and reads one line.
func (s *session) ask(question string) (string, error) {
	if _, err := io.WriteString(s.Stderr, question); err != nil {
		return "", &domain.Error{Code: domain.IO, Text: "nobody can be asked", Err: err}
	}
	answer, err := bufio.NewReaderSize(oneByte{s.Stdin}, 16).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", &domain.Error{Code: domain.IO, Text: "the answer cannot be read", Err: err}
	}
	return strings.TrimSpace(answer), nil
}

// oneByte reads byte by byte, so that the next question finds its own answer.
type oneByte struct{ file *os.File }

func (r oneByte) Read(p []byte) (int, error) { return r.file.Read(p[:1]) }

// tellChange says what was done.
func (s *session) tellChange(host setup.Host, change *setup.Change) {
	switch {
	case change.Nothing():
		s.print("the hook is in place already: %s\n", change.Path)
		return
	case change.Was != "":
		s.print("the hook was for %s before\n", change.Was)
	}
	s.print("wrote %s\n", change.Path)
	if change.Backup != "" {
		s.print("the file as it was: %s\n", change.Backup)
	}
	if !host.Proven {
		s.print("not proven: this follows the documentation of %s and was never seen to run\n", host.Title)
	}
}

// tellNext says what is left to do, and how to see that it works.
func (s *session) tellNext(host setup.Host, place setup.Place, subscription subscription, flags []string) {
	for _, line := range host.After(place) {
		s.print("%s\n", line)
	}
	queue := "QUEUE"
	if subscription.queue != "" {
		queue = setup.ShellWord(subscription.queue)
	}
	words := []string{"tundish"}
	for _, flag := range flags {
		words = append(words, setup.ShellWord(flag))
	}
	s.print("to see it work: %s publish %s '\"hello\"' && %s\n", strings.Join(words, " "), queue, host.Start)
}

// checkHost prints how the hook stands; the error is for one that is not in place
// or would not deliver.
func (s *session) checkHost(host setup.Host, place setup.Place, flags initFlags) error {
	report := setup.Check(host, place, flags.as)
	if flags.json {
		s.printJSON(report)
	} else {
		for _, f := range report.Findings {
			s.printFinding(host.Name, f)
		}
	}
	if report.Delivers {
		return nil
	}
	return toldError{&domain.Error{Code: domain.IO, Text: "the hook of " + host.Title + " would not deliver"}}
}

// printFinding prints one line: a word for the state, what was looked at, and what
// to do.
func (s *session) printFinding(about string, f setup.Finding) {
	remedy := ""
	if f.Remedy != "" {
		remedy = "; " + f.Remedy
	}
	s.print("%-7s %s: %s\n", f.State, about, domain.Escape(f.What+remedy))
}
