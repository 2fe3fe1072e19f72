package app_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports"
	"github.com/tundish-go/tundish/ports/storage"
)

// OBJ-3.3
func TestOBJ3_OneNumberForAllDeliveriesOfAPull(t *testing.T) {
	h := newHouse(t)
	numbers := func() (list [3]int64) {
		h.must(h.store.View(context.Background(), func(r storage.Reader) error {
			for i, name := range []string{"a", "b", "c"} {
				b, _, err := r.Bound(name, "w")
				if err != nil {
					return err
				}
				list[i] = b.Binding.LastPull
			}
			return nil
		}))
		return list
	}
	h.subscribe("a", "w", rules(""))
	h.subscribe("b", "w", rules("share=one consume=on_ack"))
	h.subscribe("c", "w", rules("queue=other"))
	h.publish("q", "1")
	h.due("w")
	if got := numbers(); got != [3]int64{1, 1, 0} {
		t.Errorf("after a due pull: %v", got)
	}
	h.due("w") // delivers nothing, and counts for nothing
	h.publish("q", "2")
	h.pull("b", "w")
	h.publish("other", "3")
	h.due("w")
	if got := numbers(); got != [3]int64{3, 2, 3} {
		t.Errorf("in the end: %v", got)
	}
}

// PULL-5.2: more than one step, and more than any output holds.
func TestPULL5_UnackedHasNoCeiling(t *testing.T) {
	h := newHouse(t)
	h.limits["q"] = inbox.Retention{}
	h.fill("q", 2345)
	h.subscribe("s", "w", rules("consume=on_ack"))
	for range 3 {
		h.pullAs(app.Pull{Subscription: "s", Subscriber: "w", MaxBytes: 1 << 20})
	}
	h.ack(7, "w")
	h.publish("q", "0")
	h.want(h.pull("s", "w"), s(1, 0, 2344, 0, 0, 0, 0), "[q#2346] 0")
}

// PULL-7.2: counts of both kinds, and outputs that fail in every place.
func TestPULL7_CountsStayWhenTheOutputFails(t *testing.T) {
	for changes, want := range map[string]string{
		"":          s(0, 0, 0, 0, 0, 1, 0),
		"share=one": s(0, 0, 0, 0, 0, 1, 0),
		"share=one consume=on_ack lease=9 attempts=1": s(0, 0, 0, 1, 0, 0, 0),
	} {
		t.Run(changes, func(t *testing.T) {
			h := newHouse(t)
			h.subscribe("s", "w", rules(changes))
			h.publish("q", "1")
			if strings.Contains(changes, "on_ack") {
				h.pull("s", "w") // to be parked
			}
			h.limits["q"] = inbox.Retention{MaxAge: 10}
			h.at(1011)
			r := rules(changes)
			r.Filter = ".payload == 1"
			h.subscribe("s", "w", r)
			h.publish("q", "2") // removes 1
			before := h.line("s", "w")
			for _, w := range []interface {
				Write([]byte) (int, error)
			}{&failing{}, &failing{room: len(want)}, failingFlush{&failing{room: 1 << 20}}} {
				_, err := h.Pull(context.Background(), app.Pull{Subscription: "s", Subscriber: "w"}, w)
				h.code(err, domain.Output)
			}
			if after := h.line("s", "w"); after != before {
				t.Errorf("the state changed:\n%+v\n%+v", before, after)
			}
			h.want(h.pull("s", "w"), want)
			h.want(h.pull("s", "w"))
		})
	}
}

// PULL-10.3: the second of two subscriptions cannot be printed, and the first
// was.
func TestPULL10_DueIsAllOrNothing(t *testing.T) {
	h := newHouse(t)
	h.subscribe("a", "w", rules("every=60"))
	h.subscribe("b", "w", rules("share=one consume=on_ack every=60"))
	h.publish("q", "1")
	first := line("a", "w", 1, 0, 0, 0, 0, 0, 0) + "\n[q#1] 1\n"
	second := line("b", "w", 1, 0, 0, 0, 0, 0, 600) + "\n[q#1] 1\n"
	before := []app.BindingStatus{h.line("a", "w"), h.line("b", "w")}
	_, err := h.Pull(context.Background(), app.Pull{Due: true, Subscriber: "w"}, &failing{room: len(first) + 10})
	h.code(err, domain.Output)
	for i, name := range []string{"a", "b"} {
		if after := h.line(name, "w"); after != before[i] {
			t.Errorf("%s changed:\n%+v\n%+v", name, before[i], after)
		}
	}
	updates := h.store.updates.Load()
	if got := h.due("w"); got != first+second {
		t.Errorf("got:\n%s", got)
	}
	if n := h.store.updates.Load() - updates; n != 1 {
		t.Errorf("%d transactions", n)
	}
}

// PULL-10.11: between look and lock a pull by name delivers, and its interval
// begins.
func TestPULL10_DueIsDecidedUnderTheLock(t *testing.T) {
	h := newHouse(t)
	h.subscribe("s", "w", rules("limit=1 every=60"))
	h.publish("q", "1")
	h.publish("q", "2")
	h.hook().before = func() { h.want(h.pull("s", "w"), s(1, 1, 0, 0, 0, 0, 0), "[q#1] 1") }
	h.want(h.due("w"))
	h.at(1060)
	h.want(h.due("w"), s(1, 0, 0, 0, 0, 0, 0), "[q#2] 2")
}

