package deliverexec

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tundish-go/tundish/domain/outbox"
	"github.com/tundish-go/tundish/ports/delivery"
)

// maxAnswer bounds, in bytes, what a verifier or a ledger may print.
const maxAnswer = 256

// Verifier asks a program what became of a send. It is safe for concurrent use.
type Verifier struct {
	kind    string
	command command
	limits  limits
}

var _ delivery.Verifier = (*Verifier)(nil)

// NewVerifier makes a verifier of a program and its arguments, split at spaces,
// that judges sends of one kind of deliverer; empty for any. The error has code
// Invalid.
func NewVerifier(kind, command string) (*Verifier, error) {
	words, err := parse(command)
	if err != nil {
		return nil, err
	}
	return &Verifier{kind: kind, command: words, limits: usual()}, nil
}

// Kind is the kind that was given to NewVerifier.
func (v *Verifier) Kind() string { return v.kind }

// Verify runs the program for one entry. Whatever is not exit code 0 and one
// known word proves nothing, and the error says why.
func (v *Verifier) Verify(ctx context.Context, entry outbox.Entry) (outbox.Verdict, error) {
	line, err := encode(entry)
	if err != nil {
		return outbox.VerdictInconclusive, err
	}
	answer, end, err := ask(ctx, v.command, describe(ctx, entry), line, v.limits)
	if err != nil {
		return outbox.VerdictInconclusive, err
	}
	switch answer {
	case "delivered":
		return outbox.VerdictDelivered, nil
	case "absent":
		return outbox.VerdictAbsent, nil
	case "inconclusive":
		if end.stderr != "" {
			return outbox.VerdictInconclusive, errors.New(end.stderr)
		}
		return outbox.VerdictInconclusive, fmt.Errorf("%s finds no proof", v.command.name())
	}
	return outbox.VerdictInconclusive, fmt.Errorf("%s printed %q, which is no verdict", v.command.name(), answer)
}

// ask runs a program that has to end well, and gives what it printed without the
// space around it.
func ask(ctx context.Context, words command, env []string, input []byte, l limits) (string, ending, error) {
	printed := head{most: maxAnswer}
	p, err := start(ctx, words, env, &printed, l)
	if err != nil {
		return "", ending{}, err
	}
	p.feed(input)
	end := p.wait()
	switch {
	case end.cut || end.code != 0:
		return "", end, end.err(words)
	case len(printed.kept) > maxAnswer:
		return "", end, fmt.Errorf("%s printed more than %d bytes", words.name(), maxAnswer)
	}
	return strings.TrimSpace(string(printed.kept)), end, nil
}
