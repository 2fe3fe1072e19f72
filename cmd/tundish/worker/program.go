// Package worker joins the command line to the adapters that deliver. It is apart
// from package wiring because linking them costs every start.
package worker

import (
	"os"

	"github.com/tundish-go/tundish/cmd/tundish/internal/cli"
	"github.com/tundish-go/tundish/cmd/tundish/wiring"
)

// Run runs one command and returns the exit code of the process.
func Run() int {
	program := wiring.Program()
	program.Receivers = func(publish cli.Publish) cli.Receivers {
		return receivers{lookup: os.LookupEnv, publish: publish}
	}
	return cli.Run(program)
}
