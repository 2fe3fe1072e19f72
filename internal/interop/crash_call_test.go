//go:build linux && (amd64 || arm64)

package interop_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// call is a system call that changes files, prints, or ends the process.
type call struct {
	name   string
	fd     int
	path   string // of the file, as it was named when it was opened
	to     string // of a rename
	made   bool   // an open that finds no file, and makes it
	offset int64  // of a write; the new size for ftruncate and fallocate
	data   []byte
	result int64
}

// callNames are the calls that can matter. A rename and its like are one call
// here, and several in the kernel.
func callNames() map[uint64]string {
	names := map[uint64]string{
		unix.SYS_WRITE: "write", unix.SYS_PWRITE64: "pwrite64", unix.SYS_WRITEV: "writev", unix.SYS_PWRITEV: "pwritev",
		unix.SYS_FSYNC: "fsync", unix.SYS_FDATASYNC: "fdatasync", unix.SYS_FTRUNCATE: "ftruncate", unix.SYS_FALLOCATE: "fallocate",
		unix.SYS_OPENAT: "open", unix.SYS_UNLINKAT: "unlink", unix.SYS_RENAMEAT: "rename", unix.SYS_RENAMEAT2: "rename",
		unix.SYS_MKDIRAT: "mkdir", unix.SYS_MKNODAT: "create", unix.SYS_FCNTL: "lock", unix.SYS_EXIT_GROUP: "exit",
	}
	if runtime.GOARCH == "amd64" { // where these have numbers of their own
		for nr, name := range map[uint64]string{2: "open2", 82: "rename2", 83: "mkdir2", 87: "unlink2"} {
			names[nr] = name
		}
	}
	return names
}

// decode describes a call; nil if it is none of those that matter.
func (t *tracer) decode(info callInfo) (*call, error) {
	if t.names == nil {
		t.names = callNames()
	}
	c := &call{name: t.names[info.nr], fd: -1}
	var err error
	switch a := info.args; c.name {
	case "":
		return nil, nil
	case "exit":
		return c, nil
	case "write", "pwrite64", "writev", "pwritev", "fsync", "fdatasync", "ftruncate", "fallocate", "lock":
		c.fd = int(int32(a[0]))
		err = t.onFile(c, a)
	case "open", "create", "mkdir", "unlink", "rename":
		c.path, err = t.text(a[1])
		if err == nil && c.name == "rename" {
			c.to, err = t.text(a[3])
		}
		if flags := a[2]; c.name == "open" && flags&unix.O_CREAT == 0 {
			return nil, nil
		}
	case "open2", "mkdir2", "unlink2", "rename2":
		c.name = strings.TrimSuffix(c.name, "2")
		c.path, err = t.text(a[0])
		if err == nil && c.name == "rename" {
			c.to, err = t.text(a[1])
		}
		if flags := a[1]; c.name == "open" && flags&unix.O_CREAT == 0 {
			return nil, nil
		}
	}
	if err != nil || c.name == "" {
		return nil, err
	}
	if c.path != "" && !strings.HasPrefix(c.path, t.root) && c.fd != 1 {
		return nil, nil
	}
	if c.name == "open" {
		_, missing := os.Lstat(c.path)
		c.made = missing != nil
	}
	return c, nil
}

// onFile completes a call about an open file. Its name becomes empty if the call
// does not matter.
func (t *tracer) onFile(c *call, a [6]uint64) (err error) {
	if c.path, err = os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", t.pid, c.fd)); err != nil {
		c.name = "" // a call that will fail
		return nil
	}
	inside := strings.HasPrefix(c.path, t.root+"/") || c.path == t.root
	switch c.name {
	case "lock":
		const setLock, setOwnLock = unix.F_SETLK, unix.F_OFD_SETLK
		if !t.locks || !inside || a[1] != setLock && a[1] != setOwnLock {
			c.name = ""
		}
	case "ftruncate":
		c.offset = int64(a[1])
	case "fallocate":
		c.offset = int64(a[2] + a[3])
	case "pwrite64":
		c.offset = int64(a[3])
	}
	if c.name == "" || !inside && c.fd != 1 {
		c.name = ""
		return nil
	}
	if t.data && (c.name == "write" || c.name == "pwrite64") {
		c.data = make([]byte, a[2])
		_, err = t.memory.ReadAt(c.data, int64(a[1]))
	}
	return err
}

// text reads a name from the memory of the process.
func (t *tracer) text(at uint64) (string, error) {
	text := make([]byte, 0, unix.PathMax)
	for len(text) < unix.PathMax {
		piece := make([]byte, 64-at%64) // never across the end of a page
		if _, err := t.memory.ReadAt(piece, int64(at)); err != nil {
			return "", err
		}
		if n := bytes.IndexByte(piece, 0); n >= 0 {
			return string(append(text, piece[:n]...)), nil
		}
		text, at = append(text, piece...), at+uint64(len(piece))
	}
	return string(text), nil
}

// what says in words what a call is about: the name of a place to be killed at.
func (c call) what(db string) string {
	if c.name == "exit" {
		return "exit"
	}
	if c.fd == 1 {
		return c.name + " of the output"
	}
	rest, beside := strings.CutPrefix(c.path, db)
	switch {
	case beside && rest == "":
		return c.name + " of the database"
	case beside && rest == "-wal":
		return c.name + " of the log"
	case beside && rest == "-shm":
		return c.name + " of the index"
	case beside && rest == "-journal":
		return c.name + " of the journal"
	case strings.HasPrefix(db, c.path+"/"):
		return c.name + " of a folder"
	}
	return c.name + " of " + filepath.Base(c.path)
}
