package deliverexec

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/delivery"
)

// Kind names this kind of deliverer.
const Kind = "exec"

// The exit codes that mean something else than delivered or not delivered.
const (
	codeTransient = 75
	codeUnknown   = 76
	codePrior     = 79
)

// Deliverer hands each entry to a new process of one program. It is safe for
// concurrent use.
type Deliverer struct {
	command command
	limits  limits
}

// What it starts can outlive the worker.
var _ delivery.Watcher = (*Deliverer)(nil)

// New makes a deliverer of a program and its arguments, split at spaces. The
// program is looked for at each send, as a shell would. The error has code
// Invalid.
func New(command string) (*Deliverer, error) {
	words, err := parse(command)
	if err != nil {
		return nil, err
	}
	return &Deliverer{command: words, limits: usual()}, nil
}

// Kind is "exec".
func (*Deliverer) Kind() string { return Kind }

// PeerID is empty: a process has no number before it was started.
func (*Deliverer) PeerID(outbox.Entry, time.Time) string { return "" }

// Deliver runs the program for one entry. Process id and start time are noted
// before the entry is written, and the lease is asked for after that. When
// either fails nothing was written: the error is transient and wraps the cause.
// It returns about three seconds after ctx has ended at the latest.
func (d *Deliverer) Deliver(ctx context.Context, send delivery.Send) error {
	line, err := encode(send.Entry)
	if err != nil {
		return err
	}
	p, err := start(ctx, d.command, describe(ctx, send.Entry), nil, d.limits)
	if err != nil {
		return outbox.Transient(err)
	}
	if err := claim(ctx, send, identity(p.cmd.Process.Pid)); err != nil {
		p.abandon()
		return outbox.Transient(fmt.Errorf("%s was given nothing: %w", d.command.name(), err))
	}
	p.feed(line)
	return d.outcome(p.wait())
}

// claim makes sure that the send is known by its process, and still ours.
func claim(ctx context.Context, send delivery.Send, peerID string) error {
	if err := send.Note(ctx, peerID); err != nil {
		return err
	}
	if err := send.Held(ctx); err != nil {
		return err
	}
	return ctx.Err()
}

// encode is the entry in one line.
func encode(entry outbox.Entry) ([]byte, error) {
	line, err := json.Marshal(entry)
	if err != nil {
		return nil, outbox.Pointless(fmt.Errorf("entry %s cannot be written as JSON: %w", entry.ID, err))
	}
	return append(line, '\n'), nil
}

func (d *Deliverer) outcome(e ending) error {
	err := e.err(d.command)
	switch {
	case e.cut || e.code < 0:
		return outbox.Ambiguous(err)
	case e.code == 0:
		return nil
	case e.code == codeTransient:
		return outbox.Transient(err)
	case e.code == codeUnknown:
		return outbox.Ambiguous(err)
	case e.code == codePrior:
		return outbox.PriorAttemptPending(err)
	}
	return err
}

// Running tells whether the process of the entry's last send lives on this
// machine, or has ended and left others in its group: those may still deliver.
func (d *Deliverer) Running(entry outbox.Entry) bool {
	return entry.Deliverer == Kind && alive(entry.PeerID)
}
