package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
	var subscription subscription
	if !flags.print || flags.queue != "" { // --print asks nothing
		if subscription, err = s.subscriptionFor(cmd.Context(), flags); err != nil {
			return err
		}
	}
	if flags.print {
		if err := s.printPlan(change, flags.as, subscription); err != nil {
			return err
		}
		s.noteShared(place, change)
		return nil
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
	s.noteShared(place, change)
	s.tellNext(host, place, flags.as, subscription, more)
	return nil
}

// printPlan prints the file that would be, and the difference for a person. On a
// terminal both would be on one screen, so that only the difference is printed.
func (s *session) printPlan(change *setup.Change, who string, wanted subscription) error {
	screen := s.terminal(s.Stdout)
	switch {
	case !screen:
		s.print("%s", change.Text())
	case !change.Nothing():
		s.print("%s would change:\n%s", change.Path, change.Diff())
	}
	if err := s.flush(); err != nil {
		return err
	}
	if !screen {
		_, _ = io.WriteString(s.Stderr, change.Diff())
	}
	if change.Nothing() {
		s.note("%s is like that already", change.Path)
	}
	if line := modeLine(change); line != "" {
		s.note("%s", line)
	}
	if line := editedLine(change); line != "" {
		s.note("%s", line)
	}
	switch {
	case wanted.wanted:
		s.note("%s would get the subscription %s, on the queue %s", who, wanted.name, wanted.queue)
	case wanted.name != "":
		s.note("%s has a subscription on the queue %s already: %s", who, wanted.queue, wanted.name)
	}
	return nil
}

// modeLine says what becomes of the permissions of the file; empty when they stay.
func modeLine(change *setup.Change) string {
	mode, changes := change.Mode()
	if !changes {
		return ""
	}
	line := fmt.Sprintf("the permissions of %s become %o", change.Path, mode)
	if change.Private != "" {
		line += ": " + change.Private
	}
	return line
}

// editedLine says what becomes of what was written by hand into the file, where the
// change would lose it; empty when it loses nothing.
func editedLine(change *setup.Change) string {
	if change.Edited == "" {
		return ""
	}
	return fmt.Sprintf("%s was changed by hand, which this takes back; a copy of it as it is will be in %s", change.Path, change.Edited)
}

// tellEdited says where what was written by hand is.
func (s *session) tellEdited(change *setup.Change) {
	if change.Edited != "" {
		s.print("the file with the changes by hand: %s\n", change.Edited)
	}
}

// noteShared says that a file of a repository has paths of this machine in it. No host
// takes the file that --project writes for a private one.
func (s *session) noteShared(place setup.Place, change *setup.Change) {
	if !place.Project || change.Nothing() {
		return
	}
	if _, err := os.Stat(filepath.Join(place.Folder, ".git")); err == nil {
		s.note("%s is in a git work tree and has paths of this machine in it; who commits it gives them to others", change.Path)
	}
}

// confirmChange shows a change and asks for it on a terminal.
func (s *session) confirmChange(change *setup.Change, yes bool) error {
	if change.Nothing() {
		return nil
	}
	s.print("%s", change.Diff())
	if line := modeLine(change); line != "" {
		s.print("%s\n", line)
	}
	if line := editedLine(change); line != "" {
		s.print("%s\n", line)
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
	s.tellEdited(change)
	if !host.Proven {
		s.print("not proven: this follows the documentation of %s and was never seen to run\n", host.Title)
	}
}

// tellNext says what is left to do, and how to see that it works.
func (s *session) tellNext(host setup.Host, place setup.Place, who string, subscription subscription, flags []string) {
	for _, line := range host.After(place) {
		s.print("%s\n", line)
	}
	if subscription.queue == "" { // none was wanted
		s.print("to see whether mail would arrive: %s\n", host.Init(place, who, flags, "--check"))
		return
	}
	words := append(append([]string{"tundish"}, flags...), "publish", subscription.queue, `"hello"`)
	s.print("to see it work: %s && %s\n", setup.CommandLine(words...), host.Start)
}
