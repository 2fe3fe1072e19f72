// Command worker runs operations on an inbox for the tests of the package above:
// it reads requests from standard input, a JSON document a line, and answers
// each in a line.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/tundish-go/tundish/internal/metamorphic"
)

func main() {
	if err := metamorphic.Serve(context.Background(), os.Stdin, os.Stdout, open); err != nil {
		fmt.Fprintln(os.Stderr, "worker:", err)
		os.Exit(1)
	}
}
