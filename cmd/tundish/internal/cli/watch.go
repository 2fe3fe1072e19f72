package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/cmd/tundish/internal/config"
	"github.com/tundish-go/tundish/cmd/tundish/internal/watch"
	"github.com/tundish-go/tundish/domain"
)

// vigil is the inbox of a command that stays. It looks at the database each time
// that it may have changed, from before it is made, and goes over to another file
// that has taken its place (WAIT-2).
type vigil struct {
	s        *session
	settings config.Config
	path     string

	store    Store
	in       *app.Inbox
	info     fs.FileInfo // of the file for which store was opened; nil for none
	hopes    bool        // the database is a new one, so that what is missing may still come
	failures int         // looks in a row that failed
}

// step is what follows a look.
type step uint8

const (
	rest step = iota // until something changes
	soon             // look again in a moment
	done
)

// maxFailures is how many looks in a row may fail for reasons that can pass.
const maxFailures = 3

// keepVigil calls look until it is done or ctx ends, whose cause is the error then.
// anew tells look that in is another one than before.
func (s *session) keepVigil(ctx context.Context, look func(in *app.Inbox, anew bool) (step, error)) (err error) {
	v := &vigil{s: s}
	if v.settings, v.path, err = s.configuration(); err != nil {
		return err
	}
	s.database = v.path
	watched := watch.New(v.path, func(err error) {
		s.note("the system gives no notifications of changes, which are looked for twice a second instead: %v", err)
	})
	defer func() { _ = watched.Close() }() // after the store: it may hold the same files
	defer v.end()
	if absent(v.path) {
		v.hopes = true
		s.note("there is no database at %s yet; it is waited for", v.path)
	}
	for first := true; ; first = false {
		next, err := v.turn(context.WithoutCancel(ctx), look)
		if err != nil {
			if next, err = v.endure(err, first); err != nil {
				return err
			}
		}
		if next == done {
			return nil
		}
		if err := watched.Next(ctx, next == soon); err != nil {
			return err
		}
	}
}

// absent tells whether there is nothing yet that could be a database.
func absent(path string) bool {
	info, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0
}

// turn looks once.
func (v *vigil) turn(ctx context.Context, look func(*app.Inbox, bool) (step, error)) (step, error) {
	anew, err := v.open(ctx)
	if err != nil {
		return rest, err
	}
	next, err := look(v.in, anew)
	if err == nil {
		v.hopes, v.failures = false, 0
	}
	return next, err
}

// open opens the database, again if another file stands in its place. A file that
// was opened keeps its number even when it is deleted, so that the number tells.
func (v *vigil) open(ctx context.Context) (anew bool, err error) {
	info, err := os.Stat(v.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		info = nil // what is wrong with it, opening it tells
	}
	if v.store != nil {
		if same(v.info, info) {
			return false, nil
		}
		v.hopes = true
		if err := v.store.Close(); err != nil {
			v.s.note("the database could not be tidied up: %v", err)
		}
		v.store = nil
	}
	store, err := v.s.Driver.Open(ctx, v.path, v.s.Expressions(), v.s.warn)
	if err != nil {
		return false, err
	}
	v.store, v.info = store, info
	v.in, err = v.s.inbox(store, v.settings)
	return true, err
}

func same(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b)
}

// end leaves the database.
func (v *vigil) end() {
	if v.store == nil {
		return
	}
	if err := v.store.Leave(); err != nil {
		v.s.note("the database could not be tidied up: %v", err)
	}
}

// endure decides whether to go on after a failed look: where the database or what
// is waited for may still come, and a few times where what failed can pass.
func (v *vigil) endure(err error, first bool) (step, error) {
	code := domain.CodeOf(err)
	if code == domain.NotFound && v.hopes {
		return rest, nil
	}
	if code == domain.IO && absent(v.path) { // it was deleted while it was looked at
		v.hopes = true
		return rest, nil
	}
	passes := code == domain.Busy || code == domain.IO || code == domain.Corrupt || code == domain.NotFound // as while its files go one by one
	if v.failures++; first || !passes || v.failures > maxFailures {
		return rest, err
	}
	return soon, nil
}
