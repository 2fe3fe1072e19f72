package app_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"pgregory.net/rapid"

	"github.com/tundish-go/tundish/app"
	"github.com/tundish-go/tundish/domain"
	"github.com/tundish-go/tundish/domain/inbox"
)

// peeking is a house under random use.
type peeking struct {
	*house
	t       *rapid.T
	lookout map[string]*app.Lookout
}

// VIEW-1, WAIT-1: whatever has happened before, a peek prints byte for byte what
// the pull right after it prints, and says how many items that delivers; so does a
// lookout, however often it has looked before. None of them writes anything.
func TestVIEW1_APeekIsThePullThatFollows(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := &peeking{house: newHouse(t), t: rt, lookout: map[string]*app.Lookout{}}
		p.subscribeAny("a", "w")
		rt.Repeat(map[string]func(*rapid.T){
			"publish": func(t *rapid.T) {
				p.publish("q", rapid.SampledFrom([]string{"1", `"x"`, "[1]", "null", `{"n":3}`, "200"}).Draw(t, "payload"))
			},
			"subscribe": func(t *rapid.T) {
				p.subscribeAny(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "name"), rapid.SampledFrom([]string{"w", "v"}).Draw(t, "who"))
			},
			"ack": func(t *rapid.T) {
				id, who := rapid.Int64Range(1, 12).Draw(t, "id"), rapid.SampledFrom([]string{"w", "v"}).Draw(t, "who")
				_, _ = p.Ack(context.Background(), app.Ack{Item: id, Subscription: "a", Subscriber: who}) // refused or not
			},
			"time": func(t *rapid.T) { p.clock.now.Add(rapid.Int64Range(1, 40).Draw(t, "seconds")) },
			"keep": func(t *rapid.T) {
				p.limits["q"] = inbox.Retention{MaxItems: rapid.Int64Range(1, 9).Draw(t, "items")}
			},
			"look": func(t *rapid.T) { p.look(p.any(t)) },
			"pull": func(t *rapid.T) { p.peekAndPull(p.any(t)) },
		})
	})
}

// subscribeAny binds w to a subscription with random rules.
func (p *peeking) subscribeAny(name, who string) {
	r := rules("")
	r.Filter = rapid.SampledFrom([]string{"", ".payload == 1", ".payload | numbers", ".payload | tonumber"}).Draw(p.t, "filter")
	r.Template = rapid.SampledFrom([]string{"", `"item \(.id)"`, ".payload | error"}).Draw(p.t, "template")
	r.Share = rapid.SampledFrom([]inbox.Share{inbox.All, inbox.One}).Draw(p.t, "share")
	r.Consume = rapid.SampledFrom([]inbox.Consume{inbox.OnRead, inbox.OnAck}).Draw(p.t, "consume")
	r.Limit = rapid.Int64Range(1, 3).Draw(p.t, "limit")
	if r.Share == inbox.All && rapid.Bool().Draw(p.t, "latest") {
		r.Select = inbox.Latest
	}
	r.Every, r.Lease, r.MaxAttempts = rapid.Int64Range(0, 30).Draw(p.t, "every"), 10, 2
	_, err := p.Subscribe(context.Background(), app.Subscribe{Name: name, Subscriber: who, Rules: r})
	p.must(err)
}

func (p *peeking) any(t *rapid.T) app.Pull {
	pull := app.Pull{Subscriber: rapid.SampledFrom([]string{"w", "v"}).Draw(t, "puller"), MaxBytes: rapid.IntRange(400, 900).Draw(t, "bytes")}
	if pull.Due = rapid.Bool().Draw(t, "due"); !pull.Due {
		pull.Subscription = rapid.SampledFrom([]string{"a", "b"}).Draw(t, "pulled")
	}
	return pull
}

// look has the lookout of a pull look, which may be an old one.
func (p *peeking) look(pull app.Pull) (sight app.Sight, err error) {
	key := pull.Subscription + " " + pull.Subscriber
	if p.lookout[key] == nil {
		p.lookout[key], err = p.Lookout(pull)
		p.must(err)
	}
	before := p.store.updates.Load()
	sight, err = p.lookout[key].Look(context.Background())
	if n := p.store.updates.Load(); n != before {
		p.t.Fatalf("a look wrote %d times", n-before)
	}
	return sight, err
}

