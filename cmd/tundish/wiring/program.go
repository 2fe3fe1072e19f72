// Package wiring joins the command line to what it runs on: a driver of SQLite,
// the expressions, the payloads and the process.
package wiring

import (
	"os"
	"time"

	"github.com/tundish-go/tundish/adapters/jq"
	"github.com/tundish-go/tundish/adapters/payload"
	"github.com/tundish-go/tundish/cmd/tundish/internal/cli"
	"github.com/tundish-go/tundish/ports"
)

const version = "0.2.0"

// Program is this process, without what only one of the programs has.
func Program() cli.Program {
	return cli.Program{
		Version:     version,
		Driver:      driver(),
		Clock:       clock{begun: time.Now()},
		Expressions: func() ports.Expressions { return jq.New() },
		Payloads:    func() ports.Payloads { return payload.New() },
		Args:        os.Args[1:],
		Getenv:      os.Getenv,
		Stdin:       os.Stdin,
		Stdout:      os.Stdout,
		Stderr:      os.Stderr,
		Output:      outputState(),
	}
}

// clock is the system's.
type clock struct{ begun time.Time }

func (clock) Now() time.Time { return time.Now() }

func (c clock) Elapsed() time.Duration { return time.Since(c.begun) }
