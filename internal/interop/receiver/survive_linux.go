package main

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// survive undoes that this process is killed when its parent dies. That is a
// property of each thread, and the runtime has several.
func survive() error {
	if _, _, errno := syscall.AllThreadsSyscall(syscall.SYS_PRCTL, unix.PR_SET_PDEATHSIG, 0, 0); errno != 0 {
		return errno
	}
	return nil
}
