package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/ports"
)

// Bounds of one commit of publish --lines (PUB-3).
const (
	batchLines = 500
	batchWait  = time.Second // from the first line that waits
	batchBytes = app.MaxPayloadBytes
)

// batch is the lines that wait for a commit, and what became of those before.
type batch struct {
	drafts      []app.Draft
	bytes       int
	first, last int64 // line numbers
	due         time.Time

	stored, refused int64
}

// publishLines publishes each line of standard input as an item (PUB-3).
func (s *session) publishLines(ctx context.Context, in *app.Inbox, message app.Message) error {
	if s.terminal(s.Stdin) {
		s.note("waiting for one JSON document a line from the terminal; end them with Ctrl-D")
	}
	defer s.clearProgress()
	source := &lineReader{file: s.Stdin, most: app.MaxPayloadBytes}
	var waiting batch
	for {
		line, err := source.next(waiting.due)
		if err == nil {
			err = s.addLine(ctx, in, message, &waiting, line, source.number)
		}
		ended := errors.Is(err, io.EOF)
		if err != nil && !ended && !errors.Is(err, os.ErrDeadlineExceeded) {
			return waiting.partly(err)
		}
		if ended || waiting.full() {
			if err := s.commitLines(ctx, in, message.Queue, &waiting); err != nil {
				return waiting.partly(err)
			}
		}
		if ended {
			return waiting.outcome()
		}
	}
}

func (b *batch) full() bool {
	return len(b.drafts) >= batchLines || b.bytes >= batchBytes || len(b.drafts) > 0 && !time.Now().Before(b.due)
}

// addLine checks a line. A bad one is named and left out; only an expression
// that no line can pass, or a failure that has nothing to do with the line, ends
// the run.
func (s *session) addLine(ctx context.Context, in *app.Inbox, message app.Message, b *batch, line lineText, number int64) error {
	if len(bytes.TrimSpace(line.text)) == 0 && line.size <= app.MaxPayloadBytes {
		return nil
	}
	var draft app.Draft
	err := tooLong("the line", line.size)
	if line.size <= app.MaxPayloadBytes {
		message.Payload = line.text
		draft, err = in.Prepare(ctx, message)
	}
	if err != nil {
		return s.refuseLine(b, number, err)
	}
	if len(b.drafts) == 0 {
		b.first, b.due = number, time.Now().Add(batchWait)
	}
	b.drafts, b.last, b.bytes = append(b.drafts, draft), number, b.bytes+len(line.text)
	return nil
}

func (s *session) refuseLine(b *batch, number int64, err error) error {
	var uncompiled *ports.CompileError
	switch domain.CodeOf(err) {
	case domain.Payload, domain.Expression, domain.Invalid:
		if errors.As(err, &uncompiled) {
			return err
		}
	default:
		return err
	}
	b.refused++
	s.clearProgress()
	s.note("line %d: %v", number, err)
	return nil
}

// commitLines stores the lines that wait, and then prints their ids.
func (s *session) commitLines(ctx context.Context, in *app.Inbox, queue string, b *batch) error {
	if len(b.drafts) == 0 {
		return nil
	}
	ids, err := in.PublishAll(ctx, queue, b.drafts)
	if err != nil {
		return &domain.Error{Code: domain.CodeOf(err), Text: fmt.Sprintf("lines %d to %d are not stored", b.first, b.last), Err: err}
	}
	s.clearProgress()
	for _, id := range ids {
		s.print("%d\n", id)
	}
	b.stored += int64(len(ids))
	if err := s.flush(); err != nil {
		return unprinted(fmt.Sprintf("lines %d to %d are stored under ids %d to %d", b.first, b.last, ids[0], ids[len(ids)-1]), err)
	}
	s.progress("%d stored, %d refused", b.stored, b.refused)
	b.drafts, b.bytes, b.due = b.drafts[:0], 0, time.Time{}
	return nil
}

// partly adds to the error that ends a run how far the run came.
func (b *batch) partly(err error) error {
	if b.stored == 0 {
		return err
	}
	return &domain.Error{Code: domain.CodeOf(err), Text: fmt.Sprintf("stopped after %d stored items", b.stored), Err: err}
}

// outcome is the result of a run that reached the end of the input.
func (b *batch) outcome() error {
	if b.refused == 0 {
		return nil
	}
	return &domain.Error{Code: domain.Payload, Text: fmt.Sprintf("%d of %d lines were refused", b.refused, b.refused+b.stored), Remedy: fmt.Sprintf("the other %d are stored", b.stored)}
}

// progress shows how far a long command is, where a person looks.
func (s *session) progress(format string, args ...any) {
	if s.terminal(s.Stderr) {
		fmt.Fprintf(s.Stderr, "\r"+format, args...)
	}
}

func (s *session) clearProgress() {
	if s.terminal(s.Stderr) {
		fmt.Fprintf(s.Stderr, "\r\x1b[K")
	}
}
