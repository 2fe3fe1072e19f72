package cli

import (
	"strings"
	"testing"
)

// ACK-3: an item's id, bare or in the tag of a pull.
func TestACK3_Tags(t *testing.T) {
	for text, want := range map[string]tag{
		"17": {"", 17}, "#17": {"", 17}, "[#17]": {"", 17}, "ci#17": {"ci", 17}, "[ci#17]": {"ci", 17},
		"[a#1#17]": {"a#1", 17}, "a[b#17": {"a[b", 17}, "[ a b #17]": {" a b ", 17}, `[a\u005d#17]`: {`a\u005d`, 17},
		"9223372036854775807": {"", 1<<63 - 1},
	} {
		if got, err := parseTag(text); err != nil || got != want {
			t.Errorf("%q is %+v, want %+v (%v)", text, got, want, err)
		}
	}
	for _, text := range []string{
		"", "0", "-1", "x", "#", "ci#", "ci#0", "ci#-1", "ci#1x", "[ci#17", "ci#17]", "[17]", "[]", "[ci]", "[[ci#17]]",
		"ci#17 ", "9223372036854775808", "1.0", "ci 17",
	} {
		if got, err := parseTag(text); err == nil {
			t.Errorf("%q is %+v", text, got)
		}
	}
	if _, err := parseTag(strings.Repeat("x", 500)); err == nil || len(err.Error()) > 200 {
		t.Errorf("a long word is answered with %v", err)
	}
}
