package sqlstore

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// createEmpty makes an empty file, or fails with fs.ErrExist. It opens none: see
// Store.exists.
func createEmpty(path string, mode fs.FileMode) error {
	if err := syscall.Mknod(path, syscall.S_IFREG|uint32(mode), 0); err != nil {
		return &fs.PathError{Op: "create", Path: path, Err: err}
	}
	return nil
}

// accessible fails when this process may not read and write path.
func accessible(path string) error {
	const readWrite = 4 | 2
	return syscall.Access(path, readWrite)
}

// fuse is the type of all file systems in user space; their names are elsewhere.
const fuse = 0x65735546

// crowded tells whether the disk of a folder has hardly any room left.
func crowded(folder string) bool {
	var stat syscall.Statfs_t
	return syscall.Statfs(folder, &stat) == nil && stat.Bavail < tight/uint64(stat.Bsize)
}

// filesystem gives the name and the verdict of the file system of a folder; fine
// when it cannot be told.
func filesystem(folder string) (string, verdict) {
	var stat syscall.Statfs_t
	if syscall.Statfs(folder, &stat) != nil {
		return "", fine
	}
	kind := kindOf(int64(stat.Type))
	if int64(stat.Type) == fuse {
		kind = fuseKind(folder)
	}
	return kind, judge(kind)
}

// kindOf names the file systems that matter by the number that Linux gives them.
func kindOf(number int64) string {
	switch uint32(number) {
	case 0x6969:
		return "nfs"
	case 0x517B:
		return "smb"
	case 0xFE534D42:
		return "smb2"
	case 0xFF534D42:
		return "cifs"
	case 0x5346414F, 0x6B414653:
		return "afs"
	case 0x01021997:
		return "9p"
	}
	return ""
}

// fuseKind looks the name of a file system in user space up, virtiofs included.
func fuseKind(folder string) string {
	var stat syscall.Stat_t
	if syscall.Stat(folder, &stat) != nil {
		return ""
	}
	mounts, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	defer mounts.Close()
	dev := uint64(stat.Dev)
	major := dev>>8&0xfff | dev>>32&^0xfff
	minor := dev&0xff | dev>>12&0xffffff00
	device := fmt.Sprintf("%d:%d", major, minor)
	for lines := bufio.NewScanner(mounts); lines.Scan(); {
		if kind, ok := mountKind(lines.Text(), device); ok {
			return kind
		}
	}
	return ""
}

// mountKind takes the name of the file system from a line of mountinfo if it is
// about the device.
func mountKind(line, device string) (string, bool) {
	before, after, found := strings.Cut(line, " - ")
	fields := strings.Fields(before)
	kinds := strings.Fields(after)
	if !found || len(fields) < 3 || fields[2] != device || len(kinds) == 0 {
		return "", false
	}
	return kinds[0], true
}
