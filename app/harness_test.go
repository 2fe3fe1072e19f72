package app_test

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tundish-go/tundish/adapters/jq"
	"github.com/tundish-go/tundish/adapters/memory"
	"github.com/tundish-go/tundish/adapters/payload"
	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
	"github.com/tundish-go/tundish/ports"
	"github.com/tundish-go/tundish/ports/storage"
)

// clock is a clock that stands still until a test moves it. With pace set, each
// look at the elapsed time moves that on.
type clock struct {
	now     atomic.Int64 // Unix seconds
	elapsed atomic.Int64
	pace    atomic.Int64
}

func (c *clock) Now() time.Time { return time.Unix(c.now.Load(), 0) }

func (c *clock) Elapsed() time.Duration { return time.Duration(c.elapsed.Add(c.pace.Load())) }

// watched counts the transactions of a store and tells whether a write is under
// way.
type watched struct {
	storage.Store
	updates atomic.Int64
	locked  atomic.Bool
	before  func() // the work of the next write, once; nil for nothing
	between func() // what comes before the next write, once; nil for nothing
}

func (w *watched) Update(ctx context.Context, fn func(storage.Writer) error) error {
	w.updates.Add(1)
	if between := w.between; between != nil {
		w.between = nil
		between()
	}
	return w.Store.Update(ctx, func(tx storage.Writer) error {
		w.locked.Store(true)
		defer w.locked.Store(false)
		if before := w.before; before != nil {
			w.before = nil
			before()
		}
		return fn(tx)
	})
}

// house is an inbox with everything around it.
type house struct {
	*testing.T
	*app.Inbox
	clock  *clock
	place  *memory.Place
	store  *watched
	limits map[string]inbox.Retention
}

func newHouse(t *testing.T) *house { return newHouseWith(t, jq.New()) }

func newHouseWith(t *testing.T, expressions ports.Expressions) *house {
	t.Helper()
	h := &house{T: t, clock: &clock{}, place: memory.New(), limits: map[string]inbox.Retention{}}
	h.store = &watched{Store: h.place.Open()}
	h.clock.now.Store(1000)
	var err error
	h.Inbox, err = app.New(app.Options{
		Store: h.store, Clock: h.clock, Expressions: expressions, Payloads: payload.New(),
		Retention: func(queue string) inbox.Retention {
			if r, ok := h.limits[queue]; ok {
				return r
			}
			return inbox.DefaultRetention()
		},
	})
	h.must(err)
	return h
}

func (h *house) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

func (h *house) at(now int64) { h.clock.now.Store(now) }

func (h *house) publish(queue, text string) int64 {
	h.Helper()
	done, err := h.Publish(context.Background(), app.Message{Queue: queue, Payload: []byte(text)})
	h.must(err)
	return done.ID
}

// fill publishes count numbers, from 1, in batches.
func (h *house) fill(queue string, count int) {
	h.Helper()
	ctx := context.Background()
	for n := 1; n <= count; {
		var drafts []app.Draft
		for ; n <= count && len(drafts) < 500; n++ {
			key := "k" + strconv.Itoa(n)
			d, err := h.Prepare(ctx, app.Message{Queue: queue, Key: &key, Payload: []byte(strconv.Itoa(n))})
			h.must(err)
			drafts = append(drafts, d)
		}
		_, err := h.PublishAll(ctx, queue, drafts)
		h.must(err)
	}
}

// rules are the defaults on q with changes such as "share=one limit=2". A filter
// or template is set by the tests themselves.
func rules(changes string) *inbox.Rules {
	r := inbox.DefaultRules("q")
	for change := range strings.FieldsSeq(changes) {
		name, value, _ := strings.Cut(change, "=")
		n, _ := strconv.ParseInt(value, 10, 64)
		switch name {
		case "queue":
			r.Queue = value
		case "filter":
			r.Filter = value
		case "template":
			r.Template = value
		case "select":
			r.Select = inbox.Select(value)
		case "limit":
			r.Limit = n
		case "consume":
			r.Consume = inbox.Consume(value)
		case "share":
			r.Share = inbox.Share(value)
		case "every":
			r.Every = n
		case "lease":
			r.Lease = n
		case "attempts":
			r.MaxAttempts = n
		case "start":
			r.Start = inbox.Start(value)
		default:
			panic(change)
		}
	}
	return &r
}

func (h *house) subscribe(name, who string, r *inbox.Rules) app.Subscribed {
	h.Helper()
	done, err := h.Subscribe(context.Background(), app.Subscribe{Name: name, Subscriber: who, Rules: r})
	h.must(err)
	return done
}

func (h *house) pull(name, who string) string {
	h.Helper()
	return h.pullAs(app.Pull{Subscription: name, Subscriber: who})
}

func (h *house) due(who string) string {
	h.Helper()
	return h.pullAs(app.Pull{Due: true, Subscriber: who})
}

func (h *house) pullAs(p app.Pull) string {
	h.Helper()
	var out bytes.Buffer
	_, err := h.Pull(context.Background(), p, &out)
	h.must(err)
	return out.String()
}

func (h *house) ack(id int64, who string) app.Acked {
	h.Helper()
	done, err := h.Ack(context.Background(), app.Ack{Item: id, Subscriber: who})
	h.must(err)
	return done
}

// line finds the status of a binding.
func (h *house) line(name, who string) app.BindingStatus {
	h.Helper()
	lines, err := h.Status(context.Background())
	h.must(err)
	for _, l := range lines {
		if l.Subscription == name && l.Subscriber == who {
			return l
		}
	}
	h.Fatalf("no binding of %s to %s", who, name)
	return app.BindingStatus{}
}

func (h *house) ids(queue string) (ids []int64) {
	h.Helper()
	h.must(h.List(context.Background(), app.List{Queue: queue, Limit: -1}, func(v app.ItemView) error {
		ids = append(ids, v.ID)
		return nil
	}))
	return ids
}

// status picks the first line of an output.
func status(out string) string {
	line, _, _ := strings.Cut(out, "\n")
	return line
}

// want compares an output with the lines that it should have.
func (h *house) want(got string, lines ...string) {
	h.Helper()
	want := strings.Join(lines, "\n")
	if len(lines) > 0 {
		want += "\n"
	}
	if got != want {
		h.Fatalf("got:\n%s\nwant:\n%s", got, want)
	}
}

func (h *house) code(err error, want domain.Code) {
	h.Helper()
	if err == nil || domain.CodeOf(err) != want {
		h.Fatalf("got error %v with code %d, want code %d", err, domain.CodeOf(err), want)
	}
}

// s is a status line of subscription s and subscriber w with the given counts.
func s(delivered, more, unacked, parked, errs, dropped, lease int) string {
	return line("s", "w", delivered, more, unacked, parked, errs, dropped, lease)
}

func line(name, who string, delivered, more, unacked, parked, errs, dropped, lease int) string {
	b := []byte("tundish: subscription=" + name + " subscriber=" + who)
	for i, n := range []int{delivered, more, unacked, parked, errs, dropped, lease} {
		b = append(b, " "+[]string{"delivered", "more", "unacked", "parked", "errors", "dropped", "lease"}[i]+"="...)
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return string(b)
}

func newEngine() ports.Expressions { return jq.New() }
