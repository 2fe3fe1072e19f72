package sqltest

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// mountSmall puts a small file system of its own in the folder of path, for
// this process only.
func mountSmall(path string) error {
	return syscall.Mount("none", filepath.Dir(path), "tmpfs", 0, "size=300k")
}

// freeze makes what mountSmall mounted read-only.
func freeze(path string) error {
	return syscall.Mount("none", filepath.Dir(path), "", syscall.MS_REMOUNT|syscall.MS_RDONLY, "")
}

// withMounts lets a process mount.
func withMounts(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
}

// asNobody takes the rights of the superuser from a process, if this one has
// them. It starts through a path that needs no rights on folders.
func asNobody(cmd *exec.Cmd) {
	if os.Getuid() != 0 {
		return
	}
	const nobody = 65534
	cmd.Path = "/proc/self/exe"
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}

// own gives path to whom asNobody makes a process, and opens the way to it.
func own(t *testing.T, path string) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	const nobody = 65534
	if err := os.Chown(path, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	for dir := filepath.Dir(path); len(dir) > len(os.TempDir()); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}