// PULL-12.4: an item is published between look and lock.
func TestPULL12_AnItemThatWasNotEvaluatedEndsTheBatch(t *testing.T) {
	for changes, more := range map[string]int{"": 1, "share=one": 1, "select=latest limit=5": 0} {
		t.Run(changes, func(t *testing.T) {
			h := newHouse(t)
			r := rules(changes)
			r.Filter = ".payload > 0"
			h.subscribe("s", "w", r)
			h.publish("q", "1")
			h.hook().before = func() { h.publish("q", "2") }
			h.want(h.pull("s", "w"), s(1, more, 0, 0, 0, 0, 0), "[q#1] 1")
			if got := h.line("s", "w"); got.Cursor != 1 || got.Unread != 1 {
				t.Errorf("%+v", got)
			}
			h.want(h.pull("s", "w"), s(1, 0, 0, 0, 0, 0, 0), "[q#2] 2")
		})
	}
}

// slow is an output that can be given a deadline, and that is never ready.
type slow struct {
	bytes.Buffer
	until time.Time
}

func (w *slow) SetWriteDeadline(until time.Time) error { w.until = until; return nil }
func (w *slow) Write([]byte) (int, error)              { return 0, os.ErrDeadlineExceeded }

// PULL-11.4, PULL-12.5
func TestPULL12_WritingIsBounded(t *testing.T) {
	const bound = 500 * time.Millisecond
	h := newHouse(t)
	h.subscribe("s", "w", rules(""))
	h.publish("q", "1")
	pull := func(ctx context.Context) *slow {
		w := &slow{}
		_, err := h.Pull(ctx, app.Pull{Subscription: "s", Subscriber: "w"}, w)
		h.code(err, domain.Output)
		return w
	}
	begun := time.Now()
	w := pull(context.Background())
	if earliest, latest := begun.Add(bound), time.Now().Add(bound); w.until.Before(earliest) || w.until.After(latest) {
		t.Errorf("writing ends at %v, want %v to %v", w.until, earliest, latest)
	}
	const left = bound / 5
	if w = pull(pressed{context.Background(), left}); w.until.After(time.Now().Add(left)) {
		t.Errorf("writing ends at %v, after the deadline", w.until)
	}
	if w = pull(pressed{context.Background(), time.Hour}); w.until.After(time.Now().Add(bound)) {
		t.Errorf("writing ends at %v, when only the deadline counts", w.until)
	}
	h.want(h.pull("s", "w"), s(1, 0, 0, 0, 0, 0, 0), "[q#1] 1")
}

// pressed is a context with the same time left whenever it is asked.
type pressed struct {
	context.Context
	left time.Duration
}

func (p pressed) Deadline() (time.Time, bool) { return time.Now().Add(p.left), true }

// unmoved is an engine whose filters match nothing, at once, and heed no time.
type unmoved struct{ ports.Expressions }

func (u unmoved) Filter(string) (ports.Matcher, error)              { return u, nil }
func (unmoved) Match(context.Context, ports.Document) (bool, error) { return false, nil }
func (unmoved) Key() (string, bool)                                 { return "", false }

// PULL-14.2: the clock moves by 30 ms at each look. Of five steps, 100 ms are
// enough for three, and half of 120 ms for the first.
func TestPULL14_HalfOfTheTimeThatIsLeft(t *testing.T) {
	for left, cursor := range map[time.Duration]int64{time.Hour: 3000, 120 * time.Millisecond: 1000} {
		h := newHouseWith(t, unmoved{newEngine()})
		h.limits["q"] = inbox.Retention{}
		h.fill("q", 5000)
		r := rules("")
		r.Filter = "false"
		h.subscribe("s", "w", r)
		h.clock.pace.Store(int64(30 * time.Millisecond))
		var out bytes.Buffer
		_, err := h.Pull(pressed{context.Background(), left}, app.Pull{Subscription: "s", Subscriber: "w"}, &out)
		h.must(err)
		h.want(out.String())
		if got := h.line("s", "w").Cursor; got != cursor {
			t.Errorf("with %v left: cursor %d, want %d", left, got, cursor)
		}
	}
}

// PULL-14.3, PULL-15.9: a filter that never ends by itself, and no deadline.
func TestPULL14_TheFirstStepEndsAfterTwoSeconds(t *testing.T) {
	t.Parallel()
	h := newHouseWith(t, poison{Expressions: newEngine(), item: 2})
	r := rules("")
	r.Filter = "true"
	h.subscribe("s", "w", r)
	for range 3 {
		h.publish("q", "0")
	}
	begun := time.Now()
	h.want(h.pull("s", "w"), s(1, 1, 0, 0, 0, 0, 0), "[q#1] 0")
	if took := time.Since(begun); took < 2*time.Second {
		t.Errorf("the step ended after %v", took)
	}
}

// PULL-15.6: in filters and in templates.
func TestPULL15_OverTheBoundsIsAnError(t *testing.T) {
	h := newHouse(t)
	const huge = `if .payload == 1 then "x" * 1000000000 else true end`
	r := rules("")
	r.Filter = huge
	h.subscribe("s", "w", r)
	h.publish("q", "1")
	h.publish("q", "2")
	h.want(h.pull("s", "w"), s(1, 0, 0, 0, 1, 0, 0), "[q#2] 2")
	if got := h.line("s", "w").LastError; got == "" {
		t.Error("the last error is not told")
	}
	r = rules("")
	r.Template = huge
	h.subscribe("t", "w", r)
	got := strings.Split(h.pull("t", "w"), "\n")
	if got[0] != line("t", "w", 2, 0, 0, 0, 0, 0, 0) || !strings.HasPrefix(got[1], "[q#1] 1 (template error: ") || got[2] != "true" {
		t.Errorf("got %q", got)
	}
}
