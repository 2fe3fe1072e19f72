package app_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports"
)

// failing is a writer that takes some bytes and then fails.
type failing struct {
	bytes.Buffer
	room int
}

func (f *failing) Write(p []byte) (int, error) {
	n, _ := f.Buffer.Write(p[:min(f.room, len(p))])
	if n < len(p) {
		return n, errors.New("no room")
	}
	return n, nil
}

// TestPULL12_OutputThatFailsMarksNothing writes to outputs that fail at once, in
// the middle, and at the flush.
func TestPULL12_OutputThatFailsMarksNothing(t *testing.T) {
	for _, changes := range []string{"", "share=one", "share=one consume=on_ack", "consume=on_ack", "select=latest limit=1"} {
		t.Run(changes, func(t *testing.T) {
			h := newHouse(t)
			h.publish("q", `"first"`)
			h.subscribe("s", "w", rules(changes))
			before := h.line("s", "w")
			whole := &failing{room: 1 << 20}
			for _, w := range []interface {
				Write([]byte) (int, error)
			}{&failing{}, &failing{room: 50}, failingFlush{whole}} {
				_, err := h.Pull(context.Background(), app.Pull{Subscription: "s", Subscriber: "w"}, w)
				h.code(err, domain.Output)
				if after := h.line("s", "w"); after != before {
					t.Fatalf("the state changed:\n%+v\n%+v", before, after)
				}
			}
			if got := h.pull("s", "w"); got != whole.String() {
				t.Fatalf("the repeat differs:\n%s\n%s", got, whole.String())
			}
		})
	}
}

type failingFlush struct{ *failing }

func (failingFlush) Flush() error { return errors.New("not flushed") }

// TestPULL13_NothingToSayWritesNothing counts write transactions.
func TestPULL13_NothingToSayWritesNothing(t *testing.T) {
	h := newHouse(t)
	h.publish("q", `{"n":1}`)
	for _, r := range []*inbox.Rules{rules(""), rules("share=one consume=on_ack"), rules("select=latest limit=3"), rules("filter=.payload.n>1")} {
		name := fmt.Sprintf("s%d", len(r.JSON()))
		h.subscribe(name, "w", r)
		h.pull(name, "w")
		before := h.store.updates.Load()
		h.want(h.pull(name, "w"))
		if n := h.store.updates.Load() - before; n != 0 {
			t.Errorf("%s: %d write transactions", r.JSON(), n)
		}
	}
	before := h.store.updates.Load()
	h.want(h.due("w"))
	if n := h.store.updates.Load() - before; n != 0 {
		t.Errorf("due: %d write transactions", n)
	}
}

// cancelling ends a context as soon as it is written to: the output is out, and
// the time is over before the commit.
type cancelling struct {
	bytes.Buffer
	cancel context.CancelCauseFunc
}

func (c *cancelling) Write(p []byte) (int, error) {
	c.cancel(errors.New("late"))
	return c.Buffer.Write(p)
}

// TestPULL11_LateBeforeTheCommit prints and then finds the time over.
func TestPULL11_LateBeforeTheCommit(t *testing.T) {
	h := newHouse(t)
	h.publish("q", `1`)
	h.subscribe("s", "w", rules(""))
	ctx, cancel := context.WithCancelCause(context.Background())
	w := &cancelling{cancel: cancel}
	_, err := h.Pull(ctx, app.Pull{Subscription: "s", Subscriber: "w"}, w)
	h.code(err, domain.Deadline)
	h.want(w.String(), s(1, 0, 0, 0, 0, 0, 0), "[q#1] 1")
	h.want(h.pull("s", "w"), s(1, 0, 0, 0, 0, 0, 0), "[q#1] 1")

	ended, stop := context.WithTimeout(context.Background(), -time.Second)
	defer stop()
	h.publish("q", `2`)
	_, err = h.Pull(ended, app.Pull{Subscription: "s", Subscriber: "w"}, w)
	h.code(err, domain.Deadline)
}

// TestPULL2_ErrorsCountOncePassed leaves the errors behind a full batch for the
// pull that passes them.
func TestPULL2_ErrorsCountOncePassed(t *testing.T) {
	h := newHouse(t)
	r := rules("limit=1")
	r.Filter = ".payload | tonumber"
	h.subscribe("s", "w", r)
	for _, p := range []string{`"x"`, `"1"`, `"y"`, `"2"`, `"z"`} {
		h.publish("q", p)
	}
	h.want(h.pull("s", "w"), s(1, 1, 0, 0, 1, 0, 0), `[q#2] "1"`)
	if got := h.line("s", "w"); got.Cursor != 2 || got.Counts.Errors != 0 || got.LastError == "" {
		t.Fatalf("%+v", got)
	}
	h.want(h.pull("s", "w"), s(1, 0, 0, 0, 2, 0, 0), `[q#4] "2"`)
	h.want(h.pull("s", "w"))
	h.subscribe("s", "w", rules(""))
	if got := h.line("s", "w"); got.LastError != "" {
		t.Fatalf("last error after a change of rules: %q", got.LastError)
	}
}

