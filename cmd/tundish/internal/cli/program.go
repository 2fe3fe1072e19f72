// Package cli is the command line of tundish: one command a file, on top of
// package app. It is handed everything it touches, so that it can run inside a
// test as it runs as a process, and it imports no adapter.
package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports"
	"github.com/tundish-go/tundish/ports/storage"
)

// Store is what the commands need from a database.
type Store interface {
	storage.Store
	storage.Outbox
	// Leave ends the work of a short process with the store, in place of Close:
	// it tidies up only when that is due. No other call may follow.
	Leave() error
}

// Program is all that a run of tundish is given.
type Program struct {
	Version string
	Driver  Driver
	Clock   ports.Clock
	// Expressions and Payloads are called by the commands that open a database.
	Expressions func() ports.Expressions
	Payloads    func() ports.Payloads
	// Receivers makes what routes of the outbox name, and Serve answers calls of
	// tools. Each is nil but in the one program that links it. That of short
	// commands has Become, which runs the one whose name has a suffix, outbox or
	// mcp, in its place, and returns its exit code if it returns at all.
	Receivers func(Publish) Receivers
	Serve     func(context.Context, Desk) error
	Become    func(suffix string, args []string) (code int, err error)

	Args   []string // without the program's own name
	Getenv func(name string) string
	Stdin  *os.File
	Stdout *os.File
	Stderr *os.File
	// Output says in which state standard output was when the process began.
	Output OutputState
}

// Driver is the way to SQLite that was built in.
type Driver struct {
	Name string
	// SQLite answers the version of the SQLite library.
	SQLite func() string
	// Open opens the database at path and creates nothing before the first
	// change. expressions serves to take over the database of an older program.
	// warn takes a line for the user, without a newline; it may be called during
	// any later call to the store.
	Open func(ctx context.Context, path string, expressions ports.Expressions, warn func(line string)) (Store, error)
}

// session is one run: the program with its flags and its output.
type session struct {
	Program
	begun  time.Time
	global struct{ database, config, now string }
	stdout *output
	text   *bufio.Writer // onto stdout; flushed at the end of the run

	asJSON    bool // of commands with addJSON
	jq        jqFlag
	outboxCap int // entries that a lane holds, once the configuration is read

	sub      string   // the command of outbox that is called, if it is the first word
	changes  bool     // the command that runs is one that changes something
	unknown  error    // of --help for a command that does not exist
	database string   // path of the database, once it is known
	warnings []string // what the store told so far
	tags     []tag    // of the items that the call names with their queues
}

// Run runs one command and returns the exit code of the process (CMD-4).
func Run(p Program) (code int) {
	// A closed pipe must be an error of the write, so that a pull rolls back
	// (PULL-12), and not the silent end of the process.
	signal.Ignore(syscall.SIGPIPE)
	s := &session{Program: p, begun: time.Now()}
	s.stdout = &output{file: p.Stdout, state: p.Output}
	s.text = bufio.NewWriter(s.stdout)
	if hooked(p.Args) {
		defer s.endHook(&code)
	}
	err := s.execute()
	if flushed := s.flush(); err == nil {
		err = flushed
	}
	s.report(err)
	return exitCode(err)
}

func (s *session) execute() error {
	root := s.root()
	root.SetArgs(payloadLast(s.Args, root))
	err := root.ExecuteContext(context.Background())
	switch {
	case errors.Is(err, errVersion):
		return s.shortVersion()
	case err == nil:
		return s.unknown
	}
	return err
}

// exitCode is the one table from errors to exit codes (CMD-4).
func exitCode(err error) int {
	if err == nil {
		return 0
	}
	if ended, ok := errors.AsType[exitedError](err); ok {
		return int(ended)
	}
	if errors.Is(err, outbox.ErrCapped) {
		return 4
	}
	switch domain.CodeOf(err) {
	case domain.Invalid, domain.NotFound:
		return 2
	case domain.Claimed:
		return 3
	}
	return 1
}

// exitedError is the exit code of a program that took over, which has said why.
type exitedError int

func (e exitedError) Error() string { return fmt.Sprintf("the program exited with %d", int(e)) }

// toldError is an error of which the user knows already.
type toldError struct{ error }

func (e toldError) Unwrap() error { return e.error }

// report prints an error, once. A command that only reads says nothing about a
// reader who has left, such as head: there is nothing that it must know.
func (s *session) report(err error) {
	if err == nil || errors.As(err, &toldError{}) || !s.changes && errors.Is(err, syscall.EPIPE) {
		return
	}
	s.note("%v", err)
}

// note writes one line for a person to standard error. What publishers or
// databases put into it cannot break the line or move the cursor.
func (s *session) note(format string, args ...any) {
	fmt.Fprintln(s.Stderr, "tundish: "+domain.Escape(fmt.Sprintf(format, args...)))
}

// warn passes on what the store has to tell, and keeps it.
func (s *session) warn(line string) {
	s.warnings = append(s.warnings, line)
	s.note("%s", line)
}

// print adds to standard output. What goes wrong there is told by flush.
func (s *session) print(format string, args ...any) {
	fmt.Fprintf(s.text, format, args...)
}

// flush writes out what was printed.
func (s *session) flush() error {
	if err := s.text.Flush(); err != nil {
		return &domain.Error{Code: domain.Output, Text: "the output could not be written", Err: err}
	}
	return s.jq.failed
}

// usage makes the error of a wrong call (CMD-4).
func usage(remedy, format string, args ...any) error {
	return &domain.Error{Code: domain.Invalid, Text: fmt.Sprintf(format, args...), Remedy: remedy}
}
