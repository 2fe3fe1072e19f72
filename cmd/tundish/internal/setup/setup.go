// Package setup puts the hook of tundish into the configuration of the programs
// that run hooks, looks whether it is in place there, and takes it out again. It
// edits a file as text, so that all that it does not add stays as it was.
//
// Package host says what a hook prints; this one says where it is configured.
package setup

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/tundish-go/tundish/domain"
)

// Place is where a host looks for its files.
type Place struct {
	Home    string                   // the user's home folder, absolute
	Folder  string                   // the project's folder, absolute
	Project bool                     // the project's file, not the user's
	Getenv  func(name string) string // variables that move a host's folder
}

// under is the folder that a variable names, or else one below the home folder.
func (p Place) under(variable string, below ...string) string {
	if folder := p.Getenv(variable); filepath.IsAbs(folder) {
		return folder
	}
	return filepath.Join(append([]string{p.Home}, below...)...)
}

// Host is a program whose configuration setup knows.
type Host struct {
	Name   string // as in pull --hook
	Title  string // as its makers call it
	Proven bool   // false: written from its documentation, never seen to run
	Events []string
	Limit  string // the time that a hook gets, such as 5 s
	Start  string // the command that starts a session

	path    func(Place) string // empty: it has no file there
	editor  editor
	private bool // the host refuses a file that is not the user's alone
	args    []string
	watch   func(Place, string, []hook) []Finding // what else decides whether the hook runs
	after   func(Place) []string                  // what is left to do by hand
}

// editor changes the text of a host's file.
type editor interface {
	// find lists the hooks of ours.
	find(text []byte) ([]hook, error)
	// set puts the hook in place, with the command in words.
	set(text []byte, words []string) ([]byte, error)
	// unset takes the hooks of ours out. base is the text before our first
	// change, nil when that is not known; the result is nil when nothing is left
	// of a file that is all ours.
	unset(text, base []byte) ([]byte, error)
	// loses tells whether a change that set or unset made throws something away
	// that somebody wrote by hand into what is ours.
	loses(before, after []byte) bool
}

// Names are the hosts, in the order in which help names them.
func Names() []string {
	return []string{"claude-code", "codex", "gemini", "opencode", "gaff", "cursor", "copilot"}
}

// Find finds a host by its name.
func Find(name string) (h Host, ok bool) {
	switch name {
	case "claude-code":
		return claudeCode(), true
	case "codex":
		return codex(), true
	case "gemini":
		return gemini(), true
	case "opencode":
		return opencode(), true
	case "gaff":
		return gaff(), true
	case "cursor":
		return cursor(), true
	case "copilot":
		return copilot(), true
	}
	return Host{}, false
}

// Command is what the hook runs: tundish at an absolute path, for the subscriber
// who. Flags such as --db may follow.
func (h Host) Command(binary, who string, flags ...string) []string {
	words := []string{binary, "pull", "--due", "--as", who, "--hook", h.Name}
	return append(append(words, h.args...), flags...)
}

// usual tells whether words are a command as Command makes it, for whomever.
func (h Host) usual(words []string) bool {
	return len(words) > 0 && slices.Equal(words, h.Command(words[0], Subscriber(words), globalFlags(words)...))
}

// Path is the host's file; empty when it has none in that place.
func (h Host) Path(p Place) string { return h.path(p) }

// After says what is left to do by hand before the hook runs.
func (h Host) After(p Place) []string {
	if h.after == nil {
		return nil
	}
	return h.after(p)
}

// Subscriber is who a hook's command pulls for; empty when it does not say.
func Subscriber(words []string) string { return flagOf(words, "as") }

// open reads the host's file.
func (h Host) open(p Place) (file, error) {
	path := h.path(p)
	if path == "" {
		return file{}, &domain.Error{
			Code: domain.Invalid, Text: h.Title + " keeps its hooks in the user's folder only", Remedy: "leave --project out",
		}
	}
	return readFile(path)
}

// broken gives an error of an editor its file.
func broken(path string, err error) error {
	var place *PlaceError
	if errors.As(err, &place) {
		place.Path = path
		return &domain.Error{Code: domain.Invalid, Text: "the file cannot be used as it is", Err: err, Remedy: "nothing was changed; mend it first"}
	}
	return &domain.Error{Code: domain.Invalid, Text: path, Err: err}
}

// ioError says what went wrong with a file.
func ioError(what string, err error) error {
	code := domain.IO
	if errors.Is(err, fs.ErrPermission) {
		code = domain.Denied
	}
	return &domain.Error{Code: code, Text: what, Err: err}
}
