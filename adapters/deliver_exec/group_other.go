//go:build !unix

package deliverexec

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// attributes are those of any process: there are no groups here.
func attributes() *syscall.SysProcAttr { return nil }

// terminate ends the process, since there is no way to ask it to.
func terminate(p *os.Process) error { return p.Kill() }

// kill ends the process. One that is gone already needs nothing.
func kill(p *os.Process) { _ = p.Kill() }

// identity is the process id and the Unix millisecond at which it was noted. The
// second part is for people: the standard library cannot ask for a start time.
func identity(pid int) string {
	return strconv.Itoa(pid) + "-" + strconv.FormatInt(time.Now().UnixMilli(), 10)
}

// alive tells whether the number belongs to a process. Another one of the same
// number counts too, which delays a verdict and never hastens one.
func alive(id string) bool {
	first, _, _ := strings.Cut(id, "-")
	pid, err := strconv.Atoi(first)
	if err != nil || pid <= 0 {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	// Letting go of what was only looked at.
	_ = p.Release()
	return true
}
