package app_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tundish-go/tundish/adapters/jq"
	"github.com/tundish-go/tundish/adapters/payload"
	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports/storage"
)

// delay publishes a text to q that waits for so many seconds, and returns its number.
func (h *house) delay(text string, seconds int64) int64 {
	h.Helper()
	done, err := h.Publish(context.Background(), app.Message{
		Queue: "q", Payload: []byte(text), Release: inbox.Moment{In: seconds},
	})
	h.must(err)
	if done.ID != 0 || done.Scheduled == 0 {
		h.Fatalf("%+v is not scheduled", done)
	}
	return done.Scheduled
}

// waiting lists the numbers of what waits.
func (h *house) waiting() (numbers []int64) {
	h.Helper()
	h.must(h.ListScheduled(context.Background(), app.Scheduled{Limit: -1}, func(s inbox.Scheduled) error {
		numbers = append(numbers, s.Number)
		return nil
	}))
	return numbers
}

// TestTIME1_ReleasedByPublish: what is ripe comes before what is published, in the
// order of its times, and no position has passed it.
func TestTIME1_ReleasedByPublish(t *testing.T) {
	h := newHouse(t)
	h.subscribe("s", "w", rules(""))
	h.delay(`"late"`, 20)
	h.delay(`"early"`, 10)
	h.delay(`"later"`, 40)
	h.publish("q", `"now"`)
	h.want(h.pull("s", "w"), s(1, 0, 0, 0, 0, 0, 0), `[q#1] "now"`)
	h.at(1019)
	if id := h.publish("other", "1"); id != 2 {
		t.Fatalf("a publish to another queue is item %d", id)
	}
	h.at(1020)
	if id := h.publish("q", `"next"`); id != 5 {
		t.Fatalf("the publish is item %d", id)
	}
	h.want(h.pull("s", "w"), s(3, 0, 0, 0, 0, 0, 0), `[q#3] "early"`, `[q#4] "late"`, `[q#5] "next"`)
	if got := h.waiting(); !slices.Equal(got, []int64{3}) {
		t.Fatalf("still waiting: %v", got)
	}
}

// TestTIME1_ReleasedByPull releases for the queues of the bindings that the pull is
// about, in a transaction before its own, and once.
func TestTIME1_ReleasedByPull(t *testing.T) {
	h := newHouse(t)
	h.subscribe("s", "w", rules(""))
	h.subscribe("other", "w", rules("queue=o"))
	h.delay(`"text"`, 10)
	h.at(1009)
	h.want(h.pull("s", "w"))
	updates := h.store.updates.Load()
	h.at(1010)
	h.want(h.pull("other", "w"))
	if h.store.updates.Load() != updates || len(h.waiting()) != 1 {
		t.Fatal("a pull of another queue released something")
	}
	h.want(h.due("w"), s(1, 0, 0, 0, 0, 0, 0), `[q#1] "text"`)
	if got := h.store.updates.Load() - updates; got != 2 {
		t.Fatalf("%d transactions, want one to release and one to deliver", got)
	}
	item, err := h.Item(context.Background(), 1)
	h.must(err)
	if item.CreatedAt != 1010 { // TIME-2
		t.Fatalf("created at %d", item.CreatedAt)
	}
	h.want(h.pull("s", "w"))
}

// TestTIME2_AgeFromRelease: an age limit counts from the release.
func TestTIME2_AgeFromRelease(t *testing.T) {
	h := newHouse(t)
	h.limits["q"] = inbox.Retention{MaxAge: 100}
	h.subscribe("s", "w", rules(""))
	h.delay("1", 500)
	h.at(1500)
	h.publish("q", "2")
	h.at(1600)
	h.publish("q", "3")
	h.want(h.pull("s", "w"), s(3, 0, 0, 0, 0, 0, 0), "[q#1] 1", "[q#2] 2", "[q#3] 3")
}

