package sqlstore

import (
	"context"
	"os"
	"time"
)

// lineTime is how long anyone stands in the line for the write lock. It only moves
// when the first in it gets the lock or ends, and a stopped process does neither.
const lineTime = time.Second

// lineUp has this process line up with the others that found the write lock taken,
// until it is the first of them or, after lineTime or half of what ctx leaves, gives
// up; leave makes room for the next. The kernel keeps the line and wakes nobody but
// the first (STO-8).
//
// The line is the advisory lock of the log's file, which SQLite does not use, and is
// there whenever somebody writes. It decides nothing but who sleeps: where it is
// missing, or taken by a stranger, everybody asks as often as without it.
func (s *Store) lineUp(ctx context.Context) (leave func(), first bool) {
	if !s.inLine.CompareAndSwap(false, true) {
		return nil, false // as long as the kernel still keeps a place that was given up
	}
	longest := lineTime
	if end, ok := ctx.Deadline(); ok {
		longest = min(longest, time.Until(end)/2)
	}
	enough := time.NewTimer(longest)
	defer enough.Stop()
	turn, gone := make(chan *os.File), make(chan struct{})
	go func() {
		defer s.inLine.Store(false)
		file := awaitTurn(s.path + "-wal")
		select {
		case turn <- file:
		case <-gone:
			if file != nil {
				_ = file.Close()
			}
		}
	}()
	select {
	case file := <-turn:
		if file != nil {
			return func() { _ = file.Close() }, true
		}
	case <-ctx.Done():
		close(gone)
	case <-enough.C:
		close(gone)
	}
	return nil, false
}
