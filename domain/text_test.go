package domain_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/tundish-go/tundish/domain"
)

// misleading are the edges of every range that OBJ-5 and PULL-16 refuse.
func misleading() []rune {
	return []rune{
		0x00, 0x0B, '\r', 0x1B, 0x1F, 0x7F, 0x80, 0x85, 0x9F, 0x061C, 0x200E, 0x200F,
		0x2028, 0x2029, 0x202A, 0x202E, 0x2066, 0x2069, 0xE0000, 0xE0001, 0xE007F,
	}
}

// harmless are the characters just outside these ranges, and ordinary ones.
func harmless() []rune {
	return []rune{
		0x20, 0x21, 0x7E, 0xA0, 0x061B, 0x061D, 0x200D, 0x2010, 0x2027, 0x202F, 0x2065, 0x206A,
		0xDFFFF, 0xE0080, '[', ']', '#', 'é', '日', '🔥', 0x10FFFF, 0xFFFD,
	}
}

// PULL-16: what misleads a reader, and that nothing else does.
func TestPULL16_Hidden(t *testing.T) {
	for _, r := range misleading() {
		if !domain.Hidden(r) {
			t.Errorf("%U is not hidden", r)
		}
	}
	for _, r := range append(harmless(), '\n', '\t') {
		if domain.Hidden(r) {
			t.Errorf("%U is hidden", r)
		}
	}
	for r := rune(0); r < 0x100; r++ {
		if got, want := domain.Hidden(r), unicode.IsControl(r) && r != '\n' && r != '\t'; got != want {
			t.Errorf("%U: hidden is %t", r, got)
		}
	}
}

// PULL-16: the quick look at ASCII.
func TestPULL16_Plain(t *testing.T) {
	for r := rune(0); r < 0x100; r++ {
		for _, text := range []string{string(r), "a" + string(r), string(r) + "a"} {
			if got, want := domain.Plain(text), r >= ' ' && r < 0x7F; got != want {
				t.Errorf("%q: plain is %t", text, got)
			}
		}
	}
	if !domain.Plain("") || domain.Plain("a\xff") {
		t.Error("nothing is plain, broken bytes are not")
	}
}

// PULL-16, CMD-5: an escaped text is one line that hides nothing, and JSON stays
// the same JSON.
func TestPULL16_Escape(t *testing.T) {
	for _, r := range append(misleading(), '\n', '\t') {
		text := "a" + string(r) + "b"
		got := domain.Escape(text)
		if !domain.Plain(got) || !strings.HasPrefix(got, `a\u`) {
			t.Errorf("%U became %q", r, got)
		}
		var back string
		if err := json.Unmarshal([]byte(`"`+got+`"`), &back); err != nil || back != text {
			t.Errorf("%U came back as %q, %v", r, back, err)
		}
	}
	for _, r := range harmless() {
		if text := "a" + string(r); domain.Escape(text) != text {
			t.Errorf("%U became %q", r, domain.Escape(text))
		}
	}
	for text, want := range map[string]string{
		"": "", "a\nb\tc": `a\u000ab\u0009c`, "x\U000E0041y": `x\udb40\udc41y`, "a\xffb": "a\uFFFDb", "\xff\n": "\uFFFD\\u000a", `\u0041`: `\u0041`,
	} {
		if got := domain.Escape(text); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// PULL-16: whatever the text.
func TestPULL16_EscapeOfAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text") + string(rapid.SampledFrom(misleading()).Draw(t, "hidden")) + rapid.SampledFrom([]string{"", "\xff", "\n"}).Draw(t, "end")
		got := domain.Escape(text)
		if strings.ContainsFunc(got, domain.Hidden) || strings.ContainsAny(got, "\n\t") || !utf8.ValidString(got) {
			t.Fatalf("%q became %q", text, got)
		}
		if domain.Escape(got) != got {
			t.Fatalf("escaped twice, %q differs", got)
		}
	})
}

// OBJ-5, OUT-1: what can label something.
func TestOBJ5_CheckLabel(t *testing.T) {
	good := []string{"a", " ", "]", "team chat/ops", strings.Repeat("é", 127) + "x", strings.Repeat("q", 255)}
	for _, r := range harmless() {
		good = append(good, string(r), "a"+string(r))
	}
	for _, s := range good {
		if err := domain.CheckLabel("thing", s); err != nil {
			t.Errorf("%q: %v", s, err)
		}
	}
	bad := []string{"", "\xff", "a\xc3", "\xed\xa0\x80", strings.Repeat("q", 256), strings.Repeat("é", 128), "\n", "a\t"}
	for _, r := range misleading() {
		bad = append(bad, string(r)+"a", "a"+string(r))
	}
	for _, s := range bad {
		if err := domain.CheckLabel("thing", s); domain.CodeOf(err) != domain.Invalid || !strings.HasPrefix(err.Error(), "the thing ") {
			t.Errorf("%q: %v", s, err)
		}
	}
}

// OBJ-5, OUT-1: the message says what is wrong and what to do.
func TestOBJ5_CheckLabelNamesTheFault(t *testing.T) {
	for s, want := range map[string]string{
		"":                           "the thing is empty; give at least one character",
		"\xff":                       `the thing "\xff" is not valid UTF-8; encode it as UTF-8`,
		strings.Repeat("k", 256):     `the thing "` + strings.Repeat("k", 40) + `…" is 256 bytes long; shorten it to 255 bytes`,
		"a\u202e":                    `contains U+202E; leave control, bidirectional and tag characters out`,
		"a\n":                        "contains U+000A",
		strings.Repeat("\x80", 1000): `the thing "` + strings.Repeat(`\x80`, 36) + `…" is not valid`,
	} {
		if err := domain.CheckLabel("thing", s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want …%s…", err, want)
		}
	}
}

// OBJ-5: a text in a message is short, and ends with a whole character.
func TestOBJ5_Shorten(t *testing.T) {
	x := strings.Repeat("x", 36)
	for s, want := range map[string]string{
		"": "", "short": "short", x + "1234": x + "1234", x + "12345": x + "1234…", x + "123é": x + "123…", x + "12é45": x + "12é…",
		x + "1日本": x + "1日…", x + "12日": x + "12…", x + "🔥2": x + "🔥…", x + "1🔥": x + "1…", x + "123🔥": x + "123…",
		strings.Repeat("\x80", 50): strings.Repeat("\x80", 36) + "…",
	} {
		if got := domain.Shorten(s); got != want {
			t.Errorf("%q became %q, want %q", s, got, want)
		}
	}
}
