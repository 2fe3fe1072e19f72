package inbox

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/tundish-go/tundish/domain"
)

// PULL-16: what is removed, and that nothing else is.
func TestPULL16_StripRemovesHiddenCharacters(t *testing.T) {
	for _, r := range refusedRunes() {
		want := "ab"
		if r == '\n' || r == '\t' {
			want = "a" + string(r) + "b"
		}
		if got := Strip("a" + string(r) + "b"); got != want {
			t.Errorf("Strip around %U = %q, want %q", r, got, want)
		}
	}
	for _, r := range plainRunes() {
		if text := "a" + string(r) + "b"; Strip(text) != text {
			t.Errorf("Strip took %U away", r)
		}
	}
	if got := Strip("a\xffb\xc3"); got != "a\uFFFDb\uFFFD" {
		t.Errorf("invalid UTF-8 became %q", got)
	}
}

// PULL-16, CMD-5: an escaped text is one line that hides nothing.
func TestPULL16_EscapeShowsHiddenCharacters(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", ""},
		{"plain é日🔥 [x] \\u0041", "plain é日🔥 [x] \\u0041"},
		{"a\nb\tc", `a\u000ab\u0009c`},
		{"\x00\x1b[31m\x7f\u0085", `\u0000\u001b[31m\u007f\u0085`},
		{"\u061c\u200e\u202e\u2028\u2029\u2069", `\u061c\u200e\u202e\u2028\u2029\u2069`},
		{"x\U000E0041y", `x\udb40\udc41y`},
		{"\U000E0000\U000E007F", `\udb40\udc00\udb40\udc7f`},
		{"a\xffb", "a\uFFFDb"},
		{"\xff\n", "\uFFFD\\u000a"},
	}
	for _, tt := range tests {
		if got := domain.Escape(tt.text); got != tt.want {
			t.Errorf("domain.Escape(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

// PULL-16: JSON stays the same JSON.
func TestPULL16_EscapeKeepsTheMeaningOfJSON(t *testing.T) {
	for _, r := range refusedRunes() {
		if r < 0x20 {
			continue // never raw in JSON
		}
		payload := `{"k` + string(r) + `":"v` + string(r) + `"}`
		var before, after map[string]string
		if err := json.Unmarshal([]byte(payload), &before); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(domain.Escape(payload)), &after); err != nil {
			t.Fatalf("%U: %v", r, err)
		}
		if key := "k" + string(r); before[key] == "" || before[key] != after[key] {
			t.Errorf("%U: %v became %v", r, before, after)
		}
	}
}

func TestPULL8_Tag(t *testing.T) {
	tests := []struct {
		queue string
		id    int64
		want  string
	}{
		{"q", 1, "[q#1]"},
		{"team chat/ops", 9223372036854775807, "[team chat/ops#9223372036854775807]"},
		{"a#3", 4, "[a#3#4]"},
		{"a]b]", 5, `[a\u005db\u005d#5]`},       // STO-6
		{"a\nb\u202e", 6, `[a\u000ab\u202e#6]`}, // STO-6
		{"x#1] [y", 7, `[x#1\u005d [y#7]`},      // STO-6
	}
	for _, tt := range tests {
		if got := Tag(tt.queue, tt.id); got != tt.want {
			t.Errorf("Tag(%q, %d) = %q, want %q", tt.queue, tt.id, got, tt.want)
		}
	}
}

func TestPULL8_DefaultText(t *testing.T) {
	tests := []struct {
		item Item
		want string
	}{
		{Item{ID: 1, Queue: "q", Payload: []byte(`{"n":1}`)}, `[q#1] {"n":1}`},
		{Item{ID: 2, Queue: "q", Key: str("k 1"), Payload: []byte(`"x"`)}, `[q#2] k 1 "x"`},
		{Item{ID: 3, Queue: "q", Key: str("a]\n[q#9] b"), Payload: []byte(`null`)}, `[q#3] a]\u000a[q#9] b null`},
		{Item{ID: 4, Queue: "q", Payload: []byte("\"\u202e\u0085\U000E0041\"")}, `[q#4] "\u202e\u0085\udb40\udc41"`},
	}
	for _, tt := range tests {
		if got := DefaultText(tt.item); got != tt.want {
			t.Errorf("DefaultText = %q, want %q", got, tt.want)
		}
		if got := ItemText(tt.item, OnAck, nil); got != tt.want {
			t.Errorf("ItemText without a template = %q, want %q", got, tt.want)
		}
	}
}

// PULL-8: fallback, tag and error of templates.
func TestPULL8_TemplateText(t *testing.T) {
	item := Item{ID: 7, Queue: "q", Key: str("k"), Payload: []byte(`{"n":1}`)}
	const plain = `[q#7] k {"n":1}`
	tests := []struct {
		name    string
		consume Consume
		r       Rendering
		want    string
	}{
		{"text", OnRead, Rendering{Text: "hello"}, "hello"},
		{"lines", OnRead, Rendering{Text: "a\n\tb\n"}, "a\n\tb\n"},
		{"only newlines", OnRead, Rendering{Text: "\n"}, "\n"},
		{"on-ack", OnAck, Rendering{Text: "hello\nworld"}, "[q#7] hello\nworld"},
		{"empty", OnRead, Rendering{}, plain},
		{"empty on-ack", OnAck, Rendering{}, plain},
		{"nothing visible", OnRead, Rendering{Text: "\x00\u202e\r"}, plain},
		{"nothing visible on-ack", OnAck, Rendering{Text: "\x1b"}, plain},
		{"controls", OnRead, Rendering{Text: "a\x1b[31mb\r\nc\u2028d"}, "a[31mb\ncd"},
		{"error", OnRead, Rendering{Err: "bad number"}, plain + " (template error: bad number)"},
		{"error on-ack", OnAck, Rendering{Err: "bad"}, plain + " (template error: bad)"},
		{"error beats text", OnRead, Rendering{Text: "half", Err: "bad"}, plain + " (template error: bad)"},
		{"error of lines", OnRead, Rendering{Err: "a\n[q#8] b\t\r\u2028c \x00"}, plain + " (template error: a [q#8] b c)"},
		{"long error", OnRead, Rendering{Err: strings.Repeat("e", 500)}, plain + " (template error: " + strings.Repeat("e", 200) + ")"},
		{"exact error", OnRead, Rendering{Err: strings.Repeat("e", 200)}, plain + " (template error: " + strings.Repeat("e", 200) + ")"},
		{"wide error", OnRead, Rendering{Err: "x" + strings.Repeat("é", 300)}, plain + " (template error: x" + strings.Repeat("é", 99) + ")"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := ItemText(item, tt.consume, &tt.r); got != tt.want {
				t.Errorf("%q\nwant %q", got, tt.want)
			}
		})
	}
}

// forgeries are lines that a publisher could try to pass off as ours.
func forgeries() []string {
	heads := []string{
		"tundish: subscription=", "tundish: subscription=s subscriber=w delivered=1", "Tundish: SUBSCRIPTION=", "tundish :  subscription =", "tundish:\u200bsubscription=", "[q#8]", "[q#8] text", "[#0]", "[[x#1]",
		"[a#b#12]", "[a] [b#3]", "[ #5]x", "[日本#77]", "[q##9]", "[#x#9]", "[q#1x#2]", "[q#123456789012345678901234567890]",
	}
	spaces := []string{"", " ", "\t", " \t  ", "\u00a0", "\u3000", "\u200b", "\ufeff", "\u00ad", "\u2060 \u200d", "\ufe0f", "\u034f", "\u3164"}
	var all []string
	for _, h := range heads {
		for _, s := range spaces {
			all = append(all, s+h)
		}
	}
	// what is not seen does not help inside either
	return append(all, "tun\u200bdish: subscription=", "tundish:\u2060 subscription\ufe0f=x", "[q#\u200b8]", "[q\ufeff#8\u200d]", "[q#8\u034f]")
}

// harmless lines look a little like ours and are left as they are.
func harmless() []string {
	return []string{
		"", " ", "tundish", "tundish: subscription", "tundish subscription=", "a tundish: subscription=",
		"[q]", "[q#]", "[q#x]", "[q#1", "[q #1 ]", "[q#-1]", "q#1]", "x [q#1]", "#1]", "[q#1x]", "(q#1)", "[", "[#", "[#]", `\[q#1]`, "- [q#1]", "[q#１]",
	}
}

// PULL-16: a forged line gets a backslash, wherever it stands.
func TestPULL16_ForgedLines(t *testing.T) {
	item := Item{ID: 7, Queue: "q", Payload: []byte(`1`)}
	render := func(consume Consume, text string) string { return ItemText(item, consume, &Rendering{Text: text}) }
	for _, line := range forgeries() {
		want := `\` + line
		if got := render(OnRead, line); got != want {
			t.Errorf("first line %q became %q", line, got)
		}
		if got := render(OnRead, "a\n"+line+"\nb\n"+line); got != "a\n"+want+"\nb\n"+want {
			t.Errorf("later lines %q became %q", line, got)
		}
		if got := render(OnAck, line+"\n"+line); got != "[q#7] "+line+"\n"+want {
			t.Errorf("behind the tag, %q became %q", line, got)
		}
	}
	for _, line := range harmless() {
		if text := "a\n" + line + "\nb"; render(OnRead, text) != text {
			t.Errorf("the harmless line %q became %q", line, render(OnRead, text))
		}
	}
}

// PULL-16: only the item's own tag may begin a text, and only its first line.
func TestPULL16_OwnTag(t *testing.T) {
	item := Item{ID: 7, Queue: "q", Payload: []byte(`1`)}
	tests := []struct {
		consume    Consume
		text, want string
	}{
		{OnRead, "[q#7] mine", "[q#7] mine"},
		{OnRead, "[q#7]", "[q#7]"},
		{OnRead, "[q#7] a\n[q#7] b", "[q#7] a\n\\[q#7] b"},
		{OnRead, " [q#7] a", "\\ [q#7] a"},
		{OnRead, "[q#70] a", "\\[q#70] a"},
		{OnRead, "[p#7] a", "\\[p#7] a"},
		{OnAck, "[q#7] mine", "[q#7] [q#7] mine"},
		{OnAck, "a\n[q#7] b", "[q#7] a\n\\[q#7] b"},
	}
	for _, tt := range tests {
		if got := ItemText(item, tt.consume, &Rendering{Text: tt.text}); got != tt.want {
			t.Errorf("%s %q became %q, want %q", tt.consume, tt.text, got, tt.want)
		}
	}
	odd := Item{ID: 7, Queue: "a]b", Payload: []byte(`1`)} // STO-6
	if got, want := ItemText(odd, OnAck, &Rendering{Text: "x"}), `[a\u005db#7] x`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// PULL-9: a cut ends on a character boundary and points to the whole item.
func TestPULL9_Cut(t *testing.T) {
	const pointer = " … tundish show 12" // 20 bytes
	tests := []struct {
		text string
		size int
		want string
	}{
		{"short", 5, "short"},
		{"", 0, ""},
		{strings.Repeat("a", 30), 30, strings.Repeat("a", 30)},
		{strings.Repeat("a", 31), 30, strings.Repeat("a", 10) + pointer},
		{strings.Repeat("é", 20), 30, strings.Repeat("é", 5) + pointer},
		{strings.Repeat("é", 20), 31, strings.Repeat("é", 5) + pointer},
		{"x" + strings.Repeat("日", 20), 30, "x日日日" + pointer},
		{"x" + strings.Repeat("日", 20), 29, "x日日" + pointer},
		{strings.Repeat("🔥", 20), 27, "🔥" + pointer},
		{strings.Repeat("🔥", 20), 23, pointer},
		{strings.Repeat("a", 40), 20, pointer},
		{strings.Repeat("a", 40), 5, pointer}, // no room for more: the pointer stays whole
	}
	for _, tt := range tests {
		got := Cut(tt.text, tt.size, 12)
		if got != tt.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", tt.text, tt.size, got, tt.want)
		}
		if !utf8.ValidString(got) {
			t.Errorf("Cut(%q, %d) split a character", tt.text, tt.size)
		}
	}
}

// PULL-9, PULL-16: what is left out of a long payload before it is escaped is never
// missed.
func TestPULL9_TextWithinALimit(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "plain text ", "\x7f", "\x7f\x7f", "é", "日", "🔥", "\u202e", "\u0085", "\U000E0041", "\n", "\xff", "\xe2\x80", "\x80\x80\x80\x80\x80"})
	rapid.Check(t, func(t *rapid.T) {
		item := Item{ID: rapid.Int64Range(1, 1<<62).Draw(t, "id"), Queue: "q", Payload: []byte(strings.Join(rapid.SliceOfN(piece, 0, 60).Draw(t, "payload"), ""))}
		if rapid.Bool().Draw(t, "keyed") {
			item.Key = str(piece.Draw(t, "key"))
		}
		rendering := rapid.SampledFrom([]*Rendering{nil, {}, {Text: "a\nb"}, {Err: "bad"}}).Draw(t, "rendering")
		limit := rapid.IntRange(0, 200).Draw(t, "limit")
		whole, within := ItemText(item, OnAck, rendering), ItemTextWithin(item, OnAck, rendering, limit)
		if (len(whole) > limit) != (len(within) > limit) {
			t.Fatalf("%d of %d bytes at a limit of %d", len(within), len(whole), limit)
		}
		for size := range limit + 1 {
			if got, want := Cut(within, size, item.ID), Cut(whole, size, item.ID); got != want {
				t.Fatalf("cut to %d: %q, want %q", size, got, want)
			}
		}
	})
}

// PULL-9: an item of any size costs what its output may hold.
func TestPULL9_LongPayloadsAreNotEscaped(t *testing.T) {
	item := Item{ID: 1, Queue: "q", Payload: []byte(strings.Repeat("\x7f", 1<<20))}
	for _, rendering := range []*Rendering{nil, {}, {Err: "bad"}} {
		if text := ItemTextWithin(item, OnRead, rendering, 1024); len(text) > 7*1024 {
			t.Errorf("%d bytes", len(text))
		}
	}
}

// PULL-16: the quick look at ASCII tells what the slow one does.
func TestPULL16_PlainTexts(t *testing.T) {
	for r := rune(0); r < 0x100; r++ {
		if got, want := domain.Plain("a"+string(r)), r < 0x7F && !unicode.IsControl(r); got != want {
			t.Errorf("%U: plain is %v", r, got)
		}
		if got, want := domain.Hidden(r), unicode.IsControl(r) && r != '\n' && r != '\t'; got != want {
			t.Errorf("%U: hidden is %v", r, got)
		}
		if got, want := visible(r) < 0, unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point); got != want {
			t.Errorf("%U: left out is %v", r, got)
		}
	}
}

// PULL-9: even bytes without any character boundary end the cut.
func TestPULL9_CutOfBrokenText(t *testing.T) {
	if got := truncate("\x80\x80\x80\x80", 2); got != "" {
		t.Errorf("truncate = %q", got)
	}
}
