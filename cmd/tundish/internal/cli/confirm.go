package cli

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"github.com/tundish-go/tundish/domain"
)

// errDeclined says that a person answered no.
var errDeclined = errors.New("nothing was changed")

// confirm asks a person, if there is one at the terminal, and fails unless the
// answer is yes. Programs are not asked: what they change can be changed back.
func (s *session) confirm(yes bool, format string, args ...any) error {
	if yes || !s.asks() {
		return nil
	}
	_, _ = fmt.Fprint(s.Stderr, domain.Escape(fmt.Sprintf(format, args...))+" [y/N] ")
	answer, _ := bufio.NewReader(s.Stdin).ReadString('\n') // what cannot be read is no yes
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return errDeclined
}

// confirmLoss is confirm for what nobody can bring back: where there is nobody to
// ask, the call itself must say --yes (CARE-1).
func (s *session) confirmLoss(yes bool, format string, args ...any) error {
	if !yes && !s.asks() {
		return usage("nothing was changed", "--yes is missing, and there is no terminal to ask on")
	}
	return s.confirm(yes, format, args...)
}

// plural is a number with what it counts.
func plural(n int64, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
