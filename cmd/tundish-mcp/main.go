// Command tundish-mcp is tundish with the Model Context Protocol linked in: a
// server of tools. It takes the same commands but those that deliver; tundish
// becomes it for the command mcp (decision 0019).
package main

import (
	"os"

	"github.com/tundish-go/tundish/cmd/tundish/mcp"
)

func main() { os.Exit(mcp.Run()) }