func (p *peeking) peekAndPull(pull app.Pull) {
	ctx := context.Background()
	sight, lookErr := p.look(pull)
	before := p.store.updates.Load()
	var peeked, pulled bytes.Buffer
	seen, peekErr := p.Peek(ctx, pull, &peeked)
	if n := p.store.updates.Load(); n != before {
		p.t.Fatalf("a peek wrote %d times", n-before)
	}
	done, pullErr := p.Pull(ctx, pull, &pulled)
	for _, err := range []error{lookErr, peekErr} {
		if fmt.Sprint(err) != fmt.Sprint(pullErr) {
			p.t.Fatalf("the pull says %v, and before it %v", pullErr, err)
		}
	}
	if peeked.String() != pulled.String() || seen.Delivered != done.Delivered {
		p.t.Fatalf("peeked %d:\n%s\npulled %d:\n%s", seen.Delivered, peeked.String(), done.Delivered, pulled.String())
	}
	if (sight.Items > 0) != (done.Delivered > 0) || sight.Partial {
		p.t.Fatalf("%+v was seen, and %d are delivered", sight, done.Delivered)
	}
}

// WAIT-1: a lookout goes on where the time of a look was over, and so finds an item
// that is behind more than one look can judge.
func TestWAIT1_ALookoutGetsThrough(t *testing.T) {
	h := newHouse(t)
	h.fill("q", 5000)
	h.subscribe("s", "w", rules("filter=.payload==4999"))
	out, err := h.Lookout(app.Pull{Subscription: "s", Subscriber: "w"})
	h.must(err)
	h.clock.pace.Store(20e6) // 20 ms from one look at the clock to the next
	for looks := 1; ; looks++ {
		sight, err := out.Look(t.Context())
		h.must(err)
		if sight.Items == 1 {
			if looks == 1 {
				t.Fatal("one look was enough: this test shows nothing")
			}
			return
		}
		if !sight.Partial || looks > 1000 {
			t.Fatalf("after %d looks it gives up: %+v", looks, sight)
		}
	}
}

// WAIT-1: what a lookout remembers does not outlive a minute, since a filter may ask
// for the time.
func TestWAIT1_ALookoutJudgesAnew(t *testing.T) {
	h := newHouse(t)
	h.publish("q", "1")
	r := rules("")
	r.Filter = "now >= 2000"
	h.subscribe("s", "w", r)
	out, err := h.Lookout(app.Pull{Subscription: "s", Subscriber: "w"})
	h.must(err)
	for _, tt := range []struct{ now, elapsed, items int64 }{{1999, 0, 0}, {2000, 61, 1}} {
		h.at(tt.now)
		h.clock.elapsed.Store(tt.elapsed * 1e9)
		sight, err := out.Look(t.Context())
		h.must(err)
		if sight.Items != tt.items {
			t.Errorf("at %d %d items are seen, want %d", tt.now, sight.Items, tt.items)
		}
	}
}

// WAIT-1: a message whose time has come is seen by a lookout, and not by a peek,
// which writes nothing.
func TestWAIT1_ALookoutSeesWhatTimeBrings(t *testing.T) {
	h := newHouse(t)
	h.subscribe("s", "w", rules(""))
	h.delay("1", 10)
	p := app.Pull{Subscription: "s", Subscriber: "w"}
	out, err := h.Lookout(p)
	h.must(err)
	for _, tt := range []struct{ now, items int64 }{{1009, 0}, {1010, 1}} {
		h.at(tt.now)
		before := h.store.updates.Load()
		peeked, err := h.Peek(t.Context(), p, io.Discard)
		h.must(err)
		if peeked.Delivered != 0 || h.store.updates.Load() != before {
			t.Errorf("at %d a peek shows %d items", tt.now, peeked.Delivered)
		}
		sight, err := out.Look(t.Context())
		h.must(err)
		if sight.Items != tt.items {
			t.Errorf("at %d %d items are seen, want %d", tt.now, sight.Items, tt.items)
		}
	}
}

// VIEW-1: what a peek cannot write, and what a pull cannot spell, moves nothing.
func TestVIEW1_NothingIsMarkedWhereNothingCanBePrinted(t *testing.T) {
	h := newHouse(t)
	h.publish("q", "1")
	h.subscribe("s", "w", rules(""))
	broken := errors.New("no form")
	p := app.Pull{Subscription: "s", Subscriber: "w"}
	_, err := h.Peek(t.Context(), p, &failing{})
	h.code(err, domain.Output)
	p.Form = func(inbox.Plan) ([]byte, error) { return nil, broken }
	var out bytes.Buffer
	if _, err := h.Pull(t.Context(), p, &out); !errors.Is(err, broken) || out.Len() > 0 {
		t.Fatalf("%v, %q", err, out.String())
	}
	p.Form = func(plan inbox.Plan) ([]byte, error) {
		return fmt.Append(nil, plan.Batches[0].Items, plan.Batches[0].Texts), nil
	}
	done, err := h.Pull(t.Context(), p, &out)
	h.must(err)
	if got := out.String(); done.Delivered != 1 || got != "[1] [[q#1] 1]" {
		t.Errorf("%+v, %q", done, got)
	}
}
