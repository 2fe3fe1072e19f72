// Package mcp serves the inbox as tools by the Model Context Protocol. It is apart
// from package wiring because linking the protocol costs every start.
//
// A pull is marked delivered when the frame that carries it has been written, and
// not before: the use case runs beside the handler, hands its text over, and waits
// for the connection's word (delivery).
package mcp

import (
	"github.com/tundish-go/tundish/cmd/tundish/internal/cli"
	"github.com/tundish-go/tundish/cmd/tundish/wiring"
)

// Run runs one command and returns the exit code of the process.
func Run() int {
	program := wiring.Program()
	program.Serve = Serve
	return cli.Run(program)
}
