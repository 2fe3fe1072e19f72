package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/cmd/tundish/internal/config"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

// withInbox reads the configuration, opens the database, and lets do work with
// it.
func (s *session) withInbox(ctx context.Context, do func(*app.Inbox) error) error {
	settings, path, err := s.configuration()
	if err != nil {
		return err
	}
	return s.withStore(ctx, path, s.warn, func(store Store) error {
		in, err := s.inbox(store, settings)
		if err != nil {
			return err
		}
		if err := s.checkTags(ctx, in); err != nil {
			return err
		}
		return do(in)
	})
}

// withExisting is withInbox for commands that can change only what exists: where no
// database is they make none, and name the path (CMD-5).
func (s *session) withExisting(ctx context.Context, do func(*app.Inbox) error) error {
	return s.withInbox(ctx, func(in *app.Inbox) error {
		if absent(s.database) {
			return noDatabase(s.database)
		}
		return do(in)
	})
}

// noDatabase is what a store itself answers where it cannot go on without one.
func noDatabase(path string) error {
	return &domain.Error{
		Code: domain.NotFound, Text: fmt.Sprintf("there is no database at %q", fullPath(path)), Remedy: "name another one with --db",
	}
}

// noteAbsent says that there is no database where --db leads, which may be
// mistyped: who only reads gets the answer of an empty one all the same (CMD-5).
func (s *session) noteAbsent() {
	if s.global.database != "" && absent(s.database) {
		s.note("there is no database at %s yet", fullPath(s.database))
	}
}

// fullPath is a path from the root, if that can be told.
func fullPath(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		return absolute
	}
	return path
}

// inbox makes the inbox over a store.
func (s *session) inbox(store Store, settings config.Config) (*app.Inbox, error) {
	return app.New(app.Options{
		Store: store, Clock: s.Clock, Expressions: s.Expressions(), Payloads: s.Payloads(),
		Retention: retention(settings),
	})
}

// withStore opens the database and lets do work with it.
func (s *session) withStore(ctx context.Context, path string, warn func(string), do func(Store) error) (err error) {
	s.database = path
	store, err := s.Driver.Open(ctx, path, s.Expressions(), warn)
	if err != nil {
		return err
	}
	defer func() {
		if left := store.Leave(); left != nil && err == nil {
			s.note("the database could not be tidied up: %v", left)
		}
	}()
	return do(store)
}

// configuration reads the configuration and tells where the database is (CFG-1,
// CFG-2).
func (s *session) configuration() (config.Config, string, error) {
	file, err := underHome(s.global.config)
	if err != nil {
		return config.Config{}, "", configError(err)
	}
	settings, err := config.Load(config.Source{Path: file, Home: config.Home, Duration: inbox.ParseDuration, Fine: fineDuration})
	if err != nil {
		return settings, "", configError(err)
	}
	switch {
	case s.global.database != "":
		path, err := underHome(s.global.database)
		if err != nil {
			return settings, "", configError(err)
		}
		return settings, path, nil
	case settings.Database != "":
		return settings, settings.Database, nil
	}
	home, err := config.Home()
	if err != nil {
		return settings, "", configError(err)
	}
	return settings, config.DefaultDatabase(home), nil
}

// underHome puts the home folder in the place of a leading ~/, for shells that
// leave it alone in --db=~/x.db (CFG-3).
func underHome(path string) (string, error) {
	rest, short := strings.CutPrefix(path, "~/")
	if !short {
		return path, nil
	}
	home, err := config.Home()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, rest), nil
}

func configError(err error) error {
	var absent *config.MissingError
	var broken *config.FileError
	switch {
	case errors.As(err, &absent):
		return &domain.Error{Code: domain.Invalid, Text: "the configuration cannot be read", Remedy: "create it or leave --config out", Err: err}
	case errors.As(err, &broken):
		return &domain.Error{Code: domain.Invalid, Text: "the configuration cannot be used", Err: err}
	}
	return &domain.Error{Code: domain.IO, Text: "the configuration cannot be read", Err: err}
}

// retention answers what a queue keeps: a listed queue has only the limits that
// it names (CFG-2).
func retention(settings config.Config) func(queue string) inbox.Retention {
	return func(queue string) inbox.Retention {
		limits, listed := settings.Queues[queue]
		if !listed {
			return inbox.DefaultRetention()
		}
		return inbox.Retention{MaxItems: limits.MaxItems, MaxAge: limits.MaxAge}
	}
}
