// Command tundish is a local mail system for agents: an inbox that they subscribe
// to, and an outbox of prompts for their sessions.
package main

import (
	"os"

	"github.com/tundish-go/tundish/cmd/tundish/internal/cli"
	"github.com/tundish-go/tundish/cmd/tundish/wiring"
)

func main() {
	program := wiring.Program()
	program.Become = become
	os.Exit(cli.Run(program))
}
