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
// answer is yes. Programs are not asked: they mean what they call.
func (s *session) confirm(yes bool, format string, args ...any) error {
	if yes || !s.terminal(s.Stdin) || !s.terminal(s.Stderr) {
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

// plural is a number with what it counts.
func plural(n int64, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
