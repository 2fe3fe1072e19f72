// Command turns stands in for tundish in a test: it passes each call on to one
// of several builds, which take turns over all processes that share one file of
// turns.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

func main() {
	builds := filepath.SplitList(os.Getenv("TURNS_BUILDS"))
	turn, err := take(os.Getenv("TURNS_FILE"))
	if err == nil {
		next := builds[turn%int64(len(builds))]
		err = syscall.Exec(next, os.Args, os.Environ())
	}
	fmt.Fprintln(os.Stderr, "turns:", err)
	os.Exit(99)
}

// take adds a byte to the file. Where that byte lies is the number of the turn,
// also when several processes take one at the same time.
func take(path string) (int64, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	if _, err := file.Write([]byte{'.'}); err != nil {
		return 0, err
	}
	end, err := file.Seek(0, io.SeekCurrent)
	return end - 1, err
}
