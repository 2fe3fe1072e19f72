//go:build unix

package setup

import (
	"io/fs"
	"os"
	"syscall"
)

// chown gives a file the owner and the group of another, if that differs and may
// be done: the administrator must not take a file away from its user.
func chown(to *os.File, like fs.FileInfo) {
	if owner, ok := like.Sys().(*syscall.Stat_t); ok && (int(owner.Uid) != os.Geteuid() || int(owner.Gid) != os.Getegid()) {
		_ = to.Chown(int(owner.Uid), int(owner.Gid))
	}
}
