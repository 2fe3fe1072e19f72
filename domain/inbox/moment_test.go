package inbox

import (
	"strings"
	"testing"

	"github.com/tundish-go/tundish/domain"
)

// TIME-1, TIME-6: a moment is a duration or a time.
func TestTIME6_ParseMoment(t *testing.T) {
	for text, want := range map[string]Moment{
		"90": {In: 90}, "90s": {In: 90}, "1d": {In: 86400}, "36500d": {In: MaxDuration},
		"@1": {At: 1}, "@253402300799": {At: 253402300799}, "@007": {At: 7},
		"1970-01-01T00:00:01Z": {At: 1}, "2026-07-29T09:00:00+02:00": {At: 1785308400}, "9999-12-31T23:59:59Z": {At: 253402300799},
	} {
		got, err := ParseMoment(text)
		if err != nil || got != want {
			t.Errorf("ParseMoment(%q) = %+v, %v, want %+v", text, got, err, want)
		}
		at, err := ParseTime(text)
		if at != want.At || (err == nil) != (want.At != 0) {
			t.Errorf("ParseTime(%q) = %d, %v", text, at, err)
		}
	}
}

func TestTIME6_RefusedMoments(t *testing.T) {
	for want, texts := range map[string][]string{
		"is not a time":             {"", "soon!", "noon", "2026-07-29T09:00:00", "09:00:00Z", "2026-02-30T00:00:00Z"},
		"is not a Unix time":        {"@", "@-5", "@+5", "@1.5", "@1e3", "@ 1", "@9223372036854775808"},
		"is too far away":           {"@0", "@253402300800", "@9223372036854775807", "1970-01-01T00:00:00Z", "0001-01-01T00:00:00Z"},
		"is zero":                   {"0", "0s"},
		"is longer than 36500 days": {"36501d", strings.Repeat("9", 400)},
		"is not a duration":         {"-5", "1.5h", "in 2h", "s", "2026-07-29"},
	} {
		for _, text := range texts {
			got, err := ParseMoment(text)
			if got != (Moment{}) || domain.CodeOf(err) != domain.Invalid || !strings.Contains(err.Error(), want) {
				t.Errorf("ParseMoment(%q) = %+v, %v, want …%s…", text, got, err, want)
			}
		}
	}
}

// VIEW-7: a time that lies back is a duration with its unit, or a time.
func TestVIEW7_ParsePast(t *testing.T) {
	for text, want := range map[string]int64{"90s": 910, "1d": 1, "@5": 5, "1970-01-01T00:00:07Z": 7} {
		if got, err := ParsePast(text, 1000); err != nil || got != want {
			t.Errorf("ParsePast(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "17", "new", "0s", "@0", "1w"} {
		if _, err := ParsePast(text, 1000); domain.CodeOf(err) != domain.Invalid {
			t.Errorf("ParsePast(%q) gives %v", text, err)
		}
	}
}
