//go:build unix

package interop_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func modes(t *testing.T, paths ...string) []fs.FileMode {
	t.Helper()
	var all []fs.FileMode
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, info.Mode().Perm())
	}
	return all
}

// STO-2: whatever the umask, folders are 0700 and files 0600.
func TestSTO2_ModesOfNewFiles(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		for _, umask := range []string{"0", "022", "077"} {
			s := newSite(t)
			for range 2 {
				s.expect(s.shell(b, `umask `+umask+`; exec "$@"`, "publish", "q", "1"))
			}
			folders := modes(t, filepath.Dir(s.db), filepath.Dir(filepath.Dir(s.db)))
			files := modes(t, s.db, s.db+"-wal", s.db+"-shm")
			for i, mode := range append(folders, files...) {
				if want := []fs.FileMode{0o700, 0o700, 0o600, 0o600, 0o600}[i]; mode != want {
					t.Errorf("umask %s: mode %d of five is %04o, want %04o", umask, i+1, mode, want)
				}
			}
			if out := s.ok(b, "check"); out != "ok\n" {
				t.Errorf("check printed %q", out)
			}
		}
	})
}

// STO-2: wider modes that are there already are left, and check warns.
func TestSTO2_WiderModesAreLeftAndWarnedOf(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		s := newSite(t)
		s.ok(b, "publish", "q", "1")
		for path, mode := range map[string]fs.FileMode{filepath.Dir(s.db): 0o755, s.db: 0o644} {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
		s.ok(b, "publish", "q", "2")
		r := s.run(b, "check")
		if r.code != 0 || r.stdout != "ok\n" {
			t.Errorf("check: %+v", r)
		}
		for _, want := range []string{filepath.Dir(s.db), s.db, "0755", "0644", "0700", "0600"} {
			if !strings.Contains(r.stderr, want) {
				t.Errorf("check does not say %s: %q", want, r.stderr)
			}
		}
		if got := modes(t, filepath.Dir(s.db), s.db); got[0] != 0o755 || got[1] != 0o644 {
			t.Errorf("the modes are now %04o", got)
		}
	})
}
