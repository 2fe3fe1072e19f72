// Package watch tells a process that stays when the files of a database may have
// changed: by the notifications of the system, and by a slow poll for what they do
// not tell.
package watch

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Paces of Next.
const (
	burst  = 20 * time.Millisecond  // from the first notification on, to let more come
	growth = 4                      // each further look comes so much later
	slow   = 2 * time.Second        // between looks when nothing is told
	blind  = 500 * time.Millisecond // the same without notifications
)

// Watch watches the files of one database, which need not be there yet: what is
// watched is their folder, or the lowest one above it that exists. It belongs to
// one goroutine.
type Watch struct {
	path   string
	notify *fsnotify.Watcher // nil: only the poll is left
	lost   func(error)

	folder string      // that is watched; empty for none
	known  os.FileInfo // of it
	next   string      // in a folder further up, the name that leads to the database
	pause  time.Duration
}

// New begins to watch the database at path. Where the system gives no
// notifications, or no more of them, lost is told once, and a faster poll takes
// their place.
func New(path string, lost func(error)) *Watch {
	// A writer that had begun before may be seen only behind the first look, and
	// is told of no more: the first looks come soon too.
	w := &Watch{path: path, lost: lost, pause: burst}
	if absolute, err := filepath.Abs(path); err == nil {
		w.path = absolute
	}
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		w.fail(err)
		return w
	}
	w.notify = notify
	w.arm()
	return w
}

// Close ends the watch and what runs for it.
func (w *Watch) Close() error {
	if w.notify == nil {
		return nil
	}
	return w.notify.Close()
}

// Next returns when it is time to look at the database: soon after something was
// written, again a few times in growing steps, since a log is written before what
// it holds can be seen, and now and then in any case, for what time alone brings.
// soon asks for a look as if something had been written. When ctx ends first, the
// error is its cause.
func (w *Watch) Next(ctx context.Context, soon bool) error {
	if soon || w.arm() {
		w.pause = burst
	}
	timer := time.NewTimer(w.pause)
	defer timer.Stop()
	for told := false; ; {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timer.C:
			if w.pause *= growth; told {
				w.pause = burst * growth
			}
			w.pause = min(w.pause, w.longest())
			return nil
		case event := <-w.events():
			if event.Name == w.folder && event.Has(fsnotify.Remove|fsnotify.Rename) {
				w.known = nil // a new one in its place may get the same number
			}
			if !told && w.concerns(event) {
				told = true
				timer.Reset(burst)
			}
		case err := <-w.errors(): // such as that some notifications were lost
			if err != nil && !told {
				told = true
				timer.Reset(burst)
			}
		}
	}
}

func (w *Watch) longest() time.Duration {
	if w.notify == nil {
		return blind
	}
	return slow
}

// events is nil, from which nothing comes, without notifications.
func (w *Watch) events() chan fsnotify.Event {
	if w.notify == nil {
		return nil
	}
	return w.notify.Events
}

func (w *Watch) errors() chan error {
	if w.notify == nil {
		return nil
	}
	return w.notify.Errors
}

// fail goes on without notifications.
func (w *Watch) fail(err error) {
	if w.notify != nil {
		_ = w.notify.Close()
		w.notify = nil
	}
	w.pause = min(w.pause, blind)
	w.lost(err)
}

// arm watches the folder that is the right one now, and tells whether that has
// changed, so that something may have been missed.
func (w *Watch) arm() (changed bool) {
	if w.notify == nil {
		return false
	}
	file := w.path
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target // SQLite's log stands beside the file itself
	}
	folder, next := standing(file)
	info, err := os.Stat(folder)
	if err != nil || folder == w.folder && os.SameFile(info, w.known) {
		return false
	}
	if w.folder != "" {
		_ = w.notify.Remove(w.folder) // it may have gone with its folder
	}
	if err := w.notify.Add(folder); err != nil {
		w.folder = ""
		if _, gone := os.Stat(folder); gone == nil {
			w.fail(err)
		}
		return false
	}
	w.folder, w.known, w.next = folder, info, next
	return true
}

// standing is the folder of a file, or the lowest one above it that is there, and
// the name in it that leads to the file.
func standing(file string) (folder, next string) {
	folder, next = filepath.Dir(file), filepath.Base(file)
	for {
		above := filepath.Dir(folder)
		if _, err := os.Stat(folder); above == folder || err == nil {
			return folder, next
		}
		folder, next = above, filepath.Base(folder)
	}
}

// concerns tells whether an event is about the database. Its lock file is not
// among the files: those who only read write to it.
func (w *Watch) concerns(event fsnotify.Event) bool {
	if event.Op == fsnotify.Chmod {
		return false
	}
	if event.Name == w.folder {
		return true
	}
	rest, ours := strings.CutPrefix(filepath.Base(event.Name), w.next)
	return ours && (rest == "" || rest == "-wal" || rest == "-journal")
}
