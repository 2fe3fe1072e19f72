package sqltest

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/tundish-go/tundish/adapters/internal/sqlstore"
	"github.com/tundish-go/tundish/adapters/jq"
	"github.com/tundish-go/tundish/adapters/payload"
	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// Marks that texts begin with: those of what is to be erased, and of what stays.
// Unlike ids and lengths, they come nowhere else in the files.
const (
	goneMark = "<gone>"
	keptMark = "<kept>"
)

// history is a random past of two queues, of which one is to be erased.
type history struct {
	t      *testing.T
	store  *sqlstore.Store
	random *rand.Rand
	in     *app.Inbox
	ids    []int64 // of the queue gone, as far as they may still be there
	second int64
}

func (h *history) must(err error) {
	h.t.Helper()
	must(h.t, err)
}

// text is one in which a mark comes again and again, so that any part of it tells.
// Some are so long that SQLite puts them on pages of their own.
func (h *history) text(mark string) string {
	length := 1 + h.random.IntN(30)
	switch h.random.IntN(8) {
	case 0:
		length = 900 + h.random.IntN(1200)
	case 1, 2:
		length = 60 + h.random.IntN(300)
	}
	return strings.Repeat(mark, length)
}

func (h *history) publish(queue, mark string, n int) {
	h.t.Helper()
	h.must(h.store.Update(h.t.Context(), func(w storage.Writer) error {
		for range n {
			item := inbox.Item{Queue: queue, Payload: []byte(`"` + h.text(mark) + `"`), CreatedAt: h.second}
			if h.random.IntN(2) == 0 {
				key := strings.Repeat(mark, 1+h.random.IntN(20))
				item.Key = &key
			}
			if h.random.IntN(6) == 0 {
				item.ExpiresAt = h.second + 1000
			}
			id, err := w.Insert(item)
			if err != nil {
				return err
			}
			if mark == goneMark {
				h.ids = append(h.ids, id)
			}
		}
		return nil
	}))
}

