package inbox

import (
	"math"
	"strconv"
	"strings"

	"github.com/tundish-go/tundish/domain"
)

// MaxDuration is the longest duration that a rule or the configuration may
// hold, in seconds: 36,500 days (OBJ-6).
const MaxDuration = 36500 * 86400

// ParseDuration reads a positive integer with an optional unit s, m, h or d and
// returns seconds; without a unit the integer is seconds (OBJ-6).
func ParseDuration(text string) (int64, error) {
	const remedy = "use a positive integer with s, m, h or d, such as 90s or 7d, up to 36500d"
	digits, factor := text, int64(1)
	if text != "" {
		switch text[len(text)-1] {
		case 's':
			digits = text[:len(text)-1]
		case 'm':
			digits, factor = text[:len(text)-1], 60
		case 'h':
			digits, factor = text[:len(text)-1], 3600
		case 'd':
			digits, factor = text[:len(text)-1], 86400
		}
	}
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, invalid(remedy, "%q is not a duration", domain.Shorten(text))
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		n = math.MaxInt64
	}
	switch {
	case n == 0:
		return 0, invalid(remedy, "the duration %q is zero", domain.Shorten(text))
	case n > MaxDuration/factor:
		return 0, invalid(remedy, "the duration %q is longer than 36500 days", domain.Shorten(text))
	}
	return n * factor, nil
}
