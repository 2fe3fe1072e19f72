package app

import (
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// scanLatest goes down from the newest, step by step, around the stretch that
// earlier pulls have judged (PULL-4, PULL-14).
func (l *look) scanLatest() error {
	if l.evaluate {
		l.judge.top = l.window.Bound.Newest
	}
	top, position := min(l.judge.top, l.window.Bound.Newest), l.window.Bound.Position()
	if top <= position {
		return nil
	}
	l.window.Through = top
	known := l.window.Bound.Binding.Judged
	spans := []inbox.Span{{After: max(position, known.Through), Through: top}}
	if known.After > position {
		spans = append(spans, inbox.Span{After: position, Through: known.After})
	}
	l.window.Judged = known
	for i, span := range spans {
		// What is done of a span can be told only where no judged stretch lies
		// below it.
		whole, err := l.scanDown(span, i > 0 || known.Through <= position, top)
		if err != nil || !whole {
			return err
		}
	}
	return nil
}

// scanDown judges a span, newest first. With record, what it has done before it
// stopped is kept in the window.
func (l *look) scanDown(span inbox.Span, record bool, top int64) (whole bool, err error) {
	scan := storage.Scan{Queue: l.rules().Queue, Key: l.judge.key(), HeadsOnly: !l.evaluate, Descending: true}
	scan.After, scan.Through = span.After, span.Through
	for scan.Through > scan.After {
		ended, err := l.step(scan, func(id int64) {
			scan.Through = id - 1
			if record {
				l.window.Judged = inbox.Span{After: id - 1, Through: top}
			}
		})
		if err != nil || ended {
			return ended, err
		}
		if l.done || l.ready > 0 || l.late() {
			l.window.More = true
			return false, nil
		}
	}
	return true, nil
}
