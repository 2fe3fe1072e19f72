//go:build unix

package interop_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCARE2_NoRoom gives backup, vacuum and restore too little room: files may not
// grow beyond a limit. They fail, and leave nothing half made.
func TestCARE2_NoRoom(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		s := newTended(t, b)
		for _, c := range []struct {
			name string
			args []string
		}{
			{"backup", []string{"backup", "new.db"}},
			{"vacuum", []string{"vacuum"}},
			{"restore", []string{"restore", s.copied}},
			{"export", []string{"export", "new.ndjson"}},
		} {
			r := s.finish(s.shell(b, `ulimit -f 200; exec "$@"`, c.args...))
			if r.code != 1 || r.stdout != "" || !strings.HasPrefix(r.stderr, "tundish: ") || strings.Count(r.stderr, "\n") != 1 {
				t.Errorf("%s: %+v", c.name, r)
			}
			if n := s.items(s.db); n != tendedItems {
				t.Errorf("after %s there are %d items", c.name, n)
			}
			for _, name := range []string{"new.db", "new.ndjson"} {
				if _, err := os.Stat(filepath.Join(s.dir, name)); err == nil {
					t.Errorf("%s has left %s", c.name, name)
				}
			}
			for _, folder := range []string{s.dir, filepath.Dir(s.db)} {
				if parts, err := filepath.Glob(filepath.Join(folder, "*.part*")); err != nil || len(parts) > 0 {
					t.Errorf("%s has left %q, %v", c.name, parts, err)
				}
			}
		}
	})
}
