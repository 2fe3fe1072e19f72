package porttest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/ports/storage"
)

// site is a place under test with one store open on it.
type site struct {
	t     *testing.T
	place Place
	store storage.Store
}

// settle makes a fresh site.
func settle(t *testing.T, f Factory) *site {
	t.Helper()
	s := &site{t: t, place: f(t)}
	s.store = s.place.Open(t)
	t.Cleanup(func() { s.close(s.store) })
	return s
}

// another opens one more store for the rest of the test.
func (s *site) another() storage.Store {
	s.t.Helper()
	store := s.place.Open(s.t)
	s.t.Cleanup(func() { s.close(store) })
	return store
}

// reopen puts a new store in place of the site's own.
func (s *site) reopen() {
	s.t.Helper()
	s.close(s.store)
	s.store = s.place.Open(s.t)
}

func (s *site) close(store storage.Store) {
	s.t.Helper()
	if err := store.Close(); err != nil {
		s.t.Errorf("Close: %v", err)
	}
}

// view runs fn on a snapshot; what fn cannot read ends the test.
func (s *site) view(fn func(storage.Reader)) {
	s.t.Helper()
	s.viewOn(s.store, fn)
}

func (s *site) viewOn(store storage.Store, fn func(storage.Reader)) {
	s.t.Helper()
	defer s.failed()
	if err := store.View(s.t.Context(), func(r storage.Reader) error { fn(r); return nil }); err != nil {
		s.t.Fatalf("View: %v", err)
	}
}

// update commits what fn does; what fn cannot do ends the test.
func (s *site) update(fn func(storage.Writer)) {
	s.t.Helper()
	s.updateOn(s.store, fn)
}

func (s *site) updateOn(store storage.Store, fn func(storage.Writer)) {
	s.t.Helper()
	defer s.failed()
	if err := store.Update(s.t.Context(), func(w storage.Writer) error { fn(w); return nil }); err != nil {
		s.t.Fatalf("Update: %v", err)
	}
}

var errTry = errors.New("only a try")

// try runs fn in an Update that does not commit.
func (s *site) try(fn func(storage.Writer)) {
	s.t.Helper()
	defer s.failed()
	if err := s.store.Update(s.t.Context(), func(w storage.Writer) error { fn(w); return errTry }); !errors.Is(err, errTry) {
		s.t.Fatalf("Update: %v, want the error of fn", err)
	}
}

// refuses demands that an Update fails in which only fn runs.
func (s *site) refuses(what string, fn func(storage.Writer) error) {
	s.t.Helper()
	err := s.store.Update(s.t.Context(), fn)
	var e *domain.Error
	if !errors.As(err, &e) {
		s.t.Errorf("%s: error %v, want a *domain.Error", what, err)
	}
}

// failure is what one, found and done panic with. It unwinds through the store.
type failure struct {
	where string
	err   error
}

func fail(err error) {
	_, file, line, _ := runtime.Caller(2)
	panic(failure{fmt.Sprintf("%s:%d", filepath.Base(file), line), err})
}

func (s *site) failed() {
	s.t.Helper()
	switch f := recover().(type) {
	case nil:
	case failure:
		s.t.Fatalf("%s: %v", f.where, f.err)
	default:
		panic(f)
	}
}

// trying makes a change whose failure is to be an error.
func trying(w storage.Writer, change func(storage.Writer)) (err error) {
	defer func() {
		switch f := recover().(type) {
		case nil:
		case failure:
			err = fmt.Errorf("%s: %w", f.where, f.err)
		default:
			panic(f)
		}
	}()
	change(w)
	return nil
}

// one is an answer that must not fail.
func one[T any](answer T, err error) T {
	if err != nil {
		fail(err)
	}
	return answer
}

// found is an answer that must not fail; nil when nothing was found.
func found[T any](answer T, ok bool, err error) *T {
	if err != nil {
		fail(err)
	}
	if !ok {
		return nil
	}
	return &answer
}

// done is a change that must not fail.
func done(err error) {
	if err != nil {
		fail(err)
	}
}

// same compares an answer with the wanted one. No result is the same as an empty
// one.
func same[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if reflect.DeepEqual(got, want) {
		return // the usual case, which cmp takes its time for
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// cause is an own reason to end a context, to be found again in errors.
type cause string

func (c cause) Error() string { return string(c) }

// checkEnded demands the error for a context that ended for why.
func checkEnded(t *testing.T, err, why error) {
	t.Helper()
	if !errors.Is(err, why) {
		t.Errorf("error %v, want one that wraps %q", err, why)
	}
	if code := domain.CodeOf(err); code != domain.Deadline {
		t.Errorf("error %v has code %d, want Deadline", err, code)
	}
}

// over is a context that has ended for why.
func over(t *testing.T, why error) context.Context {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	return ctx
}
