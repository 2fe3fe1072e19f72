package watch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// vigil is a watch on a database in a folder of its own.
type vigil struct {
	*testing.T
	*Watch
	path string
}

func watching(t *testing.T, name ...string) *vigil {
	t.Helper()
	path := filepath.Join(append([]string{t.TempDir()}, name...)...)
	w := New(path, func(err error) { t.Errorf("no notifications: %v", err) })
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return &vigil{t, w, path}
}

func (v *vigil) write(path string) {
	v.Helper()
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err == nil {
		_, err = file.WriteString("x")
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		v.Fatal(err)
	}
}

// told demands that Next returns before the poll would.
func (v *vigil) told(what string) {
	v.Helper()
	ctx, cancel := context.WithTimeout(v.Context(), slow*9/10)
	defer cancel()
	v.pause = slow
	if err := v.Next(ctx, false); err != nil {
		v.Fatalf("%s was not told: %v", what, err)
	}
}

// WAIT-2: what is written to the database or its log is told.
func TestWAIT2_WritesAreTold(t *testing.T) {
	v := watching(t, "t.db")
	for _, end := range []string{"", "-wal", "", "-journal"} {
		v.write(v.path + end)
		v.told("a write to " + end)
	}
	if err := os.Rename(v.path, v.path+".old"); err != nil {
		t.Fatal(err)
	}
	v.told("a rename")
	if err := os.Remove(v.path + "-wal"); err != nil {
		t.Fatal(err)
	}
	v.told("a removal")
}

// WAIT-2: other files of the folder, and the file in which readers lock, are no
// changes.
func TestWAIT2_OnlyTheDatabaseCounts(t *testing.T) {
	w := &Watch{folder: "/f", next: "t.db"}
	for _, tt := range []struct {
		name string
		op   fsnotify.Op
		want bool
	}{
		{"/f/t.db", fsnotify.Write, true}, {"/f/t.db-wal", fsnotify.Create, true}, {"/f/t.db-journal", fsnotify.Remove, true},
		{"/f", fsnotify.Remove, true}, {"/f/t.db", fsnotify.Chmod | fsnotify.Write, true},
		{"/f/t.db", fsnotify.Chmod, false}, {"/f/t.db-shm", fsnotify.Write, false}, {"/f/other", fsnotify.Write, false},
		{"/f/t.db2", fsnotify.Write, false},
	} {
		if got := w.concerns(fsnotify.Event{Name: tt.name, Op: tt.op}); got != tt.want {
			t.Errorf("%v of %s: %v", tt.op, tt.name, got)
		}
	}
}

// WAIT-2: the folder may be made later, deleted, and made anew.
func TestWAIT2_FoldersComeAndGo(t *testing.T) {
	v := watching(t, "a", "b", "t.db")
	folder := filepath.Dir(v.path)
	for range 2 {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		v.told("a folder")
		v.arm() // as the next look does
		v.write(v.path)
		v.told("a write")
		if err := os.RemoveAll(filepath.Dir(folder)); err != nil {
			t.Fatal(err)
		}
		v.told("the end of the folder")
		v.arm()
	}
}

// WAIT-2: behind a link it is the file itself that is watched.
func TestWAIT2_Links(t *testing.T) {
	far := filepath.Join(t.TempDir(), "real.db")
	v := watching(t, "t.db")
	v.write(far)
	if err := os.Symlink(far, v.path); err != nil {
		t.Fatal(err)
	}
	v.told("the link")
	v.arm() // as the next look does
	v.write(far + "-wal")
	v.told("a write behind the link")
}

// WAIT-2: without notifications, which is told once, the poll goes on, faster.
func TestWAIT2_PollAlone(t *testing.T) {
	v := watching(t, "t.db")
	limit := errors.New("too many")
	var told []error
	v.lost = func(err error) { told = append(told, err) }
	v.fail(limit)
	if err := v.Next(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if len(told) != 1 || !errors.Is(told[0], limit) || v.pause > blind {
		t.Errorf("%v was told, and the next look is in %v", told, v.pause)
	}
}

// WAIT-1: the end of the context ends a wait, with its cause.
func TestWAIT1_TheContextEnds(t *testing.T) {
	v := watching(t, "t.db")
	over := errors.New("over")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(over)
	if err := v.Next(ctx, false); !errors.Is(err, over) {
		t.Errorf("it ends with %v", err)
	}
}

// WAIT-2: a folder that is made anew at once is watched, whatever its number is.
func TestWAIT2_AFolderOfTheSameNumber(t *testing.T) {
	v := watching(t, "a", "t.db")
	folder := filepath.Dir(v.path)
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	v.told("a folder")
	v.arm()
	if err := errors.Join(os.Remove(folder), os.Mkdir(folder, 0o700)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(folder)
	if err != nil {
		t.Fatal(err)
	}
	v.known = info // as where a file system gives the number again
	v.told("the end of the folder")
	v.arm() // as the next look does
	v.write(v.path)
	v.told("a write")
}

// WAIT-2: what was written right before the watch began may be seen only behind
// the first look, so that the next ones come as after a write.
func TestWAIT2_TheFirstLooksComeSoon(t *testing.T) {
	v := watching(t, "t.db")
	for _, pause := range []time.Duration{burst, burst * growth} {
		if v.pause != pause {
			t.Fatalf("the next look is in %v, want %v", v.pause, pause)
		}
		if err := v.Next(t.Context(), false); err != nil {
			t.Fatal(err)
		}
	}
}

// WAIT-2: after a change it is looked again and again, each time later.
func TestWAIT2_LooksGrowApart(t *testing.T) {
	v := watching(t, "t.db")
	v.write(v.path)
	v.told("a write")
	for _, pause := range []time.Duration{burst * growth, burst * growth * growth} {
		if v.pause != pause {
			t.Fatalf("the next look is in %v, want %v", v.pause, pause)
		}
		if err := v.Next(t.Context(), false); err != nil {
			t.Fatal(err)
		}
	}
}
