//go:build unix

package interop_test

import (
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
)

// What a reader locks: of the -shm file, in WAL mode, the second of five bytes, the
// first being for those who need only the file itself; and many bytes of the file,
// far behind its end, so that nobody closes it as the last one.
const (
	readerByte  = 124
	sharedFirst = 1<<30 + 2
	sharedSize  = 510
)

// readOn reads from the log of the database without end, as another SQLite program
// in a transaction would, and returns how to end that.
func (s *site) readOn() (end func()) {
	s.t.Helper()
	var files []*os.File
	for _, held := range []struct {
		path        string
		first, size int64
	}{{s.db, sharedFirst, sharedSize}, {s.db + "-shm", inUseByte, 1}, {s.db + "-shm", readerByte, 1}} {
		file, err := os.OpenFile(held.path, os.O_RDWR, 0)
		if err != nil {
			s.t.Fatal(err)
		}
		files = append(files, file)
		lock := syscall.Flock_t{Type: syscall.F_RDLCK, Whence: io.SeekStart, Start: held.first, Len: held.size}
		if err := syscall.FcntlFlock(file.Fd(), syscall.F_SETLKW, &lock); err != nil {
			s.t.Fatal(err)
		}
	}
	return func() {
		for _, file := range files {
			if err := file.Close(); err != nil { // closing drops the locks
				s.t.Error(err)
			}
		}
	}
}

// doctor runs a doctor and returns its lines that are not ok.
func (s *site) doctor(b binary, code int) (ill []string) {
	s.t.Helper()
	r := s.run(b, "doctor")
	if r.code != code || r.stderr != "" || !strings.Contains(r.stdout, "database: "+s.db+" is sound") {
		s.t.Fatalf("doctor: exit %d, want %d, with\n%s%s", r.code, code, r.stdout, r.stderr)
	}
	for line := range strings.Lines(r.stdout) {
		if !strings.HasPrefix(line, "ok ") {
			ill = append(ill, strings.TrimSuffix(line, "\n"))
		}
	}
	return ill
}

// finds fails unless a doctor finds just one thing, about something, and says each
// of the words of it.
func (s *site) finds(b binary, about string, words ...string) {
	s.t.Helper()
	ill := s.doctor(b, 1)
	if len(ill) != 1 || !strings.HasPrefix(ill[0], "wrong   "+about+": ") {
		s.t.Fatalf("the doctor finds %q", ill)
	}
	for _, word := range words {
		if !strings.Contains(ill[0], word) {
			s.t.Errorf("%q is not in %q", word, ill[0])
		}
	}
}

func (s *site) healthy(b binary) {
	s.t.Helper()
	if ill := s.doctor(b, 0); len(ill) > 0 {
		s.t.Fatalf("the doctor finds %q", ill)
	}
}

// clinic is a site in which all is well.
func clinic(t *testing.T, b binary) *site {
	t.Helper()
	s := newSite(t)
	self := s.dir + "/tundish" // a hook is known by that name
	if err := os.Link(b.path, self); err != nil {
		t.Fatal(err)
	}
	s.ok(binary{b.name, self}, "init", "claude-code", "--as", "w", "--queue", "q", "--yes")
	s.ok(b, "publish", "q", "1")
	s.ok(b, "pull", "q", "--as", "w")
	s.healthy(b)
	return s
}

// SETUP-9: a write lock that another program holds is named, with how to find who
// does; nothing is wrong once it is free.
func TestSETUP9_DoctorFindsAHeldLock(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		s := clinic(t, b)
		release := s.holdWriteLock()
		s.finds(b, "locks", "held the write lock for 2s", "; end that process, which this finds: fuser "+s.db)
		release()
		s.healthy(b)
	})
}

// SETUP-9: a log that grows while another program reads from it without end is
// named. When that has ended, the command of the remedy makes it short again.
func TestSETUP9_DoctorFindsALongLog(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		s := clinic(t, b)
		end := s.readOn()
		publish := s.command(b, "publish", "p", "--lines")
		line := `"` + strings.Repeat("x", 1_000_000) + "\"\n"
		lines := make([]io.Reader, 68) // what this process holds counts as its children's: one line
		for i := range lines {
			lines[i] = strings.NewReader(line)
		}
		publish.Stdin = io.MultiReader(lines...)
		s.expect(publish)
		vacuum := []string{"--db", s.db, "--config", s.config, "vacuum"}
		s.finds(b, "database", "its log has ", " MiB: somebody reads it without end", "; end that process, then run tundish "+strings.Join(vacuum, " "))
		end()
		s.ok(b, "vacuum")
		s.healthy(b)
	})
}
