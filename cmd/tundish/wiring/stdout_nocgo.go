//go:build unix && (!cgo || tundish_wasm)

package wiring

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/tundish-go/tundish/cmd/tundish/internal/cli"
)

// outputState tells whether the process may have begun without a standard
// output (PULL-12). Without C nothing runs before the Go runtime has opened
// /dev/null, for reading and writing, in the place of a closed descriptor; a
// shell's >/dev/null is for writing only.
func outputState() cli.OutputState {
	flags, err := unix.FcntlInt(1, unix.F_GETFL, 0)
	if err != nil || flags&unix.O_ACCMODE != unix.O_RDWR {
		return cli.OutputOpen
	}
	stdout, err := os.Stdout.Stat()
	if err != nil {
		return cli.OutputOpen
	}
	null, err := os.Stat(os.DevNull)
	if err == nil && os.SameFile(stdout, null) {
		return cli.OutputSuspect
	}
	return cli.OutputOpen
}
