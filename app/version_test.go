package app_test

import (
	"context"
	"testing"

	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// numbered is a store that names what has been committed by the number of its
// commits, and counts how often a pull reads its facts.
type numbered struct {
	storage.Store
	commits int
	looks   int
}

func (n *numbered) View(ctx context.Context, fn func(storage.Reader) error) error {
	return n.Store.View(ctx, func(r storage.Reader) error { return fn(numberedReader{r, n}) })
}

func (n *numbered) Update(ctx context.Context, fn func(storage.Writer) error) error {
	err := n.Store.Update(ctx, func(tx storage.Writer) error { return fn(numberedWriter{tx, n}) })
	if err == nil {
		n.commits++
	}
	return err
}

type numberedReader struct {
	storage.Reader
	store *numbered
}

func (r numberedReader) Version() (any, error) { return r.store.commits, nil }

func (r numberedReader) Bound(subscription, subscriber string) (inbox.Bound, bool, error) {
	r.store.looks++
	return r.Reader.Bound(subscription, subscriber)
}

type numberedWriter struct {
	storage.Writer
	store *numbered
}

func (w numberedWriter) Version() (any, error) { return w.store.commits, nil }

func (w numberedWriter) Bound(subscription, subscriber string) (inbox.Bound, bool, error) {
	w.store.looks++
	return w.Writer.Bound(subscription, subscriber)
}

// TestPULL12_ThePlanIsMadeAgainWhereFactsMayDiffer counts how often a pull reads
// its facts: once where nothing happens between look and lock, else once more,
// and the plan under the lock is the one that counts (PULL-12.4).
func TestPULL12_ThePlanIsMadeAgainWhereFactsMayDiffer(t *testing.T) {
	for _, tt := range []struct {
		name    string
		between func(*house)
		looks   int
		want    []string
	}{
		{"nothing happens", func(*house) {}, 1, []string{s(2, 0, 0, 0, 0, 0, 600), "[q#1] 1", "[q#2] 2"}},
		{"a second goes by", func(h *house) { h.at(1001) }, 2, []string{s(2, 0, 0, 0, 0, 0, 600), "[q#1] 1", "[q#2] 2"}},
		{"an item is acked", func(h *house) { h.ack(1, "w") }, 2, []string{s(1, 0, 0, 0, 0, 0, 600), "[q#2] 2"}},
		{"an item is published", func(h *house) { h.publish("q", "3") }, 2, []string{s(2, 1, 0, 0, 0, 0, 600), "[q#1] 1", "[q#2] 2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHouse(t)
			n := &numbered{Store: h.store.Store}
			h.store.Store = n
			h.subscribe("s", "w", rules("share=one consume=on_ack"))
			h.publish("q", "1")
			h.publish("q", "2")
			h.hook().before = func() {
				tt.between(h)
				n.looks = 1 // the one before
			}
			n.looks = 0
			h.want(h.pull("s", "w"), tt.want...)
			if n.looks != tt.looks {
				t.Errorf("the facts were read %d times, want %d", n.looks, tt.looks)
			}
			if got := h.line("s", "w"); got.Cursor != 2 {
				t.Errorf("%+v", got)
			}
		})
	}
}
