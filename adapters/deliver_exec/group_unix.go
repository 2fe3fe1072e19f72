//go:build unix

package deliverexec

import (
	"errors"
	"os"
	"syscall"
)

// terminate asks the process and its group to end.
func terminate(p *os.Process) error {
	err := syscall.Kill(-p.Pid, syscall.SIGTERM)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// kill ends the process and its group. What is gone already, or belongs to
// somebody else by now, is left.
func kill(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
