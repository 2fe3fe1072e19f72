// Package config reads tundish's configuration file: where it is, where the
// database is, what each queue keeps, and what the outbox does. It knows no rule:
// how a duration is spelled is handed in. The YAML library is used here only.
package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Limits are what the file says about one queue (CFG-2). Zero is no limit.
type Limits struct {
	MaxItems int64 // items
	MaxAge   int64 // seconds
}

// Config is a configuration. The zero value stands for a missing default file:
// nothing is set (CFG-2).
type Config struct {
	// Database is the path from the file: absolute, or relative to the working
	// directory when the file's own path is. Empty means the default.
	Database string
	// Queues holds the queues that the file lists.
	Queues map[string]Limits
	// Outbox is nil when the file says nothing about it.
	Outbox *Outbox
}

// Source says how a configuration is found and read.
type Source struct {
	// Path is the file that was asked for; it must exist. Empty means the
	// default file, which need not (CFG-2).
	Path string
	// Home answers the user's home folder. It is called only when a path needs
	// it (CFG-1).
	Home func() (string, error)
	// Duration reads a duration into seconds (OBJ-6).
	Duration func(text string) (int64, error)
	// Fine reads a duration that may also be in milliseconds (OUT-16).
	Fine func(text string) (time.Duration, error)
}

// A MissingError says that a file that was asked for is not there.
type MissingError struct{ Path string }

func (e *MissingError) Error() string { return fmt.Sprintf("%s does not exist", e.Path) }

// A FileError says what in a file cannot be used, and where.
type FileError struct {
	Path   string
	Line   int    // from 1; 0 when there is no one line
	Key    string // dotted, such as queues.ci.max_age; empty when there is none
	Reason string
}

func (e *FileError) Error() string {
	var b strings.Builder
	b.WriteString(e.Path)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	b.WriteString(": ")
	if e.Key != "" {
		b.WriteString(e.Key + ": ")
	}
	b.WriteString(e.Reason)
	return b.String()
}

// maxFileBytes bounds what is read: a configuration is written by hand.
const maxFileBytes = 1 << 20

// Load reads the configuration. Errors are a *MissingError, a *FileError, or
// what the operating system said.
func Load(s Source) (Config, error) {
	path := s.Path
	if path == "" {
		home, err := s.Home()
		if err != nil {
			return Config{}, err
		}
		path = filepath.Join(home, ".config", "tundish", "config.yml")
	}
	text, err := read(path)
	switch {
	case err == nil:
		return parse(path, text, s)
	case !absent(err):
		return Config{}, err
	case s.Path != "":
		return Config{}, &MissingError{Path: path}
	}
	return Config{}, nil
}

// DefaultDatabase is where the database is when nothing says otherwise (CFG-2).
func DefaultDatabase(home string) string {
	return filepath.Join(home, ".local", "state", "tundish", "tundish.db")
}

// absent tells whether there is no file; a path through something that is not a
// folder leads to none either.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func read(path string) ([]byte, error) {
	file, err := open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a folder, not a configuration file", path)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxFileBytes+1))
	if err == nil && len(text) > maxFileBytes {
		return nil, &FileError{Path: path, Reason: fmt.Sprintf("the file is longer than %d bytes; a configuration is not", maxFileBytes)}
	}
	return text, err
}

// databasePath turns the file's text into a path (CFG-3).
func databasePath(text, file string, home func() (string, error)) (string, error) {
	switch {
	case text == "":
		return "", errors.New("the path is empty; name a file, or leave the key out")
	case strings.HasPrefix(text, ":memory:"):
		return "", errors.New(":memory: would be lost at once; name a file")
	case strings.ContainsRune(text, 0):
		return "", errors.New("the path contains a NUL character")
	case text == "~":
		return "", errors.New("~ is a folder; name a file, such as ~/tundish.db")
	case strings.HasPrefix(text, "~/"):
		folder, err := home()
		if err != nil {
			return "", err
		}
		return filepath.Join(folder, text[len("~/"):]), nil
	case filepath.IsAbs(text):
		return text, nil
	}
	return filepath.Join(filepath.Dir(file), text), nil
}
