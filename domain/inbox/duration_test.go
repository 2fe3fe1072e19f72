package inbox

import (
	"strings"
	"testing"

	"github.com/tundish-go/tundish/domain"
)

func TestOBJ6_ParseDuration(t *testing.T) {
	tests := []struct {
		text string
		want int64
	}{
		{"1", 1}, {"90", 90}, {"1s", 1}, {"45s", 45}, {"1m", 60}, {"15m", 900}, {"1h", 3600}, {"2h", 7200},
		{"1d", 86400}, {"3d", 259200}, {"007", 7}, {"0001d", 86400}, {strings.Repeat("0", 40) + "5m", 300},
		{"36500d", 3153600000}, {"876000h", 3153600000}, {"52560000m", 3153600000},
		{"3153600000s", 3153600000}, {"3153600000", 3153600000}, {"3153599999", 3153599999},
	}
	for _, tt := range tests {
		if got, err := ParseDuration(tt.text); err != nil || got != tt.want {
			t.Errorf("ParseDuration(%q) = %d, %v, want %d", tt.text, got, err, tt.want)
		}
	}
}

func TestOBJ6_RefusedDurations(t *testing.T) {
	tests := map[string][]string{
		"is zero":                   {"0", "0s", "0m", "0h", "0d", "000"},
		"is longer than 36500 days": {"36501d", "876001h", "52560001m", "3153600001s", "3153600001", "99999999999999999d", "9223372036854775807", "9223372036854775808", strings.Repeat("9", 400)},
		"is not a duration": {
			"", "s", "m", "h", "d", "-1", "-1s", "+1", "1.5h", "1h30m", "2w", "soon", " 1", "1 ", "1 s", "1S", "1M", "1H", "1D",
			"ms", "1ms", "0x10", "1_000", "１２", "1e3", "1\n", "1\x00", "ss", "1ss",
		},
	}
	for want, texts := range tests {
		for _, text := range texts {
			got, err := ParseDuration(text)
			if got != 0 || domain.CodeOf(err) != domain.Invalid {
				t.Errorf("ParseDuration(%q) = %d, %v", text, got, err)
				continue
			}
			if !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "s, m, h or d") {
				t.Errorf("ParseDuration(%q): %v, want …%s…", text, err, want)
			}
		}
	}
}
