//go:build linux && (amd64 || arm64)

package interop_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// smallDisk is a file system in memory of a few megabytes, which a test can fill.
type smallDisk struct {
	t   *testing.T
	dir string
}

const smallDiskSize = "4m"

// nestedVariable tells a test that it runs in a name space that was made for it.
const nestedVariable = "TUNDISH_INTEROP_NESTED"

// newSmallDisk mounts one. Where this process may not, nil is returned, and the
// whole test has run in a process of its own that may.
func newSmallDisk(t *testing.T) *smallDisk {
	t.Helper()
	dir := t.TempDir()
	err := unix.Mount("tundish", dir, "tmpfs", 0, "mode=0700,size="+smallDiskSize)
	if err == nil {
		t.Cleanup(func() {
			if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
				t.Error(err)
			}
		})
		return &smallDisk{t, dir}
	}
	if os.Getenv(nestedVariable) != "" {
		t.Skipf("no disk can be mounted even in a name space: %v; only the limit on the size of files was tried", err)
	}
	nested := exec.Command(os.Args[0], "-test.run=^"+regexp.QuoteMeta(t.Name())+"$", "-test.v")
	nested.Env = append(os.Environ(), nestedVariable+"=1")
	nested.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := nested.CombinedOutput()
	var failed *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &failed):
		t.Skipf("no disk can be mounted, nor a name space made: %v; only the limit on the size of files was tried", err)
	case err != nil:
		t.Errorf("in a name space: %v\n%s", err, out)
	case strings.Contains(string(out), "--- SKIP"):
		t.Skipf("in a name space:\n%s", out)
	}
	return nil
}

// fill takes all room on the disk but for so many bytes, in whole pages.
func (d *smallDisk) fill(leave int64) {
	d.t.Helper()
	file, err := os.Create(d.filler())
	if err != nil {
		d.t.Fatal(err)
	}
	defer file.Close()
	size := int64(0)
	for page := make([]byte, 4096); ; size += int64(len(page)) {
		if _, err := file.Write(page); errors.Is(err, unix.ENOSPC) {
			break
		} else if err != nil {
			d.t.Fatal(err)
		}
	}
	if err := file.Truncate(size - leave); err != nil {
		d.t.Fatal(err)
	}
}

// empty gives the room back.
func (d *smallDisk) empty() {
	d.t.Helper()
	if err := os.Remove(d.filler()); err != nil {
		d.t.Fatal(err)
	}
}

func (d *smallDisk) filler() string { return filepath.Join(d.dir, "filler") }
