package inbox

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tundish-go/tundish/domain"
)

// PULL-8, PULL-9, PULL-16: whatever a publisher writes, an item's text holds no
// frame but its own tag, no hidden character, and fits its room.
func FuzzItemText(f *testing.F) {
	for i, line := range append(forgeries(), harmless()...) {
		f.Add("q", "k", "a\n"+line, "", int64(i+1), i%2 == 0, 64)
	}
	f.Add("a]b\n[c#1]", "]\n[q#1]", "", "bad\n[q#2] \u202e", int64(1), true, 100)
	f.Add("q", "", "\x00\u2028\U000E0041", "", int64(9223372036854775807), false, 64)
	f.Fuzz(func(t *testing.T, queue, key, text, fault string, id int64, onAck bool, size int) {
		if id < 1 || size < minItemRoom || size > 1<<16 {
			t.Skip("no such item or room")
		}
		item := Item{ID: id, Queue: queue, Key: &key, Payload: []byte(`"` + strings.Map(noControl, text) + `"`)}
		consume := OnRead
		if onAck {
			consume = OnAck
		}
		tag := Tag(queue, id)
		for _, rendering := range []*Rendering{nil, {Text: text}, {Text: text, Err: fault}} {
			whole := ItemText(item, consume, rendering)
			cut := Cut(whole, size-1, id)
			if within := Cut(ItemTextWithin(item, consume, rendering, size-1), size-1, id); within != cut {
				t.Errorf("within the limit %q, cut %q", within, cut)
			}
			requireHarmless(t, whole, tag)
			requireHarmless(t, cut, tag)
			if len(cut) > size-1 {
				t.Errorf("%d bytes in a room of %d", len(cut), size-1)
			}
			if plain := rendering == nil || rendering.Err != ""; (plain || onAck) && !strings.HasPrefix(whole, tag+" ") {
				t.Errorf("%q does not begin with its tag %q", whole, tag)
			}
			if plain := rendering == nil || rendering.Err != ""; plain && strings.Contains(whole, "\n") {
				t.Errorf("the default form has several lines: %q", whole)
			}
		}
	})
}

// noControl leaves out what JSON cannot hold raw.
func noControl(r rune) rune {
	if r < 0x20 || r == '"' || r == '\\' {
		return -1
	}
	return r
}

func requireHarmless(t *testing.T, text, tag string) {
	t.Helper()
	if text == "" || !utf8.ValidString(text) {
		t.Errorf("text %q", text)
	}
	if Strip(text) != text {
		t.Errorf("hidden characters in %q", text)
	}
	for i, line := range strings.Split(text, "\n") {
		if own := i == 0 && strings.HasPrefix(line, tag); !own && looksFramed(line) {
			t.Errorf("line %d of %q looks like ours: %q", i, text, line)
		}
	}
}

// looksFramed is the reader's view, written the slow way: does the line start,
// after anything blank, like a status line or like [anything#digits]?
func looksFramed(line string) bool {
	line = strings.TrimLeft(line, " \t\u00a0\u3000\u200b\u2060\ufeff\u00ad\u034f\ufe0f\u200c\u200d")
	if strings.HasPrefix(line, "tundish: subscription=") {
		return true
	}
	if !strings.HasPrefix(line, "[") {
		return false
	}
	for i := range line {
		end := i
		for end > 0 && line[end-1] >= '0' && line[end-1] <= '9' {
			end--
		}
		if line[i] == ']' && end < i && end > 1 && line[end-1] == '#' || line[i] == ']' && end < i && end == 2 && line[1] == '#' {
			return true
		}
	}
	return false
}

// OBJ-6: what is accepted is a plain number with at most one unit, in range.
func FuzzParseDuration(f *testing.F) {
	for _, text := range []string{"", "0", "1", "90s", "15m", "2h", "36500d", "36501d", "-1", "+1", "1.5h", "1h30m", "99999999999999999999", "１", "1 "} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseDuration(text)
		if err != nil {
			if got != 0 {
				t.Errorf("%q: %d beside %v", text, got, err)
			}
			return
		}
		if got < 1 || got > MaxDuration {
			t.Errorf("%q is %d seconds", text, got)
		}
		digits := strings.TrimRight(text, "smhd")
		if len(text)-len(digits) > 1 || strings.Trim(digits, "0123456789") != "" {
			t.Errorf("%q was taken for a duration", text)
		}
		factor := map[string]int64{"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}[text[len(digits):]]
		if n := strings.TrimLeft(digits, "0"); got%factor != 0 || len(n) > 10 || n != decimal(got/factor) {
			t.Errorf("%q is %d seconds", text, got)
		}
	})
}

func decimal(n int64) string {
	text := ""
	for ; n > 0; n /= 10 {
		text = string(rune('0'+n%10)) + text
	}
	return text
}

// CMD-2, PULL-10: what is read can be used, and prints as it was read.
func FuzzParseRules(f *testing.F) {
	f.Add(DefaultRules("q").JSON())
	f.Add(`{"queue":"q","filter":".x","select":"latest","limit":3,"consume":"on_ack","share":"all","every":60,"template":"\u2028","lease":1,"max_attempts":1,"start":"new"}`)
	for _, text := range []string{"", "null", "{}", `{"queue":"q"}`, `{"queue":"q","delay":1}`, DefaultRules("q").JSON() + "x", "[]"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rules, err := ParseRules(text)
		if err != nil {
			if rules != (Rules{}) {
				t.Errorf("half-read rules %+v", rules)
			}
			return
		}
		if err := rules.checkValues(); err != nil || rules.Queue == "" {
			t.Errorf("unusable rules were read: %+v, %v", rules, err)
		}
		printed := rules.JSON()
		again, err := ParseRules(printed)
		if err != nil || again != rules || strings.ContainsAny(printed, "\n\r") {
			t.Errorf("%s became %s: %+v, %v", text, printed, again, err)
		}
	})
}

// OBJ-5: accepted names keep to their alphabet, and their tags to their frame.
func FuzzNames(f *testing.F) {
	for _, name := range []string{"", "a", "team:ops.bot-1_B", "in box", "größe", "a]b", "a\n", "\u202e", "\xff", "a#3", strings.Repeat("n", 64), strings.Repeat("é", 128)} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		label := utf8.ValidString(name) && name != "" && len(name) <= 255 && domain.Escape(name) == name
		if got := CheckKey(name) == nil; got != label {
			t.Errorf("key %q: %t", name, got)
		}
		if got := CheckQueue(name) == nil; got != (label && !strings.Contains(name, "]")) {
			t.Errorf("queue %q: %t", name, got)
		}
		plain := name != "" && len(name) <= 64 && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-") == ""
		if got := CheckSubscription(name) == nil; got != plain || got != (CheckSubscriber(name) == nil) {
			t.Errorf("name %q: %t", name, got)
		}
		tag := Tag(name, 12)
		if strings.Count(tag, "]") != 1 || !strings.HasSuffix(tag, "#12]") || strings.ContainsAny(tag, "\n\t") {
			t.Errorf("tag %q", tag)
		}
		if CheckQueue(name) == nil && tag != "["+name+"#12]" {
			t.Errorf("tag %q of a plain queue", tag)
		}
	})
}
