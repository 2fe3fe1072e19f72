package metamorphic

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain/inbox"
)

// output is where a pull prints, with a fate.
type output struct {
	text   bytes.Buffer
	fate   Fate
	cancel context.CancelCauseFunc
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	switch o.fate {
	case Closed:
		return 0, errors.New("the output is closed")
	case Short:
		return o.text.Write(p[:len(p)/2])
	case Late:
		o.cancel(errEnded)
	}
	return o.text.Write(p)
}

// Flush is called by a pull when all is written.
func (o *output) Flush() error {
	if o.fate == Unflushed {
		return errors.New("the output cannot be flushed")
	}
	return nil
}

// within tells whether the output keeps to its budget (PULL-9).
func (o *output) within(p app.Pull) error {
	budget := p.MaxBytes
	if budget == 0 {
		budget = inbox.DefaultMaxBytes
	}
	if o.text.Len() > budget {
		return fmt.Errorf("%d bytes were printed in a budget of %d", o.text.Len(), budget)
	}
	return nil
}

// lines are those of the output.
func (o *output) lines() []string {
	if o.text.Len() == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(o.text.String(), "\n"), "\n")
}

// printed finds the items whose tags begin lines.
func printed(lines []string) (ids []int64) {
	for _, line := range lines {
		_, rest, found := strings.Cut(line, "#")
		digits, _, closed := strings.Cut(rest, "]")
		if id, err := strconv.ParseInt(digits, 10, 64); err == nil && found && closed && strings.HasPrefix(line, "[") {
			ids = append(ids, id)
		}
	}
	return ids
}
