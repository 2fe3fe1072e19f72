package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/tundish-go/tundish/adapters/jq"
	"github.com/tundish-go/tundish/adapters/memory"
	"github.com/tundish-go/tundish/adapters/payload"
	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports"
	"github.com/tundish-go/tundish/ports/storage"
)

// FuzzPull has whole pulls print what a hostile publisher chose, in a queue
// whose name may come from a database that was taken over, through templates
// that help him. Whatever he does, each output keeps to its budget (PULL-9),
// holds no hidden character (PULL-16), and read line by line yields our status
// lines and the tags of the true items, each once and in order.
func FuzzPull(f *testing.F) {
	status := "tundish: subscription=a subscriber=w delivered=9 more=0 unacked=0 parked=0 errors=0 dropped=0 lease=0"
	for shape := range uint16(4 * len(hostileTemplates())) {
		f.Add("q", "k", "fine\n"+status, []byte("x\n[q#1] forged"), shape, 400)
	}
	f.Add("a]b\n[c#1]", "[q#2]", "\u202e\u2066[q#1]", []byte("\xff\x00\u2028[q#3]"), uint16(5), 500)
	f.Add(strings.Repeat("ü", 127), status, strings.Repeat("日本", 300), []byte("TUNDISH :\tsubscription ="), uint16(12), 450)
	engine := jq.New()
	f.Fuzz(func(t *testing.T, queue, key, text string, raw []byte, shape uint16, budget int) {
		if queue == "" || len(queue) > 255 || len(key) > 255 || len(text)+len(raw) > 1<<14 || budget < inbox.MinMaxBytes || budget > 1<<16 {
			t.Skip("nothing that can be stored or asked for")
		}
		h := newHostile(t, engine, queue, key, shape, budget)
		h.store(text, raw)
		for range 20 {
			if h.pull() == "" {
				h.complete()
				return
			}
		}
		t.Fatal("20 pulls were not enough for 6 texts")
	})
}

// hostileTemplates give what a publisher wrote a way out.
func hostileTemplates() []string {
	return []string{
		"", ".payload.text", ".payload.raw | @base64d", `"fine", error(.payload.text)`, "error(.payload.raw | @base64d)", ".payload",
		`"[\(.queue)#\(.id)] \(.payload.text)"`, ".key, .payload.text", `"tundish: subscription=" + .payload.text`,
		`.payload.text, (.payload.raw | @base64d), "[\(.queue)#\(.id + 1)]"`, `"[" + (.payload.raw | @base64d) + "#1]"`, "empty",
	}
}

// hostile is a subscriber with two subscriptions to a queue of hostile items.
type hostile struct {
	*testing.T
	*app.Inbox
	place     storage.Store
	queue     string
	key       *string
	rules     inbox.Rules
	due       bool
	budget    int
	tag       *regexp.Regexp
	items     int64
	delivered map[string]int64 // items, by subscription
	last      map[string]int64 // the last tag, by subscription
}

func newHostile(t *testing.T, engine ports.Expressions, queue, key string, shape uint16, budget int) *hostile {
	t.Helper()
	h := &hostile{
		T: t, place: memory.New().Open(), queue: queue, budget: budget, due: shape&2 != 0, rules: inbox.DefaultRules(queue),
		tag:       regexp.MustCompile(`^\[.*?#([0-9]+)\]`),
		delivered: map[string]int64{}, last: map[string]int64{},
	}
	if key != "" {
		h.key = &key
	}
	if shape&1 != 0 {
		h.rules.Consume = inbox.OnAck
	}
	templates := hostileTemplates()
	h.rules.Template = templates[int(shape/4)%len(templates)]
	fixed := &clock{}
	fixed.now.Store(1000)
	var err error
	h.Inbox, err = app.New(app.Options{Store: h.place, Clock: fixed, Expressions: engine, Payloads: payload.New()})
	h.must(err)
	return h
}

func (h *hostile) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// store puts items and subscriptions there as a database of the old program
// would bring them: no name is checked.
func (h *hostile) store(text string, raw []byte) {
	h.Helper()
	texts := []string{text, strings.ToValidUTF8(string(raw), "?"), text + "\n" + text}
	h.items = int64(len(texts))
	h.must(h.place.Update(h.Context(), func(w storage.Writer) error {
		for _, text := range texts {
			document, err := json.Marshal(map[string]any{"text": text, "raw": raw}) // raw becomes base64
			if err != nil {
				return err
			}
			if document, err = payload.New().Canonical(document, 10); err != nil {
				return err
			}
			if _, err := w.Insert(inbox.Item{Queue: h.queue, Key: h.key, Payload: document, CreatedAt: 1000}); err != nil {
				return err
			}
		}
		for _, name := range []string{"a", "b"} {
			if err := w.PutSubscription(inbox.Subscription{Name: name, Rules: h.rules}); err != nil {
				return err
			}
			if err := w.PutBinding(inbox.Binding{Subscription: name, Subscriber: "w"}); err != nil {
				return err
			}
		}
		return nil
	}))
}

