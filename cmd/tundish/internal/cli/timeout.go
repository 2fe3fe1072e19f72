package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

// timeoutVariable is how a hook runner tells its handlers their time.
const timeoutVariable = "GAFF_TIMEOUT_MS"

// fallbackTimeout holds when the variable is set but cannot be understood.
const fallbackTimeout = 300 * time.Millisecond

// timeLimit is the time that a pull was given (PULL-11).
type timeLimit struct {
	set   bool
	given time.Duration
	by    string // what set it, for messages
}

// timeLimit finds the smaller of what the environment and the flag say.
func (s *session) timeLimit(flag string, set bool) (timeLimit, error) {
	limit := s.environmentLimit()
	if !set {
		return limit, nil
	}
	given, err := parseTimeout(flag)
	if err != nil {
		return limit, err
	}
	if !limit.set || given < limit.given {
		limit = timeLimit{set: true, given: given, by: "--timeout " + flag}
	}
	return limit, nil
}

func (s *session) environmentLimit() timeLimit {
	text := s.Getenv(timeoutVariable)
	if text == "" {
		return timeLimit{}
	}
	by := timeoutVariable + "=" + text
	given, ok := milliseconds(text)
	if !ok {
		s.note("%s is not a number of milliseconds; %d ms are taken", by, fallbackTimeout.Milliseconds())
		given = fallbackTimeout
	}
	return timeLimit{set: true, given: given, by: by}
}

// milliseconds reads an unsigned integer without sign or spaces. One that is too
// large counts as the longest duration there is (OBJ-6).
func milliseconds(text string) (time.Duration, bool) {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	const most = inbox.MaxDuration * 1000
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n > most {
		n = most
	}
	return time.Duration(n) * time.Millisecond, true
}

// parseTimeout reads the duration of the flag.
func parseTimeout(text string) (time.Duration, error) {
	given, err := fineDuration(text)
	if err != nil {
		return 0, usage(fineRemedy+"; without a unit it is seconds", "--timeout %q is not a duration up to 36500d", domain.Shorten(text))
	}
	return given, nil
}

const fineRemedy = "use a positive whole number with ms, s, m, h or d, such as 400ms or 2s"

// fineDuration reads a duration that may also be in milliseconds.
func fineDuration(text string) (time.Duration, error) {
	if digits, ok := strings.CutSuffix(text, "ms"); ok {
		if given, ok := milliseconds(digits); ok && given > 0 {
			return given, nil
		}
	} else if seconds, err := inbox.ParseDuration(text); err == nil {
		return time.Duration(seconds) * time.Second, nil
	}
	return 0, usage(fineRemedy, "%q is not a duration up to 36500d", domain.Shorten(text))
}

// usable is the time before the commit: a part is kept for the exit.
func (l timeLimit) usable() time.Duration {
	return l.given - min(l.given/4, 100*time.Millisecond)
}

// bound ends ctx when the usable time since begun is over. The cause of its end
// says who set the time.
func (l timeLimit) bound(ctx context.Context, begun time.Time) (context.Context, context.CancelFunc) {
	if !l.set {
		return ctx, func() {}
	}
	return context.WithDeadlineCause(ctx, begun.Add(l.usable()), l.cause())
}

// over is an error once the usable time since begun is over.
func (l timeLimit) over(begun time.Time) error {
	if !l.set || time.Since(begun) < l.usable() {
		return nil
	}
	return &domain.Error{Code: domain.Deadline, Text: "there is no time for a pull", Err: l.cause(), Remedy: "give it more"}
}

func (l timeLimit) cause() error {
	return fmt.Errorf("%s leaves %v until the commit", l.by, l.usable())
}
