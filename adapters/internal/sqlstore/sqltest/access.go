package sqltest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tundish-go/tundish/adapters/internal/sqlstore"
	"github.com/tundish-go/tundish/domain"
)

func testDenied(t *testing.T, opener Opener) {
	for _, c := range []struct {
		name         string
		file, folder fs.FileMode
		role         string
		code         domain.Code
	}{
		{"write to a folder that is closed to writing", 0, 0o555, "publish", domain.Denied},
		{"read in a closed folder", 0o600, 0o000, "read", domain.Denied},
		{"read a closed file", 0o000, 0o755, "read", domain.Denied},
		{"write to a file that is closed to writing", 0o444, 0o755, "publish", domain.Denied},
		{"write where no log can be kept", 0o644, 0o555, "publish", domain.Denied},
		{"read where no log can be kept", 0o444, 0o555, "read", domain.Denied},
	} {
		p := NewPlace(t, opener)
		if c.file == 0 && c.role == "publish" {
			must(t, os.Mkdir(filepath.Dir(p.path), 0o700))
		} else {
			store := p.store(t, sqlstore.Options{})
			must(t, publish(t.Context(), store))
			must(t, store.Close())
			own(t, p.path)
			must(t, os.Chmod(p.path, c.file))
		}
		own(t, filepath.Dir(p.path))
		must(t, os.Chmod(filepath.Dir(p.path), c.folder))
		_, stderr, err := begin(t, c.role, p.path, asNobody).end()
		must(t, os.Chmod(filepath.Dir(p.path), 0o700))
		if want := fmt.Sprintf("code %d: ", c.code); err == nil || !strings.HasPrefix(stderr, want) || !strings.Contains(stderr, p.path) {
			t.Errorf("%s: %v, %q, want %s and the path", c.name, err, stderr, want)
		}
	}
}

func testDiskFull(t *testing.T, opener Opener) {
	refuseMounted(t, opener, "full", domain.Full, "free space")
}

func testReadOnlyDisk(t *testing.T, opener Opener) {
	refuseMounted(t, opener, "frozen", domain.ReadOnly, "writable")
}

// refuseMounted plays a role on a small disk of its own, where this is possible.
func refuseMounted(t *testing.T, opener Opener, role string, code domain.Code, words string) {
	t.Helper()
	path := NewPlace(t, opener).path
	must(t, os.Mkdir(filepath.Dir(path), 0o700))
	stdout, stderr, err := begin(t, role, path, withMounts).end()
	if strings.Contains(stdout, "no mount") {
		t.Skip(stdout)
	}
	if want := fmt.Sprintf("code %d: ", code); err == nil || !strings.HasPrefix(stderr, want) || !strings.Contains(stderr, words) {
		t.Errorf("%v: %q after %q, want %s", err, stderr, stdout, want)
	}
}
