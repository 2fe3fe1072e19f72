package inbox

import (
	"strings"
	"testing"

	"github.com/tundish-go/tundish/domain"
)

// OBJ-5: 1 to 64 of A-Z a-z 0-9 . _ : -
func TestOBJ5_NamesOfSubscriptionsAndSubscribers(t *testing.T) {
	good := []string{"a", "A", "z", "Z", "0", "9", ".", "_", ":", "-", "team:ops.bot-1_B", strings.Repeat("n", 64)}
	bad := []string{
		"", strings.Repeat("n", 65), "in box", "re/viewer", "größe", "a=b", "a\n", "a\x00", "a\xff", "]",
		"@", "[", "`", "{", "/", ";", "a,b", "\u200b", "a\uFFFD", "a+b",
	}
	for what, check := range map[string]func(string) error{"subscription": CheckSubscription, "subscriber": CheckSubscriber} {
		for _, name := range good {
			if err := check(name); err != nil {
				t.Errorf("%s %q: %v", what, name, err)
			}
		}
		for _, name := range bad {
			err := check(name)
			if domain.CodeOf(err) != domain.Invalid {
				t.Errorf("%s %q: %v", what, name, err)
				continue
			}
			if text := err.Error(); !strings.Contains(text, what) || !strings.Contains(text, "A-Z a-z 0-9 . _ : -") {
				t.Errorf("%s %q: %q names neither the object nor the remedy", what, name, text)
			}
		}
	}
}

// OBJ-5: every one of the 128 ASCII characters is on the right side.
func TestOBJ5_NameAlphabet(t *testing.T) {
	const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-"
	for c := rune(0); c < 0x180; c++ {
		err := CheckSubscription("a" + string(c))
		if got, want := err == nil, strings.ContainsRune(allowed, c); got != want {
			t.Errorf("%q accepted=%t, want %t", c, got, want)
		}
	}
}

// refusedRunes are the edges of every range that OBJ-5 and PULL-16 refuse.
func refusedRunes() []rune {
	return []rune{
		0x00, '\t', '\n', 0x0B, '\r', 0x1B, 0x1F, 0x7F, 0x80, 0x85, 0x9F,
		0x061C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2066, 0x2069, 0xE0000, 0xE0001, 0xE007F,
	}
}

// plainRunes are the characters just outside these ranges, and ordinary ones.
func plainRunes() []rune {
	return []rune{
		0x20, 0x21, 0x7E, 0xA0, 0x061B, 0x061D, 0x200D, 0x2010, 0x2027, 0x202F, 0x2065, 0x206A,
		0xDFFFF, 0xE0080, '[', '#', 'é', '日', '🔥', 0x10FFFF, 0xFFFD,
	}
}

func TestOBJ5_QueuesAndKeys(t *testing.T) {
	both := map[string]func(string) error{"queue": CheckQueue, "key": CheckKey, "dedupe": CheckDedupe}
	for what, check := range both {
		t.Run(what, func(t *testing.T) {
			good := []string{"a", " ", "team chat/ops", strings.Repeat("é", 127) + "x", strings.Repeat("q", 255)}
			for _, r := range plainRunes() {
				good = append(good, "a"+string(r), string(r))
			}
			bad := []string{"", "\xff", "a\xc3", "\xed\xa0\x80", strings.Repeat("q", 256), strings.Repeat("é", 128)}
			for _, r := range refusedRunes() {
				bad = append(bad, "a"+string(r), string(r)+"a")
			}
			for _, s := range good {
				if err := check(s); err != nil {
					t.Errorf("%q: %v", s, err)
				}
			}
			for _, s := range bad {
				if err := check(s); domain.CodeOf(err) != domain.Invalid {
					t.Errorf("%q: %v", s, err)
				}
			}
		})
	}
	requireCode(t, CheckQueue("a]b"), domain.Invalid)
	requireCode(t, CheckQueue("]"), domain.Invalid)
	if err := CheckKey("a]b"); err != nil {
		t.Errorf("a key may hold ]: %v", err)
	}
}

// OBJ-5: the message says what is wrong, so that the caller can fix it.
func TestOBJ5_MessagesNameTheFault(t *testing.T) {
	tests := []struct {
		err  error
		want string
	}{
		{CheckSubscription(""), "the subscription name is empty"},
		{CheckSubscriber(strings.Repeat("n", 65)), "is 65 bytes long"},
		{CheckSubscriber("a b"), `contains ' '`},
		{CheckQueue(""), "the queue name is empty"},
		{CheckQueue("a]"), `"a]" contains ]`},
		{CheckQueue("\xff"), "not valid UTF-8"},
		{CheckKey(strings.Repeat("k", 256)), "is 256 bytes long; shorten it to 255 bytes"},
		{CheckKey(strings.Repeat("k", 256)), `the key "` + strings.Repeat("k", 40) + `…" is 256`},
		{CheckQueue(strings.Repeat("é", 200)), `"` + strings.Repeat("é", 20) + `…" is 400`},
		{CheckQueue("x" + strings.Repeat("é", 200)), `"x` + strings.Repeat("é", 19) + `…" is 401`},
		{CheckDedupe(strings.Repeat("d", 999)), `dedupe id "` + strings.Repeat("d", 40) + `…" is 999`},
		{CheckSubscriber(strings.Repeat("n", 65)), `"` + strings.Repeat("n", 40) + `…" is 65`},
		{CheckKey(strings.Repeat("k", 39) + "\n"), `the key "` + strings.Repeat("k", 39) + `\n" contains`},
		{CheckKey(strings.Repeat("\x80", 60)), `the key "` + strings.Repeat(`\x80`, 36) + `…" is not valid`},
		{CheckKey("a\u202e"), "contains U+202E"},
		{CheckKey("a\n"), "contains U+000A"},
	}
	for _, tt := range tests {
		if tt.err == nil || !strings.Contains(tt.err.Error(), tt.want) {
			t.Errorf("%v, want …%s…", tt.err, tt.want)
		}
	}
}
