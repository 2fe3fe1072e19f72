package deliverexec

import (
	"context"
	"fmt"
	"strings"

	"github.com/tundish-go/tundish/ports/delivery"
)

// NewLedger makes a probe that asks a program, split at spaces, for the state of
// an attempt. It prints one word, with or without LEDGER_STATE_ before it, or
// nothing when it knows no such attempt. The error has code Invalid.
func NewLedger(command string) (delivery.LedgerProbe, error) {
	words, err := parse(command)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, workspaceID, sessionID, entryID string, attempt uint32) (string, error) {
		return probe(ctx, words, identify(workspaceID, sessionID, entryID, uint64(attempt)), usual())
	}, nil
}

// probe gives a state with its prefix, so that all readers see one spelling.
func probe(ctx context.Context, words command, env []string, l limits) (string, error) {
	const prefix = "LEDGER_STATE_"
	answer, _, err := ask(ctx, words, env, nil, l)
	switch {
	case err != nil || answer == "":
		return "", err
	case len(strings.Fields(answer)) > 1:
		return "", fmt.Errorf("%s printed %q, which is more than one word", words.name(), answer)
	}
	return prefix + strings.TrimPrefix(answer, prefix), nil
}
