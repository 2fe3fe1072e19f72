package deliverexec

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/outbox"
)

// command is a program and its arguments.
type command []string

// parse splits a command at its spaces. There is no shell and no quoting: an
// argument cannot hold a space.
func parse(text string) (command, error) {
	words := command(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' }))
	switch {
	case len(words) == 0:
		return nil, &domain.Error{
			Code: domain.Invalid, Text: fmt.Sprintf("%q names no program", text), Remedy: "write a program after exec:",
		}
	case strings.ContainsRune(text, 0):
		return nil, &domain.Error{
			Code: domain.Invalid, Text: fmt.Sprintf("the command %q contains a NUL character", domain.Shorten(text)),
			Remedy: "leave it out",
		}
	}
	return words, nil
}

// name is what errors call the program. Arguments stay out of them.
func (c command) name() string { return domain.Shorten(domain.Escape(filepath.Base(c[0]))) }

// The variables that programs get.
const (
	varWorkspace = "TUNDISH_WORKSPACE"
	varSession   = "TUNDISH_SESSION"
	varEntry     = "TUNDISH_ENTRY"
	varAttempt   = "TUNDISH_ATTEMPT"
	varUser      = "TUNDISH_USER"
	varDeadline  = "TUNDISH_DEADLINE_MS"
)

// identify is the environment of the worker with the ids of an attempt. What the
// worker itself has inherited under these names says nothing about the entry.
func identify(workspace, session, entry string, attempt uint64) []string {
	var env []string
	for _, setting := range os.Environ() {
		switch name, _, _ := strings.Cut(setting, "="); name {
		case varWorkspace, varSession, varEntry, varAttempt, varUser, varDeadline:
		default:
			env = append(env, setting)
		}
	}
	return append(env, varWorkspace+"="+workspace, varSession+"="+session, varEntry+"="+entry,
		varAttempt+"="+strconv.FormatUint(attempt, 10))
}

// describe is the environment with all that is said of an entry.
func describe(ctx context.Context, entry outbox.Entry) []string {
	env := identify(entry.WorkspaceID, entry.SessionID, entry.ID, uint64(max(0, entry.AttemptNo)))
	if entry.UserID != "" {
		env = append(env, varUser+"="+entry.UserID)
	}
	if deadline, ok := ctx.Deadline(); ok {
		left := max(0, time.Until(deadline).Milliseconds())
		env = append(env, varDeadline+"="+strconv.FormatInt(left, 10))
	}
	return env
}
