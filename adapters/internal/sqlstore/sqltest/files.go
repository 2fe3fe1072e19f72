package sqltest

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tundish-go/tundish/adapters/internal/sqlstore"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// publish stores one item in queue q.
func publish(ctx context.Context, store storage.Store) error {
	return store.Update(ctx, func(w storage.Writer) error {
		_, err := w.Insert(inbox.Item{Queue: "q", Payload: []byte("1"), CreatedAt: 1000})
		return err
	})
}

// count is the number of items in queue q.
func count(ctx context.Context, store storage.Store) (n int64, err error) {
	err = store.View(ctx, func(r storage.Reader) (err error) {
		n, err = r.Count("q")
		return err
	})
	return n, err
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// refuse demands an error with a code, the path and, where there must be one, a
// remedy, and without the bare words of a driver.
func refuse(t *testing.T, what string, err error, code domain.Code, words ...string) {
	t.Helper()
	if err == nil || domain.CodeOf(err) != code {
		t.Errorf("%s: %v (code %d), want code %d", what, err, domain.CodeOf(err), code)
		return
	}
	for _, word := range append(words, "; ") {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %q lacks %q", what, err, word)
		}
	}
}

func testModes(t *testing.T, opener Opener) {
	p := NewPlace(t, opener)
	store := p.store(t, sqlstore.Options{})
	must(t, publish(t.Context(), store))
	for path, want := range map[string]fs.FileMode{
		filepath.Dir(p.path): fs.ModeDir | 0o700, p.path: 0o600, p.path + "-wal": 0o600, p.path + "-shm": 0o600,
	} {
		if got := mode(t, path); got != want {
			t.Errorf("%s has mode %v, want %v", path, got, want)
		}
	}
	must(t, store.Close())
}

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	return info.Mode()
}

func testWiderModes(t *testing.T, opener Opener) {
	p := NewPlace(t, opener)
	store := p.store(t, sqlstore.Options{})
	must(t, publish(t.Context(), store))
	must(t, store.Close())
	must(t, os.Chmod(filepath.Dir(p.path), 0o775))
	must(t, os.Chmod(p.path, 0o644))

	var told []string
	store = p.store(t, sqlstore.Options{Warn: func(line string) { told = append(told, line) }})
	must(t, publish(t.Context(), store))
	if len(told) > 0 {
		t.Errorf("told %q before Check", told)
	}
	findings, err := store.Check(t.Context())
	must(t, err)
	if len(findings) > 0 {
		t.Errorf("findings %q: a mode is no damage", findings)
	}
	for _, want := range []string{"0775", "0644"} {
		if !strings.Contains(strings.Join(told, "\n"), want) {
			t.Errorf("told %q, want mode %s", told, want)
		}
	}
	must(t, store.Close())
	if got := mode(t, p.path); got != 0o644 {
		t.Errorf("the file now has mode %v", got)
	}
	if got := mode(t, filepath.Dir(p.path)); got != fs.ModeDir|0o775 {
		t.Errorf("the folder now has mode %v", got)
	}
}

func testCreationRace(t *testing.T, opener Opener) {
	const n = 20
	p := NewPlace(t, opener)
	for _, said := range race(t, n, "publish", p.path) {
		if said != "" {
			t.Errorf("a process said %q", said)
		}
	}
	if got := p.ask(t, "SELECT COUNT(*) || ' ' || MIN(id) || ' ' || MAX(id) FROM item"); got != fmt.Sprintf("%d 1 %d", n, n) {
		t.Errorf("count and ids are %s", got)
	}
	store := p.store(t, sqlstore.Options{})
	findings, err := store.Check(t.Context())
	if err != nil || len(findings) > 0 {
		t.Errorf("Check: %q, %v", findings, err)
	}
	must(t, store.Close())
}

func testRefusedPaths(t *testing.T, opener Opener) {
	for _, path := range []string{"", ":memory:"} {
		_, err := opener(t.Context(), path, sqlstore.Options{})
		refuse(t, fmt.Sprintf("path %q", path), err, domain.Invalid)
	}
	folder := t.TempDir()
	both(t, opener, folder, domain.Foreign, "folder")
	file := filepath.Join(folder, "file")
	must(t, os.WriteFile(file, []byte("x"), 0o600))
	both(t, opener, filepath.Join(file, "x.db"), domain.IO, "not a directory")
}

// both demands that reading and writing fail with a code, and change nothing.
func both(t *testing.T, opener Opener, path string, code domain.Code, words ...string) {
	t.Helper()
	before := snapshot(t, path)
	store, err := opener(t.Context(), path, sqlstore.Options{})
	must(t, err)
	_, err = count(t.Context(), store)
	refuse(t, "View of "+path, err, code, append(words, path)...)
	refuse(t, "Update of "+path, publish(t.Context(), store), code, append(words, path)...)
	_, err = store.Check(t.Context())
	refuse(t, "Check of "+path, err, code, append(words, path)...)
	must(t, store.Leave())
	must(t, store.Close())
	if after := snapshot(t, path); after != before {
		t.Errorf("%s has changed from %.60q to %.60q", path, before, after)
	}
}