// TestPULL3_MoreOnlyWhenSomethingIsLeft has exactly a step of items.
func TestPULL3_MoreOnlyWhenSomethingIsLeft(t *testing.T) {
	h := newHouse(t)
	h.fill("q", 1000)
	r := rules("")
	r.Filter = ".payload == 1000"
	h.subscribe("s", "w", r)
	h.want(h.pull("s", "w"), s(1, 0, 0, 0, 0, 0, 0), "[q#1000] k1000 1000")
	if got := h.line("s", "w").Cursor; got != 1000 {
		t.Fatalf("cursor %d", got)
	}
}

// TestPULL4_LatestKeepsTheNewestThatFit drops the older ones for good.
func TestPULL4_LatestKeepsTheNewestThatFit(t *testing.T) {
	h := newHouse(t)
	h.subscribe("s", "w", rules("select=latest limit=3"))
	text := strings.Repeat("x", 60)
	for range 4 {
		h.publish("q", `"`+text+`"`)
	}
	got := h.pullAs(app.Pull{Subscription: "s", Subscriber: "w", MaxBytes: 400})
	h.want(got, s(2, 0, 0, 0, 0, 0, 0), `[q#3] "`+text+`"`, `[q#4] "`+text+`"`)
	h.want(h.pull("s", "w"))
}

// TestPULL5_UnackedIsExact counts what this binding was shown, whatever the
// order of acks, removals and changes.
func TestPULL5_UnackedIsExact(t *testing.T) {
	h := newHouse(t)
	h.limits["q"] = inbox.Retention{MaxItems: 3}
	h.subscribe("s", "w", rules("share=one consume=on_ack lease=60"))
	h.publish("q", "1")
	h.pull("s", "w") // leased to w
	done := h.subscribe("s", "w", rules("consume=on_ack"))
	if len(done.Lost) != 1 || done.Lost[0] != 1 {
		t.Fatalf("lost %v", done.Lost)
	}
	h.publish("q", "2")
	h.want(h.pull("s", "w"), s(1, 0, 1, 0, 0, 0, 0), "[q#2] 2")
	h.subscribe("s", "v", nil)
	h.ack(2, "v")
	h.publish("q", "3")
	h.want(h.pull("s", "w"), s(1, 0, 1, 0, 0, 0, 0), "[q#3] 3")
	h.pull("s", "v")
	h.publish("q", "4") // removes 1, which w was shown
	if got := fmt.Sprint(h.ids("q")); got != "[2 3 4]" {
		t.Fatal(got)
	}
	h.want(h.pull("s", "w"), s(1, 0, 1, 0, 0, 0, 0), "[q#4] 4")
}

// TestPULL6_ParkedByTheClock has every write to the subscription, and retention
// of its queue, record what is parked before anything else.
func TestPULL6_ParkedByTheClock(t *testing.T) {
	for name, act := range map[string]func(h *house){
		"rules":     func(h *house) { h.subscribe("s", "w", rules("share=one consume=on_ack lease=10 attempts=9")) },
		"ack":       func(h *house) { h.publish("q", "2"); h.ack(2, "w") },
		"unbind":    func(h *house) { h.must(h.Unsubscribe(context.Background(), "s", "v")) },
		"retention": func(h *house) { h.publish("q", "2") },
		"bind":      func(h *house) { h.subscribe("s", "late", nil) },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			h.subscribe("s", "w", rules("share=one consume=on_ack lease=10 attempts=1"))
			h.subscribe("s", "v", nil)
			h.publish("q", "1")
			h.pull("s", "w")
			h.at(1010)
			h.limits["q"] = inbox.Retention{MaxItems: 1}
			if name == "ack" {
				h.limits["q"] = inbox.Retention{}
			}
			act(h)
			h.at(1009) // only what was recorded is parked by this clock
			got := h.pull("s", "w")
			if !strings.Contains(status(got), "parked=1 ") {
				t.Fatalf("parked is not reported: %s", got)
			}
			if name == "retention" {
				if ids := fmt.Sprint(h.ids("q")); ids != "[2]" {
					t.Fatalf("a parked item holds retention: %s", ids)
				}
				if !strings.Contains(status(got), "dropped=0 ") {
					t.Fatalf("a parked item counts as dropped: %s", got)
				}
			}
		})
	}
}

