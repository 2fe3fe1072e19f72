package app_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/tundish-go/tundish/app"
)

// HOOK-5: with ItemsOnly a pull that delivers nothing writes nothing, is over
// without a lock once its progress is kept, and what it had to report comes with
// the next item, or with the next pull that may report alone.
func TestHOOK5_ItemsOnly(t *testing.T) {
	h := newHouse(t)
	r := rules("")
	r.Filter = ".payload.a"
	h.subscribe("s", "w", r)
	h.publish("q", "1") // on which the filter fails
	ask := app.Pull{Due: true, Subscriber: "w", ItemsOnly: true}
	pull := func() string {
		t.Helper()
		var out bytes.Buffer
		_, err := h.Pull(context.Background(), ask, &out)
		h.must(err)
		return out.String()
	}
	h.want(pull())
	if line := h.line("s", "w"); line.Counts.Errors != 1 || line.Unread != 0 {
		t.Errorf("afterwards: %+v", line)
	}
	before := h.store.updates.Load()
	h.want(pull())
	if n := h.store.updates.Load() - before; n != 0 {
		t.Errorf("%d more transactions", n)
	}
	h.publish("q", `{"a":true}`)
	h.want(pull(), s(1, 0, 0, 0, 1, 0, 0), `[q#2] {"a":true}`)
	h.publish("q", "3")
	h.want(pull())
	h.want(h.due("w"), s(0, 0, 0, 0, 1, 0, 0))
}
