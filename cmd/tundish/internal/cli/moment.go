package cli

import (
	"strconv"
	"strings"
	"time"

	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

// pastMoment reads a time that lies back: a duration with its unit, which counts
// from now, or what moment reads. A bare number is neither: it would be taken for
// an item's id.
func pastMoment(text string, now int64) (int64, error) {
	if text != "" && strings.ContainsAny(text[len(text)-1:], "smhd") {
		ago, err := inbox.ParseDuration(text)
		return max(now-ago, 1), err
	}
	return momentOr("a duration such as 2h for two hours ago, ", text)
}

// moment reads a time: @SECONDS of Unix time, or RFC 3339. It lies after 1970.
func moment(text string) (int64, error) { return momentOr("", text) }

// momentOr is moment where another form would have done as well.
func momentOr(other, text string) (int64, error) {
	remedy := "use " + other + "@SECONDS of Unix time, or a time such as 2026-01-31T09:30:00Z"
	var seconds int64
	if digits, unix := strings.CutPrefix(text, "@"); unix {
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || strings.Trim(digits, "0123456789") != "" {
			return 0, usage(remedy, "%q is not a Unix time", domain.Shorten(text))
		}
		seconds = n
	} else {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return 0, usage(remedy, "%q is not a time", domain.Shorten(text))
		}
		seconds = at.Unix()
	}
	if seconds < 1 || seconds > latestMoment {
		return 0, usage(remedy, "the time %q is too far away", domain.Shorten(text))
	}
	return seconds, nil
}

// latestMoment is the last second of the year 9999.
const latestMoment = 253402300799
