package inbox

import (
	"strconv"
	"strings"
	"time"

	"github.com/tundish-go/tundish/domain"
)

// Moment is a point in time that somebody named: either so many seconds from when
// it is asked for, or a time. The zero Moment is none.
type Moment struct {
	In int64 // seconds; 0 when At is set
	At int64 // Unix seconds; 0 when In is set
}

// From is the Unix time of the moment for who asks at now; 0 when it is none.
func (m Moment) From(now int64) int64 {
	if m.In > 0 {
		return now + m.In
	}
	return m.At
}

// latestTime is the last second of the year 9999.
const latestTime = 253402300799

// ParseTime reads a time, as Unix seconds: @SECONDS of Unix time, or RFC 3339. It
// lies after 1970 and before the year 10000.
func ParseTime(text string) (int64, error) { return parseTimeOr("", text) }

// ParseMoment reads a duration, which counts from when it is used, or what ParseTime
// reads.
func ParseMoment(text string) (m Moment, err error) {
	if strings.TrimRight(text, "smhd0123456789") != text && !strings.ContainsAny(text, "@T:") {
		m.In, err = ParseDuration(text)
		return m, err
	}
	m.At, err = parseTimeOr("a duration such as 1d, ", text)
	return m, err
}

// ParsePast reads a time that lies back, as Unix seconds: a duration with its unit,
// which ends at now, or what ParseTime reads. A bare number is neither: it would be
// taken for an item's id.
func ParsePast(text string, now int64) (int64, error) {
	if text != "" && strings.ContainsAny(text[len(text)-1:], "smhd") {
		ago, err := ParseDuration(text)
		return max(now-ago, 1), err
	}
	return parseTimeOr("a duration such as 2h for two hours ago, ", text)
}

// parseTimeOr is ParseTime where another form would have done as well.
func parseTimeOr(other, text string) (int64, error) {
	remedy := "use " + other + "@SECONDS of Unix time, or a time such as 2026-01-31T09:30:00Z"
	var seconds int64
	if digits, unix := strings.CutPrefix(text, "@"); unix {
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || strings.Trim(digits, "0123456789") != "" {
			return 0, invalid(remedy, "%q is not a Unix time", domain.Shorten(text))
		}
		seconds = n
	} else {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return 0, invalid(remedy, "%q is not a time", domain.Shorten(text))
		}
		seconds = at.Unix()
	}
	if seconds < 1 || seconds > latestTime {
		return 0, invalid(remedy, "the time %q is too far away", domain.Shorten(text))
	}
	return seconds, nil
}