// claim acks some items with notes, leases others, and marks others as shown.
func (h *history) claim() {
	h.t.Helper()
	h.must(h.store.Update(h.t.Context(), func(w storage.Writer) error {
		for range 10 {
			id := h.ids[h.random.IntN(len(h.ids))]
			_, there, err := w.Item(id)
			if err != nil {
				return err
			}
			_, acked, err := w.Ack("s", id)
			if err != nil {
				return err
			}
			switch {
			case !there || acked:
			case h.random.IntN(2) == 0:
				err = w.PutAck(inbox.Ack{Subscription: "s", Item: id, Owner: "w", At: 1, Note: h.text(goneMark)})
			default:
				err = w.MarkShown("s", "w", []int64{id})
			}
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

// remove takes some items out of the middle, or the oldest, as retention does.
func (h *history) remove() {
	h.t.Helper()
	n := 1 + h.random.IntN(min(40, len(h.ids)))
	if h.random.IntN(2) == 0 {
		h.random.Shuffle(len(h.ids), func(i, j int) { h.ids[i], h.ids[j] = h.ids[j], h.ids[i] })
	}
	h.must(h.store.Update(h.t.Context(), func(w storage.Writer) error { return w.Remove("gone", h.ids[:n]) }))
	h.ids = h.ids[n:]
}

func (h *history) live(steps int) {
	h.t.Helper()
	for range steps {
		h.second++
		switch h.random.IntN(6) {
		case 0, 1:
			h.publish("gone", goneMark, 1+h.random.IntN(30))
		case 2:
			h.publish("kept", keptMark, 1+h.random.IntN(15))
		case 3:
			h.claim()
		default:
			if len(h.ids) > 100 {
				h.remove()
			}
		}
	}
}

// newHistory begins one, with a subscription that looks at the queue to be erased.
func newHistory(t *testing.T, store *sqlstore.Store, seed uint64) *history {
	t.Helper()
	in, err := app.New(app.Options{Store: store, Expressions: jq.New(), Payloads: payload.New()})
	must(t, err)
	h := &history{t: t, store: store, random: rand.New(rand.NewPCG(seed, 1)), in: in, second: 1000}
	rules := inbox.DefaultRules("gone")
	rules.Filter = fmt.Sprintf(".key != %q", goneMark+"filter")
	must(t, store.Update(t.Context(), func(w storage.Writer) error {
		sub := inbox.Subscription{Name: "s", Rules: rules, LastError: goneMark + "error"}
		if err := w.PutSubscription(sub); err != nil {
			return err
		}
		return w.PutBinding(inbox.Binding{Subscription: "s", Subscriber: "w", LastError: goneMark + "error"})
	}))
	h.publish("gone", goneMark, 100)
	return h
}

// found counts how often a mark can be read in the files of the database.
func (p Place) found(t *testing.T, mark string) (n int) {
	t.Helper()
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		content, err := os.ReadFile(p.path + suffix)
		if err == nil {
			n += bytes.Count(content, []byte(mark))
		} else if !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	return n
}

// testErasedByPurge purges a queue after a long past, in which SQLite has moved its
// rows from page to page, and looks for any part of them.
func testErasedByPurge(t *testing.T, opener Opener) {
	for seed := range uint64(2) {
		p := NewPlace(t, opener)
		store := p.store(t, sqlstore.Options{})
		h := newHistory(t, store, seed)
		h.live(80)
		must(t, store.Update(t.Context(), func(w storage.Writer) error {
			_, err := w.Schedule(inbox.Scheduled{Queue: "gone", Payload: []byte(`"` + h.text(goneMark) + `"`), At: 1 << 40})
			return err
		}))
		before := p.found(t, goneMark)
		done, err := h.in.Purge(t.Context(), app.Purge{Queue: "gone"})
		must(t, err)
		if done.Items == 0 || done.Scheduled != 1 || before == 0 {
			t.Fatalf("seed %d: purged %+v, and the mark was there %d times", seed, done, before)
		}
		if _, err := h.in.Delete(t.Context(), "s"); err != nil {
			t.Fatal(err)
		}
		if gone, kept := p.found(t, goneMark), p.found(t, keptMark); gone != 0 || kept == 0 {
			t.Errorf("seed %d: what was purged is still there %d times, and what stayed %d times", seed, gone, kept)
		}
		must(t, store.Close())
	}
}

// testErasedByVacuum looks for what retention took away.
func testErasedByVacuum(t *testing.T, opener Opener) {
	p := NewPlace(t, opener)
	store := p.store(t, sqlstore.Options{})
	h := newHistory(t, store, 9)
	h.live(80)
	must(t, store.Update(t.Context(), func(w storage.Writer) error {
		if _, err := w.RemoveSubscription("s"); err != nil {
			return err
		}
		return w.Remove("gone", h.ids)
	}))
	left := p.found(t, goneMark)
	size, err := store.Vacuum(t.Context())
	must(t, err)
	if size.After >= size.Before || size.After == 0 {
		t.Errorf("vacuumed %+v", size)
	}
	if gone, kept := p.found(t, goneMark), p.found(t, keptMark); left == 0 || gone != 0 || kept == 0 {
		t.Errorf("before, what was deleted was there %d times, now %d times, and what stayed %d times", left, gone, kept)
	}
	must(t, store.Close())
	if finding, err := check(t.Context(), p); err != nil || len(finding) > 0 {
		t.Errorf("%q, %v", finding, err)
	}
}

// check looks for damage through a store of its own.
func check(ctx context.Context, p Place) ([]string, error) {
	store, err := p.opener(ctx, p.path, sqlstore.Options{})
	if err != nil {
		return nil, err
	}
	findings, err := store.Check(ctx)
	if err != nil {
		return nil, err
	}
	return findings, store.Close()
}
