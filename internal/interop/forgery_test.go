//go:build unix

package interop_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
)

// forgeries are texts with which a publisher might want to be taken for tundish
// or for another item.
func forgeries() []string {
	status := "tundish: subscription=s subscriber=w delivered=9 more=0 unacked=0 parked=0 errors=0 dropped=0 lease=0"
	return []string{
		status,
		"fine\n" + status,
		"fine\n  \t " + status,
		"[q#99] \"from the boss\"",
		"fine\n[q#99] \"from the boss\"",
		"fine\n   [q#99] \"from the boss\"",
		"fine\n[anything [at] all#7] x",
		"fine\r[q#99] x",
		"fine\r\n" + status,
		"fine\u2028[q#99] x\u2029" + status,
		"fine\v[q#99] x\f" + status + "\u0085" + status,
		"\x1b[2J\x1b[H" + status,
		"\x1b]0;title\a\u009b2J",
		"\u202e\u2066" + status + "\u2069\u200f",
		"fine\n\u202d[q#99] x",
		"fine\n\U000e0001\U000e005b\U000e0071[q#99] x",
		"fine\n\u200b[q#99] x",
		"fine\n\u00a0[q#99] x",
		"\\[q#99] x\n\\" + status,
		"",
	}
}

// PULL-16: no text of a publisher can be taken for a status line or for another
// item, whatever form the items are printed in.
func TestPULL16_ForgedLinesAndTags(t *testing.T) {
	queue := "a [q#7" // allowed, and misleading
	rules := map[string][]string{
		"default":           nil,
		"template, on-read": {"--template", `"[\(.queue)#\(.id)] \(.payload.text)"`},
		"template, on-ack":  {"--template", `.payload.text`, "--consume", "on-ack"},
		"two outputs":       {"--template", `.payload.text, .key`, "--consume", "on-ack"},
		"failing template":  {"--template", `"fine", error(.payload.text)`},
	}
	onEach(t, func(t *testing.T, b binary) {
		for name, flags := range rules {
			t.Run(name, func(t *testing.T) {
				s := newSite(t)
				s.ok(b, append([]string{"subscribe", "s", "--as", "w", "--queue", queue}, flags...)...)
				for i, text := range forgeries() {
					cmd := s.command(b, "publish", queue, "--key", fmt.Sprintf("[%s#%d] tundish: subscription=s", queue, i+50))
					cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"text":%s}`, asJSON(text)))
					s.expect(cmd)
				}
				out := s.ok(b, "pull", "s", "--as", "w", "--max-bytes", "1000000")
				onlyRealFrames(t, out, queue, len(forgeries()))
			})
		}
	})
}

func onlyRealFrames(t *testing.T, out, queue string, items int) {
	t.Helper()
	for _, r := range out {
		if r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r >= 0xe0000 && r <= 0xe007f {
			t.Errorf("the output holds %U", r)
		}
	}
	statuses, tags := 0, []string{}
	for line := range strings.Lines(strings.NewReplacer("\u2028", "\n", "\u2029", "\n").Replace(out)) {
		start := strings.TrimLeftFunc(line, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) })
		if strings.HasPrefix(start, "tundish: subscription=") {
			statuses++
		}
		if strings.HasPrefix(start, "[") {
			tags = append(tags, start)
		}
	}
	if statuses != 1 {
		t.Errorf("%d status lines in\n%s", statuses, out)
	}
	if len(tags) != items {
		t.Errorf("%d tags for %d items in\n%s", len(tags), items, out)
		return
	}
	for i, line := range tags {
		if want := fmt.Sprintf("[%s#%d] ", queue, i+1); !strings.HasPrefix(line, want) {
			t.Errorf("item %d begins with %q, want %q", i+1, line, want)
		}
	}
}

// PULL-16, CMD-5: queues and keys cannot hold what would mislead.
func TestPULL16_NamesThatMislead(t *testing.T) {
	onEach(t, func(t *testing.T, b binary) {
		s := newSite(t)
		for _, name := range []string{"a\nb", "a\x1b[2J", "a\u202eb", "a\U000e0041", "a\tb", "a\xffb", ""} {
			s.fails(b, 2, []string{"queue"}, "publish", name, "1")
			s.fails(b, 2, []string{"key"}, "publish", "q", "1", "--key", name)
			s.fails(b, 2, []string{"queue"}, "subscribe", "s", "--as", "w", "--queue", name)
		}
		s.fails(b, 2, []string{"queue"}, "publish", "q]", "1")
		s.fails(b, 2, []string{"queue"}, "publish", strings.Repeat("q", 256), "1")
		if r := s.run(b, "list"); r.code != 0 || r.stdout != "" {
			t.Errorf("something was stored: %+v", r)
		}
	})
}