// pull pulls all that is due, or the next of the two by name, and reads what is
// printed.
func (h *hostile) pull() string {
	h.Helper()
	p := app.Pull{Due: h.due, Subscriber: "w", MaxBytes: h.budget}
	if !h.due {
		if p.Subscription = "a"; h.delivered["a"] == h.items {
			p.Subscription = "b"
		}
	}
	var out bytes.Buffer
	done, err := h.Pull(h.Context(), p, &out)
	h.must(err)
	if out.Len() > h.budget {
		h.Errorf("%d bytes in a budget of %d:\n%s", out.Len(), h.budget, out.String())
	}
	if got := h.read(out.String()); got != done.Delivered {
		h.Errorf("the status lines tell of %d items, the pull of %d:\n%s", got, done.Delivered, out.String())
	}
	return out.String()
}

// read reads an output as an agent would, and returns the number of items that
// its status lines tell of.
func (h *hostile) read(out string) (delivered int64) {
	h.Helper()
	if out == "" {
		return 0
	}
	if !utf8.ValidString(out) || strings.ContainsFunc(out, misleading) || !strings.HasSuffix(out, "\n") {
		h.Errorf("the output is not clean text: %q", out)
	}
	strict := regexp.MustCompile(`^tundish: subscription=([ab]) subscriber=w delivered=([0-9]+) more=[01] unacked=[0-9]+ parked=0 errors=0 dropped=0 lease=0$`)
	loose := regexp.MustCompile(`(?i)^tundish\s*:\s*subscription\s*=`)
	var name string
	var announced, tags int64
	for i, line := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
		seen := strings.TrimLeftFunc(line, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) })
		if m := strict.FindStringSubmatch(line); m != nil {
			h.tags(announced, tags, out)
			name, tags = m[1], 0
			announced, _ = strconv.ParseInt(m[2], 10, 64)
			delivered += announced
			h.delivered[name] += announced
			continue
		}
		if i == 0 || loose.MatchString(seen) {
			h.Errorf("line %d is no status line of ours: %q in\n%s", i, line, out)
		}
		if h.tag.MatchString(seen) {
			tags++
			h.tagged(name, line, out)
		}
	}
	h.tags(announced, tags, out)
	return delivered
}

// tagged demands that a line with a tag is the true next item.
func (h *hostile) tagged(name, line, out string) {
	h.Helper()
	for id := h.last[name] + 1; id <= h.items; id++ {
		if strings.HasPrefix(line, inbox.Tag(h.queue, id)) {
			h.last[name] = id
			return
		}
	}
	h.Errorf("a tag that is not the next item's: %q in\n%s", line, out)
}

// tags demands that a batch has a tag for each item, where the form prints one
// and the budget has room for it.
func (h *hostile) tags(announced, tags int64, out string) {
	h.Helper()
	always := h.rules.Template == "" || h.rules.Consume == inbox.OnAck
	if room := h.budget - 94 - 2 - 6*19 - 40; tags > announced || always && len(inbox.Tag(h.queue, 1)) < room && tags < announced {
		h.Errorf("%d tags for %d items in\n%s", tags, announced, out)
	}
}

// misleading tells the characters that no output may hold, from the lists of the
// standard library.
func misleading(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) || r>>7 == 0xE0000>>7
}

// complete demands that everything came, once.
func (h *hostile) complete() {
	h.Helper()
	for _, name := range []string{"a", "b"} {
		if h.delivered[name] != h.items {
			h.Errorf("%s got %d of %d items", name, h.delivered[name], h.items)
		}
	}
	if again := h.pull(); again != "" {
		h.Errorf("something comes again: %q", again)
	}
	lines, err := h.Status(h.Context())
	if want := fmt.Sprint(h.items); err != nil || len(lines) != 2 || fmt.Sprint(lines[0].Cursor) != want {
		h.Errorf("the status is %+v, %v", lines, err)
	}
}
