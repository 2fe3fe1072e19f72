package sqltest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tundish-go/tundish/adapters/internal/sqlstore"
)

// A folder that others get into counts, unless it is shared on purpose; a file
// that others may only read counts always.
func testToldModes(t *testing.T, opener Opener) {
	for _, c := range []struct {
		folder, file fs.FileMode
		told         string // what the one notice begins with; empty for none
	}{
		{0o700, 0o600, ""},
		{0o755, 0o600, "the folder"},
		{0o777 | fs.ModeSticky, 0o600, ""},
		{0o777, 0o600, "the folder"},
		{0o775, 0o600, "the folder"},
		{0o733, 0o600, "the folder"},
		{0o700, 0o640, "the file"},
		{0o700, 0o604, "the file"},
		{0o777 | fs.ModeSticky, 0o644, "the file"},
	} {
		p := NewPlace(t, opener)
		store := p.store(t, sqlstore.Options{})
		must(t, publish(t.Context(), store))
		must(t, store.Close())
		must(t, os.Chmod(filepath.Dir(p.path), c.folder))
		must(t, os.Chmod(p.path, c.file))
		var told []string
		store = p.store(t, sqlstore.Options{Warn: func(line string) { told = append(told, line) }})
		_, err := store.Check(t.Context())
		must(t, err)
		must(t, store.Close())
		if c.told == "" && len(told) > 0 || c.told != "" && (len(told) == 0 || !strings.HasPrefix(told[0], c.told)) {
			t.Errorf("folder %v and file %v: told %q, want %q", c.folder, c.file, told, c.told)
		}
	}
}
