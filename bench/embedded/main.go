// Command embedded stores and reads items in one process, by way of app or with
// the driver alone, and prints the seconds that it took: bench/throughput.go
// and bench/outbox.go compare the two. Of the drivers it holds the one that
// tundish would hold in the same build.
//
// Its arguments are app or bare, what to do, a database file, and either the
// number of items, entries or ticks or, for lines, the file that they are in.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/tundish-go/tundish/ports/storage"
)

// perPull is how many items one pull reads, and perCommit how many lines are
// stored in one transaction, as publish --lines does.
const (
	perPull   = 50
	perCommit = 500
)

// side stores and reads items in one of the two ways.
type side interface {
	publish(ctx context.Context, payload string) error
	pull(ctx context.Context) (items int64, err error)
	lines(ctx context.Context, file string) error
	close() error
}

// place is a file with both halves of tundish in it.
type place interface {
	storage.Store
	storage.Outbox
}

func main() {
	if err := work(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "embedded:", err)
		os.Exit(1)
	}
}

func work(ctx context.Context, args []string) (err error) {
	if len(args) != 4 {
		return errors.New("give app or bare, what to do, a database, and how many or a file")
	}
	n, notNumber := strconv.Atoi(args[3])
	switch args[1] {
	case "accept", "accept-named", "fill", "tick", "deliver":
		if notNumber != nil {
			return notNumber
		}
		return outbox(ctx, args[0], args[1], args[2], n)
	}
	open := openBare
	if args[0] == "app" {
		open = openApp
	}
	s, err := open(ctx, args[2])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	begun := time.Now()
	switch args[1] {
	case "lines":
		err = s.lines(ctx, args[3])
	case "publish", "pull":
		if err = notNumber; err == nil {
			begun, err = loop(ctx, s, args[1], n)
		}
	default:
		err = fmt.Errorf("%q is not something to do", args[1])
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(os.Stdout, time.Since(begun).Seconds())
	return err
}

// loop stores n items, or reads n that are there. The first one, which makes the
// tables, comes before the time is taken.
func loop(ctx context.Context, s side, what string, n int) (begun time.Time, err error) {
	payload := `{"action":"opened","number":42,"text":"` + strings.Repeat("x", 160) + `"}`
	if what == "publish" {
		err = s.publish(ctx, payload)
		begun = time.Now()
		for i := 1; i < n && err == nil; i++ {
			err = s.publish(ctx, payload)
		}
		return begun, err
	}
	begun = time.Now()
	for read := int64(0); read < int64(n); {
		items, err := s.pull(ctx)
		if err != nil {
			return begun, err
		}
		if items == 0 {
			return begun, fmt.Errorf("%d of %d items were there", read, n)
		}
		read += items
	}
	return begun, nil
}
