package app_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

// expire publishes a text to q that nobody gets from so many seconds on.
func (h *house) expire(text string, seconds int64) int64 {
	h.Helper()
	done, err := h.Publish(context.Background(), app.Message{Queue: "q", Payload: []byte(text), Expires: inbox.Moment{In: seconds}})
	h.must(err)
	return done.ID
}

// TestTIME6_Refused: what would be over before anyone could read it.
func TestTIME6_Refused(t *testing.T) {
	h := newHouse(t)
	for _, m := range []app.Message{
		{Expires: inbox.Moment{At: 1000}},
		{Expires: inbox.Moment{In: 60}, Release: inbox.Moment{In: 60}},
		{Expires: inbox.Moment{At: 1500}, Release: inbox.Moment{At: 1500}},
		{Expires: inbox.Moment{At: 1500}, Release: inbox.Moment{In: 600}},
	} {
		m.Queue, m.Payload = "q", []byte("1")
		_, err := h.Publish(context.Background(), m)
		h.code(err, domain.Invalid)
	}
	if h.store.updates.Load() != 0 {
		t.Fatal("the store was written to")
	}
}

// TestTIME7_PullCounts: who has not read an item when it expires is told under
// dropped=, once, if the filter matches, and gets only the others.
func TestTIME7_PullCounts(t *testing.T) {
	h := newHouse(t)
	even := rules("")
	even.Filter = ".payload % 2 == 0"
	h.subscribe("s", "w", even)
	h.expire("1", 60) // does not match
	h.expire("2", 60)
	h.publish("q", "4")
	h.expire("6", 61)
	h.expire("8", 60)
	h.at(1060)
	h.want(h.pull("s", "w"), s(2, 0, 0, 0, 0, 2, 0), "[q#3] 4", "[q#4] 6")
	h.want(h.pull("s", "w"))
	h.at(1061)
	h.publish("q", "10") // takes the expired ones away: nobody loses by that any more
	h.want(h.pull("s", "w"), s(1, 0, 0, 0, 0, 0, 0), "[q#6] 10")
	if got := h.ids("q"); !slices.Equal(got, []int64{3, 6}) {
		t.Fatalf("kept: %v", got)
	}
}

// TestTIME7_Limit counts only what the committed position passes, as errors do.
func TestTIME7_Limit(t *testing.T) {
	h := newHouse(t)
	h.subscribe("s", "w", rules("limit=1"))
	h.publish("q", "1")
	h.expire("2", 60)
	h.publish("q", "3")
	h.at(1060)
	h.want(h.pull("s", "w"), s(1, 1, 0, 0, 0, 0, 0), "[q#1] 1")
	h.want(h.pull("s", "w"), s(1, 0, 0, 0, 0, 1, 0), "[q#3] 3")
}

// TestTIME7_Latest counts what it looks at; what is older is skipped for good.
func TestTIME7_Latest(t *testing.T) {
	h := newHouse(t)
	h.subscribe("s", "w", rules("select=latest limit=1"))
	h.expire("1", 60)
	h.publish("q", "2")
	h.expire("3", 60)
	h.at(1060)
	h.want(h.pull("s", "w"), s(1, 0, 0, 0, 0, 1, 0), "[q#2] 2")
	h.want(h.pull("s", "w"))
}

// TestTIME7_ExpiresUnderTheLock: an item that was fit for delivery when the pull
// looked, and is not when it commits.
func TestTIME7_ExpiresUnderTheLock(t *testing.T) {
	h := newHouse(t)
	h.subscribe("s", "w", rules(""))
	h.expire("1", 60)
	h.publish("q", "2")
	h.at(1059)
	out := &strings.Builder{}
	h.store.before = func() { h.at(1060) }
	_, err := h.Pull(context.Background(), app.Pull{Subscription: "s", Subscriber: "w"}, out)
	h.must(err)
	h.want(out.String(), s(1, 0, 0, 0, 0, 1, 0), "[q#2] 2")
}

// TestTIME7_Acked: who acked an item before it was delivered misses nothing.
func TestTIME7_Acked(t *testing.T) {
	h := newHouse(t)
	h.subscribe("s", "w", rules("consume=on_ack"))
	h.subscribe("s", "v", nil)
	h.expire("1", 60)
	h.publish("q", "2")
	h.ack(1, "w")
	h.at(1060)
	h.want(h.pull("s", "w"), s(1, 0, 0, 0, 0, 0, 0), "[q#2] 2")
	h.want(h.pull("s", "v"), line("s", "v", 1, 0, 0, 0, 0, 1, 0), "[q#2] 2")
}

