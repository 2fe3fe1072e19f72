//go:build unix && !linux

package deliverexec

import (
	"errors"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// attributes make the program lead a group. These systems do not end it with the
// worker.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// identity is the process id and the Unix millisecond at which it was noted. The
// second part is for people: the standard library cannot ask for a start time.
func identity(pid int) string {
	return strconv.Itoa(pid) + "-" + strconv.FormatInt(time.Now().UnixMilli(), 10)
}

// alive tells whether the group of the process has members. Another group of the
// same number counts too, which delays a verdict and never hastens one.
func alive(id string) bool {
	first, _, _ := strings.Cut(id, "-")
	pid, err := strconv.Atoi(first)
	if err != nil || pid <= 0 {
		return false
	}
	err = syscall.Kill(-pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