// TestTIME3_ClockStepsBack: a delay that was counted under a clock that ran ahead is
// over, and a time that was named is waited for.
func TestTIME3_ClockStepsBack(t *testing.T) {
	h := newHouse(t)
	h.subscribe("s", "w", rules(""))
	h.at(1_000_000)
	h.delay(`"delay"`, 10)
	_, err := h.Publish(context.Background(), app.Message{Queue: "q", Payload: []byte(`"time"`), Release: inbox.Moment{At: 1_000_010}})
	h.must(err)
	h.at(999_940) // a minute: an ordinary correction
	h.want(h.pull("s", "w"))
	h.at(999_939)
	h.want(h.pull("s", "w"), s(1, 0, 0, 0, 0, 0, 0), `[q#1] "delay"`)
	h.at(1_000_010)
	h.want(h.pull("s", "w"), s(1, 0, 0, 0, 0, 0, 0), `[q#2] "time"`)
}

// TestTIME4_ReleaseIsBounded: one publish or pull releases 500, or 16 MiB in a publish
// and 1 MiB in a pull, with the retention that so many items bring.
func TestTIME4_ReleaseIsBounded(t *testing.T) {
	h := newHouse(t)
	h.limits["q"] = inbox.Retention{MaxItems: 10}
	for n := range inbox.MaxRelease + 20 {
		h.delay(fmt.Sprint(n), 10)
	}
	h.at(1010)
	if id := h.publish("q", `"new"`); id != inbox.MaxRelease+1 {
		t.Fatalf("the publish is item %d", id)
	}
	if got := h.ids("q"); len(got) != 10 {
		t.Fatalf("%d items are kept", len(got))
	}
	h.subscribe("s", "w", rules("limit=1"))
	h.pull("s", "w")
	if got := h.ids("q"); got[len(got)-1] != inbox.MaxRelease+21 || len(h.waiting()) != 0 {
		t.Fatalf("the newest is item %d, and %d wait", got[len(got)-1], len(h.waiting()))
	}
	big := `"` + strings.Repeat("x", 9<<20) + `"`
	for range 3 {
		h.delay(big, 10)
	}
	h.at(1020)
	h.publish("q", "1")
	if got := h.waiting(); len(got) != 1 {
		t.Fatalf("%d large messages still wait", len(got))
	}
	for range 3 { // of which the first releases the large one
		h.delay(`"`+strings.Repeat("x", 600<<10)+`"`, 10)
	}
	h.at(1030)
	for _, left := range []int{1, 0} {
		h.pull("s", "w")
		if got := h.waiting(); len(got) != left {
			t.Fatalf("%d messages wait, want %d", len(got), left)
		}
	}
}

// tardy is a store whose first unit of work takes longer than there is time for.
type tardy struct {
	storage.Store
	begun bool
}

func (s *tardy) Update(ctx context.Context, fn func(storage.Writer) error) error {
	if s.begun {
		return s.Store.Update(ctx, fn)
	}
	s.begun = true
	<-ctx.Done()
	return context.Cause(ctx)
}

