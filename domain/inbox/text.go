package inbox

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tundish-go/tundish/domain"
)

// Strip removes from text what [domain.Hidden] tells (PULL-16).
func Strip(text string) string {
	if domain.Plain(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if domain.Hidden(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// Tag is the mark that precedes an item's default text and, under on-ack, every
// text: [queue#id]. A ] in the name of a taken-over queue is escaped, so that
// the tag ends where it should (STO-6).
func Tag(queue string, id int64) string {
	return "[" + strings.ReplaceAll(domain.Escape(queue), "]", `\u005d`) + "#" + strconv.FormatInt(id, 10) + "]"
}

// DefaultText is the text of an item without a template: tag, key, payload
// (PULL-8).
func DefaultText(item Item) string { return defaultText(item, len(item.Payload)) }

func defaultText(item Item, limit int) string {
	tag, payload := Tag(item.Queue, item.ID), domain.Escape(string(beginning(item.Payload, limit)))
	if item.Key == nil {
		return tag + " " + payload
	}
	return tag + " " + domain.Escape(*item.Key) + " " + payload
}

// beginning returns at least the first size+1 bytes of payload, up to the end of a
// character. None gets shorter when it is escaped, and some get six times as long.
func beginning(payload []byte, size int) []byte {
	if size >= len(payload) {
		return payload
	}
	end := max(size, 0) + 1
	for end < len(payload) && !utf8.RuneStart(payload[end]) {
		end++
	}
	return payload[:min(end, len(payload))]
}

// Rendering is what became of an item's template.
type Rendering struct {
	Text string // the template's outputs, joined by newlines
	Err  string // why it failed; empty when it did not
}

// maxTemplateError bounds the error text behind a failed template (PULL-8).
const maxTemplateError = 200

// ItemText is the text that a pull prints for item, without the final newline
// (PULL-8, PULL-16). rendering is nil when the rules have no template.
func ItemText(item Item, consume Consume, rendering *Rendering) string {
	return ItemTextWithin(item, consume, rendering, len(item.Payload))
}

// ItemTextWithin is ItemText for an output of at most limit bytes. A default form
// longer than that may end early, behind more than limit bytes: it fits no better
// than the whole, and Cut makes the same of both for every size up to limit
// (PULL-9). So a payload of any size costs no more than what can be printed of it.
func ItemTextWithin(item Item, consume Consume, rendering *Rendering, limit int) string {
	if rendering == nil {
		return defaultText(item, limit)
	}
	if rendering.Err != "" {
		return defaultText(item, limit) + " (template error: " + errorText(rendering.Err) + ")"
	}
	text := Strip(rendering.Text)
	if text == "" {
		return defaultText(item, limit)
	}
	tag := Tag(item.Queue, item.ID)
	if consume == OnAck {
		text = tag + " " + text
	}
	return guardLines(text, tag)
}

func errorText(text string) string {
	text = strings.Join(strings.Fields(Strip(text)), " ")
	return truncate(text, maxTemplateError)
}

// guardLines puts a backslash before every line that could be taken for a status
// line or for an item's tag, except a first line with the item's own tag
// (PULL-16).
func guardLines(text, own string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if i == 0 && strings.HasPrefix(line, own) {
			continue
		}
		if forged(line) {
			lines[i] = `\` + line
		}
	}
	return strings.Join(lines, "\n")
}

// forged tells whether line would read as a status line or as a tag: characters
// that nobody sees do not count, wherever they stand.
func forged(line string) bool {
	line = strings.TrimLeftFunc(strings.Map(visible, line), unicode.IsSpace)
	return statusLike(line) || tagged(line)
}

func visible(r rune) rune {
	if r < utf8.RuneSelf {
		return r
	}
	if unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
		return -1
	}
	return r
}

// statusLike tells whether line could be read as a status line, whatever its
// letters' case and its spaces.
func statusLike(line string) bool {
	for _, word := range []string{"tundish", ":", "subscription", "="} {
		if len(line) < len(word) || !strings.EqualFold(line[:len(word)], word) {
			return false
		}
		line = strings.TrimLeftFunc(line[len(word):], unicode.IsSpace)
	}
	return true
}

// tagged tells whether line starts like [anything#digits].
func tagged(line string) bool {
	if !strings.HasPrefix(line, "[") {
		return false
	}
	for {
		_, rest, found := strings.Cut(line, "#")
		if !found {
			return false
		}
		end := strings.TrimLeft(rest, "0123456789")
		if len(end) < len(rest) && strings.HasPrefix(end, "]") {
			return true
		}
		line = rest
	}
}

// Cut shortens text to at most size bytes, ending on a character boundary and
// with a pointer to the whole item (PULL-9). A text that fits is returned as it
// is.
func Cut(text string, size int, id int64) string {
	if len(text) <= size {
		return text
	}
	pointer := " … tundish show " + strconv.FormatInt(id, 10)
	return truncate(text, max(0, size-len(pointer))) + pointer
}

// truncate shortens text to at most size bytes on a character boundary.
func truncate(text string, size int) string {
	if len(text) <= size {
		return text
	}
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size]
}
