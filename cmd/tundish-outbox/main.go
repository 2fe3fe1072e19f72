// Command tundish-outbox is tundish with what delivers linked in: its worker. It
// takes the same commands; tundish runs it for those that deliver or ask
// receivers (decision 0019).
package main

import (
	"os"

	"github.com/tundish-go/tundish/cmd/tundish/worker"
)

func main() { os.Exit(worker.Run()) }
