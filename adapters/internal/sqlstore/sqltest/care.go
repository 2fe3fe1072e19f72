package sqltest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tundish-go/tundish/adapters/internal/sqlstore"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// beside is a path in the folder above the database's.
func (p Place) beside(name string) string {
	return filepath.Join(filepath.Dir(filepath.Dir(p.path)), name)
}

// another is a place with its file beside the folder of p.
func (p Place) another(name string) Place { return Place{p.opener, p.beside(name)} }

func publishN(t *testing.T, store *sqlstore.Store, n int) {
	t.Helper()
	for range n {
		must(t, publish(t.Context(), store))
	}
}

// testBackup copies a database that another store writes to, and looks at the copy.
func testBackup(t *testing.T, opener Opener) {
	p := NewPlace(t, opener)
	writer, store := p.store(t, sqlstore.Options{}), p.store(t, sqlstore.Options{})
	publishN(t, writer, 3)
	var copied storage.Backup
	must(t, writer.Update(t.Context(), func(w storage.Writer) error {
		if _, err := w.Insert(inbox.Item{Queue: "q", Payload: []byte("4")}); err != nil {
			return err
		}
		var err error
		copied, err = store.Backup(t.Context(), p.beside("b.db"), false) // beside one that is at work
		return err
	}))
	info, err := os.Stat(p.beside("b.db"))
	must(t, err)
	if copied.Items != 3 || copied.Bytes != info.Size() || info.Mode().Perm() != 0o600 {
		t.Errorf("%+v, and the file has %d bytes and mode %v", copied, info.Size(), info.Mode())
	}
	backup := p.another("b.db")
	if findings, err := check(t.Context(), backup); err != nil || len(findings) > 0 {
		t.Errorf("%q, %v", findings, err)
	}
	other := backup.store(t, sqlstore.Options{})
	if n, err := count(t.Context(), other); n != 3 || err != nil {
		t.Errorf("the copy has %d items, %v", n, err)
	}
	must(t, other.Close())
	_, err = store.Backup(t.Context(), p.beside("b.db"), false)
	refuse(t, "a second time", err, domain.Invalid, "exists")
	copied, err = store.Backup(t.Context(), p.beside("b.db"), true)
	if copied.Items != 4 || err != nil {
		t.Errorf("in its place: %+v, %v", copied, err)
	}
	must(t, writer.Close())
	must(t, store.Close())
	p.onlyFiles(t, "b.db", "state")
}

// onlyFiles wants these names, and no others, in the folder above the database's.
func (p Place) onlyFiles(t *testing.T, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(p.beside("x")))
	must(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("there are %q, want %q", got, want)
	}
}

// testBackupRefused tries targets that must stay as they are.
func testBackupRefused(t *testing.T, opener Opener) {
	p := NewPlace(t, opener)
	store := p.store(t, sqlstore.Options{})
	_, err := store.Backup(t.Context(), p.beside("b.db"), true)
	refuse(t, "backup of nothing", err, domain.NotFound, p.path)
	_, err = store.Vacuum(t.Context())
	refuse(t, "vacuum of nothing", err, domain.NotFound, p.path)
	publishN(t, store, 1)
	must(t, os.Link(p.path, p.beside("hard")))
	must(t, os.Symlink(p.path, p.beside("soft")))
	must(t, os.Symlink(p.beside("absent"), p.beside("loose")))
	must(t, os.Symlink(filepath.Dir(p.path), p.beside("door")))
	must(t, os.WriteFile(p.beside("used"), nil, 0o600))
	must(t, os.WriteFile(p.beside("used-wal"), []byte("x"), 0o600))
	for path, code := range map[string]domain.Code{
		p.path: domain.Invalid, p.path + "-wal": domain.Invalid, p.beside("hard"): domain.Invalid, p.beside("soft"): domain.Invalid,
		p.beside("loose"): domain.Invalid, p.beside("used"): domain.Invalid, filepath.Dir(p.path): domain.Invalid, os.DevNull: domain.Invalid,
		p.beside("no/folder"): domain.IO, p.path + "-journal": domain.Invalid, filepath.Join(p.beside("door"), filepath.Base(p.path)) + "-journal": domain.Invalid,
	} {
		_, err := store.Backup(t.Context(), path, true)
		refuse(t, path, err, code, path)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	if _, err := store.Backup(ctx, p.beside("b.db"), false); !errors.Is(err, cause) {
		t.Errorf("after its time: %v", err)
	}
	if n, err := count(t.Context(), store); n != 1 || err != nil {
		t.Errorf("afterwards: %d, %v", n, err)
	}
	must(t, store.Close())
	p.onlyFiles(t, "door", "hard", "loose", "soft", "state", "used", "used-wal")
}

// testVacuumWaits keeps a snapshot open while the file is written anew.
func testVacuumWaits(t *testing.T, opener Opener) {
	p := NewPlace(t, opener)
	store, other := p.store(t, sqlstore.Options{}), p.store(t, sqlstore.Options{})
	publishN(t, store, 2)
	must(t, other.View(t.Context(), func(r storage.Reader) error {
		if _, err := r.Count("q"); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, errors.New("enough"))
		defer cancel()
		_, err := store.Vacuum(ctx)
		if code := domain.CodeOf(err); code != domain.Deadline && code != domain.Busy {
			t.Errorf("with a reader in the log: %v", err)
		}
		_, err = r.Count("q")
		return err
	}))
	size, err := store.Vacuum(t.Context())
	must(t, err)
	info, err := os.Stat(p.path + "-wal")
	must(t, err)
	if info.Size() != 0 || size.After == 0 {
		t.Errorf("the log has %d bytes, and %+v", info.Size(), size)
	}
	for i, s := range []*sqlstore.Store{other, store} { // whose statements are older than the new file
		must(t, publish(t.Context(), s))
		if n, err := count(t.Context(), s); n != int64(3+i) || err != nil {
			t.Error(fmt.Errorf("%d items, %w", n, err))
		}
	}
	must(t, store.Close())
	must(t, other.Close())
}
