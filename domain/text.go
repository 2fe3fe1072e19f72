package domain

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Hidden tells the characters that a publisher could use to mislead a reader:
// control characters other than newline and tab, line and paragraph separators,
// bidirectional controls and Unicode tag characters (PULL-16).
func Hidden(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' && r != '\n' && r != '\t' || r == 0x7F
	}
	switch {
	case unicode.IsControl(r):
		return true
	case r == 0x2028, r == 0x2029: // break lines without being control characters
		return true
	case r == 0x061C, r == 0x200E, r == 0x200F:
		return true
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
		return true
	case r >= 0xE0000 && r <= 0xE007F:
		return true
	}
	return false
}

// Plain tells whether text is of one line and of visible ASCII characters and
// spaces only, as nearly all texts are.
func Plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] >= 0x7F {
			return false
		}
	}
	return true
}

// Escape writes each misleading character of text, and newline and tab too, in
// JSON's \u form: a text in one line that hides nothing. JSON stays the same
// JSON (PULL-16, CMD-5).
func Escape(text string) string {
	if Plain(text) || !strings.ContainsFunc(text, escaped) && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if escaped(r) {
			writeEscape(&b, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func escaped(r rune) bool { return Hidden(r) || r == '\n' || r == '\t' }

func writeEscape(b *strings.Builder, r rune) {
	if hi, lo := utf16.EncodeRune(r); hi != utf8.RuneError {
		writeUnit(b, hi)
		r = lo
	}
	writeUnit(b, r)
}

// writeUnit writes a code unit of UTF-16 in JSON's form.
func writeUnit(b *strings.Builder, unit rune) {
	const digits = "0123456789abcdef"
	b.WriteString(`\u`)
	for shift := 12; shift >= 0; shift -= 4 {
		b.WriteByte(digits[unit>>shift&0xF])
	}
}

// MaxLabelBytes bounds what CheckLabel accepts.
const MaxLabelBytes = 255

// CheckLabel reports whether s can label something that people will read in
// lists and logs: 1 to 255 bytes of UTF-8 that hide nothing (OBJ-5, OUT-1). What
// names the thing in the error, which has code Invalid.
func CheckLabel(what, s string) error {
	switch {
	case s == "":
		return invalid("give at least one character", "the %s is empty", what)
	case !utf8.ValidString(s):
		return invalid("encode it as UTF-8", "the %s %q is not valid UTF-8", what, Shorten(s))
	case len(s) > MaxLabelBytes:
		return invalid(fmt.Sprintf("shorten it to %d bytes", MaxLabelBytes), "the %s %q is %d bytes long", what, Shorten(s), len(s))
	}
	for _, r := range s {
		if Hidden(r) || r == '\n' || r == '\t' {
			return invalid("leave control, bidirectional and tag characters out", "the %s %q contains %U", what, Shorten(s), r)
		}
	}
	return nil
}

// Shorten is the beginning of a text that is too long for a message.
func Shorten(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	end := most
	for end > most-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

func invalid(remedy, format string, args ...any) error {
	return &Error{Code: Invalid, Text: fmt.Sprintf(format, args...), Remedy: remedy}
}
