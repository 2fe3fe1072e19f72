package sqlstore

import "syscall"

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
	var kind []byte
	for _, c := range stat.Fstypename {
		if c == 0 {
			break
		}
		kind = append(kind, byte(c))
	}
	return string(kind), judge(string(kind))
}