// TestTIME7_Leased: a holder may ack what expires in its hands; when the lease ends
// unacked, nobody gets the item again, and that counts once.
func TestTIME7_Leased(t *testing.T) {
	h := newHouse(t)
	h.subscribe("s", "w", rules("share=one consume=on_ack lease=100"))
	h.expire("1", 60)
	h.expire("2", 60)
	h.want(h.pull("s", "w"), s(2, 0, 0, 0, 0, 0, 100), "[q#1] 1", "[q#2] 2")
	h.at(1060)
	h.publish("q", "3") // TIME-8: it takes away neither
	h.ack(1, "w")
	h.at(1100)
	h.want(h.pull("s", "w"), s(1, 0, 0, 0, 0, 1, 100), "[q#3] 3")
	h.want(h.pull("s", "w"))
	h.publish("q", "4")
	h.want(h.pull("s", "w"), s(1, 0, 0, 0, 0, 0, 100), "[q#4] 4")
	if got := h.ids("q"); !slices.Equal(got, []int64{3, 4}) {
		t.Fatalf("kept: %v", got)
	}
}

// TestTIME7_Parked: an item whose last lease has ended is parked, not dropped.
func TestTIME7_Parked(t *testing.T) {
	h := newHouse(t)
	h.subscribe("s", "w", rules("share=one consume=on_ack lease=100 attempts=1"))
	h.expire("1", 60)
	h.pull("s", "w")
	h.at(1100)
	h.publish("q", "2")
	h.want(h.pull("s", "w"), s(1, 0, 0, 1, 0, 0, 100), "[q#2] 2")
}

// TestTIME8_PublishRemoves: retention takes what has expired, read or not, in queues
// without limits too, asks the filters, and counts.
func TestTIME8_PublishRemoves(t *testing.T) {
	h := newHouse(t)
	h.limits["q"] = inbox.Retention{}
	even := rules("")
	even.Filter = ".payload % 2 == 0"
	h.subscribe("s", "w", even)
	h.subscribe("one", "v", rules("share=one consume=on_ack lease=10"))
	for _, text := range []string{"1", "2", "4"} {
		h.expire(text, 60)
	}
	h.publish("q", "6")
	_, err := h.Pull(context.Background(), app.Pull{Subscription: "one", Subscriber: "v"}, &strings.Builder{})
	h.must(err)
	h.at(1060) // the leases have ended
	h.publish("q", "8")
	if got := h.ids("q"); !slices.Equal(got, []int64{4, 5}) {
		t.Fatalf("kept: %v", got)
	}
	h.want(h.pull("s", "w"), s(2, 0, 0, 0, 0, 2, 0), "[q#4] 6", "[q#5] 8")
	if got := h.line("one", "v").Counts.Dropped; got != 3 {
		t.Fatalf("under leases dropped=%d", got)
	}
}

// TestTIME8_Bounded: one publish removes so many as RET-4 lets it.
func TestTIME8_Bounded(t *testing.T) {
	h := newHouse(t)
	for range 300 {
		h.expire("1", 60)
	}
	h.at(1060)
	h.publish("q", "2")
	if got := len(h.ids("q")); got != 301-inbox.Removal(1) {
		t.Fatalf("%d are kept", got)
	}
	h.publish("q", "2")
	if got := len(h.ids("q")); got != 2 {
		t.Fatalf("%d are kept", got)
	}
}

// TestTIME6_ReleasedTooLate: nobody was there to release a message before it
// expired: it counts as dropped all the same.
func TestTIME6_ReleasedTooLate(t *testing.T) {
	h := newHouse(t)
	h.subscribe("s", "w", rules(""))
	_, err := h.Publish(context.Background(), app.Message{
		Queue: "q", Payload: []byte("1"), Release: inbox.Moment{In: 10}, Expires: inbox.Moment{In: 20},
	})
	h.must(err)
	h.at(1020)
	h.want(h.pull("s", "w"), s(0, 0, 0, 0, 0, 1, 0))
	h.want(h.pull("s", "w"))
}

// TestTIME7_ReleasedTooLateForNobody: what a filter does not match is no loss either
// when it had expired before it was released, by a publish or by a pull.
func TestTIME7_ReleasedTooLateForNobody(t *testing.T) {
	h := newHouse(t)
	r := rules("")
	r.Filter = ".payload > 5"
	h.subscribe("s", "w", r)
	late := func(text string) {
		t.Helper()
		_, err := h.Publish(context.Background(), app.Message{
			Queue: "q", Payload: []byte(text), Release: inbox.Moment{In: 10}, Expires: inbox.Moment{In: 20},
		})
		h.must(err)
	}
	late("1")
	late("7")
	h.at(1020)
	h.publish("q", "2")
	h.publish("q", "3") // removes what the one before has released
	h.want(h.pull("s", "w"), s(0, 0, 0, 0, 0, 1, 0))
	late("1")
	late("8")
	h.at(1040)
	h.want(h.pull("s", "w"), s(0, 0, 0, 0, 0, 1, 0))
	h.want(h.pull("s", "w"))
}

// TestTIME6_JSON: an item says when it expires only if it does.
func TestTIME6_JSON(t *testing.T) {
	h := newHouse(t)
	h.expire("1", 60)
	item, err := h.Item(context.Background(), 1)
	h.must(err)
	h.want(string(item.JSON())+"\n", `{"id":1,"queue":"q","key":null,"payload":1,"created_at":1000,"expires_at":1060}`)
}