// TestPULL7_CountsSurviveAChangeOfShare changes all → one → all before anybody
// has pulled the counts.
func TestPULL7_CountsSurviveAChangeOfShare(t *testing.T) {
	h := newHouse(t)
	h.limits["q"] = inbox.Retention{MaxAge: 10}
	h.subscribe("s", "w", rules(""))
	h.publish("q", "1")
	h.at(1011)
	h.publish("q", "2") // w loses 1
	h.subscribe("s", "w", rules("share=one"))
	h.at(1022)
	h.publish("q", "3") // the subscription loses 2
	h.subscribe("s", "w", rules(""))
	if got := h.line("s", "w").Counts.Dropped; got != 2 {
		t.Fatalf("status says dropped=%d", got)
	}
	h.want(h.pull("s", "w"), s(1, 0, 0, 0, 0, 2, 0), "[q#3] 3")
	h.want(h.pull("s", "w"))
}

// TestPULL10_StatusLinesWaitForItems places items first, gives mere status lines
// what is left, and keeps what does not fit for later.
func TestPULL10_StatusLinesWaitForItems(t *testing.T) {
	h := newHouse(t)
	h.limits["lost"] = inbox.Retention{MaxAge: 1}
	for i := range 6 {
		r := rules("queue=lost")
		r.Filter = ".payload == 1"
		h.subscribe(fmt.Sprintf("a%d", i), "w", r)
	}
	h.publish("lost", "1")
	h.at(1002)
	h.publish("lost", "2") // each of the six has lost an item
	h.subscribe("z", "w", rules("queue=q every=60"))
	h.publish("q", `"item"`)
	out := h.pullAs(app.Pull{Due: true, Subscriber: "w", MaxBytes: 600})
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(out) > 600 || lines[len(lines)-1] != `[q#3] "item"` || len(lines) != 6 {
		t.Fatalf("%d bytes:\n%s", len(out), out)
	}
	rest := h.due("w")
	if n := strings.Count(rest, "dropped=1"); n != 2 {
		t.Fatalf("the other two do not report: %s", rest)
	}
	h.want(h.due("w"))
}

// TestPULL10_UnusableRulesStopNobody skips a broken and an uncompilable
// subscription and says so.
func TestPULL10_UnusableRulesStopNobody(t *testing.T) {
	h := newHouse(t)
	h.publish("q", "1")
	h.subscribe("a", "w", rules(""))
	h.subscribe("b", "w", rules(""))
	h.must(h.place.Break("a", "unknown field colour"))
	var out bytes.Buffer
	done, err := h.Pull(context.Background(), app.Pull{Due: true, Subscriber: "w"}, &out)
	h.must(err)
	h.want(out.String(), line("b", "w", 1, 0, 0, 0, 0, 0, 0), "[q#1] 1")
	if len(done.Skipped) != 1 || done.Skipped[0].Subscription != "a" || !strings.Contains(done.Skipped[0].Reason, "colour") {
		t.Fatalf("%+v", done.Skipped)
	}
	if got := h.line("a", "w"); got.Broken == "" {
		t.Fatalf("status does not tell: %+v", got)
	}
	_, err = h.Pull(context.Background(), app.Pull{Subscription: "a", Subscriber: "w"}, &out)
	h.code(err, domain.Corrupt)
	h.subscribe("a", "w", rules("")) // rules set anew mend it
	h.want(h.pull("a", "w"), line("a", "w", 1, 0, 0, 0, 0, 0, 0), "[q#1] 1")
}

// TestPULL14_ScanGoesOnUntilSomethingMatches finds a match behind many steps in
// one pull while there is time, and step by step, silently, when there is not.
func TestPULL14_ScanGoesOnUntilSomethingMatches(t *testing.T) {
	for _, selects := range []string{"", "share=one", "select=latest limit=2"} {
		t.Run(selects, func(t *testing.T) {
			h := newHouse(t)
			h.limits["q"] = inbox.Retention{}
			h.fill("q", 5003)
			target := "5002"
			if strings.HasPrefix(selects, "select") {
				target = "2"
			}
			r := rules(selects)
			r.Filter = ".payload == " + target
			h.subscribe("fast", "w", r)
			h.want(h.pull("fast", "w"), line("fast", "w", 1, 0, 0, 0, 0, 0, 0), "[q#"+target+"] k"+target+" "+target)

			h.clock.pace.Store(int64(time.Second) / 2) // the scan time is over after one step
			h.subscribe("slow", "w", r)
			pulls := 0
			for ; pulls < 10; pulls++ {
				if out := h.pull("slow", "w"); out != "" {
					h.want(out, line("slow", "w", 1, 0, 0, 0, 0, 0, 0), "[q#"+target+"] k"+target+" "+target)
					break
				}
			}
			if pulls != 5 {
				t.Fatalf("arrived after %d silent pulls", pulls)
			}
			h.want(h.pull("slow", "w"))
			if got := h.line("slow", "w"); got.Cursor != 5003 || got.Unread != 0 {
				t.Fatalf("%+v", got)
			}
		})
	}
}

