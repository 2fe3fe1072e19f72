package app

import (
	"context"
	"io"
	"time"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

// maxWrite bounds the time of writing under the write lock (PULL-12).
const maxWrite = 500 * time.Millisecond

// print writes what a plan says.
func (p *pulling) print(ctx context.Context, w io.Writer, plan inbox.Plan) error {
	if p.pull.Form == nil {
		return write(ctx, w, plan.Output())
	}
	text, err := p.pull.Form(plan)
	if err != nil {
		return err
	}
	return write(ctx, w, text)
}

// write puts the whole output out, in one piece and within its time (PULL-12).
func write(ctx context.Context, w io.Writer, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	if d, ok := w.(interface{ SetWriteDeadline(time.Time) error }); ok {
		until := time.Now().Add(maxWrite)
		if deadline, ok := ctx.Deadline(); ok && deadline.Before(until) {
			until = deadline
		}
		if err := d.SetWriteDeadline(until); err != nil {
			return outputError(err)
		}
	}
	n, err := w.Write(text)
	if err == nil && n < len(text) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return outputError(err)
	}
	if f, ok := w.(interface{ Flush() error }); ok {
		if err := f.Flush(); err != nil {
			return outputError(err)
		}
	}
	return nil
}

func outputError(err error) error {
	return &domain.Error{
		Code: domain.Output, Text: "the output could not be written", Err: err,
		Remedy: "nothing was marked as delivered; the next pull prints it again",
	}
}

// lateOr turns any failure of a pull whose time is over into the one that says
// so (PULL-11).
func lateOr(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil || domain.CodeOf(err) == domain.Output {
		return err
	}
	return &domain.Error{
		Code: domain.Deadline, Text: "the pull was not finished in time", Err: context.Cause(ctx),
		Remedy: "nothing was marked as delivered; the next pull prints it again",
	}
}