// snapshot is the content of a file and the names beside it.
func snapshot(t *testing.T, path string) string {
	t.Helper()
	var b bytes.Buffer
	if content, err := os.ReadFile(path); err == nil {
		b.Write(content)
	}
	entries, _ := os.ReadDir(filepath.Dir(path))
	for _, entry := range entries {
		fmt.Fprintf(&b, "\n%s", entry.Name())
	}
	return b.String()
}

func testForeignFiles(t *testing.T, opener Opener) {
	for name, sql := range map[string]string{
		"app":      "PRAGMA application_id = 7; CREATE TABLE x (y)",
		"nameless": "CREATE TABLE x (y)",
		"version":  "PRAGMA user_version = 1; CREATE TABLE items (y); CREATE TABLE acks (y)",
		"logged":   "PRAGMA journal_mode = WAL; PRAGMA user_version = 2; CREATE TABLE x (y)",
	} {
		p := Place{opener, filepath.Join(t.TempDir(), name+".db")}
		p.raw(t, sql)
		both(t, opener, p.path, domain.Foreign, "another application")
	}
	for name, text := range map[string]string{
		"short": "x", "text": strings.Repeat("This is a text, not a database.\n", 400),
	} {
		path := filepath.Join(t.TempDir(), name)
		must(t, os.WriteFile(path, []byte(text), 0o600))
		both(t, opener, path, domain.Foreign, "no SQLite database")
	}
}

func testNewer(t *testing.T, opener Opener) {
	p := NewPlace(t, opener)
	store := p.store(t, sqlstore.Options{})
	must(t, publish(t.Context(), store))
	must(t, store.Close())
	p.raw(t, "PRAGMA user_version = 99")
	both(t, opener, p.path, domain.Newer, "schema 99")
}

// testNewerLater has a newer program upgrade the file under an open store.
func testNewerLater(t *testing.T, opener Opener) {
	p := NewPlace(t, opener)
	store := p.store(t, sqlstore.Options{})
	must(t, publish(t.Context(), store))
	p.raw(t, "PRAGMA user_version = 99")
	refuse(t, "Update", publish(t.Context(), store), domain.Newer)
	_, err := count(t.Context(), store)
	refuse(t, "View", err, domain.Newer)
	must(t, store.Close())
	if n := p.ask(t, "SELECT COUNT(*) FROM item"); n != "1" {
		t.Errorf("%s items, want 1", n)
	}
}

func testEmptyFile(t *testing.T, opener Opener) {
	p := Place{opener, filepath.Join(t.TempDir(), "t.db")}
	must(t, os.WriteFile(p.path, nil, 0o640))
	store := p.store(t, sqlstore.Options{})
	before := snapshot(t, p.path)
	n, err := count(t.Context(), store)
	if err != nil || n != 0 || snapshot(t, p.path) != before {
		t.Errorf("View: %d, %v, files %q", n, err, snapshot(t, p.path))
	}
	must(t, publish(t.Context(), store))
	must(t, store.Close())
	if n := p.ask(t, "SELECT COUNT(*) FROM item"); n != "1" || mode(t, p.path) != 0o640 {
		t.Errorf("%s items, mode %v", n, mode(t, p.path))
	}
}

func testReadingMakesNothing(t *testing.T, opener Opener) {
	p := NewPlace(t, opener)
	store := p.store(t, sqlstore.Options{})
	if n, err := count(t.Context(), store); n != 0 || err != nil {
		t.Errorf("View: %d, %v", n, err)
	}
	if findings, err := store.Check(t.Context()); len(findings) > 0 || err != nil {
		t.Errorf("Check: %q, %v", findings, err)
	}
	if _, err := os.Lstat(filepath.Dir(p.path)); err == nil {
		t.Error("there is a folder now")
	}
	must(t, publish(t.Context(), store))
	if n, err := count(t.Context(), store); n != 1 || err != nil {
		t.Errorf("View after Update: %d, %v", n, err)
	}
	must(t, store.Close())
}

// testLinks reaches one database by its name and by links, one of which was made
// before it.
func testLinks(t *testing.T, opener Opener) {
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "links"), 0o700))
	link := filepath.Join(dir, "links", "link.db")
	must(t, os.Symlink("../real ?#%.db", link))
	for i, path := range []string{link, filepath.Join(dir, "real ?#%.db"), link} {
		p := Place{opener, path}
		store := p.store(t, sqlstore.Options{})
		must(t, publish(t.Context(), store))
		if n, err := count(t.Context(), store); n != int64(i+1) || err != nil {
			t.Errorf("%s: %d, %v", path, n, err)
		}
		if got := mode(t, path); got != 0o600 {
			t.Errorf("mode %v", got)
		}
		must(t, store.Close())
	}
	if names := snapshot(t, link); !strings.HasSuffix(names, "\nlink.db") {
		t.Errorf("beside the link are %.200q", names)
	}
}
