//go:build !unix

package wiring

import "github.com/tundish-go/tundish/cmd/tundish/internal/cli"

// outputState: here a write to a closed standard output fails by itself.
func outputState() cli.OutputState { return cli.OutputOpen }