// TestPULL14_KeyIsLookedUp answers a filter on the key from the index although
// there is no time for a second step.
func TestPULL14_KeyIsLookedUp(t *testing.T) {
	for _, filter := range []string{`.key == "k4999"`, `.key == "k4999" and .payload > 1`} {
		h := newHouse(t)
		h.limits["q"] = inbox.Retention{}
		h.fill("q", 5000)
		h.clock.pace.Store(int64(time.Second))
		r := rules("")
		r.Filter = filter
		h.subscribe("s", "w", r)
		h.want(h.pull("s", "w"), s(1, 0, 0, 0, 0, 0, 0), "[q#4999] k4999 4999")
		if got := h.line("s", "w").Cursor; got != 5000 {
			t.Fatalf("cursor %d", got)
		}
	}
}

// poison is an expression engine whose filters never finish by themselves on one
// item.
type poison struct {
	ports.Expressions
	item  int64
	calls func()
}

func (p poison) Filter(text string) (ports.Matcher, error) {
	m, err := p.Expressions.Filter(text)
	return poisoned{m, p}, err
}

type poisoned struct {
	ports.Matcher
	poison
}

func (p poisoned) Match(ctx context.Context, doc ports.Document) (bool, error) {
	if p.calls != nil {
		p.calls()
	}
	if doc.ID == p.item {
		<-ctx.Done()
		return false, context.Cause(ctx)
	}
	return p.Matcher.Match(ctx, doc)
}

// TestPULL15_OutOfTime ends a scan in front of the item, unless it is the first
// of a scan.
func TestPULL15_OutOfTime(t *testing.T) {
	synctest.Test(t, outOfTime)
}

func outOfTime(t *testing.T) {
	h := newHouseWith(t, poison{Expressions: newEngine(), item: 2})
	r := rules("")
	r.Filter = "true"
	h.subscribe("s", "w", r)
	for range 3 {
		h.publish("q", "0")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	var out bytes.Buffer
	_, err := h.Pull(ctx, app.Pull{Subscription: "s", Subscriber: "w"}, &out)
	h.must(err)
	h.want(out.String(), s(1, 1, 0, 0, 0, 0, 0), "[q#1] 0")
	ctx, cancel = context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	out.Reset()
	_, err = h.Pull(ctx, app.Pull{Subscription: "s", Subscriber: "w"}, &out)
	h.must(err)
	h.want(out.String(), s(0, 1, 0, 0, 1, 0, 0))
	h.want(h.pull("s", "w"), s(1, 0, 0, 0, 0, 0, 0), "[q#3] 0")
}

// TestPULL12_NoExpressionUnderTheLock watches every evaluation.
func TestPULL12_NoExpressionUnderTheLock(t *testing.T) {
	var h *house
	h = newHouseWith(t, poison{Expressions: newEngine(), calls: func() {
		if h.store.locked.Load() {
			t.Error("a filter ran under the write lock")
		}
	}})
	h.limits["q"] = inbox.Retention{MaxAge: 5}
	for _, changes := range []string{"", "share=one consume=on_ack", "select=latest limit=1"} {
		r := rules(changes)
		r.Filter = "true"
		h.subscribe("s"+string(r.Share)+string(r.Select), "w", r)
	}
	h.publish("q", "1")
	h.due("w")
	h.publish("q", "2")
	h.at(2000)
	h.publish("q", "3")
	h.due("w")
}

// TestPULL5_OneAndOnReadIsExactlyOnce lets pullers race.
func TestPULL5_OneAndOnReadIsExactlyOnce(t *testing.T) {
	h := newHouse(t)
	h.limits["q"] = inbox.Retention{}
	h.fill("q", 400)
	r := rules("share=one")
	r.Template = ".payload"
	h.subscribe("s", "w0", r)
	var wg sync.WaitGroup
	var mu sync.Mutex
	seen := map[string]int{}
	for i := range 4 {
		who := fmt.Sprintf("w%d", i)
		h.subscribe("s", who, nil)
		wg.Go(func() {
			for left := true; left; {
				var out bytes.Buffer
				if _, err := h.Pull(context.Background(), app.Pull{Subscription: "s", Subscriber: who}, &out); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for l := range strings.Lines(out.String()) {
					if !strings.HasPrefix(l, "tundish: ") {
						seen[l]++
					}
				}
				left = len(seen) < 400
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(seen) != 400 {
		t.Fatalf("%d of 400 items arrived", len(seen))
	}
	for item, n := range seen {
		if n != 1 {
			t.Errorf("item %s arrived %d times", item, n)
		}
	}
}