// TestTIME4_ALongReleaseStopsNobody: what cannot be released in time keeps a pull from
// nothing else.
func TestTIME4_ALongReleaseStopsNobody(t *testing.T) {
	h := newHouse(t)
	h.delay("1", 10)
	h.publish("other", "2")
	h.subscribe("s", "w", rules(""))
	h.subscribe("o", "w", rules("queue=other"))
	h.at(1010)
	in, err := app.New(app.Options{Store: &tardy{Store: h.place.Open()}, Clock: h.clock, Expressions: jq.New(), Payloads: payload.New()})
	h.must(err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	var out bytes.Buffer
	done, err := in.Pull(ctx, app.Pull{Due: true, Subscriber: "w"}, &out)
	h.must(err)
	if done.Delivered != 1 || len(h.waiting()) != 1 {
		t.Errorf("%d were delivered, and %d wait: %s", done.Delivered, len(h.waiting()), out.String())
	}
	h.want(h.pull("s", "w"), s(1, 0, 0, 0, 0, 0, 0), "[q#2] 1")
}

// TestTIME5_Dedupe: a repeated publish finds what waits, and later the item.
func TestTIME5_Dedupe(t *testing.T) {
	h := newHouse(t)
	ctx := context.Background()
	m := app.Message{Queue: "q", Payload: []byte("1"), Dedupe: "d", Release: inbox.Moment{In: 10}}
	try := func(want app.Published) {
		t.Helper()
		got, err := h.Publish(ctx, m)
		h.must(err)
		if got != want {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	}
	try(app.Published{Scheduled: 1})
	try(app.Published{Scheduled: 1, Duplicate: true})
	m.Release = inbox.Moment{}
	try(app.Published{Scheduled: 1, Duplicate: true})
	h.must(h.Unschedule(ctx, 1))
	m.Release = inbox.Moment{In: 10}
	try(app.Published{Scheduled: 2})
	h.at(1010)
	h.publish("q", "2")
	try(app.Published{ID: 1, Duplicate: true})
	h.at(1000 + inbox.DedupeTTL)
	try(app.Published{Scheduled: 3}) // a day after the publish, not after the release
}

// TestTIME9_Unschedule takes back what waits, and says so of what does not.
func TestTIME9_Unschedule(t *testing.T) {
	h := newHouse(t)
	ctx := context.Background()
	h.code(h.Unschedule(ctx, 1), domain.NotFound)
	first, second := h.delay("1", 10), h.delay("2", 10)
	h.must(h.Unschedule(ctx, first))
	h.code(h.Unschedule(ctx, first), domain.NotFound)
	h.at(1010)
	h.publish("q", "3")
	h.code(h.Unschedule(ctx, second), domain.NotFound)
	if got := h.ids("q"); !slices.Equal(got, []int64{1, 2}) {
		t.Fatalf("items %v", got)
	}
}

// TestTIME1_Batches: drafts of a batch cannot wait.
func TestTIME1_Batches(t *testing.T) {
	h := newHouse(t)
	draft, err := h.Prepare(context.Background(), app.Message{Queue: "q", Payload: []byte("1"), Release: inbox.Moment{In: 1}})
	h.must(err)
	_, err = h.PublishAll(context.Background(), "q", []app.Draft{draft})
	h.code(err, domain.Invalid)
}

// TestTIME9_ScheduledJSON spells what waits.
func TestTIME9_ScheduledJSON(t *testing.T) {
	h := newHouse(t)
	key := "k"
	_, err := h.Publish(context.Background(), app.Message{
		Queue: "q", Key: &key, Payload: []byte("1.0"), Release: inbox.Moment{At: 2000}, Expires: inbox.Moment{In: 3000},
	})
	h.must(err)
	h.delay("2", 10)
	var lines []string
	h.must(h.ListScheduled(context.Background(), app.Scheduled{Queue: "q", Limit: 5}, func(s inbox.Scheduled) error {
		lines = append(lines, string(app.ScheduledJSON(s)))
		return nil
	}))
	h.want(strings.Join(lines, "\n")+"\n", `{"scheduled":2,"queue":"q","key":null,"payload":2,"at":1010}`,
		`{"scheduled":1,"queue":"q","key":"k","payload":1.0,"at":2000,"expires_at":4000}`)
}

// TestNextDue names the first time at which a pull may have something.
func TestNextDue(t *testing.T) {
	h := newHouse(t)
	ctx := context.Background()
	next := func(p app.Pull, want int64) {
		t.Helper()
		got, err := h.NextDue(ctx, p)
		h.must(err)
		if got != want {
			t.Fatalf("next is %d, want %d", got, want)
		}
	}
	h.subscribe("s", "w", rules("share=one consume=on_ack lease=30 every=50"))
	named, due := app.Pull{Subscription: "s", Subscriber: "w"}, app.Pull{Due: true, Subscriber: "w"}
	next(named, 0)
	h.delay("1", 40)
	next(named, 1040)
	h.publish("q", "2")
	h.pull("s", "w")
	next(named, 1030)
	h.must(h.Unschedule(ctx, 1))
	h.ack(1, "w")
	next(named, 0)
	next(due, 1050)
	h.delay("3", 10)
	h.at(1020)
	next(due, 1020)
}
