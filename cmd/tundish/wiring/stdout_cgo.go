//go:build unix && cgo && !tundish_wasm

package wiring

/*
#include <errno.h>
#include <fcntl.h>

int tundish_stdout_was_closed = 0;

// Runs before the Go runtime, which opens /dev/null in the place of a closed
// descriptor.
__attribute__((constructor)) static void tundish_look_at_stdout(void) {
	if (fcntl(1, F_GETFD) == -1 && errno == EBADF) {
		tundish_stdout_was_closed = 1;
	}
}
*/
import "C"

import "github.com/tundish-go/tundish/cmd/tundish/internal/cli"

// outputState tells whether the process began with a standard output (PULL-12).
func outputState() cli.OutputState {
	if C.tundish_stdout_was_closed != 0 {
		return cli.OutputClosed
	}
	return cli.OutputOpen
}
